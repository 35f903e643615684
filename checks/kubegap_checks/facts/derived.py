"""Conclusions from facts that are drawn once for each reading of a cluster, whoever asks for them (decision 13)."""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import TypeVar

from kubegap_checks.facts.read import Facts, Remembers, Unread, UnreadError

T = TypeVar("T")
R = TypeVar("R", bound=Remembers)


def derived(function: Callable[[Facts], T]) -> Callable[[Facts], T]:
    """For a pure function whose result nobody changes and that holds no facts; `each_derived` for one that yields."""

    @wraps(function)
    def once(facts: Facts) -> T:
        return facts.derive(function)

    return once


def each_derived(function: Callable[[Facts], Iterator[T]]) -> Callable[[Facts], Iterator[T]]:
    """For one that yields what could be read and then raises UnreadError: it does so each time."""

    @wraps(function)
    def drained(facts: Facts) -> tuple[tuple[T, ...], tuple[Unread, ...] | None]:
        items: list[T] = []
        try:
            items.extend(function(facts))
        except UnreadError as error:
            return tuple(items), error.unread
        return tuple(items), None

    @wraps(function)
    def each(facts: Facts) -> Iterator[T]:
        items, unread = facts.derive(drained)
        yield from items
        if unread is not None:
            raise UnreadError(*unread)

    return each


def row_derived(function: Callable[[R], T]) -> Callable[[R], T]:
    """For a pure function of one row alone, which asks for no threshold: drawn once for as long as the row lives.

    A container may be that of all pods of a run.
    """
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def once(row: R) -> T:
        remembered = vars(row)
        try:
            found: T = remembered[name]  # no cast: this is asked a hundred times a node
        except KeyError:
            found = remembered[name] = function(row)
        return found

    return once
