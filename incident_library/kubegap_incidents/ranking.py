"""How well a record answers a query, and whether it does at all."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from kubegap_incidents import words
from kubegap_incidents.lexicon import NAME, Lexicon, Meaning
from kubegap_incidents.postings import NAMING, WEIGHTS, Postings, field_of
from kubegap_incidents.spelling import Spelling

# A hit scores this share of what the best hit does, and holds this share of what the query says; the rest is chance.
_OF_BEST = 0.55
_COVERAGE = 0.2
# More than that if it holds nothing in a field that names what it is about: in a story any word can stand.
_UNNAMED = 0.6
# Who types one word looks it up, and wants more of the records that hold it.
_OF_BEST_FOR_ONE = 0.43
# Many words of a query say more than one that a record repeats; without this power the one would outweigh them.
_POWER = 0.7
# A Hangul word is held if this share of its pairs is; two words have a pair or an ending in common by chance.
_SHARE = 0.55
_MISSPELT = 0.7
_SHORTEST_MISSPELT = 4  # letters


class Asked(NamedTuple):
    """A word of a query: the terms that stand for it, what it is worth, and what else it may mean."""

    typed: str
    terms: tuple[str, ...]
    known: bool  # some record holds it
    worth: float
    meanings: tuple[Meaning, ...]  # each held by some record, the best first


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
            asked = self._asked(word, meanings, typed[at - 1] if at else "")
            if asked and (word not in found or len(asked.meanings) > len(found[word].meanings)):
                found[word] = asked
        return list(found.values())

    def _asked(self, word: str, meanings: Sequence[Meaning], before: str) -> Asked | None:
        # In Hangul an organization's name is found by the record's `organization` alone: 메타 is also in 메타데이터.
        named = words.is_hangul(word) and any(
            meaning.worth == NAME and self._known(meaning.terms[0]) for meaning in meanings
        )
        terms = () if named else self._terms(word)
        if not terms and not meanings:
            return None
        known = any(map(self._known, terms))
        others = [*meanings]
        if terms and not words.is_hangul(word):
            if before and not words.is_hangul(before):
                joined = before + word  # data loader, dataloader
                others.append(Meaning(joined, (words.stem(joined),), NAME))
            if not known and not meanings:
                others += [Meaning(near, (near,), _MISSPELT) for near in self._near(terms[0])]
        # Forms of one word have one stem, and are looked for once.
        differing = dict[tuple[str, ...], Meaning]()
        for other in others:
            if other.terms != terms and all(map(self._known, other.terms)):
                differing.setdefault(other.terms, other)
        others = sorted(differing.values(), key=lambda other: -other.worth)
        if not terms and not others:
            return None
        worth = max(map(self._postings.rarity, terms or chain(*(other.terms for other in others))))
        return Asked(word, terms, known, worth, tuple(others))

    def _terms(self, word: str) -> tuple[str, ...]:
        terms = words.of_word(word)
        # The endings of a known verb are chance pairs.
        if terms and words.is_hangul(word) and len(stem := self._lexicon.verb_stem(word)) > 1:
            return tuple(words.pairs(stem))
        return terms

    def ranked(self, query: str, among: Container[int]) -> list[tuple[int, tuple[str, ...]]]:
        """The records that answer, best first, each with where its words were found."""
        asked = self.asked(query)
        scores = {record: score for record, score in self._scores(asked).items() if record in among}
        least = max(scores.values(), default=0) * (_OF_BEST if len(asked) > 1 else _OF_BEST_FOR_ONE)
        everything = sum(word.worth for word in asked)
        found = list[tuple[int, tuple[str, ...]]]()
        # Records lie in the order of their ids, which decides between equal scores.
        for record in sorted(scores, key=lambda record: (-scores[record], record)):
            if scores[record] < least:
                break
            matches = [(word, match) for word in asked if (match := self._match(word, record))]
            held = sum(word.worth * match.held for word, match in matches)
            named = any(match.fields & NAMING for _, match in matches)
            if held >= everything * _COVERAGE and (named or held >= everything * _UNNAMED):
                found.append((record, _told(match for _, match in matches)))
        return found

    def _known(self, term: str) -> bool:
        return term in self._postings

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
                self._raise(gains, word, meaning)
            for record, gain in gains.items():
                scores[record] += gain**_POWER
        return scores

    def _raise(self, gains: defaultdict[int, float], word: Asked, meaning: Meaning) -> None:
        """Let a record gain by the meaning if that is more than it gains by the word."""
        share = meaning.worth / len(meaning.terms)
        if word.known and meaning.worth < NAME:
            # A rare synonym says no more than the word does that it stands for.
            share *= min(1, word.worth / max(map(self._postings.rarity, meaning.terms)))
        first, *others = (self._postings.of(term) for term in meaning.terms)
        for record, (gain, _) in first.items():
            said = gain
            for other in others:
                if record not in other:
                    break
                said += other[record][0]
            else:
                if said * share > gains[record]:  # noqa: PLR1730 # max() is slow for so many records
                    gains[record] = said * share

    def _match(self, word: Asked, record: int) -> Match | None:
        other = next((other for other in word.meanings if self._holds(record, other.terms)), None)
        if other is None or other.worth < NAME:
            held = [term for term in word.terms if record in self._postings.of(term)]
            needed = _SHARE * sum(map(self._postings.rarity, word.terms))
            if held and sum(map(self._postings.rarity, held)) >= needed:
                return Match(word.typed, 1, self._common(held, record))
        if other is None:
            return None
        said = word.typed if other.name.casefold() == word.typed else f"{word.typed} ({other.name})"
        return Match(said, other.worth, self._common(other.terms, record))

    def _holds(self, record: int, terms: Iterable[str]) -> bool:
        return all(record in self._postings.of(term) for term in terms)

    def _common(self, terms: Iterable[str], record: int) -> int:
        """The fields that hold all the terms, or else those of the last."""
        common = 0
        for term in terms:
            fields = self._postings.of(term)[record][1]
            common = (common & fields) or fields
        return common


def _told(matches: Iterable[Match]) -> tuple[str, ...]:
    found = dict[str, list[str]]()
    for match in matches:
        found.setdefault(field_of(match.fields), []).append(match.typed)
    return tuple(f"{field}: {', '.join(found[field])}" for field in WEIGHTS if field in found)
