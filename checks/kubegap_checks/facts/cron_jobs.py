"""Jobs that run by the clock, and what they delete."""

from typing import ClassVar

from msgspec import Struct

from kubegap_checks.facts.read import Kind, Record


class Deletion(Struct, frozen=True, kw_only=True):
    """One `kubectl delete` of a container's command that names no object and is no dry run.

    `kinds` are those that signals/deleted_kinds.yaml knows; `all` is `--all`, `everywhere` is `--all-namespaces`, and
    `selected` says that a label or field selector narrows it.
    """

    kinds: tuple[str, ...]
    all: bool = False
    everywhere: bool = False
    selected: bool = False


class CronJob(Record, frozen=True, kw_only=True):
    KIND: ClassVar[Kind] = Kind(
        name="CronJob", plural="cronjobs", group="batch", namespaced=True, workload=True, page=200
    )

    namespace: str
    name: str
    schedule: str = ""
    suspended: bool = False
    deletions: tuple[Deletion, ...] = ()
