"""The questions kubegap answers, for the server and the command line alike: read, check, cite, tell."""

import functools
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

from anyio import to_thread

from kubegap_checks import catalog
from kubegap_checks.facts.read import Record
from kubegap_checks.inventory import readiness
from kubegap_checks.model import Check, Severity, Verdict
from kubegap_checks.text import Lang, Text
from kubegap_incidents.index import Index
from kubegap_incidents.library import Library
from kubegap_incidents.record import Incident
from kubegap_incidents.vocabulary import UnknownTermError
from kubegap_mcp.cluster import Ask, ClusterReader, Progress, Reading, is_namespace
from kubegap_mcp.errors import ConfigError, UnknownNameError
from kubegap_mcp.incident_folders import Incidents, open_library
from kubegap_mcp.names import near, quoted
from kubegap_mcp.own_choices import refuse_unknown
from kubegap_mcp.readers import reader_for
from kubegap_mcp.report import pages, rbac
from kubegap_mcp.report.audit import audit_answer
from kubegap_mcp.report.contexts import contexts_answer
from kubegap_mcp.report.gap import gap_answer
from kubegap_mcp.report.incidents import incidents_answer
from kubegap_mcp.report.models import (
    AuditAnswer,
    ContextsAnswer,
    GapAnswer,
    IncidentsAnswer,
    NodesAnswer,
    TopicAnswer,
)
from kubegap_mcp.report.nodes import NodeFilter, nodes_answer
from kubegap_mcp.report.parts import Telling
from kubegap_mcp.report.topic import topic_answer
from kubegap_mcp.settings import Settings
from kubegap_mcp.silences import Silences

T = TypeVar("T")

TOPIC_DEADLINE_S = 30.0
AUDIT_DEADLINE_S = 60.0

_LISTINGS: Mapping[str, str] = {
    "symptoms": "증상",
    "components": "구성 요소",
    "causes": "원인",
    "triggers": "계기",
    "groups": "같은 원인",
}


class Kubegap:
    """One per process; its questions may be asked at the same time."""

    def __init__(self, settings: Settings, reader: ClusterReader | None = None) -> None:
        refuse_unknown(settings.thresholds, settings.silences)
        self.settings = settings
        self._given_reader = reader

    async def check_topic(
        self,
        topic: str,
        *,
        limit: int = 3,
        context: str | None = None,
        namespace: str | None = None,
        refresh: bool = False,
        lang: Lang | None = None,
    ) -> TopicAnswer:
        """Every check of one topic."""
        checks = self._checks((topic,))
        reading = await self.reader.read(self._ask(catalog.reads(checks), context, namespace, refresh=refresh))
        return await _in_thread(
            lambda: topic_answer(
                topic, self._run(checks, reading), self._telling(reading, namespace, lang), limit=limit
            )
        )

    async def audit(
        self,
        *,
        topics: Sequence[str] | None = None,
        min_severity: str | None = None,
        limit: int = 15,
        context: str | None = None,
        namespace: str | None = None,
        refresh: bool = False,
        lang: Lang | None = None,
        progress: Progress | None = None,
    ) -> AuditAnswer:
        """Every check of every topic, or of those named."""
        checks = self._checks(topics)
        ask = self._ask(catalog.reads(checks), context, namespace, refresh=refresh, deadline_s=AUDIT_DEADLINE_S)
        reading = await self.reader.read(replace(ask, progress=progress))
        least = Severity(min_severity) if min_severity else None
        return await _in_thread(
            lambda: audit_answer(
                self._run(checks, reading), self._telling(reading, namespace, lang), limit=limit, min_severity=least
            )
        )

    async def list_gpu_nodes(
        self,
        *,
        verdict: str | None = None,
        product: str | None = None,
        selector: str | None = None,
        limit: int = 20,
        cursor: str | None = None,
        context: str | None = None,
        namespace: str | None = None,
        refresh: bool = False,
        lang: Lang | None = None,
    ) -> NodesAnswer:
        """GPU nodes, those that are not ready for training first."""
        chosen = NodeFilter(verdict=verdict, product=product, selector=selector)
        reading = await self.reader.read(self._ask(readiness.READS, context, namespace, refresh=refresh))
        return await _in_thread(
            lambda: nodes_answer(self._telling(reading, namespace, lang), chosen, limit=limit, cursor=cursor)
        )

    async def explain_gap(
        self,
        id: str,  # noqa: A002 (the contract's name)
        *,
        limit: int = 10,
        cursor: str | None = None,
        context: str | None = None,
        namespace: str | None = None,
        refresh: bool = False,
        lang: Lang | None = None,
    ) -> GapAnswer:
        """One check in full, or one finding of it."""
        check_id, _, digest = id.strip().partition("@")
        check = self.check(check_id)
        reading = await self.reader.read(self._ask(check.reads, context, namespace, refresh=refresh))
        return await _in_thread(
            lambda: gap_answer(
                check.run(reading.facts, self.settings.thresholds),
                self._telling(reading, namespace, lang),
                finding_id=id.strip() if digest else None,
                limit=limit,
                cursor=cursor,
            )
        )

    async def lookup_incident(
        self,
        *,
        id: str | None = None,  # noqa: A002 (the contract's name)
        query: str | None = None,
        symptom: str | None = None,
        component: str | None = None,
        cause: str | None = None,
        organization: str | None = None,
        year: int | None = None,
        limit: int = 5,
        cursor: str | None = None,
        lang: Lang | None = None,
    ) -> IncidentsAnswer:
        """Incidents by id, by words or by what they hit; needs no cluster."""
        facets = {
            "symptom": symptom,
            "component": component,
            "cause": cause,
            "organization": organization,
        }

        def answer() -> IncidentsAnswer:
            record = self.incident(id) if id else None
            words = record.id if record else query
            try:
                hits = self._index.search(words, **facets, year=year)
            except UnknownTermError as error:
                raise _no_term(error) from error
            return incidents_answer(
                hits,
                asked=_digest(words, *facets.values(), year),
                record=record,
                library=self.library,
                left_out=self.incidents.problems,
                checks=self._checks(None),
                lang=self._lang(lang),
                limit=limit,
                cursor=cursor,
            )

        return await _in_thread(answer)

    async def list_contexts(self, *, lang: Lang | None = None) -> ContextsAnswer:
        """The contexts that could be asked about, by name only."""
        return contexts_answer(await self.reader.contexts(), self._lang(lang))

    def incident_page(self, id: str, lang: Lang | None = None) -> str:  # noqa: A002
        """One incident as Markdown."""
        return pages.incident_page(self.incident(id), self.library, self._lang(lang))

    def check_page(self, id: str, lang: Lang | None = None) -> str:  # noqa: A002
        """One check as Markdown, without a cluster."""
        return pages.check_page(self.check(id), self.library, self._lang(lang), own=self.settings.thresholds)

    def rbac(self, *, topics: Sequence[str] | None = None, namespace: str | None = None) -> str:
        """The least ClusterRole (or Role, for one namespace) that the checks need, as YAML."""
        wanted = catalog.reads(self._checks(topics))
        if topics is None:
            wanted |= frozenset(readiness.READS)
        _refuse_no_namespace(namespace)
        if namespace is not None and not any(record.KIND.workload for record in wanted):
            raise ConfigError(
                Text(
                    en="these checks look at objects that are in no namespace: leave --namespace out for a ClusterRole",
                    ko="이 점검들은 네임스페이스에 속하지 않는 오브젝트를 봄. --namespace를 빼면 ClusterRole이 나옴",
                )
            )
        return rbac.manifest(wanted, namespace=namespace)

    def close(self) -> None:
        """Ends what the reader started; safe to call twice, from a signal path too, and before any question."""
        if "reader" in self.__dict__:
            self.reader.close()

    @functools.cached_property
    def reader(self) -> ClusterReader:
        """The cluster that the settings name: live, a snapshot, or the packaged demo."""
        return self._given_reader or reader_for(self.settings)

    @functools.cached_property
    def incidents(self) -> Incidents:
        """The packaged records and those of the folders that the settings name."""
        return open_library(self.settings.incidents, datetime.now(UTC).date())

    @property
    def library(self) -> Library:
        return self.incidents.library

    @functools.cached_property
    def _index(self) -> Index:
        return Index(self.library)

    def check(self, check_id: str) -> Check:
        """The check of this id; a wrong one is answered with those nearest to it."""
        checks = {check.id: check for check in self._checks(None)}
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

    def _checks(self, topics: Sequence[str] | None) -> tuple[Check, ...]:
        checks = catalog.load()
        if topics is None:
            return checks
        known = sorted({check.topic for check in checks})
        for topic in topics:
            if topic not in known:
                raise no_topic(topic, known)
        return tuple(check for check in checks if check.topic in topics)

    def _ask(
        self,
        kinds: Iterable[type[Record]],
        context: str | None,
        namespace: str | None,
        *,
        refresh: bool,
        deadline_s: float = TOPIC_DEADLINE_S,
    ) -> Ask:
        namespace = namespace or self.settings.namespace
        _refuse_no_namespace(namespace)
        return Ask(
            kinds=frozenset(kinds),
            context=context or self.settings.context,
            namespace=namespace,
            refresh=refresh,
            deadline_s=self.settings.deadline_s or deadline_s,
        )

    def _run(self, checks: Sequence[Check], reading: Reading) -> list[Verdict]:
        return [check.run(reading.facts, self.settings.thresholds) for check in checks]

    def _telling(self, reading: Reading, namespace: str | None, lang: Lang | None) -> Telling:
        return Telling(
            reading=reading,
            library=self.library,
            lang=self._lang(lang),
            namespace=namespace or self.settings.namespace,
            thresholds=self.settings.thresholds,
            silences=Silences(given=self.settings.silences, today=datetime.now(UTC).date()),
        )

    def _lang(self, lang: Lang | None) -> Lang:
        return lang or self.settings.lang


def _refuse_no_namespace(name: str | None) -> None:
    if name is not None and not is_namespace(name):
        raise ConfigError(
            Text(
                en=f"{quoted(name)} is no name of a namespace: use small letters, digits and dashes, as "
                "Kubernetes does",
                ko=f"네임스페이스 이름이 아님: {quoted(name)}. Kubernetes처럼 영문 소문자, 숫자, 하이픈만 쓴다",
            )
        )


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


async def _in_thread(work: Callable[[], T]) -> T:
    """Runs work that holds the processor in a worker thread, so that other questions go on."""
    return await to_thread.run_sync(work, abandon_on_cancel=True)


def _digest(*asked: object) -> str:
    """Tells one search from another in a cursor."""
    return hashlib.sha256(repr(asked).encode("utf-8", "surrogatepass")).hexdigest()[:8]
