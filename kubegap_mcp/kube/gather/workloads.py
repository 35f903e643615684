"""What a container says about its data: only known variables and known flags are looked at, the rest is dropped."""

from collections.abc import Iterable, Iterator
from typing import Final

from kubegap_checks.facts.pods import Run
from kubegap_checks.signals.workloads import env_setting, is_known_flag, run_in, shown_env
from kubegap_mcp.foreign.clean import Names
from kubegap_mcp.kube.gather.fields import name, value
from kubegap_mcp.kube.gather.lenient import Losses, first
from kubegap_mcp.kube.wire.meta import Meta, Owner
from kubegap_mcp.kube.wire.pods import Elsewhere, EnvVar

_ENV: Final = 5000
_WORDS: Final = 5000
_SCRIPT: Final = 100_000  # letters of one argument that is a shell script
_LONGEST_NAME: Final = 80  # of a variable or a flag
_OWNERS: Final = 80

_TEMPLATE_HASH: Final = "pod-template-hash"


def known_env(variables: list[EnvVar] | None, names: Names, losses: Losses) -> list[EnvVar] | None:
    """The variables with a known name; a value that may not be shown is as if it came from elsewhere."""
    kept: list[EnvVar] = []
    for variable in first(_ENV, variables, losses):
        if not variable.name or len(variable.name) > _LONGEST_NAME or env_setting(variable.name) is None:
            continue
        if variable.value_from is not None:
            kept.append(EnvVar(name=variable.name, value_from=Elsewhere()))
            continue
        shown = shown_env(variable.name, names.without_authority(variable.value or ""))
        kept.append(EnvVar(name=variable.name, value=shown, value_from=Elsewhere() if shown is None else None))
    return kept or None


def known_flags(command: list[str] | None, args: list[str] | None, names: Names, losses: Losses) -> list[str] | None:
    """`--flag=value` for each flag that names data or checkpoints, also inside a shell script; a bare one has none."""
    words = _words((*(command or ()), *(args or ())))
    kept: dict[str, str] = {}
    flag = ""
    for number, word in enumerate(words):
        if number == _WORDS:
            losses.add()
            break
        known, equals, text = _split(word)
        if known:
            kept[known] = text
        elif flag and not word.startswith("-"):
            kept[flag] = word
        flag = known if not equals else ""
    return [f"{flag}={value(names.without_authority(text))}" for flag, text in kept.items()] or None


def _words(arguments: Iterable[str]) -> Iterator[str]:
    for argument in arguments:
        words = argument[:_SCRIPT].split()
        if len(words) > 1:
            yield from (word.strip("\"'\\;") for word in words)
        else:
            yield argument


def _split(word: str) -> tuple[str, str, str]:
    """The flag if the word is a known one, whether it carries its value, and the value."""
    flag, equals, text = word.partition("=")
    if not flag or len(flag) > _LONGEST_NAME:
        return "", "", ""
    return (flag, equals, text.strip("\"'")) if is_known_flag(flag) else ("", "", "")


def run_of(meta: Meta, losses: Losses) -> Run:
    """The run that the labels name, else the controller, else the pod itself."""
    namespace = name(meta.namespace)
    labels = meta.labels or {}
    labelled = run_in(labels)
    if labelled is not None:
        return Run(kind=labelled[0], namespace=namespace, name=name(labelled[1]))
    owners = [owner for owner in first(_OWNERS, meta.owner_references, losses) if owner.kind and owner.name]
    owner = next((owner for owner in owners if owner.controller), owners[0] if owners else None)
    if owner is None:
        return Run(kind="Pod", namespace=namespace, name=name(meta.name))
    return _outermost(owner, labels.get(_TEMPLATE_HASH, ""), namespace)


def _outermost(owner: Owner, template_hash: str, namespace: str) -> Run:
    """The owner, or the Deployment of a ReplicaSet: its name carries the hash that the pod's label repeats."""
    suffix = f"-{template_hash}"
    if owner.kind == "ReplicaSet" and template_hash and owner.name and owner.name.endswith(suffix):
        return Run(kind="Deployment", namespace=namespace, name=name(owner.name.removesuffix(suffix)))
    return Run(kind=value(owner.kind), namespace=namespace, name=name(owner.name))
