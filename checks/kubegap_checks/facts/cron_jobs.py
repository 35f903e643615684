"""Jobs that run by the clock, and what they delete."""

from dataclasses import dataclass
from typing import ClassVar

from kubegap_checks.facts.read import Kind, Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """One `kubectl delete` of a container's command that names no object and is no dry run.

    `kinds` are those that signals/deleted_kinds.yaml knows; `all` is `--all`, `everywhere` is `--all-namespaces`, and
    `selected` says that a label or field selector narrows it.
    """

    kinds: tuple[str, ...]
    all: bool = False
    everywhere: bool = False
    selected: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CronJob(Record):
    KIND: ClassVar[Kind] = Kind(
        name="CronJob", plural="cronjobs", group="batch", namespaced=True, workload=True, page=200
    )

    namespace: str
    name: str
    schedule: str = ""
    suspended: bool = False
    deletions: tuple[Deletion, ...] = ()
