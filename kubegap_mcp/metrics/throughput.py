"""Asks a metrics source for the throughput of one job and for what may have moved with it, in some ten queries."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

import anyio
from anyio import to_thread

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread, UnreadError, came
from kubegap_checks.signals.throughput import moving
from kubegap_checks.throughput.coincidence import Coincident, Happening, Signal, coincident
from kubegap_checks.throughput.happenings import happenings
from kubegap_checks.throughput.series import Series as Course
from kubegap_checks.throughput.shape import Shape, shape_of
from kubegap_mcp.metrics import curve_jobs, curve_plan, no_curve
from kubegap_mcp.metrics.clusters import Clusters
from kubegap_mcp.metrics.curve import Curve, Job, Metric, Wanted, Window
from kubegap_mcp.metrics.curve_plan import Place
from kubegap_mcp.metrics.join import Nodes
from kubegap_mcp.metrics.port import Answer, MetricsSource, Query, Series
from kubegap_mcp.metrics.promql import TERM
from kubegap_mcp.transport.flights import together

Labels = Mapping[str, str]

_CLUSTER: Final = "cluster"  # the subject of what is of no node and no pod
# Of so many of what coincides best it is asked where it was worst; each costs a query.
_PLACED: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Owned:
    """The metric, the job that it is told of, and the matchers that pick its series."""

    metric: Metric
    job: Job | None
    matchers: str
    others: tuple[str, ...] = ()


class Curves:
    """Reads curves of one source as of one time."""

    def __init__(self, source: MetricsSource, *, at: datetime, deadline_s: float, refresh: bool = False) -> None:
        self._source = source
        self._at = at
        self._until = anyio.current_time() + deadline_s
        self._refresh = refresh

    async def read(self, wanted: Wanted, facts: Facts) -> Curve:
        """Raises NotReadError where there is no curve to tell of, UnknownNameError for a name that nothing has."""
        window = wanted.window
        try:
            names = await self._source.names(deadline_s=self._left(), refresh=self._refresh)
            owned = await self._owned(wanted, facts, names)
            answer = await self._ask(curve_plan.curve_query(owned.metric, owned.matchers, window))
        except UnreadError as error:
            raise no_curve.unread(error.unread[0]) from error
        course = self._course(answer.series, window)
        if not course.samples:
            raise no_curve.without_samples(owned.metric.name)
        places, nodes, unplaced = await self._places(names, facts, owned.job)
        answers, unread = await self._all(curve_plan.courses_queries(places, window))
        signals = self._signals(places, answers, owned.job, window)
        shape, found = await to_thread.run_sync(
            _judged, course, wanted.expected, signals, _moved(facts, owned.job), abandon_on_cancel=True
        )
        seen = {signal.name for signal in signals}
        return Curve(
            metric=owned.metric,
            job=owned.job,
            window=window,
            at=self._at,
            course=course,
            shape=shape,
            expected=wanted.expected,
            coincident=await self._placed(found, places, nodes, owned.job, window),
            watched=tuple(row for row in moving() if row.id in seen),
            unwatched=tuple(row for row in moving() if row.id not in seen),
            unread=tuple(dict.fromkeys((*unplaced, *unread))),
            lacks=tuple(dict.fromkeys(lack for one in (answer, *answers) for lack in one.lacks)),
            others=owned.others,
        )

    async def _owned(self, wanted: Wanted, facts: Facts, names: frozenset[str]) -> _Owned:
        jobs, lacking = curve_jobs.jobs_of(facts, wanted.namespace)
        job = curve_jobs.chosen(jobs, wanted.job)
        training = tuple(one.title for one in jobs if one.trains)
        groups = _groups(wanted.metric, names)
        if job is not None:
            for metrics in groups:
                query = curve_plan.owners_query(metrics, wanted.window, self._source.selector)
                rows = (await self._ask(query)).series
                for metric in metrics:
                    if (matchers := _matchers(metric, rows, job)) is not None:
                        others = tuple(title for title in training if title != job.title)
                        return _Owned(metric=metric, job=job, matchers=self._with(matchers), others=others)
        if wanted.metric and not wanted.job:
            return _Owned(metric=groups[0][0], job=None, matchers=self._source.selector, others=training)
        raise no_curve.without_series(job, wanted.metric, training, lacking)

    async def _places(
        self, names: frozenset[str], facts: Facts, job: Job | None
    ) -> tuple[list[Place], Nodes, tuple[Unread, ...]]:
        """Where each thing is watched: on nodes only where a label names nodes of this cluster, else in it alone.

        What may be of another cluster is not watched, and why.
        """
        watched = curve_plan.watches(names)
        query = curve_plan.labels_query(watched, names, self._source.selector)
        answers, failed = await self._all([query] if query else [])
        labels: dict[str, list[Series]] = {}
        for row in (row for answer in answers for row in answer.series):
            labels.setdefault(row.labels.get("__name__", ""), []).append(row)
        every = tuple(node.name for node in came(facts.seen(Node))[0]) or (job.nodes if job else ())
        where = labels.get(curve_plan.WHERE, ())
        nodes = Nodes(every, where)
        clusters = Clusters((row for some in labels.values() for row in some), where, nodes)
        here = None if failed else clusters.matchers
        wanted = job.nodes if job and job.nodes else every
        places: list[Place] = []
        for watch in watched:
            if watch.moving.of == "node":
                own = [row.labels for row in labels.get(watch.series, ())]
                if found := curve_jobs.node_matchers(own, nodes, wanted):
                    places.append(Place(watch=watch, by=found[0], matchers=self._with(found[1])))
            elif here is None:
                continue
            elif watch.moving.of == "cluster":
                places.append(Place(watch=watch, by="", matchers=self._with(here)))
            elif job and job.pods:
                pods = curve_jobs.pod_matchers(((job.namespace, pod) for pod in job.pods), job)
                places.append(Place(watch=watch, by="pod", matchers=self._with(pods, here)))
        return places, nodes, () if here is not None else tuple(failed) or (clusters.unclear,)

    def _signals(
        self, places: Iterable[Place], answers: Iterable[Answer], job: Job | None, window: Window
    ) -> list[Signal]:
        rows = {row.labels.get(TERM, ""): row for answer in answers for row in answer.series}
        whose = str(job.subject) if job else _CLUSTER
        return [
            Signal(
                name=row.id,
                subject=_CLUSTER if row.of == "cluster" else whose,
                series=self._course([rows[row.id]], window),
            )
            for place in places
            if (row := place.watch.moving).id in rows
        ]

    async def _placed(
        self, found: Sequence[Coincident], places: Iterable[Place], nodes: Nodes, job: Job | None, window: Window
    ) -> tuple[Coincident, ...]:
        """The same, and of the best of them the node or pod on which it was worst."""
        known = {place.watch.moving.id: place for place in places if place.by}
        placed = list(found)
        for at, one in enumerate(found[:_PLACED]):
            if place := known.get(one.signal):
                labels = await self._worst(place, one, window)
                placed[at] = replace(one, subject=_subject(labels, place, nodes, job) or one.subject)
        return tuple(placed)

    async def _worst(self, place: Place, moved: Coincident, window: Window) -> Labels:
        """The labels of where it was worst in the last trouble that it moved with; none where that is unread."""
        moment = self._at
        if moved.last_held is not None:
            moment = min(moment, datetime.fromtimestamp(moved.last_held - window.step_s, UTC))
        with suppress(UnreadError):
            series = (await self._ask(place.worst(window), moment)).series
            return series[0].labels if series else {}
        return {}

    async def _all(self, queries: Iterable[Query]) -> tuple[list[Answer], list[Unread]]:
        """The answers that came, and why others did not."""

        async def one(query: Query) -> Answer | Unread:
            try:
                return await self._ask(query)
            except UnreadError as error:
                return error.unread[0]

        asked = tuple(queries)
        told = await together(asked, one)
        answers = [answer for query in asked if isinstance(answer := told[query], Answer)]
        return answers, [why for query in asked if isinstance(why := told[query], Unread)]

    async def _ask(self, query: Query, at: datetime | None = None) -> Answer:
        return await self._source.ask(query, at=at or self._at, deadline_s=self._left(), refresh=self._refresh)

    def _course(self, series: Sequence[Series], window: Window) -> Course:
        started = self._at.timestamp() - window.span_s
        values: list[float | None] = [None] * (window.span_s // window.step_s + 1)
        for moment, value in series[0].points if series else ():
            place = round((moment - started) / window.step_s)
            if 0 <= place < len(values):
                values[place] = value
        return Course(started, window.step_s, tuple(values))

    def _with(self, *matchers: str) -> str:
        return ", ".join(filter(None, (*matchers, self._source.selector)))

    def _left(self) -> float:
        return max(0.1, self._until - anyio.current_time())


def _groups(metric: str | None, names: frozenset[str]) -> list[tuple[Metric, ...]]:
    """The metrics to look for, the best first."""
    if metric is None:
        return [some for some in (curve_plan.candidates(names), curve_plan.stand_ins(names)) if some]
    if metric not in names:
        told = (*curve_plan.candidates(names), *curve_plan.stand_ins(names))
        raise no_curve.unknown_metric(metric, names, [one.name for one in told])
    known = (*curve_plan.candidates([metric]), *curve_plan.stand_ins([metric]))
    return [known[:1] or (Metric(name=metric),)]


def _matchers(metric: Metric, rows: Sequence[Series], job: Job) -> str | None:
    """Of the job's own pods or name; of what GPUs do, also of its nodes."""
    found = curve_jobs.matchers_of(metric, rows, job)
    if found is None and metric.proxy and job.nodes:
        labels = [row.labels for row in rows if row.labels.get("__name__") == metric.name]
        named = curve_jobs.node_matchers(labels, Nodes(job.nodes), job.nodes)
        return named[1] if named else None
    return found


def _judged(
    course: Course, expected: float | None, signals: Sequence[Signal], moved: Sequence[Happening]
) -> tuple[Shape, tuple[Coincident, ...]]:
    shape = shape_of(course, expected)
    return shape, coincident(course, shape, signals, moved)


def _subject(labels: Labels, place: Place, nodes: Nodes, job: Job | None) -> str:
    """The node or pod that these labels name; "" where they name none."""
    if place.watch.moving.of == "node":
        name = nodes.of(labels)
        return f"Node/{name}" if name else ""
    pod = labels.get("pod", "")
    return f"Pod/{job.namespace}/{pod}" if job and pod in job.pods else ""


def _moved(facts: Facts, job: Job | None) -> list[Happening]:
    """What objects tell of the job's pods and nodes."""
    if job is None:
        return []
    own, on = {(job.namespace, pod) for pod in job.pods}, set(job.nodes)
    pods = [pod for pod in came(facts.seen(Pod))[0] if (pod.namespace, pod.name) in own]
    return list(happenings(pods, [node for node in came(facts.seen(Node))[0] if node.name in on]))
