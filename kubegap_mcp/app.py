"""The questions kubegap answers, for the server and the command line alike: read, check, cite, tell."""

import functools
import hashlib
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

from anyio import to_thread

from kubegap_checks import catalog
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Record
from kubegap_checks.inventory import readiness
from kubegap_checks.model import Check, Severity, Verdict
from kubegap_checks.text import Lang
from kubegap_mcp import roles
from kubegap_mcp.cluster import Ask, ClusterReader, Progress, Reading
from kubegap_mcp.early import Early
from kubegap_mcp.knowledge import Knowledge
from kubegap_mcp.metrics.curve import DEFAULT_WINDOW, Wanted, Window
from kubegap_mcp.metrics.reader import Metrics
from kubegap_mcp.own_choices import refuse_no_namespace, refuse_unknown
from kubegap_mcp.readers import metrics_source_for, reader_for
from kubegap_mcp.report import pages
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
    ThroughputAnswer,
    TopicAnswer,
)
from kubegap_mcp.report.nodes import NodeFilter, nodes_answer
from kubegap_mcp.report.parts import Telling
from kubegap_mcp.report.picture.shelf import Shelf
from kubegap_mcp.report.throughput import throughput_answer
from kubegap_mcp.report.topic import topic_answer
from kubegap_mcp.request_log import RequestLog
from kubegap_mcp.settings import Settings
from kubegap_mcp.silences import Silences

T = TypeVar("T")

TOPIC_DEADLINE_S = 30.0
AUDIT_DEADLINE_S = 60.0


class Kubegap:
    """One per process; its questions may be asked at the same time."""

    def __init__(self, settings: Settings, reader: ClusterReader | None = None) -> None:
        refuse_unknown(settings.thresholds, settings.silences)
        self.settings = settings
        self.knowledge = Knowledge(settings.incidents)
        self._given_reader = reader
        self.pictures = Shelf()
        self.log = RequestLog(settings.trace)
        self._drawing = threading.Lock()

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
        checks = self.knowledge.checks((topic,))
        reading = await self.metrics.read(
            self.reader, self._ask(catalog.reads(checks), context, namespace, refresh=refresh)
        )
        return await self._alone(
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
        checks = self.knowledge.checks(topics)
        ask = self._ask(catalog.reads(checks), context, namespace, refresh=refresh, deadline_s=AUDIT_DEADLINE_S)
        with Early(checks, self.settings.thresholds, self._drawing) as early:
            reading = await self.metrics.read(self.reader, replace(ask, progress=progress, early=early.told))
        least = Severity(min_severity) if min_severity else None
        return await self._alone(
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
        reading = await self.metrics.read(self.reader, self._ask(readiness.READS, context, namespace, refresh=refresh))
        return await self._alone(
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
        check = self.knowledge.check(check_id)
        reading = await self.metrics.read(self.reader, self._ask(check.reads, context, namespace, refresh=refresh))
        return await self._alone(
            lambda: gap_answer(
                check.run(reading.facts, self.settings.thresholds),
                self._telling(reading, namespace, lang),
                finding_id=id.strip() if digest else None,
                limit=limit,
                cursor=cursor,
            )
        )

    async def explain_throughput(
        self,
        *,
        job: str | None = None,
        metric: str | None = None,
        window: str | None = None,
        expected: float | None = None,
        context: str | None = None,
        namespace: str | None = None,
        refresh: bool = False,
        lang: Lang | None = None,
    ) -> ThroughputAnswer:
        """The shape of a job's throughput and what moved with it; its picture is kept in `pictures`."""
        wanted = Wanted(
            job=job,
            metric=metric,
            window=Window.of(window or DEFAULT_WINDOW),
            namespace=namespace or self.settings.namespace,
            expected=expected,
        )
        reading, curve = await self.metrics.curve(
            self.reader, self._ask((Node, Pod), context, namespace, refresh=refresh), wanted
        )

        telling = self._telling(reading, namespace, lang)
        return await _in_thread(lambda: throughput_answer(curve, telling, picture=self.pictures.put(curve)))

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
            record = self.knowledge.incident(id) if id else None
            words = record.id if record else query
            return incidents_answer(
                self.knowledge.search(words, year=year, **facets),
                asked=_digest(words, *facets.values(), year),
                record=record,
                library=self.knowledge.library,
                left_out=self.knowledge.incidents.problems,
                checks=self.knowledge.checks(),
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
        return pages.incident_page(self.knowledge.incident(id), self.knowledge.library, self._lang(lang))

    def check_page(self, id: str, lang: Lang | None = None) -> str:  # noqa: A002
        """One check as Markdown, without a cluster."""
        return pages.check_page(
            self.knowledge.check(id), self.knowledge.library, self._lang(lang), own=self.settings.thresholds
        )

    def rbac(self, *, topics: Sequence[str] | None = None, namespace: str | None = None) -> str:
        """The least ClusterRole (or Role, for one namespace) that the checks need, as YAML."""
        return roles.least(
            self.knowledge.checks(topics), self.settings, every_topic=topics is None, namespace=namespace
        )

    def requests_page(self) -> str:
        """What this process asked the cluster and its metrics source last, as JSON."""
        return self.log.page()

    def close(self) -> None:
        """Ends what the readers started; safe to call twice, from a signal path too, and before any question."""
        for name in ("reader", "metrics"):
            if name in self.__dict__:
                getattr(self, name).close()
        self.log.close()

    @functools.cached_property
    def reader(self) -> ClusterReader:
        """The cluster that the settings name: live, a snapshot, or the packaged demo."""
        return self._given_reader or reader_for(self.settings, self.log)

    @functools.cached_property
    def metrics(self) -> Metrics:
        """What the settings name as a source of metrics, if they name one."""
        return Metrics(metrics_source_for(self.settings, self.log, self.reader))

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
        refuse_no_namespace(namespace)
        return Ask(
            kinds=frozenset(kinds),
            context=context or self.settings.context,
            namespace=namespace,
            refresh=refresh,
            deadline_s=self.settings.deadline_s or deadline_s,
        )

    async def _alone(self, answer: Callable[[], T]) -> T:
        """One answer at a time: of eight questions at once the first draws the conclusions for all."""

        def drawn() -> T:
            with self._drawing:
                return answer()

        return await _in_thread(drawn)

    def _run(self, checks: Sequence[Check], reading: Reading) -> list[Verdict]:
        return [check.run(reading.facts, self.settings.thresholds) for check in checks]

    def _telling(self, reading: Reading, namespace: str | None, lang: Lang | None) -> Telling:
        return Telling(
            reading=reading,
            library=self.knowledge.library,
            lang=self._lang(lang),
            namespace=namespace or self.settings.namespace,
            thresholds=self.settings.thresholds,
            silences=Silences(given=self.settings.silences, today=datetime.now(UTC).date()),
        )

    def _lang(self, lang: Lang | None) -> Lang:
        return lang or self.settings.lang


async def _in_thread(work: Callable[[], T]) -> T:
    """Runs work that holds the processor in a worker thread, so that other questions go on."""
    return await to_thread.run_sync(work, abandon_on_cancel=True)


def _digest(*asked: object) -> str:
    """Tells one search from another in a cursor."""
    return hashlib.sha256(repr(asked).encode("utf-8", "surrogatepass")).hexdigest()[:8]
