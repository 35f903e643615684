"""Blocking reads in worker threads, each made once for all who ask for it at the same time, and kept for a while."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Generic, TypeVar, cast

import anyio
from anyio import to_thread

from kubegap_mcp.errors import KubegapError
from kubegap_mcp.transport.deadline import Deadline

T = TypeVar("T")
K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Stamped(Generic[T]):
    value: T
    read_at: datetime


@dataclass(slots=True)
class _Kept:
    stamped: Stamped[object]
    until: float


@dataclass(slots=True)
class _Flight:
    """A read under way; it lives as long as someone waits for it, and has as much time as the most patient."""

    deadline: Deadline
    task: "asyncio.Task[Stamped[object]]"
    waiting: int = field(default=0)


class Flights:
    """Single flight and cache in one.

    `keep_s` says how long a value may be given again, `limiter` how many reads go on at the same time, and `forgot`
    is called when a value is given no more. Belongs to one event loop, except for `abort`.
    """

    def __init__(
        self, keep_s: Callable[[object], float], limiter: anyio.CapacityLimiter, forgot: Callable[[], object] = object
    ) -> None:
        self._keep_s = keep_s
        self._limiter = limiter
        self._forgot = forgot
        self._kept: dict[Hashable, _Kept] = {}
        self._under_way: dict[Hashable, _Flight] = {}

    async def get(
        self,
        key: Hashable,
        read: Callable[[Deadline], T],
        *,
        until: float,
        asked_at: datetime | None = None,
        refresh: bool = False,
        keep: bool = True,
    ) -> Stamped[T]:
        """What `read` gives, from the cache if it is fresh; `until` (monotonic) is how long this caller waits.

        With `refresh` only what is of the moment `asked_at` or later is fresh. The value is stamped with `asked_at`,
        when the caller's question came (None: now), so that all that one question reads is of one moment, and never
        newer than it says. Where the caller gives up first it gets cancelled from outside, and the read goes on for
        the others.
        """
        self._forget([old for old, kept in self._kept.items() if kept.until <= time.monotonic()])
        asked_at = asked_at or datetime.now(UTC)
        kept = self._kept.get(key)
        if kept is not None and not (refresh and kept.stamped.read_at < asked_at):
            return cast("Stamped[T]", kept.stamped)
        self._forget([key])  # before it is read anew: the old rows and the new ones would be twice the memory
        flight = self._under_way.get(key)
        if flight is None:
            flight = self._start(key, read, until, asked_at, keep=keep)
        flight.deadline.extend(until)
        flight.waiting += 1
        try:
            return cast("Stamped[T]", await asyncio.shield(flight.task))
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done():
                self._under_way.pop(key, None)
                flight.deadline.abort()
                flight.task.cancel()

    @property
    def idle(self) -> bool:
        return not self._under_way

    def abort(self) -> None:
        """Ends every read under way; from a signal path and from another thread too."""
        for flight in tuple(self._under_way.values()):
            flight.deadline.abort()

    def _start(
        self, key: Hashable, read: Callable[[Deadline], T], until: float, asked_at: datetime, *, keep: bool
    ) -> _Flight:
        deadline = Deadline(until - time.monotonic(), watched=True)
        flight = _Flight(deadline, asyncio.create_task(self._fly(key, read, deadline, asked_at, keep=keep)))
        self._under_way[key] = flight
        flight.task.add_done_callback(lambda task: self._land(key, task))
        return flight

    async def _fly(
        self, key: Hashable, read: Callable[[Deadline], T], deadline: Deadline, asked_at: datetime, *, keep: bool
    ) -> Stamped[object]:
        value = await to_thread.run_sync(read, deadline, abandon_on_cancel=True, limiter=self._limiter)
        stamped: Stamped[object] = Stamped(value, asked_at)
        if keep and not deadline.aborted:
            self._kept[key] = _Kept(stamped, time.monotonic() + self._keep_s(value))
        return stamped

    def _land(self, key: Hashable, task: "asyncio.Task[Stamped[object]]") -> None:
        flight = self._under_way.get(key)
        if flight is not None and flight.task is task:
            del self._under_way[key]
        # All who waited may have left: then nobody else looks at the exception, and asyncio would complain.
        with suppress(asyncio.CancelledError):
            task.exception()

    def _forget(self, keys: Iterable[Hashable]) -> None:
        if [key for key in keys if self._kept.pop(key, None) is not None]:
            self._forgot()


async def together(items: Iterable[K], work: Callable[[K], Awaitable[T]]) -> dict[K, T]:
    """The work for all items at once; the first KubegapError ends the rest and is raised as it is, in no group."""
    results: dict[K, T] = {}
    failures: list[KubegapError] = []

    async def one(item: K) -> None:
        try:
            results[item] = await work(item)
        except KubegapError as error:
            failures.append(error)
            group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        for item in items:
            group.start_soon(one, item)
    if failures:
        raise failures[0]
    return results
