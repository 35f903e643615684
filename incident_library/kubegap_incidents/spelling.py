"""Words one typing error away: a letter too many, missing, changed or swapped with its neighbour."""

from collections import defaultdict
from collections.abc import Iterable


class Spelling:
    """Two words are near if they become the same by taking at most one letter out of each."""

    def __init__(self, words: Iterable[str]) -> None:
        self._by_shortened = defaultdict[str, list[str]](list)
        for word in dict.fromkeys(words):
            for shortened in _shortened(word):
                self._by_shortened[shortened].append(word)

    def near(self, word: str) -> list[str]:
        found = {near: None for shortened in _shortened(word) for near in self._by_shortened.get(shortened, ())}
        return list(found)


def _shortened(word: str) -> dict[str, None]:
    return {word: None} | {word[:at] + word[at + 1 :]: None for at in range(len(word))}
