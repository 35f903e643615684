"""Words one typing error away: a letter too many, missing, changed or swapped with its neighbour."""

from collections import defaultdict
from collections.abc import Iterable

# One error leaves the first or the last letters as they are, so that few words have to be compared.
# Only a swap in the middle of a word of four changes both.
_END = 2


class Spelling:
    def __init__(self, words: Iterable[str]) -> None:
        self._by_start = defaultdict[str, list[str]](list)
        self._by_end = defaultdict[str, list[str]](list)
        for word in dict.fromkeys(words):
            self._by_start[word[:_END]].append(word)
            self._by_end[word[-_END:]].append(word)

    def near(self, word: str) -> list[str]:
        likely = dict.fromkeys((*self._by_start.get(word[:_END], ()), *self._by_end.get(word[-_END:], ())))
        return [other for other in likely if abs(len(other) - len(word)) <= 1 and _near(word, other)]


def _near(one: str, other: str) -> bool:
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    one, other = one[same:], other[same:]
    swapped = one[1:2] + one[:1] == other[:2] and one[2:] == other[2:]
    return one[1:] == other[1:] or one[1:] == other or one == other[1:] or swapped
