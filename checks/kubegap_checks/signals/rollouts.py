"""Marks of a node whose software is being replaced, so that its version differs from that of others for a while."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Final, Literal, get_args

from kubegap_checks.facts.derived import row_derived
from kubegap_checks.facts.nodes import Node
from kubegap_checks.signals.by_key import ByKey
from kubegap_checks.signals.tables import Filled, Regex, Row, read

Place = Literal["label", "annotation", "taint"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutMark(Row):
    """One key, with a value that matches in full or that differs from the value of another key."""

    where: Place
    key: Regex
    value: Regex | None = None
    differs_from: Filled | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.differs_from is None):
            raise ValueError("exactly one of value and differs_from says when the node is being changed")

    def holds(self, key: str, values: Mapping[str, str]) -> bool:
        if self.value is not None:
            return self.value.fullmatch(values[key]) is not None
        return values.get(self.differs_from or "", values[key]) != values[key]


@cache
def rollouts() -> tuple[RolloutMark, ...]:
    return read("rollouts.yaml", RolloutMark)


@row_derived
def rolling(node: Node) -> bool:
    """Whether anything marks the node's software as being replaced, or as waiting for it."""
    places: dict[Place, Mapping[str, str]] = {
        "label": node.labels,
        "annotation": node.annotations,
        "taint": {taint.key: taint.value for taint in node.taints},
    }
    return any(
        row.holds(key, values)
        for place, values in places.items()
        for key, rows in _ROWS[place].told(values)
        for row in rows
    )


def _rows_of(place: Place, key: str) -> tuple[RolloutMark, ...]:
    """The rows that a key there can fulfil."""
    return tuple(row for row in rollouts() if row.where == place and row.key.fullmatch(key))


_PLACES: Final[tuple[Place, ...]] = get_args(Place)
_ROWS: Final = {place: ByKey(partial(_rows_of, place)) for place in _PLACES}
