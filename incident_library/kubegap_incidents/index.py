"""Ranked search over the library in memory, in Korean, English or both, with counts over all hits."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from kubegap_incidents import words
from kubegap_incidents.library import Library
from kubegap_incidents.record import Incident, Text
from kubegap_incidents.vocabulary import Listing, Term, Vocabulary, vocabulary
from kubegap_incidents.words import Word

# BM25's usual constants: how fast repeats stop to count, and how much a long record is held back.
_SATURATION = 1.2
_LENGTH = 0.5
# A hit holds this share of what the query says, and of what the best hit scores; the rest is chance.
_COVERAGE = 0.2
_OF_BEST = 0.35

_WEIGHTS: Mapping[str, float] = {
    "id": 3,
    "organization": 3,
    "title": 3,
    "gist": 2,
    "symptom": 2,
    "component": 2,
    "cause": 1.5,
    "trigger": 1.5,
    "tags": 1.5,
    "what_happened": 1,
    "detection": 1,
    "actions": 1,
    "follow_ups": 1,
    "lessons": 1,
    "figures": 0.5,
}


Count: TypeAlias = tuple[Term, int]


@dataclass(frozen=True)
class Hit:
    incident: Incident
    matched: tuple[str, ...]  # "title: weka, s3"; empty where only filters were asked


@dataclass(frozen=True)
class Hits:
    """All hits, best first; the counts run over all of them, most frequent first."""

    hits: tuple[Hit, ...]
    symptoms: tuple[Count, ...]
    components: tuple[Count, ...]
    causes: tuple[Count, ...]


class _Posting(NamedTuple):
    record: int
    weight: float
    fields: int  # one bit for each field that holds the term


class Index:
    def __init__(self, library: Library) -> None:
        self._library = library
        self._incidents = [incident for incident in library if not incident.withdrawn]
        self._postings: Mapping[str, Sequence[_Posting]] = _postings(self._incidents, vocabulary())
        lengths = Counter[int]()
        for postings in self._postings.values():
            for posting in postings:
                lengths[posting.record] += 1
        mean = sum(lengths.values()) / max(len(lengths), 1)
        self._lengths = {record: length / mean for record, length in lengths.items()}

    def search(
        self,
        query: str | None = None,
        *,
        symptom: str | None = None,
        component: str | None = None,
        cause: str | None = None,
        organization: str | None = None,
        year: int | None = None,
    ) -> Hits:
        """Every record that passes the filters and holds what the query says; newest first without a query.

        Terms are taken by id, name or common word; an unknown one raises UnknownTermError.
        """
        symptom_id = _term("symptoms", symptom)
        component_id = _term("components", component)
        cause_id = _term("causes", cause)

        def passes(incident: Incident) -> bool:
            return (
                symptom_id in {None, *incident.symptoms}
                and component_id in {None, *incident.components}
                and cause_id in {None, *incident.cause_classes}
                and (organization is None or _same_name(organization, incident.organization))
                and (year is None or year in incident.years)
            )

        if not query or not query.strip():
            newest = sorted(self._incidents, key=lambda incident: incident.latest, reverse=True)
            return _hits([Hit(incident, ()) for incident in newest if passes(incident)])
        if named := self._library.by_id(query):
            return _hits([Hit(named, (f"id: {query.strip()}",))] if passes(named) else [])
        return _hits(self._ranked(words.query(query), passes))

    def _ranked(self, asked: Sequence[Word], passes: Callable[[Incident], bool]) -> list[Hit]:
        scores = {record: score for record, score in self._scores(asked).items() if passes(self._incidents[record])}
        best = max(scores.values(), default=0)
        kept = {record for record, score in scores.items() if score >= best * _OF_BEST}
        matched = self._matched(asked, kept)
        # Records lie in the order of their ids, which decides between equal scores.
        ranked = sorted(matched, key=lambda record: (-scores[record], record))
        return [Hit(self._incidents[record], matched[record]) for record in ranked]

    def _scores(self, asked: Iterable[Word]) -> dict[int, float]:
        """Score of each record that holds enough of what was asked; how to rank is decided here alone."""
        scores, covered = defaultdict[int, float](float), defaultdict[int, float](float)
        everything = 0.0
        for word in asked:
            for term in word.terms:
                postings = self._postings.get(term, ())
                rarity = self._rarity(len(postings)) / len(word.terms)
                everything += rarity
                for record, weight, _ in postings:
                    held_back = _SATURATION * (1 - _LENGTH + _LENGTH * self._lengths[record])
                    scores[record] += rarity * weight * (_SATURATION + 1) / (weight + held_back)
                    covered[record] += rarity
        return {record: score for record, score in scores.items() if covered[record] >= everything * _COVERAGE}

    def _rarity(self, holders: int) -> float:
        # A term that no record holds is no rarer than one that a single record holds: it is no evidence.
        holders = max(holders, 1)
        return math.log(1 + (len(self._incidents) - holders + 0.5) / (holders + 0.5))

    def _matched(self, asked: Iterable[Word], kept: set[int]) -> dict[int, tuple[str, ...]]:
        """Each word under the weightiest field that holds it; a record that holds no word by half is chance."""
        by_record = defaultdict[int, dict[str, list[str]]](dict)
        for word in asked:
            held, fields = Counter[int](), dict[int, int]()
            for term in word.terms:
                for record, _, mask in self._postings.get(term, ()):
                    if record in kept:
                        held[record] += 1
                        fields[record] = (fields.get(record, mask) & mask) or mask
            for record, count in held.items():
                if count * 2 >= len(word.terms):
                    field = next(field for bit, field in enumerate(_WEIGHTS) if fields[record] >> bit & 1)
                    by_record[record].setdefault(field, []).append(word.typed)
        return {
            record: tuple(f"{field}: {', '.join(found[field])}" for field in _WEIGHTS if field in found)
            for record, found in by_record.items()
        }


def _postings(incidents: Sequence[Incident], known: Vocabulary) -> Mapping[str, Sequence[_Posting]]:
    postings = defaultdict[str, list[_Posting]](list)
    for record, incident in enumerate(incidents):
        weights, masks = defaultdict[str, float](float), defaultdict[str, int](int)
        said = _fields(incident, known)
        for bit, (field, worth) in enumerate(_WEIGHTS.items()):
            for term, count in Counter(term for text in said[field] for term in words.terms(text)).items():
                weights[term] += worth * count
                masks[term] |= 1 << bit
        for term, weight in weights.items():
            postings[term].append(_Posting(record, weight, masks[term]))
    return postings


def _fields(incident: Incident, known: Vocabulary) -> Mapping[str, Sequence[str]]:
    def both(*texts: Text | None) -> list[str]:
        return [said for text in texts if text for said in (text.en, text.ko)]

    def spoken(listing: Listing, ids: Iterable[str]) -> list[str]:
        terms = known.terms(listing)
        return [name for term in ids for name in (*terms[term].names, *terms[term].words)]

    return {
        "id": [incident.id, *incident.aliases],
        "organization": [incident.organization],
        "title": both(incident.title),
        "gist": both(incident.gist),
        "symptom": [*both(incident.symptom), *spoken("symptoms", incident.symptoms)],
        "component": spoken("components", incident.components),
        "cause": [
            *both(*(cause.text for cause in incident.causes), *incident.contributing_factors),
            *spoken("causes", incident.cause_classes),
            *spoken("groups", incident.same_cause),
        ],
        "trigger": [
            *both(incident.trigger),
            *spoken("triggers", [incident.trigger_class] if incident.trigger_class else []),
        ],
        "tags": incident.tags,
        "what_happened": both(*incident.what_happened),
        "detection": both(incident.detection),
        "actions": both(*incident.actions),
        "follow_ups": both(*incident.follow_ups),
        "lessons": both(*incident.lessons),
        "figures": [said for figure in incident.figures for said in (figure.value, *both(figure.meaning))],
    }


def _term(listing: Listing, given: str | None) -> str | None:
    return None if given is None else vocabulary().resolve(listing, given).id


def _same_name(asked: str, name: str) -> bool:
    """Whether `asked` is the name or a part of it, whatever the spacing."""
    short = "".join(asked.casefold().split())
    return bool(short) and short in "".join(name.casefold().split())


def _hits(hits: Sequence[Hit]) -> Hits:
    def count(listing: Listing, of: Callable[[Incident], tuple[str, ...]]) -> tuple[Count, ...]:
        counts = Counter(term for hit in hits for term in of(hit.incident))
        # The vocabulary's order decides between equals, since a sort keeps the order it finds.
        found = [(term, counts[key]) for key, term in vocabulary().terms(listing).items() if counts[key]]
        return tuple(sorted(found, key=lambda counted: -counted[1]))

    return Hits(
        hits=tuple(hits),
        symptoms=count("symptoms", lambda incident: incident.symptoms),
        components=count("components", lambda incident: incident.components),
        causes=count("causes", lambda incident: incident.cause_classes),
    )
