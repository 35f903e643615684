"""Which record holds which term, how much that is worth, and in which fields the term stands."""

import functools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

from kubegap_incidents import words
from kubegap_incidents.lexicon import organization_term, organizations_of
from kubegap_incidents.record import Incident, Text
from kubegap_incidents.vocabulary import Listing, vocabulary

# BM25's constants: how slowly repeats stop to count (high, since a field's weight counts as repeats), and how much
# a long record is held back. docs/decisions/0008-incident-search.md: from half to twice of them little changes.
_SATURATION = 8
_LENGTH = 0.75

# Whoever names an organization asks for its records first, before those that mention it.
_ORGANIZATION = 15

# What a term is worth where it stands. The order decides which field is named as the one that matched.
WEIGHTS: Mapping[str, float] = {
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
_BITS = {field: 1 << bit for bit, field in enumerate(WEIGHTS)}
# Fields that name what a record is about; the others tell a story, in which any word can stand.
NAMING = sum(_BITS[field] for field in ("id", "organization", "title", "symptom", "component", "tags"))

Held: TypeAlias = tuple[float, int]  # what the term adds to the record's score; one bit for each field that has it


class Postings:
    def __init__(self, incidents: Sequence[Incident]) -> None:
        self._records = len(incidents)
        counted = [_counted(incident) for incident in incidents]
        holders = Counter(term for weights, _ in counted for term in weights)
        self._rarities = {term: self._rarity(count) for term, count in holders.items()}
        mean = sum(len(weights) for weights, _ in counted) / max(len(counted), 1)
        postings = defaultdict[str, dict[int, Held]](dict)
        for record, (weights, masks) in enumerate(counted):
            held_back = _SATURATION * (1 - _LENGTH + _LENGTH * len(weights) / mean)
            for term, weight in weights.items():
                gain = self._rarities[term] * weight * (_SATURATION + 1) / (weight + held_back)
                postings[term][record] = (gain, masks[term])
        self._postings: Mapping[str, Mapping[int, Held]] = dict(postings)

    def __contains__(self, term: str) -> bool:
        return term in self._postings

    def __iter__(self) -> Iterator[str]:
        return iter(self._postings)

    def of(self, term: str) -> Mapping[int, Held]:
        return self._postings.get(term, {})

    def rarity(self, term: str) -> float:
        # A term that no record holds is no rarer than one that a single record holds: it is no evidence.
        return self._rarities.get(term) or self._rarity(1)

    def _rarity(self, holders: int) -> float:
        return math.log(1 + (self._records - holders + 0.5) / (holders + 0.5))


def field_of(fields: int) -> str:
    """The weightiest of some fields."""
    return next(field for field, bit in _BITS.items() if fields & bit)


class Said(NamedTuple):
    """What one field of a record says."""

    texts: Sequence[str]
    names: Sequence[str] = ()  # of its terms in the vocabulary, with their common words; a repeat counts for nothing
    organizations: Sequence[str] = ()


def fields(incident: Incident) -> Mapping[str, Said]:
    def both(*texts: Text | None) -> list[str]:
        return [said for text in texts if text for said in (text.en, text.ko)]

    def named(listing: Listing, ids: Iterable[str]) -> list[str]:
        terms = vocabulary().terms(listing)
        return [name for term in ids for name in (*terms[term].names, *terms[term].words)]

    causes = both(*(cause.text for cause in incident.causes), *incident.contributing_factors)
    cause_names = named("causes", incident.cause_classes) + named("groups", incident.same_cause)
    trigger_classes = [incident.trigger_class] if incident.trigger_class else []
    values = [said for figure in incident.figures for said in dict.fromkeys((figure.value.en, figure.value.ko))]
    meanings = both(*(figure.meaning for figure in incident.figures))
    return {
        "id": Said([incident.id, *incident.aliases]),
        "organization": Said([incident.organization], (), organizations_of(incident.organization, vocabulary())),
        "title": Said(both(incident.title)),
        "gist": Said(both(incident.gist)),
        "symptom": Said(both(incident.symptom), named("symptoms", incident.symptoms)),
        "component": Said([], named("components", incident.components)),
        "cause": Said(causes, cause_names),
        "trigger": Said(both(incident.trigger), named("triggers", trigger_classes)),
        "tags": Said(incident.tags),
        "what_happened": Said(both(*incident.what_happened)),
        "detection": Said(both(incident.detection)),
        "actions": Said(both(*incident.actions)),
        "follow_ups": Said(both(*incident.follow_ups)),
        "lessons": Said(both(*incident.lessons)),
        "figures": Said([*values, *meanings]),
    }


def _counted(incident: Incident) -> tuple[Mapping[str, float], Mapping[str, int]]:
    """What each term weighs in a record, and in which fields it stands."""
    weights, masks = defaultdict[str, float](float), defaultdict[str, int](int)
    for field, said in fields(incident).items():
        worth, bit = WEIGHTS[field], _BITS[field]
        once = {term for name in said.names for term in _terms_of_name(name)}
        for term in chain(*map(words.terms, said.texts), once):
            weights[term] += worth
            masks[term] |= bit
        for organization in said.organizations:
            weights[organization_term(organization)] += _ORGANIZATION
            masks[organization_term(organization)] |= bit
    return weights, masks


@functools.cache  # there are a few hundred, and every record repeats some
def _terms_of_name(name: str) -> tuple[str, ...]:
    return tuple(words.terms(name))
