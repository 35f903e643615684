"""A metrics source that speaks Prometheus' HTTP API: few questions at once, each asked once for all who wait."""

import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from datetime import datetime
from typing import Final, TypeVar

import anyio
import msgspec

from kubegap_checks.facts.read import Unread, UnreadError
from kubegap_mcp.metrics import unread
from kubegap_mcp.metrics.decode import answer_of, failure_of, names_of
from kubegap_mcp.metrics.endpoint import BOUNDS, Endpoint, Request
from kubegap_mcp.metrics.port import Answer, Query
from kubegap_mcp.transport import exchange
from kubegap_mcp.transport.deadline import Deadline, DeadlineError
from kubegap_mcp.transport.exchange import NoAnswerError
from kubegap_mcp.transport.flights import Flights
from kubegap_mcp.transport.retry import fetch

AT_ONCE: Final = 4  # Prometheus runs 20 queries at once (--query.max-concurrency), and people's dashboards want some
_NAMES: Final = Request("/api/v1/label/__name__/values")
_SHORT_S: Final = 3.0  # how long a time-out is believed
_MOST_KEPT: Final = 20_000  # points; whoever makes facts of a larger answer keeps those

_OK: Final = 200
_BUSY: Final = 503
_TOO_MANY: Final = 429
_REFUSED: Final = frozenset({401, 403})
_NOT_ANSWERED: Final = frozenset({400, 422})
_REDIRECTS: Final = range(300, 400)
_SERVER_FAULTS: Final = range(500, 600)

T = TypeVar("T", bound=Answer | frozenset[str])


class Prometheus:
    """What `source.source_for` gives, once something was asked; belongs to one event loop, except for `close`."""

    def __init__(self, endpoint: Endpoint, *, cache_s: float) -> None:
        self._endpoint = endpoint
        self._cache_s = cache_s
        self._flights = Flights(self._keep_s, anyio.CapacityLimiter(AT_ONCE))

    async def names(self, *, deadline_s: float, refresh: bool = False) -> frozenset[str]:
        """The names of all metrics that the source knows."""
        return await self._get("names", _NAMES, names_of, deadline_s, refresh=refresh)

    async def ask(self, query: Query, *, at: datetime, deadline_s: float, refresh: bool = False) -> Answer:
        """The answer as of `at`; without `refresh` also one as of a moment before or after it, within `cache_s`."""
        now = at.timestamp()
        key = (query, now // self._cache_s if self._cache_s > 0 else now)
        return await self._get(key, _request(query, now), answer_of, deadline_s, refresh=refresh)

    def close(self) -> None:
        self._flights.abort()
        self._endpoint.close()

    async def _get(
        self, key: Hashable, request: Request, read: Callable[[bytes], T], deadline_s: float, *, refresh: bool
    ) -> T:
        def blocking(deadline: Deadline) -> T | Unread:
            try:
                return self._read(request, read, deadline)
            except DeadlineError:
                return unread.timed_out()

        value: T | Unread = unread.timed_out()
        # DeadlineError: everything was closed before the read began.
        with anyio.move_on_after(deadline_s), suppress(DeadlineError):
            until = time.monotonic() + deadline_s
            value = (await self._flights.get(key, blocking, until=until, refresh=refresh)).value
        if isinstance(value, Unread):
            raise UnreadError(value)
        return value

    def _read(self, request: Request, read: Callable[[bytes], T], deadline: Deadline) -> T | Unread:
        try:
            answer = fetch(self._endpoint, request, deadline, settled=_settled)
        except NoAnswerError as error:
            return unread.no_answer(error.cause)
        except UnreadError as error:
            return error.unread[0]
        if answer.status != _OK:
            return self._refusal(answer)
        try:
            return read(answer.body)
        except msgspec.DecodeError:
            return unread.not_the_api()

    def _refusal(self, answer: exchange.Answer) -> Unread:
        status, failure = answer.status, failure_of(answer.body)
        if status in _REFUSED:
            return unread.forbidden(self._endpoint.grant(status))
        if failure is not None and failure.late:
            return unread.timed_out()
        if failure is not None and status in _NOT_ANSWERED:
            return unread.refused(failure.error)
        if status in _REDIRECTS:
            return unread.redirected()
        if status == _TOO_MANY or status in _SERVER_FAULTS:
            return unread.ill()
        return unread.not_the_api()

    def _keep_s(self, value: object) -> float:
        if isinstance(value, Unread):
            return min(self._cache_s, _SHORT_S) if value.reason in {"timed_out", "unreachable"} else self._cache_s
        if isinstance(value, Answer) and sum(len(series.points) for series in value.series) > _MOST_KEPT:
            return 0.0
        return self._cache_s


def _request(query: Query, now: float) -> Request:
    # With a time-out the source gives up when nobody waits any more, instead of computing on.
    common = (("query", query.promql), ("timeout", f"{BOUNDS.seconds:g}s"))
    now -= query.ago_s
    if not query.span_s:
        return Request("/api/v1/query", (*common, ("time", f"{now:.3f}")))
    window = (("start", f"{now - query.span_s:.3f}"), ("end", f"{now:.3f}"), ("step", str(query.step_s)))
    return Request("/api/v1/query_range", (*common, *window))


def _settled(answer: exchange.Answer) -> bool:
    """A query that took too long will do so again, and the source is under load already."""
    if answer.status != _BUSY:
        return False
    failure = failure_of(answer.body)
    return failure is not None and failure.late
