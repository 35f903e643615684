"""Which settings of a run's object restart a failed pod alone."""

from dataclasses import dataclass
from functools import cache

from kubegap_checks.signals.tables import Filled, Regex, Row, read


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartAlone(Row):
    """A field of a kind, by its path, and the values with which a pod is restarted alone; both match in full."""

    kind: Filled
    field: Regex
    value: Regex


@cache
def restarts() -> tuple[RestartAlone, ...]:
    return read("restarts.yaml", RestartAlone)


def restarts_alone(kind: str, field: str, value: str) -> bool:
    return any(
        row.kind == kind and row.field.fullmatch(field) and row.value.fullmatch(value) is not None for row in restarts()
    )
