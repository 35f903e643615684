"""NVIDIA Xid numbers: what each asks for, and where agents disagree about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from kubegap_checks.signals.tables import Filled, Part, Row, SignalTableError, Words, read

XidAction = Literal[
    "leave_service",  # the GPU or node must leave service until reset, restarted or repaired
    "restart_app",  # the job ends, the GPU is fine
    "informational",
    "undecided",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement(Part):
    """What another agent makes of the same numbers."""

    agent: Filled
    says: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class XidClass(Row):
    """What NVIDIA's catalogue asks for after these Xids; `note` says what one of them means or depends on."""

    xids: tuple[int, ...]
    action: XidAction
    note: Words | None = None
    disagreements: tuple[Disagreement, ...] = ()


@cache
def xids() -> tuple[XidClass, ...]:
    return read("xids.yaml", XidClass)


def xid_class(number: int) -> XidClass:
    """The row of a number; one that no row has is undecided."""
    return _by_number().get(number) or XidClass(xids=(number,), action="undecided", source=xids()[0].source)


@cache
def _by_number() -> Mapping[int, XidClass]:
    rows: dict[int, XidClass] = {}
    for row in xids():
        for number in row.xids:
            if number in rows:
                raise SignalTableError("xids.yaml", f"Xid {number}", "stands in two rows")
            rows[number] = row
    return rows
