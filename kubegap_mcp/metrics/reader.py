"""Asks a metrics source for groups of quantities, all at once; what came is joined to objects in rows.py."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

import anyio

from kubegap_checks.facts.metrics import Measured
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Measure, Record, Unread, UnreadError
from kubegap_checks.text import Text
from kubegap_mcp.cluster import Ask, ClusterReader, Reading
from kubegap_mcp.errors import KubegapError
from kubegap_mcp.metrics.plan import Plan, plan
from kubegap_mcp.metrics.port import Answer, MetricsSource, Query
from kubegap_mcp.metrics.rows import Answered, rows

NO_SOURCE: Final = Unread(
    what=Text(en="metrics", ko="메트릭"),
    reason="no_metrics_source",
    remedy=Text(
        en="name a Prometheus with --prometheus URL (or KUBEGAP_PROMETHEUS)",
        ko="--prometheus URL(또는 KUBEGAP_PROMETHEUS)로 Prometheus를 지정한다",
    ),
)
# Which node runs at which scraped address: of series that bear no other name of their node.
_WHERE: Final = "node_uname_info"
# Queries of one question are asked as of one time, and two questions a moment apart are the same queries.
_EVERY_S: Final = 15


@dataclass(frozen=True, slots=True)
class Told:
    """What the source said to a question: a plan and its answers for each record class, or why there is none."""

    answers: dict[type[Measured], Answered | Unread]
    where: Answer


class Metrics:
    """One per process; `selector` are label matchers that every series must have (`cluster="prod"`)."""

    def __init__(
        self,
        source: MetricsSource | None,
        selector: str = "",
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._source = source
        self._selector = selector
        self._clock = clock

    async def read(self, reader: ClusterReader, ask: Ask) -> Reading:
        """The reading of the cluster, with the rows of the record classes that only a metrics source can fill.

        Objects and metrics are read at the same time, and joined afterwards.
        """
        wanted = [record for record in ask.kinds if issubclass(record, Measured)]
        if not wanted:
            return await reader.read(ask)
        objects = replace(ask, kinds=frozenset(objects_of(ask.kinds)) | {Node, Pod})
        told: list[Told] = []
        reading: Reading | None = None
        failure: KubegapError | None = None

        async def measure() -> None:
            told.append(await self.ask(wanted, deadline_s=ask.deadline_s))

        async with anyio.create_task_group() as group:
            group.start_soon(measure)
            try:
                reading = await reader.read(objects)
            except KubegapError as error:  # raised below as it is, in no group
                failure = error
                group.cancel_scope.cancel()
        if reading is None:
            raise failure or RuntimeError("a reading or an error comes from every reader")
        facts = reading.facts.beside(rows(told[0].answers, told[0].where, reading.facts))
        return replace(reading, facts=facts)

    async def ask(self, wanted: Iterable[type[Measured]], *, deadline_s: float) -> Told:
        """Everything that these record classes need of the source; never raises for what it does not give."""
        source = self._source
        if source is None:
            return Told(dict.fromkeys(wanted, NO_SOURCE), Answer())
        until = anyio.current_time() + deadline_s
        try:
            names = await source.names(deadline_s=deadline_s)
        except UnreadError as error:
            return Told(dict.fromkeys(wanted, error.unread[0]), Answer())
        plans = [plan(record, names, self._selector) for record in wanted]
        where = Query(f"{_WHERE}{{{self._selector}}}")
        queries = dict.fromkeys(query for one in plans for query in one.queries)
        if _WHERE in names:
            queries[where] = None
        now = self._clock()
        at = now - timedelta(seconds=now.timestamp() % _EVERY_S)
        answers: dict[Query, Answer | Unread] = {}

        async def one(query: Query) -> None:
            try:
                answers[query] = await source.ask(query, at=at, deadline_s=max(0.1, until - anyio.current_time()))
            except UnreadError as error:
                answers[query] = error.unread[0]

        async with anyio.create_task_group() as group:
            for query in queries:
                group.start_soon(one, query)
        told_where = answers.get(where, Answer())
        return Told(
            {made.record: _answered(made, answers) for made in plans},
            Answer() if isinstance(told_where, Unread) else told_where,
        )

    def close(self) -> None:
        if self._source is not None:
            self._source.close()


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
