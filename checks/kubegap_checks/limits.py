"""Which numbers hold for the length of one run: the catalogue's, or those that the owner of a cluster set instead."""

from collections.abc import Generator, Iterable, Mapping
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


@contextmanager
def noted() -> Generator[set[str]]:
    """Within the block the same values hold; the set collects what is asked for."""
    outer = _SCOPE.get()
    scope = _Scope(outer.own if outer else {})
    token = _SCOPE.set(scope)
    try:
        yield scope.asked
    finally:
        _SCOPE.reset(token)


def note(ids: Iterable[str]) -> None:
    """The run that goes on rests on these, though it did not ask again."""
    if scope := _SCOPE.get():
        scope.asked.update(ids)


def own_values(ids: Iterable[str]) -> Mapping[str, float | None]:
    """What the owner set for each of these; None where the default holds."""
    scope = _SCOPE.get()
    return {id_: scope.own.get(id_) if scope else None for id_ in ids}
