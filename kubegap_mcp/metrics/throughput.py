"""Asks a metrics source for the throughput of one job and for what may have moved with it, in some ten queries."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Final

import anyio
from anyio import to_thread

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread, UnreadError, came
from kubegap_checks.signals.throughput import moving
from kubegap_checks.throughput.coincidence import Coincident, Happening, Signal, coincident
from kubegap_checks.throughput.happenings import happenings
from kubegap_checks.throughput.kinds import Shape
from kubegap_checks.throughput.series import Series as Course
from kubegap_checks.throughput.shape import shape_of
from kubegap_checks.throughput.silence import ends_early, silences
from kubegap_mcp.metrics import curve_jobs, curve_places, curve_plan, no_curve
from kubegap_mcp.metrics.curve import Curve, Job, Metric, Wanted, Window
from kubegap_mcp.metrics.curve_places import Watched
from kubegap_mcp.metrics.curve_plan import Place
from kubegap_mcp.metrics.join import Nodes
from kubegap_mcp.metrics.port import Answer, MetricsSource, Query, Series
from kubegap_mcp.metrics.promql import TERM, joined
from kubegap_mcp.transport.flights import together

Labels = Mapping[str, str]

_CLUSTER: Final = "cluster"  # the subject of what is of no node and no pod
# How long Prometheus remembers a last sample (--query.lookback-delta).
_LOOKS_BACK_S: Final = 300
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
            self._at = self._source.at or self._at
            owned = await self._owned(wanted, facts, names)
            answer = await self._curve(owned, facts, names, window)
        except UnreadError as error:
            raise no_curve.unread(error.unread[0]) from error
        course = self._course(answer.series, window)
        if not course.samples:
            raise no_curve.without_samples(owned.metric.name)
        stopped = ends_early(course)
        watched = await self._watched(names, facts, owned.job, _last(course) if stopped else self._at)
        alive = stopped and curve_plan.ALIVE in names and watched.here is not None
        answers, unread = await self._all(
            [
                *curve_plan.courses_queries(watched.places, window),
                *([curve_plan.alive_query(window, self._with(watched.here or ""))] if alive else []),
            ]
        )
        signals = self._signals(watched.places, answers, owned.job, window)
        others = self._others(watched.places, answers, signals, window)
        silent = silences(course, others, _LOOKS_BACK_S + window.rate_s)
        judge = partial(shape_of, course, wanted.expected, idle=owned.metric.at_rest, silent=silent)
        shape, found = await to_thread.run_sync(
            _judged, judge, course, signals, _moved(facts, owned.job), abandon_on_cancel=True
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
            silent=bool(silent) and silent[-1][1] >= course.end,
            coincident=await self._placed(found, watched, owned.job, window),
            watched=tuple(row for row in moving() if row.id in seen),
            unwatched=tuple(row for row in moving() if row.id not in seen),
            unread=tuple(dict.fromkeys((*watched.unread, *unread))),
            lacks=tuple(dict.fromkeys(lack for one in (answer, *answers) for lack in one.lacks)),
            others=owned.others,
        )

    async def _owned(self, wanted: Wanted, facts: Facts, names: frozenset[str]) -> _Owned:
        jobs, lacking = curve_jobs.jobs_of(facts, wanted.namespace)
        job = curve_jobs.chosen(jobs, wanted.job, wanted.namespace)
        training = tuple(one.title for one in jobs if one.trains)
        groups = _groups(wanted.metric, names)
        if job is not None:
            for metrics, gone in groups:
                query = curve_plan.owners_query(metrics, wanted.window, self._source.selector, gone=gone)
                rows = (await self._ask(query)).series
                for metric in metrics:
                    if (matchers := _matchers(metric, rows, job)) is not None:
                        others = tuple(title for title in training if title != job.title)
                        return _Owned(metric=metric, job=job, matchers=self._with(matchers), others=others)
        if wanted.metric and not wanted.job:
            return _Owned(metric=groups[0][0][0], job=None, matchers=self._source.selector, others=training)
        raise no_curve.without_series(job, wanted.metric, training, lacking)

    async def _curve(self, owned: _Owned, facts: Facts, names: frozenset[str], window: Window) -> Answer:
        """The curve of this cluster's series: a job and its pods may have the same names in another one."""
        answer = await self._ask(curve_plan.curve_query(owned.metric, owned.matchers, window, apart=True))
        if len(answer.series) <= 1:
            return answer
        watched = await self._watched(names, facts, owned.job, self._at)
        if watched.here is None:
            raise UnreadError(*watched.unread)
        matchers = joined(owned.matchers, watched.here)
        return await self._ask(curve_plan.curve_query(owned.metric, matchers, window))

    async def _watched(self, names: frozenset[str], facts: Facts, job: Job | None, moment: datetime) -> Watched:
        """Where things are watched, by the labels that their series had at that moment."""
        watches = curve_plan.watches(names)
        query = curve_plan.labels_query(watches, names, self._source.selector)
        answers, failed = await self._all([query] if query else [], moment)
        rows = [row for answer in answers for row in answer.series]
        every = tuple(node.name for node in came(facts.seen(Node))[0]) or (job.nodes if job else ())
        return curve_places.watched(watches, rows, every, job, self._source.selector, failed=failed)

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

    def _others(
        self, places: Iterable[Place], answers: Iterable[Answer], signals: Iterable[Signal], window: Window
    ) -> list[Course]:
        """What goes on as long as the source does: pods end with their job, and nothing is concluded from them."""
        owners = {place.watch.moving.id: place.watch.moving.of for place in places}
        alive = [row for answer in answers for row in answer.series if TERM not in row.labels]
        courses = [signal.series for signal in signals if owners.get(signal.name) != "pod"]
        return [*courses, *(self._course([row], window) for row in alive)]

    async def _placed(
        self, found: Sequence[Coincident], watched: Watched, job: Job | None, window: Window
    ) -> tuple[Coincident, ...]:
        """The same, and of the best of them the node or pod on which it was worst."""
        known = {place.watch.moving.id: place for place in watched.places if place.by}
        placed = list(found)
        for at, one in enumerate(found[:_PLACED]):
            if place := known.get(one.signal):
                labels = await self._worst(place, one, window)
                placed[at] = replace(one, subject=_subject(labels, place, watched.nodes, job) or one.subject)
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

    async def _all(self, queries: Iterable[Query], moment: datetime | None = None) -> tuple[list[Answer], list[Unread]]:
        """The answers that came, and why others did not."""

        async def one(query: Query) -> Answer | Unread:
            try:
                return await self._ask(query, moment)
            except UnreadError as error:
                return error.unread[0]

        asked = tuple(queries)
        told = await together(asked, one)
        answers = [answer for query in asked if isinstance(answer := told[query], Answer)]
        return answers, [why for query in asked if isinstance(why := told[query], Unread)]

    async def _ask(self, query: Query, moment: datetime | None = None) -> Answer:
        if moment is not None:
            query = replace(query, ago_s=round((self._at - moment).total_seconds()))
        return await self._source.ask(query, at=self._at, deadline_s=self._left(), refresh=self._refresh)

    def _course(self, series: Sequence[Series], window: Window) -> Course:
        started = self._at.timestamp() - window.span_s
        values: list[float | None] = [None] * (window.span_s // window.step_s + 1)
        for moment, value in series[0].points if series else ():
            place = round((moment - started) / window.step_s)
            if 0 <= place < len(values):
                values[place] = value
        return Course(started, window.step_s, tuple(values))

    def _with(self, *matchers: str) -> str:
        return joined(*matchers, self._source.selector)

    def _left(self) -> float:
        return max(0.1, self._until - anyio.current_time())


def _groups(metric: str | None, names: frozenset[str]) -> list[tuple[tuple[Metric, ...], bool]]:
    """The metrics to look for, the best first, and whether also where they have ended.

    A trainer's end with its job. Those of GPUs stay, and to look for them through the window costs a source much: it is
    done last, for one that fell silent.
    """
    if metric is None:
        trainers, proxies = curve_plan.candidates(names), curve_plan.stand_ins(names)
    elif metric in names:
        known = (*curve_plan.candidates([metric]), *curve_plan.stand_ins([metric]))
        named = known[0] if known else Metric(name=metric)
        trainers, proxies = ((), (named,)) if named.proxy else ((named,), ())
    else:
        told = (*curve_plan.candidates(names), *curve_plan.stand_ins(names))
        raise no_curve.unknown_metric(metric, names, [one.name for one in told])
    return [group for group in ((trainers, True), (proxies, False), (proxies, True)) if group[0]]


def _matchers(metric: Metric, rows: Sequence[Series], job: Job) -> str | None:
    """Of the job's own pods or name; of what GPUs do, also of its nodes."""
    found = curve_jobs.matchers_of(metric, rows, job)
    if found is None and metric.proxy and job.nodes:
        labels = [row.labels for row in rows if row.labels.get("__name__") == metric.name]
        named = curve_jobs.node_matchers(labels, Nodes(job.nodes), job.nodes)
        return named[1] if named else None
    return found


def _judged(
    judge: Callable[[], Shape], course: Course, signals: Sequence[Signal], moved: Sequence[Happening]
) -> tuple[Shape, tuple[Coincident, ...]]:
    shape = judge()
    return shape, coincident(course, shape, signals, moved)


def _last(course: Course) -> datetime:
    return datetime.fromtimestamp(course.time(course.places[-1]), UTC)


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
