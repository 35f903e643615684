"""Agents that report on the health of nodes: what is theirs, how often they confirm it, and who watches GPUs."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from kubegap_checks.signals.by_key import ByKey
from kubegap_checks.signals.conditions import conditions
from kubegap_checks.signals.labels import labels
from kubegap_checks.signals.tables import Filled, Regex, Row, read


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthAgent(Row):
    """`writes` and `image` match in full, `named` anywhere; `refreshes` is in minutes."""

    agent: Filled
    writes: Regex | None = None
    image: Regex | None = None
    named: Regex | None = None
    refreshes: int | None = None


@cache
def health_agents() -> tuple[HealthAgent, ...]:
    return read("health_agents.yaml", HealthAgent)


@lru_cache(maxsize=1024)
def writer_of(condition: str) -> HealthAgent | None:
    """The agent that writes a condition of this type, whatever it says; None for the kubelet's own."""
    return _writer([row.agent for row in conditions() if row.type.fullmatch(condition)])


def marker_in(marks: Mapping[str, str]) -> HealthAgent | None:
    """The first agent that wrote one of these labels or annotations, whatever it says."""
    return next((agent for _, agent in _MARKERS.told(marks)), None)


def _marker_of(key: str) -> HealthAgent | None:
    return _writer([row.agent for row in labels() if row.where in {"label", "annotation"} and row.key.fullmatch(key)])


def _writer(names: list[str]) -> HealthAgent | None:
    rows = health_agents()
    return next((row for name in names for row in rows if row.writes and row.writes.fullmatch(name)), None)


_MARKERS: Final = ByKey(_marker_of)


def agent_of(repository: str) -> HealthAgent | None:
    return next((row for row in health_agents() if row.image and row.image.fullmatch(repository)), None)


@lru_cache(maxsize=4096)
def names_health_agent(text: str) -> bool:
    """Whether a name, an image or a condition's type is that of an agent that watches GPUs, as far as a name tells."""
    return any(row.named and row.named.search(text) for row in health_agents())
