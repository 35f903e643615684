"""The port of a metrics source: what kubegap asks of Prometheus, live or recorded; knows no client."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from kubegap_checks.text import Text


@dataclass(frozen=True, slots=True)
class Query:
    """One PromQL expression, at one time; with `span_s` and `step_s` over the time before it (query_range).

    With `ago_s` it is asked as of so long before the time of the question. Equal queries are one question: a recording
    keeps its answer under them.
    """

    promql: str
    span_s: int = 0
    step_s: int = 0
    ago_s: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One labelled series; of an instant query it has one point. Points are (unix seconds, value), in order."""

    labels: Mapping[str, str]
    points: tuple[tuple[float, float], ...]

    @property
    def value(self) -> float:
        """The last one."""
        return self.points[-1][1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a query gave; `lacks` says in words for a person what the source left out (partial results, a cap)."""

    series: tuple[Series, ...] = ()
    lacks: tuple[Text, ...] = field(default=())


class MetricsSource(Protocol):
    """Answers queries and changes nothing; raises UnreadError with one Unread where there is no answer."""

    @property
    def selector(self) -> str:
        """Label matchers that every query needs (`cluster="prod"`); known once names were asked for."""
        ...

    @property
    def at(self) -> datetime | None:
        """When that was recorded which it gives whatever time is asked for; known once names were asked for."""
        ...

    async def names(self, *, deadline_s: float, refresh: bool = False) -> frozenset[str]:
        """The names of all metrics that the source knows (label values of `__name__`)."""
        ...

    async def ask(self, query: Query, *, at: datetime, deadline_s: float, refresh: bool = False) -> Answer:
        """The answer as of `at`; what is stale there (Prometheus looks back five minutes) is not in it.

        Without `refresh` it may be one that was given before, as of a moment within the cache's time of `at`.
        """
        ...

    def close(self) -> None:
        """Ends what is under way; safe to call twice and from a signal path."""
        ...
