"""How well a record answers a query, and whether it does at all."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from kubegap_incidents import words
from kubegap_incidents.lexicon import Lexicon, Meaning
from kubegap_incidents.postings import NAMING, WEIGHTS, Postings, field_of
from kubegap_incidents.spelling import Spelling

# A hit scores this share of what the best hit does, and holds this share of what the query says; the rest is chance.
_OF_BEST = 0.3
_COVERAGE = 0.2
# More than that if it holds nothing in a field that names what it is about: in a story any word can stand.
_UNNAMED = 0.6
# A Hangul word is held if this share of its pairs is; two words have a pair or an ending in common by chance.
_SHARE = 0.55
_MISSPELT = 0.7
_SHORTEST_MISSPELT = 4


class Asked(NamedTuple):
    """A word of a query: the terms that stand for it, what it is worth, and what else it may mean."""

    typed: str
    terms: tuple[str, ...]
    worth: float
    meanings: tuple[Meaning, ...]


class Match(NamedTuple):
    typed: str
    held: float  # 1 for the word itself, less for a synonym
    fields: int


class Ranking:
    def __init__(self, postings: Postings, lexicon: Lexicon) -> None:
        self._postings = postings
        self._lexicon = lexicon
        self._spelling: Spelling | None = None

    def asked(self, query: str) -> list[Asked]:
        typed = words.split(query)
        found = dict[str, Asked]()
        for at, (word, meanings) in enumerate(zip(typed, self._lexicon.meanings(typed), strict=True)):
            terms = words.of_word(word)
            if not terms and not meanings:
                continue
            others = [*meanings, *self._mended(word, terms, typed[at - 1] if at else "")]
            known = tuple(other for other in others if other.terms != terms and all(map(self._known, other.terms)))
            worth = max(
                map(self._postings.rarity, terms or [term for other in known for term in other.terms]), default=0
            )
            if word not in found or len(known) > len(found[word].meanings):
                found[word] = Asked(word, terms, worth, known)
        return [asked for asked in found.values() if asked.terms or asked.meanings]

    def ranked(self, query: str, passes: Callable[[int], bool]) -> list[tuple[int, tuple[str, ...]]]:
        """The records that answer, best first, each with where its words were found."""
        asked = self.asked(query)
        scores = {record: score for record, score in self._scores(asked).items() if passes(record)}
        best = max(scores.values(), default=0)
        everything = sum(word.worth for word in asked)
        found = list[tuple[int, tuple[str, ...]]]()
        # Records lie in the order of their ids, which decides between equal scores.
        for record in sorted(scores, key=lambda record: (-scores[record], record)):
            if scores[record] < best * _OF_BEST:
                break
            matches = [(word, match) for word in asked if (match := self._match(word, record))]
            held = sum(word.worth * match.held for word, match in matches)
            named = any(match.fields & NAMING for _, match in matches)
            if held >= everything * _COVERAGE and (named or held >= everything * _UNNAMED):
                found.append((record, _told(match for _, match in matches)))
        return found

    def _known(self, term: str) -> bool:
        return term in self._postings

    def _mended(self, word: str, terms: Sequence[str], before: str) -> list[Meaning]:
        """A Latin word spelled apart from the one before it, or wrongly."""
        if words.is_hangul(word) or not terms:
            return []
        mended = list[Meaning]()
        if before and not words.is_hangul(before):
            mended.append(Meaning(before + word, (words.stem(before + word),), 1))
        if not self._known(terms[0]):
            mended += [Meaning(near, (near,), _MISSPELT) for near in self._near(terms[0])]
        return mended

    def _near(self, term: str) -> list[str]:
        if len(term) < _SHORTEST_MISSPELT or not term.isalpha():
            return []
        if self._spelling is None:  # not before someone errs
            latin = (known for known in self._postings if known.isascii() and known.isalpha())
            self._spelling = Spelling(known for known in latin if len(known) >= _SHORTEST_MISSPELT)
        return self._spelling.near(term)

    def _scores(self, asked: Iterable[Asked]) -> Mapping[int, float]:
        scores = defaultdict[int, float](float)
        for word in asked:
            gains = defaultdict[int, float](float)
            for term in word.terms:
                for record, (gain, _) in self._postings.of(term).items():
                    gains[record] += gain / len(word.terms)
            for meaning in word.meanings:
                for record, gain in self._gains(word, meaning):
                    if gain > gains[record]:
                        gains[record] = gain
            for record, gain in gains.items():
                scores[record] += gain
        return scores

    def _gains(self, word: Asked, meaning: Meaning) -> Iterable[tuple[int, float]]:
        first, *others = (self._postings.of(term) for term in meaning.terms)
        # A rare synonym says no more than the word does that it stands for.
        rarest = max(map(self._postings.rarity, meaning.terms))
        own = word.worth if any(map(self._known, word.terms)) else rarest
        worth = (
            meaning.worth * min(1, own / rarest) / len(meaning.terms) if meaning.worth < 1 else 1 / len(meaning.terms)
        )
        for record, (gain, _) in first.items():
            if all(record in other for other in others):
                yield record, worth * (gain + sum(other[record][0] for other in others))

    def _match(self, word: Asked, record: int) -> Match | None:
        held = [(term, self._postings.of(term)[record][1]) for term in word.terms if record in self._postings.of(term)]
        if (
            sum(self._postings.rarity(term) for term, _ in held)
            >= _SHARE * sum(map(self._postings.rarity, word.terms))
            > 0
        ):
            return Match(word.typed, 1, _common(fields for _, fields in held))
        for meaning in sorted(word.meanings, key=lambda meaning: -meaning.worth):
            if all(record in self._postings.of(term) for term in meaning.terms):
                fields = _common(self._postings.of(term)[record][1] for term in meaning.terms)
                return Match(f"{word.typed} ({meaning.name})", meaning.worth, fields)
        return None


def _common(masks: Iterable[int]) -> int:
    """The fields that hold all terms, or else those of the last."""
    common = 0
    for mask in masks:
        common = (common & mask) or mask
    return common


def _told(matches: Iterable[Match]) -> tuple[str, ...]:
    found = dict[str, list[str]]()
    for match in matches:
        found.setdefault(field_of(match.fields), []).append(match.typed)
    return tuple(f"{field}: {', '.join(found[field])}" for field in WEIGHTS if field in found)
