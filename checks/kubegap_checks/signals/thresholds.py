"""Every number that a rule compares with, with its unit, and who says so."""

from dataclasses import dataclass
from functools import cache

from kubegap_checks.signals.tables import Filled, Row, Words, read


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold(Row):
    """One limit; `text` says what it means, and `source` says so where the number is our own choice."""

    id: Filled
    value: float
    unit: Filled
    text: Words


@cache
def thresholds() -> tuple[Threshold, ...]:
    return read("thresholds.yaml", Threshold)


def threshold(id: str) -> Threshold:  # noqa: A002 (the word that the table uses)
    """The row with this id; LookupError where there is none."""
    try:
        return next(row for row in thresholds() if row.id == id)
    except StopIteration:
        raise LookupError(f"no threshold is called {id}") from None
