"""Taints that say that a node comes or goes."""

from dataclasses import dataclass
from functools import cache

from kubegap_checks.signals.tables import Filled, Row, read


@dataclass(frozen=True, slots=True, kw_only=True)
class PassingTaint(Row):
    key: Filled


@cache
def passing_taints() -> tuple[PassingTaint, ...]:
    return read("passing_taints.yaml", PassingTaint)


def passes(key: str) -> bool:
    return any(key == row.key or (row.key.endswith("/") and key.startswith(row.key)) for row in passing_taints())
