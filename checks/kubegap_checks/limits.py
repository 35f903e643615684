"""Which numbers hold for the length of one run: the catalogue's, or those that the owner of a cluster set instead."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class _Scope:
    own: Mapping[str, float]
    asked: set[str] = field(default_factory=set[str])


# Set by `using` alone, for its block alone: runs at the same time do not see each other's (docs/decisions/0010).
_SCOPE: ContextVar[_Scope | None] = ContextVar("limits", default=None)


@contextmanager
def using(own: Mapping[str, float]) -> Generator[set[str]]:
    """Within the block these values stand for the defaults; the set collects the ids that are asked for."""
    scope = _Scope(own)
    token = _SCOPE.set(scope)
    try:
        yield scope.asked
    finally:
        _SCOPE.reset(token)


def limit(id: str, default: float) -> float:  # noqa: A002 (the word that the table uses)
    """The number that holds, and a note that it was asked for."""
    scope = _SCOPE.get()
    if scope is None:
        return default
    scope.asked.add(id)
    return scope.own.get(id, default)
