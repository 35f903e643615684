"""Software that watches GPUs and reports a faulty one or takes its node out of service."""

from dataclasses import dataclass
from functools import cache, lru_cache

from kubegap_checks.signals.tables import Filled, Regex, Row, read


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthAgent(Row):
    """One agent; `pattern` is searched for in names, images and types of conditions."""

    agent: Filled
    pattern: Regex


@cache
def health_agents() -> tuple[HealthAgent, ...]:
    return read("health_agents.yaml", HealthAgent)


@lru_cache(maxsize=4096)
def names_health_agent(text: str) -> bool:
    """Whether a name, an image or a condition's type is that of an agent that watches GPUs, as far as a name tells."""
    return any(row.pattern.search(text) for row in health_agents())
