"""Labels by which a tester says that it has put a node under load."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Final

from kubegap_checks.signals.by_key import ByKey
from kubegap_checks.signals.tables import Filled, Regex, Row, read


@dataclass(frozen=True, slots=True, kw_only=True)
class BurnIn(Row):
    tester: Filled
    key: Regex
    day: Regex | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """One result on one node; `at` is the day's beginning, None where the label does not tell."""

    tester: str
    key: str
    value: str
    at: datetime | None


@cache
def burn_in() -> tuple[BurnIn, ...]:
    return read("burn_in.yaml", BurnIn)


def tests_in(labels: Mapping[str, str]) -> Iterator[Tested]:
    for key, row in _ROWS.told(labels):
        yield Tested(tester=row.tester, key=key, value=labels[key], at=_day(row, labels[key]))


_ROWS: Final = ByKey(lambda key: next((row for row in burn_in() if row.key.fullmatch(key)), None))


def _day(row: BurnIn, value: str) -> datetime | None:
    match = row.day.fullmatch(value) if row.day else None
    try:
        return datetime.fromisoformat(match["day"]).replace(tzinfo=UTC) if match else None
    except ValueError:
        return None
