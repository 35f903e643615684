"""Software that nodes need for their accelerators and adapters, and how its images are recognized."""

from dataclasses import dataclass
from functools import cache, lru_cache

from kubegap_checks.model import Severity
from kubegap_checks.signals.tables import Filled, Regex, Row, Words, read


@dataclass(frozen=True, slots=True, kw_only=True)
class Component(Row):
    """`image` matches a repository in full; `operand` is the field of a ClusterPolicy that says its version.

    `if_it_moves` is how bad it is that its tag may stand for another image tomorrow.
    """

    id: Filled
    name: Words
    image: Regex
    operand: Filled | None = None
    if_it_moves: Severity


@cache
def components() -> tuple[Component, ...]:
    return read("components.yaml", Component)


@lru_cache(maxsize=4096)
def component_of(repository: str) -> Component | None:
    return next((row for row in components() if row.image.fullmatch(repository)), None)
