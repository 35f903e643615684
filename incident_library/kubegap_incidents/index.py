"""Ranked search over the library in memory, in Korean, English or both, with counts over all hits."""

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kubegap_incidents import words
from kubegap_incidents.lexicon import lexicon, organizations_of
from kubegap_incidents.library import Library
from kubegap_incidents.postings import Postings
from kubegap_incidents.ranking import Ranking
from kubegap_incidents.record import Incident
from kubegap_incidents.vocabulary import Listing, Term, vocabulary

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


class Index:
    def __init__(self, library: Library) -> None:
        self._library = library
        self._incidents = [incident for incident in library if not incident.withdrawn]
        self._ranking = Ranking(Postings(self._incidents), lexicon())

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
        of_organization = self._of(organization) if organization else frozenset[str]()

        def passes(incident: Incident) -> bool:
            return (
                (symptom_id is None or symptom_id in incident.symptoms)
                and (component_id is None or component_id in incident.components)
                and (cause_id is None or cause_id in incident.cause_classes)
                and (organization is None or incident.id in of_organization)
                and (year is None or year in incident.years)
            )

        if not query or not query.strip():
            newest = sorted(self._incidents, key=lambda incident: incident.latest, reverse=True)
            return _hits([Hit(incident, ()) for incident in newest if passes(incident)])
        if named := self._library.by_id(query):
            return _hits([Hit(named, (f"id: {query.strip()}",))] if passes(named) else [])
        among = {record for record, incident in enumerate(self._incidents) if passes(incident)}
        ranked = self._ranking.ranked(query, among)
        return _hits([Hit(self._incidents[record], matched) for record, matched in ranked])

    def _of(self, organization: str) -> frozenset[str]:
        """The records of an organization, or else those whose title names it, as a partner of another."""
        told = [(incident.id, incident.organization, incident.title.en) for incident in self._incidents]
        by = frozenset(record for record, said, _ in told if _same_organization(organization, said))
        return by or frozenset(record for record, _, title in told if _names(organization, title))


def _term(listing: Listing, given: str | None) -> str | None:
    return None if given is None else vocabulary().resolve(listing, given).id


@functools.lru_cache(4096)  # a filter asks it of every record, and few names differ
def _same_organization(asked: str, organization: str) -> bool:
    """Whether `asked` is the name, a part of it or another name for it, whatever the spacing."""
    short = _squeezed(asked)
    known = vocabulary()
    others = (name for key in organizations_of(organization, known) for name in known.organizations[key])
    return bool(short) and (
        short in _squeezed(organization) or short in map(_squeezed, others) or _names(asked, organization)
    )


def _names(asked: str, text: str) -> bool:
    """Whether a proper name that `asked` is a synonym of stands in the text: 쿠버네티스 for Kubernetes."""
    said = f" {' '.join(words.split(text))} "
    return any(f" {' '.join(words.split(name))} " in said for name in _other_names(_squeezed(asked)))


@functools.lru_cache(64)
def _other_names(short: str) -> tuple[str, ...]:
    groups = (group for group in vocabulary().synonyms if short in map(_squeezed, group))
    return tuple(name for group in groups for name in group if name[0].isascii() and name[0].isupper())


def _squeezed(name: str) -> str:
    return "".join(name.casefold().split())


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
