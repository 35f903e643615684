"""How a training run looks from outside: its owners, and what its paths and variables are for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from kubegap_checks.model import Confidence
from kubegap_checks.signals.tables import Filled, Part, Regex, Row, read

Role = Literal["dataset", "index_cache", "checkpoint", "cache", "compile_cache", "scratch", "shm"]
Sign = Literal["env", "flag", "mount_path", "volume_name"]

# What may be shown of a variable that names a path: a path, and neither a URL nor a bucket.
_PATH = re.compile(r"(?:~|\.{0,2})/[A-Za-z0-9_./%+=-]{0,200}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleHint(Row):
    """One sign of what a path is for. `pattern` matches an environment name, a flag, a path or a name in full.

    `saves` marks a variable or flag that names where checkpoints are written, not where one is read from.
    """

    role: Role
    sign: Sign
    pattern: Regex
    confidence: Confidence
    saves: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvSetting(Row):
    """An environment name that is kept; its value is shown only where it matches `show` in full, None is never."""

    name: Regex
    show: Regex | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerKind(Row):
    """A kind that owns pods; `training` says how sure such an owner makes it that they train.

    One that `serves` keeps pods for requests or agents: only what a training framework sets tells otherwise.
    One that `scales` adds and takes away pods by itself, and waits for none of them. One that `hosts` keeps pods in
    which another scheduler runs jobs, of which no Kubernetes object tells.
    """

    kind: Filled
    group: str
    training: Confidence
    serves: bool = False
    scales: bool = False
    hosts: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherLabel(Part):
    """A label that must be there too, with a value that matches in full."""

    key: Filled
    value: Regex


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLabel(Row):
    """A pod label whose value is the name of the run; where several kinds use the label, `when` tells them apart."""

    key: Filled
    kind: Filled
    when: OtherLabel | None = None

    def names_run(self, labels: Mapping[str, str]) -> bool:
        return bool(labels.get(self.key)) and (
            self.when is None or self.when.value.fullmatch(labels.get(self.when.key, "")) is not None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Regroup(Row):
    """A variable or flag, and the values with which the processes of a run meet again after one was lost."""

    sign: Literal["env", "flag"]
    pattern: Regex
    value: Regex


@dataclass(frozen=True, slots=True, kw_only=True)
class Range(Row):
    """A variable or flag that says how many nodes the processes of a run wait for."""

    sign: Literal["env", "flag"]
    pattern: Regex


@cache
def role_hints() -> tuple[RoleHint, ...]:
    """All rows, the surest first for each sign."""
    return read("workloads.yaml", RoleHint, "roles")


@cache
def env_settings() -> tuple[EnvSetting, ...]:
    return read("workloads.yaml", EnvSetting, "env")


@cache
def regroups() -> tuple[Regroup, ...]:
    return read("workloads.yaml", Regroup, "regroups")


@cache
def ranges() -> tuple[Range, ...]:
    return read("workloads.yaml", Range, "ranges")


@cache
def owner_kinds() -> tuple[OwnerKind, ...]:
    return read("workloads.yaml", OwnerKind, "owners")


@cache
def owner_kind(kind: str) -> OwnerKind | None:
    """The row of a kind, the least sure where several groups have it; None for one that is not in the table."""
    rows = (row for row in owner_kinds() if row.kind == kind)
    return min(rows, key=lambda row: row.training.rank, default=None)


@cache
def run_labels() -> tuple[RunLabel, ...]:
    """All rows, the outermost owner first."""
    return read("workloads.yaml", RunLabel, "run_labels")


@lru_cache(maxsize=4096)
def role_of(sign: Sign, text: str) -> RoleHint | None:
    """What a variable, flag, mount path or volume name says about its role."""
    return next((row for row in role_hints() if row.sign == sign and row.pattern.fullmatch(text)), None)


@lru_cache(maxsize=4096)
def is_known_flag(flag: str) -> bool:
    launch = [row.pattern for row in regroups() if row.sign == "flag"]
    launch += [row.pattern for row in ranges() if row.sign == "flag"]
    return role_of("flag", flag) is not None or any(pattern.fullmatch(flag) for pattern in launch)


@lru_cache(maxsize=4096)
def env_setting(name: str) -> EnvSetting | None:
    """The row of an environment name that is kept; one that tells a role is shown where its value is a path."""
    setting = next((row for row in env_settings() if row.name.fullmatch(name)), None)
    if setting is None and (hint := role_of("env", name)):
        return EnvSetting(name=hint.pattern, show=_PATH, source=hint.source)
    return setting


def shown_env(name: str, value: str) -> str | None:
    """The value as it may be shown; None where the name is not kept or the value could hold a secret."""
    setting = env_setting(name)
    return value if setting and setting.show and setting.show.fullmatch(value) else None


def run_in(labels: Mapping[str, str]) -> tuple[str, str] | None:
    """Kind and name of the outermost run that a pod's labels name."""
    return next(((row.kind, labels[row.key]) for row in run_labels() if row.names_run(labels)), None)
