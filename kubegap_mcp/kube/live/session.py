"""One context of a kubeconfig: its connection, and the rows of each kind as far as rights reach."""

import threading
import time
from collections.abc import Awaitable, Callable, Generator, Hashable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar

import anyio

from kubegap_checks.facts.read import Derived, Facts, Kind, Record, Rows, Unread
from kubegap_mcp.errors import ClusterUnreachable
from kubegap_mcp.kube.gather.gatherer import Gatherer
from kubegap_mcp.kube.live import unread
from kubegap_mcp.kube.live.connection import Connection
from kubegap_mcp.kube.live.discovery import Found
from kubegap_mcp.kube.live.hello import Hello, say_hello, unreachable
from kubegap_mcp.kube.live.kubeconfig import Target
from kubegap_mcp.kube.live.lists import Part, read_namespaces, read_objects, read_rows
from kubegap_mcp.kube.live.reviews import Rules, read_rules
from kubegap_mcp.kube.live.rights import MOST_NAMESPACES, Scope, Seen, is_forbidden, seen_in
from kubegap_mcp.request_log import RequestLog
from kubegap_mcp.transport.deadline import Deadline, DeadlineError
from kubegap_mcp.transport.flights import Flights, Stamped, together

_SHORT_S: Final = 3.0  # how long a time-out is believed
_TOGETHER: Final = timedelta(seconds=2)  # what an agent asks in one go comes within it

T = TypeVar("T")

_Reader = Callable[[Connection, Gatherer, Found, str | None, Deadline], Part[T] | Unread]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one question waits (monotonic), when it came, and whether it wants fresh answers."""

    until: float
    refresh: bool = False
    asked_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def left(self) -> float:
        return self.until - time.monotonic()


@dataclass(frozen=True, slots=True)
class Question:
    """What is the same for every kind of one question."""

    namespace: str | None
    hello: Hello
    patience: Patience


class Session:
    """Connects with the first question; `close` may come from a signal path."""

    def __init__(
        self,
        target: Target,
        gatherers: Mapping[type[Record], Gatherer],
        *,
        cache_s: float,
        limiter: anyio.CapacityLimiter,
        log: RequestLog,
    ) -> None:
        self.target = target
        self._log = log
        self._gatherers = gatherers
        self._lock = threading.RLock()
        self._connection: Connection | None = None
        self._closed = False
        self._derived = Derived()
        self._anew: datetime | None = None
        self._flights = Flights(lambda value: _keep_s(value, cache_s), limiter, self._forget)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        return tuple(record.KIND for record in self._gatherers)

    async def hello(self, patience: Patience) -> Stamped[Hello]:
        """Raises ClusterUnreachable or ConfigError where nothing can be asked at all."""
        try:
            with anyio.fail_after(patience.left):
                return await self._get(
                    "hello", lambda deadline: say_hello(self._connected(), self.kinds, deadline), patience
                )
        except (TimeoutError, DeadlineError):
            raise self.late() from None

    @contextmanager
    def anew(self) -> Generator[datetime]:
        """The moment since when a question that wants fresh answers has them read.

        One that comes within two seconds, while the first is being answered, is of the same moment: of eight at once,
        each would read anew what the one before it has just read. A later one is not: who mends a node while an audit
        reads the pods, and asks again, wants to see that.
        """
        now = datetime.now(UTC)
        shared = self._anew
        if shared is not None and timedelta() <= now - shared < _TOGETHER:
            yield shared
            return
        self._anew = now
        try:
            yield now
        finally:
            if self._anew is now:
                self._anew = None

    def late(self) -> ClusterUnreachable:
        """What is said where time ended: of the credential plugin if that is what was waited for."""
        connection = self._connection
        plugin = connection.unfinished if connection else None
        return plugin or unreachable(self.target.name, "timed_out")

    def facts(self, rows: Mapping[type[Record], Rows], read_at: datetime) -> Facts:
        """One reading; it shares what was concluded with the others that were given the same rows."""
        return Facts(rows, read_at=read_at, derived=self._derived)

    async def rows(self, record: type[Record], question: Question) -> Seen[Record]:
        """All rows where rights allow; else, of a workload kind, those of the namespaces that may be read."""
        return await self._as_allowed(record, question, read_rows, keep=True)

    async def objects(self, record: type[Record], question: Question) -> Seen[bytes]:
        """The same as pruned JSON."""
        return await self._as_allowed(record, question, read_objects, keep=False)

    async def ask(self, key: Hashable, question: Callable[[Connection, Deadline], T], patience: Patience) -> T:
        """Another question through the same connection, under the same limits."""
        stamped = await self._get(key, lambda deadline: question(self._connected(), deadline), patience, keep=False)
        return stamped.value

    def close(self) -> None:
        with self._lock:
            self._closed = True
            connection, self._connection = self._connection, None
        self._flights.abort()
        if connection is not None:
            connection.close()

    @property
    def idle(self) -> bool:
        return self._flights.idle

    async def _get(
        self, key: Hashable, read: Callable[[Deadline], T], patience: Patience, *, keep: bool = True
    ) -> Stamped[T]:
        return await self._flights.get(
            key, read, until=patience.until, asked_at=patience.asked_at, refresh=patience.refresh, keep=keep
        )

    def _forget(self) -> None:
        self._derived = Derived()

    def _connected(self) -> Connection:
        with self._lock:
            if self._closed:
                raise DeadlineError
            if self._connection is None:
                self._connection = Connection(self.target, self.kinds, self._log)
            return self._connection

    async def _as_allowed(self, record: type[Record], question: Question, how: _Reader[T], *, keep: bool) -> Seen[T]:
        kind, gatherer = record.KIND, self._gatherers[record]
        found = question.hello.discovery.find(kind)

        async def read(where: str | None) -> Stamped[Part[T] | Unread]:
            def blocking(deadline: Deadline) -> Part[T] | Unread:
                try:
                    return how(self._connected(), gatherer, found, where, deadline)
                except DeadlineError:
                    return unread.timed_out(kind)

            return await self._get((how, record, where), blocking, question.patience, keep=keep)

        everywhere = await read(None)
        if not (kind.workload and is_forbidden(everywhere.value)):
            return Seen(everywhere.value, everywhere.read_at)
        asked = question.namespace
        scope = Scope((asked,)) if asked else await self._scope(question.patience)
        names = scope.names if asked else await self._worth_asking(kind, scope, question.patience)
        parts = {**dict.fromkeys(scope.names, everywhere), **await together(names, read)}
        seen = seen_in(kind, scope, parts, asked_for=asked is not None)
        return seen or Seen(everywhere.value, everywhere.read_at)

    async def _worth_asking(self, kind: Kind, scope: Scope, patience: Patience) -> tuple[str, ...]:
        """The namespaces but for those of which the cluster says that this user may not list the kind there.

        One question a namespace for all kinds, where a list of each kind in each would be refused one by one.
        """

        async def rules(name: str) -> Rules:
            def blocking(deadline: Deadline) -> Rules:
                return read_rules(self._connected(), name, deadline)

            return (await self._get(("rules", name), blocking, patience)).value

        told = await together(scope.names, rules)
        return tuple(name for name in scope.names if told[name].allows(kind) != "no")

    async def _scope(self, patience: Patience) -> Scope:
        """The namespaces that exist, or the context's own where this user may not list them."""
        found = await self._get("namespaces", lambda deadline: read_namespaces(self._connected(), deadline), patience)
        if isinstance(found.value, Unread):
            return Scope((self.target.namespace or "default",))
        return Scope(found.value[:MOST_NAMESPACES], total=len(found.value))


async def in_time(kind: Kind, patience: Patience, reading: Awaitable[Seen[T]]) -> Seen[T]:
    """What is read within the patience, or Unread where that ends first."""
    # DeadlineError: everything was closed before the read began.
    with anyio.move_on_after(patience.left), suppress(DeadlineError):
        return await reading
    return Seen(unread.timed_out(kind), datetime.now(UTC))


def _keep_s(value: object, cache_s: float) -> float:
    """A time-out may be over in a moment; what the server said holds as long as any fact."""
    passing = isinstance(value, Unread) and value.reason in {"timed_out", "unreachable"}
    if isinstance(value, Hello):
        passing = bool(value.discovery.unknown)
    return min(cache_s, _SHORT_S) if passing else cache_s
