"""Objects by name, where one that was not read is never taken for one that is not there."""

from collections.abc import Callable, Hashable, Mapping
from functools import cached_property
from typing import Generic, TypeVar

from kubegap_checks.facts.read import Facts, Record, UnreadError

R = TypeVar("R", bound=Record)


class Shelf(Generic[R]):
    """Objects of one kind by name; one that is not there is None only where all of them were read."""

    def __init__(self, facts: Facts, record: type[R], name: Callable[[R], Hashable]) -> None:
        self._facts = facts
        self._record = record
        self._name = name

    def get(self, name: Hashable) -> R | None:
        found = self._seen.get(name)
        if found is None:
            self._facts.known(self._record)
        return found

    @cached_property
    def _seen(self) -> Mapping[Hashable, R]:
        seen: dict[Hashable, R] = {}
        try:
            for row in self._facts.seen(self._record):
                seen[self._name(row)] = row
        except UnreadError:
            pass  # a name that is missed asks for all of them, and raises it there
        return seen
