"""Tables of patterns asked about the keys of labels and annotations, of which every node carries the same hundreds."""

from collections.abc import Callable, Iterable
from typing import Final, Generic, TypeVar

T = TypeVar("T")

_MOST: Final = 8192  # keys: more than any cluster has, unless it makes them up


class ByKey(Generic[T]):
    """What a table says of a key, found once; most say nothing, and those are passed over without a call.

    `find` gives None, or something else that is false, for a key of which the table says nothing.
    """

    def __init__(self, find: Callable[[str], T | None]) -> None:
        self._find = find
        self._told: dict[str, T] = {}
        self._silent: set[str] = set()

    def told(self, keys: Iterable[str]) -> list[tuple[str, T]]:
        """Each key of which the table says something, in the order of the keys, with what it says."""
        silent = self._silent
        return [(key, told) for key in keys if key not in silent and (told := self._of(key))]

    def _of(self, key: str) -> T | None:
        if key in self._told:
            return self._told[key]
        if len(self._told) + len(self._silent) > _MOST:
            self._told.clear()
            self._silent.clear()
        found = self._find(key)
        if found:
            self._told[key] = found
        else:
            self._silent.add(key)
        return found
