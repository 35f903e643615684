"""Kinds that a clean-up job may delete, and what goes with them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from kubegap_checks.signals.tables import Filled, Row, read


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedKind(Row):
    kind: Filled
    names: tuple[Filled, ...]
    reach: Literal["cluster", "data", "work"]


@cache
def deleted_kinds() -> tuple[DeletedKind, ...]:
    return read("deleted_kinds.yaml", DeletedKind)


def deleted_kind(name: str) -> DeletedKind | None:
    """The row that has this name, in whatever case kubectl takes it."""
    return _by_name().get(name.lower())


@cache
def _by_name() -> Mapping[str, DeletedKind]:
    return {name: row for row in deleted_kinds() for name in row.names}
