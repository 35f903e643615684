"""Labels, annotations and taints by which an agent marks a node or device as bad."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Final, Literal, get_args

from kubegap_checks.facts.derived import row_derived
from kubegap_checks.facts.nodes import DeviceTaint, Node
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.signals.by_key import ByKey
from kubegap_checks.signals.conditions import Topic
from kubegap_checks.signals.tables import Filled, Regex, Row, Words, read

Place = Literal["label", "annotation", "taint", "device_taint"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSignal(Row):
    """A key whose value is bad news. `key` and `value` must match in full.

    A device taint is one of a device in a ResourceSlice. With `differs_from` the value is bad when that other
    key is there too and has another value. The group of `key` that `device_group` names is the device that the
    mark is about. `under_way` says that an operator is changing the node and will put it back itself, `may_last` that
    this takes as long as jobs run or other nodes have their turn. `cordons_unless` says that the operator cordoned
    the node when it began, unless that annotation is there. `value_is_xid` says that the value is the number of an Xid.
    """

    agent: Filled
    topic: Topic
    where: Place
    key: Regex
    title: Words
    severity: Severity
    confidence: Confidence
    value: Regex | None = None
    differs_from: str | None = None
    device_group: str | None = None
    under_way: bool = False
    may_last: bool = False
    cordons_unless: str | None = None
    value_is_xid: bool = False

    def __post_init__(self) -> None:
        if (self.value is None) == (self.differs_from is None):
            raise ValueError("exactly one of value and differs_from says when it is bad")
        if self.device_group is not None and self.device_group not in self.key.groupindex:
            raise ValueError(f"key has no group {self.device_group}")

    def is_bad(self, value: str, values: Mapping[str, str]) -> bool:
        if self.value is not None:
            return self.value.fullmatch(value) is not None
        return self.differs_from is not None and values.get(self.differs_from, value) != value


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One key of one node that a row calls bad; `device` is "" where it is about the whole node."""

    signal: LabelSignal
    key: str
    value: str
    device: str = ""


@cache
def labels() -> tuple[LabelSignal, ...]:
    return read("labels.yaml", LabelSignal)


@row_derived
def marks(node: Node) -> tuple[Mark, ...]:
    """Everything on this node that an agent marked as bad, in the order of the table."""
    places: dict[Place, Mapping[str, str]] = {
        "label": node.labels,
        "annotation": node.annotations,
        "taint": {taint.key: taint.value for taint in node.taints},
    }
    found = [
        (number, Mark(signal=row, key=key, value=value, device=device))
        for place, values in places.items()
        for key, rows in _ROWS[place].told(values)
        for number, row, device in rows
        if row.is_bad(value := values[key], values)
    ]
    return tuple(mark for _, mark in sorted(found, key=lambda pair: pair[0]))


def _rows_of(place: Place, key: str) -> tuple[tuple[int, LabelSignal, str], ...]:
    """The rows that a key there can fulfil, each with its number and the device that the key is about."""
    return tuple(
        (number, row, match[row.device_group] if row.device_group else "")
        for number, row in enumerate(labels())
        if row.where == place and (match := row.key.fullmatch(key))
    )


_PLACES: Final[tuple[Place, ...]] = get_args(Place)
_ROWS: Final = {place: ByKey(partial(_rows_of, place)) for place in _PLACES}


def device_mark(taint: DeviceTaint) -> LabelSignal | None:
    """The row that explains a taint on a device of a ResourceSlice; None where no row does."""
    return next(
        (
            row
            for row in labels()
            if row.where == "device_taint"
            and row.key.fullmatch(taint.key)
            and (row.value is None or row.value.fullmatch(taint.value))
        ),
        None,
    )
