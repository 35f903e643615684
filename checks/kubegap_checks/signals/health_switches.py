"""Variables by which an agent is told not to watch its devices."""

from dataclasses import dataclass
from functools import cache

from kubegap_checks.signals.tables import Filled, Regex, Row, read


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthSwitch(Row):
    """Nothing is watched where `env` has such a `value` and `unless_env` has none."""

    agent: Filled
    env: Filled
    value: Regex
    unless_env: Filled


@cache
def health_switches() -> tuple[HealthSwitch, ...]:
    return read("health_switches.yaml", HealthSwitch)
