"""Asks a metrics source for groups of quantities, all at once; what came is joined to objects in rows.py."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

import anyio
from anyio import to_thread

from kubegap_checks.facts.metrics import Exported, Measured
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Measure, Record, Unread, UnreadError
from kubegap_mcp.cluster import Ask, ClusterReader, Reading
from kubegap_mcp.errors import NotReadError, UnknownNameError
from kubegap_mcp.metrics import curve_jobs, no_curve
from kubegap_mcp.metrics.curve import DEFAULT_WINDOW, Curve, Wanted, Window
from kubegap_mcp.metrics.plan import Plan, picked, plan
from kubegap_mcp.metrics.port import Answer, MetricsSource, Query
from kubegap_mcp.metrics.rows import Answered, as_name, rows
from kubegap_mcp.metrics.throughput import Curves
from kubegap_mcp.metrics.unread import NO_SOURCE, OTHER_CONTEXT
from kubegap_mcp.transport.flights import together

# Which node runs at which scraped address: of series that bear no other name of their node.
_WHERE: Final = "node_uname_info"
# Queries of one question are asked as of one time, and two questions a moment apart are the same queries.
_EVERY_S: Final = 15
# What a query is given when the deadline is as good as over: the source then says that it was.
_LEAST_S: Final = 0.1


@dataclass(frozen=True, slots=True)
class Told:
    """What the source said to a question: a plan and its answers for each record class, or why there is none."""

    answers: dict[type[Measured], Answered | Unread]
    where: Answer
    names: frozenset[str] = frozenset()  # of all series that the source has
    selector: str = ""


class Metrics:
    """One per process."""

    def __init__(
        self,
        source: MetricsSource | None,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._source = source
        self._clock = clock

    async def read(self, reader: ClusterReader, ask: Ask) -> Reading:
        """The reading of the cluster, with the rows of the record classes that only a metrics source can fill.

        Objects and metrics are read at the same time, and joined afterwards.
        """
        wanted = {record for record in ask.kinds if issubclass(record, Measured)}
        if not wanted:
            return await reader.read(ask)
        wanted.add(Exported)  # tells whose all the others are
        objects = replace(ask, kinds=frozenset(objects_of(ask.kinds)) | {Node, Pod})
        readings: list[Reading] = []
        told: list[Told] = []

        async def see() -> None:
            readings.append(await reader.read(objects))

        async def measure() -> None:
            if await _is_watched(reader, ask):
                told.append(await self.ask(wanted, deadline_s=ask.deadline_s, refresh=ask.refresh))
            else:
                told.append(Told(dict.fromkeys(wanted, OTHER_CONTEXT), Answer()))

        await together((see, measure), lambda work: work())
        [reading], [said] = readings, told
        made = await to_thread.run_sync(rows, said.answers, said.where, reading.facts, said.selector)
        return replace(reading, facts=reading.facts.beside(made))

    async def ask(self, wanted: Iterable[type[Measured]], *, deadline_s: float, refresh: bool = False) -> Told:
        """Everything that these record classes need of the source; what it does not give is Unread in its place.

        Raises ConfigError where what was chosen cannot be used.
        """
        source = self._source
        if source is None:
            return Told(dict.fromkeys(wanted, NO_SOURCE), Answer())
        until = anyio.current_time() + deadline_s
        try:
            names = await source.names(deadline_s=deadline_s, refresh=refresh)
        except UnreadError as error:
            return Told(dict.fromkeys(wanted, error.unread[0]), Answer())
        plans = [plan(record, names, source.selector) for record in wanted]
        where = Query(f"{_WHERE}{{{source.selector}}}")
        queries = dict.fromkeys(query for one in plans for query in one.queries)
        if _WHERE in names:
            queries[where] = None
        at = self._now()

        async def one(query: Query) -> Answer | Unread:
            left = max(_LEAST_S, until - anyio.current_time())
            try:
                return await source.ask(query, at=at, deadline_s=left, refresh=refresh)
            except UnreadError as error:
                return error.unread[0]

        answers = await together(queries, one)
        told_where = answers.get(where, Answer())
        return Told(
            {made.record: _answered(made, answers) for made in plans},
            Answer() if isinstance(told_where, Unread) else told_where,
            names,
            source.selector,
        )

    async def picked(self, names: frozenset[str], *, deadline_s: float) -> dict[str, list[str]]:
        """By each label that a selector asks for or could, the values that fresh series have; none if unread."""
        found: dict[str, set[str]] = {}
        if self._source is None:
            return {}
        with suppress(UnreadError):
            for query in picked(names, self._source.selector):
                answer = await self._source.ask(query, at=self._now(), deadline_s=deadline_s)
                for label, value in (pair for series in answer.series for pair in series.labels.items()):
                    found.setdefault(label, set()).add(as_name(value))
        return {label: sorted(values) for label, values in found.items()}

    async def curve(self, reader: ClusterReader, ask: Ask, wanted: Wanted) -> tuple[Reading, Curve]:
        """The throughput of one job, whose pods and nodes the cluster tells; NotReadError where none can be told."""
        source = self._source
        if source is None:
            raise no_curve.unread(NO_SOURCE)
        if not await _is_watched(reader, ask):
            raise no_curve.unread(OTHER_CONTEXT)
        until = anyio.current_time() + ask.deadline_s
        reading = await reader.read(ask)
        left = max(1.0, until - anyio.current_time())
        curves = Curves(source, at=self._now(), deadline_s=left, refresh=ask.refresh)
        return reading, await curves.read(wanted, reading.facts)

    async def curves(self, reader: ClusterReader, *, deadline_s: float) -> None:
        """Asks for the curves of the largest training runs, for a source that keeps what it is asked.

        Why there is none is an answer too, and kept with the rest.
        """
        until = anyio.current_time() + deadline_s
        kinds: frozenset[type[Record]] = frozenset({Node, Pod})
        reading = await reader.read(Ask(kinds=kinds, deadline_s=deadline_s))
        jobs, _ = curve_jobs.jobs_of(reading.facts, None)
        titles: list[str | None] = [job.title for job in jobs if job.trains]
        for title in titles[: no_curve.KEPT] or [None]:
            left = max(_LEAST_S, until - anyio.current_time())
            wanted = Wanted(job=title, metric=None, window=Window.of(DEFAULT_WINDOW))
            with suppress(NotReadError, UnknownNameError):
                await self.curve(reader, Ask(kinds=kinds, deadline_s=left), wanted)

    def _now(self) -> datetime:
        now = self._clock()
        return now - timedelta(seconds=now.timestamp() % _EVERY_S)

    def close(self) -> None:
        if self._source is not None:
            self._source.close()


async def _is_watched(reader: ClusterReader, ask: Ask) -> bool:
    """A source watches one cluster: another context's nodes may have the same names."""
    return ask.context in {None, (await reader.contexts()).in_use}


def objects_of(kinds: Iterable[type[Record]]) -> list[type[Record]]:
    """Those that the API server is asked for."""
    return [record for record in kinds if not isinstance(record.KIND, Measure)]


def _answered(made: Plan, answers: dict[Query, Answer | Unread]) -> Answered:
    given = [answers[query] for query in made.queries]
    return Answered(
        plan=made,
        answers=tuple(one for one in given if isinstance(one, Answer)),
        unread=tuple(one for one in given if isinstance(one, Unread)),
    )
