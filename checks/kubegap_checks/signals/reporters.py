"""Agents that report on nodes: which conditions and marks are theirs, and how often they confirm them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from kubegap_checks.signals.conditions import conditions
from kubegap_checks.signals.exporters import repository
from kubegap_checks.signals.labels import labels
from kubegap_checks.signals.tables import Filled, Regex, Row, read


@dataclass(frozen=True, slots=True, kw_only=True)
class Reporter(Row):
    """`writes` and `image` match in full; `refreshes` is in minutes."""

    agent: Filled
    writes: Regex
    image: Regex | None = None
    refreshes: int | None = None


@cache
def reporters() -> tuple[Reporter, ...]:
    return read("reporters.yaml", Reporter)


@lru_cache(maxsize=1024)
def writer_of(condition: str) -> Reporter | None:
    """The agent that writes a condition of this type, whatever it says; None for the kubelet's own."""
    names = [row.agent for row in conditions() if row.type.fullmatch(condition)]
    return next((row for name in names for row in reporters() if row.writes.fullmatch(name)), None)


@lru_cache(maxsize=8192)
def _marker_of(key: str) -> Reporter | None:
    names = [row.agent for row in labels() if row.where in {"label", "annotation"} and row.key.fullmatch(key)]
    return next((row for name in names for row in reporters() if row.writes.fullmatch(name)), None)


def marker_in(marks: Mapping[str, str]) -> Reporter | None:
    """The first agent that wrote one of these labels or annotations, whatever it says."""
    return next((agent for key in marks if (agent := _marker_of(key))), None)


def agent_of(image: str) -> Reporter | None:
    name = repository(image)
    return next((row for row in reporters() if row.image and row.image.fullmatch(name)), None)
