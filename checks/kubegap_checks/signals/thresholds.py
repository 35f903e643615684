"""Every number that a rule compares with, with its unit, and who says so; the owner of a cluster may set another."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from kubegap_checks.limits import limit
from kubegap_checks.signals.tables import Filled, Row, Words, read

_PERCENT = 100
# An own value further from the default than this is a slip of the pen or of the unit: our choice.
_FURTHEST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold(Row):
    """One limit; `text` says what it means, and `source` says so where the number is our own choice."""

    id: Filled
    value: float
    unit: Filled
    text: Words

    def takes(self, value: float) -> bool:
        """Whether somebody may mean this value: of the default's order, and a percentage at most 100."""
        least, most = self.bounds
        return least <= value <= most

    @property
    def bounds(self) -> tuple[float, float]:
        most = self.value * _FURTHEST
        return self.value / _FURTHEST, min(most, _PERCENT) if self.unit == "percent" else most


@cache
def thresholds() -> tuple[Threshold, ...]:
    return read("thresholds.yaml", Threshold)


def threshold(id: str) -> Threshold:  # noqa: A002 (the word that the table uses)
    """The row with this id, with the owner's value where there is one; LookupError where there is no such row."""
    try:
        row = _by_id()[id]
    except KeyError:
        raise LookupError(f"no threshold is called {id}") from None
    value = limit(id, row.value)
    return row if value == row.value else replace(row, value=value)


@cache
def _by_id() -> Mapping[str, Threshold]:
    return {row.id: row for row in thresholds()}
