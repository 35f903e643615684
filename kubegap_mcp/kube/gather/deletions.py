"""What a container's command deletes with kubectl; every other word of it is dropped."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from kubegap_checks.facts.cron_jobs import Deletion
from kubegap_checks.signals.deleted_kinds import deleted_kind
from kubegap_mcp.kube.gather.lenient import Losses

_LONGEST: Final = 100_000  # letters of one command
_MOST: Final = 100
# One command of a script: up to what ends it. `kubectl -n ml delete` is one as well.
_KUBECTL: Final = re.compile(r"\bkubectl\s([^|;&\n]*)")
_CONTINUED: Final = re.compile(r"\\\s*\n")
_NOT_DRY: Final = "--dry-run=none"
_SELECTORS: Final = ("-l", "--selector", "--field-selector")
# Flags of kubectl whose value is a word of its own: what follows them names no object.
_WITH_VALUE: Final = {"-n", "--namespace", "--context", "--kubeconfig", "--grace-period", "--timeout", *_SELECTORS}


def deletions(command: Sequence[str] | None, args: Sequence[str] | None, losses: Losses) -> tuple[Deletion, ...]:
    text = _CONTINUED.sub(" ", " ".join((*(command or ()), *(args or ()))))
    found = (_deletion(match[1].split()) for match in _KUBECTL.finditer(text[:_LONGEST]))
    different = tuple(dict.fromkeys(one for one in found if one is not None))
    if len(text) > _LONGEST or len(different) > _MOST:
        losses.add()
    return different[:_MOST]


def spelled(one: Deletion) -> str:
    """The command again, of known words alone; reading it gives the same, beside others too: it ends where it ends."""
    flags = {"--all": one.all, "--all-namespaces": one.everywhere, "--selector=x": one.selected}
    return " ".join(("kubectl delete", ",".join(one.kinds), *(flag for flag, is_set in flags.items() if is_set), ";"))


def _deletion(words: Sequence[str]) -> Deletion | None:
    words = [word.strip("\"'()`") for word in words]
    if "delete" not in words or any(word.startswith("--dry-run") and word != _NOT_DRY for word in words):
        return None
    place = words.index("delete")
    objects = list(_objects(words[place + 1 :]))
    kinds = [deleted_kind(told) for told in objects[0].split(",")] if objects else []
    if not kinds or len(objects) > 1 or any(kind is None for kind in kinds):
        return None
    return Deletion(
        kinds=tuple(kind.kind for kind in kinds if kind),
        all="--all" in words or "--all=true" in words,
        everywhere=not {"-A", "--all-namespaces", "--all-namespaces=true"}.isdisjoint(words),
        selected=any(word.startswith(_SELECTORS) for word in words),
    )


def _objects(words: Iterable[str]) -> Iterator[str]:
    """The words that are neither a flag nor its value nor where the output goes."""
    before = ""
    for word in words:
        if not word.startswith("-") and before not in _WITH_VALUE and ">" not in word:
            yield word
        before = word
