"""What kubegap knows without a cluster: the checks and the incidents, by their ids and by words."""

import functools
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from kubegap_checks import catalog
from kubegap_checks.model import Check
from kubegap_checks.text import Text
from kubegap_incidents.index import Hits, Index
from kubegap_incidents.library import Library
from kubegap_incidents.record import Incident
from kubegap_incidents.vocabulary import UnknownTermError
from kubegap_mcp.errors import UnknownNameError
from kubegap_mcp.incident_folders import Incidents, open_library
from kubegap_mcp.names import near, quoted

_LISTINGS: Mapping[str, str] = {
    "symptoms": "증상",
    "components": "구성 요소",
    "causes": "원인",
    "triggers": "계기",
    "groups": "같은 원인",
}


class Knowledge:
    """One per process; `folders` hold own incidents. Nothing is read before it is asked for."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders

    def checks(self, topics: Sequence[str] | None = None) -> tuple[Check, ...]:
        """All checks, or those of some topics."""
        checks = catalog.load()
        if topics is None:
            return checks
        known = sorted({check.topic for check in checks})
        for topic in topics:
            if topic not in known:
                raise no_topic(topic, known)
        return tuple(check for check in checks if check.topic in topics)

    @functools.cached_property
    def incidents(self) -> Incidents:
        """The packaged records and those of the own folders."""
        return open_library(self._folders, datetime.now(UTC).date())

    @property
    def library(self) -> Library:
        return self.incidents.library

    def check(self, check_id: str) -> Check:
        """The check of this id; a wrong one is answered with those nearest to it."""
        checks = {check.id: check for check in self.checks()}
        if check_id in checks:
            return checks[check_id]
        some = near(check_id, checks)
        raise UnknownNameError(
            Text(
                en=f"there is no check {quoted(check_id)}: {some.en}",
                ko=f"그런 점검은 없음: {quoted(check_id)}. {some.ko}",
            )
        )

    def incident(self, id: str) -> Incident:  # noqa: A002
        """The record of this id or alias; a wrong one is answered with those nearest to it."""
        found = self.library.by_id(id)
        if found is None:
            some = near(id, self.library.ids())
            raise UnknownNameError(
                Text(
                    en=f"there is no incident {quoted(id)}: {some.en}, or search by words with query",
                    ko=f"그런 사례는 없음: {quoted(id)}. {some.ko}. 낱말로 찾으려면 query를 쓴다",
                )
            )
        return found

    def search(self, words: str | None, *, year: int | None, **facets: str | None) -> Hits:
        """The incidents that fit; a facet that is none is answered with those nearest to it."""
        try:
            return self._index.search(words, **facets, year=year)
        except UnknownTermError as error:
            raise _no_term(error) from error

    @functools.cached_property
    def _index(self) -> Index:
        return Index(self.library)


def no_topic(topic: str, known: Sequence[str]) -> UnknownNameError:
    return UnknownNameError(
        Text(
            en=f"there is no topic {quoted(topic)}: the topics are {', '.join(known)}",
            ko=f"그런 주제는 없음: {quoted(topic)}. 다음 중에서 고른다: {', '.join(known)}",
        )
    )


def _no_term(error: UnknownTermError) -> UnknownNameError:
    near = ", ".join(error.near)
    return UnknownNameError(
        Text(
            en=f"{quoted(error.given)} is not one of the {error.listing}; take one of {near}",
            ko=f"{_LISTINGS[error.listing]} 목록에 없음: {quoted(error.given)}. 다음 중에서 고른다: {near}",
        )
    )
