"""The sessions of all contexts that were asked about; follows the kubeconfig when it changes."""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeVar

import anyio
from anyio import to_thread

from kubegap_checks import catalog
from kubegap_checks.facts.read import Partial, Record, Rows, Unread
from kubegap_checks.text import Text
from kubegap_mcp.cluster import Ask, ClusterInfo, Contexts, Reading, is_namespace
from kubegap_mcp.errors import ClusterUnreachable, ConfigError
from kubegap_mcp.kube.gather.registry import gatherers
from kubegap_mcp.kube.live import unread
from kubegap_mcp.kube.live.access import Access, read_access
from kubegap_mcp.kube.live.kubeconfig import shown
from kubegap_mcp.kube.live.objects import LiveObjects
from kubegap_mcp.kube.live.rights import Seen
from kubegap_mcp.kube.live.session import Patience, Question, Session, in_time
from kubegap_mcp.kube.live.targets import Targets
from kubegap_mcp.request_log import RequestLog
from kubegap_mcp.transport.flights import together

LISTS_AT_ONCE: Final = 4  # of one cluster: one that hangs holds up no other

_CONTEXTS_S: Final = 30.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What the person who started kubegap chose; `service_account` is where a pod finds its own credentials."""

    kubeconfig: Path | None
    context: str | None
    namespace: str | None
    cache_s: float
    show_names: bool
    service_account: Path
    log: RequestLog


class Clusters:
    """What `live.LiveClusters` stands for, once something was asked."""

    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        # Has a lock of its own, since reading a kubeconfig may take long: close never waits for it.
        self._targets = Targets(choices.kubeconfig, choices.context, choices.service_account)
        # Re-entrant, since close may come from a signal handler in the thread that holds it.
        self._lock = threading.RLock()
        self._sessions: dict[str, Session] = {}
        self._retired: list[Session] = []
        self._closed = False

    async def read(self, ask: Ask) -> Reading:
        """Facts of each kind asked for; raises ConfigError or ClusterUnreachable where nothing could be asked."""
        patience = Patience(time.monotonic() + ask.deadline_s, refresh=ask.refresh)
        namespace = self._asked_namespace(ask.namespace)
        session = await self._session(ask.context, patience)
        with session.anew() if ask.refresh else nullcontext() as since:
            hello = await session.hello(replace(patience, asked_at=since or patience.asked_at))
            # One moment for all that is read: after the client was loaded, which takes a second the first time.
            patience = replace(patience, asked_at=since or datetime.now(UTC))
            return await self._reading(session, Question(namespace, hello.value, patience), ask, hello.read_at)

    async def _reading(self, session: Session, question: Question, ask: Ask, greeted_at: datetime) -> Reading:
        patience = question.patience
        rows: dict[type[Record], Rows] = {}
        seen: dict[type[Record], Seen[Record]] = {}

        async def one(record: type[Record]) -> None:
            seen[record] = await in_time(record.KIND, patience, session.rows(record, question))
            rows[record] = _rows(seen[record])
            if ask.progress is not None:
                ask.progress(len(rows), len(ask.kinds))
            # Of what was read before, verdicts are kept as well.
            if ask.early is not None and seen[record].read_at >= patience.asked_at:
                ask.early(session.facts(dict(rows), patience.asked_at + question.hello.ahead))

        try:
            await together(sorted(ask.kinds, key=_turn), one)
        except ClusterUnreachable as error:
            # Credentials that end in between: what was read by then is used.
            if all(isinstance(part.part, Unread) for part in seen.values()):
                raise
            for record in ask.kinds - seen.keys():
                seen[record] = Seen(unread.refused(record.KIND, error.text), patience.asked_at)
                rows[record] = _rows(seen[record])
        read_at = min((part.read_at for part in seen.values()), default=greeted_at)
        return Reading(
            facts=session.facts(rows, read_at + question.hello.ahead),
            cluster=ClusterInfo(
                context=shown(session.target.name),
                server_version=question.hello.server_version,
                source="live",
                read_at=read_at,
                age_s=max(0, int((datetime.now(UTC) - read_at).total_seconds())),
            ),
            only_namespaces=_only(seen),
        )

    async def contexts(self) -> Contexts:
        """By name only; none where there is no kubeconfig."""
        return await self._in_thread(self._targets.contexts, Patience(time.monotonic() + _CONTEXTS_S))

    async def access(
        self, *, context: str | None = None, namespace: str | None = None, deadline_s: float = 30.0
    ) -> Access:
        """What this user may list, without listing it."""
        asked = self._asked_namespace(namespace)
        patience = Patience(time.monotonic() + deadline_s)
        return await read_access(await self._session(context, patience), asked, patience)

    async def objects(self, *, context: str | None, namespace: str | None, deadline_s: float) -> LiveObjects:
        """The cluster as a source for a snapshot, which has to be written within the deadline."""
        asked = self._asked_namespace(namespace)
        patience = Patience(time.monotonic() + deadline_s, refresh=True)
        session = await self._session(context, patience)
        hello = await session.hello(patience)
        return LiveObjects(session, Question(asked, hello.value, patience))

    def close(self) -> None:
        """Ends what is under way, plugins included, and deletes the credential files."""
        with self._lock:
            self._closed = True
            sessions = (*self._sessions.values(), *self._retired)
            self._sessions, self._retired = {}, []
        for session in sessions:
            session.close()

    def _asked_namespace(self, asked: str | None) -> str | None:
        namespace = asked or self._choices.namespace or None
        if namespace is not None and not is_namespace(namespace):
            raise ConfigError(
                Text(
                    en="the namespace is not a name that Kubernetes allows: use small letters, digits and dashes",
                    ko="Kubernetes가 허용하는 네임스페이스 이름이 아님. 영문 소문자, 숫자, 하이픈만 쓴다",
                )
            )
        return namespace

    async def _session(self, context: str | None, patience: Patience) -> Session:
        return await self._in_thread(lambda: self._open(context), patience)

    async def _in_thread(self, work: Callable[[], T], patience: Patience) -> T:
        try:
            with anyio.fail_after(patience.left):
                return await to_thread.run_sync(work, abandon_on_cancel=True)
        except TimeoutError:
            raise ConfigError(
                Text(
                    en="the kubeconfig was not read in time: ask again in a moment, since the reading goes on, or pass "
                    "--kubeconfig a smaller one",
                    ko="kubeconfig를 제시간에 읽지 못함. 읽기는 계속되니 잠시 뒤 다시 묻거나, --kubeconfig로 더 작은 "
                    "것을 준다",
                )
            ) from None

    def _open(self, context: str | None) -> Session:
        """The session of that context; a new one where the kubeconfig says something else than before."""
        target = self._targets.target(context)
        with self._lock:
            if self._closed:
                raise ConfigError(
                    Text(en="kubegap is shutting down: start it again", ko="kubegap이 끝나는 중임. 다시 시작한다")
                )
            # One that others still wait on, or were just given, is closed by a later question.
            idle = [old for old in self._retired if old.idle]
            self._retired = [old for old in self._retired if old not in idle]
            session = self._sessions.get(target.name)
            if session is None or session.target != target:
                if session is not None:
                    self._retired.append(session)
                made = gatherers(show_names=self._choices.show_names)
                session = self._sessions[target.name] = Session(
                    target,
                    made,
                    cache_s=self._choices.cache_s,
                    limiter=anyio.CapacityLimiter(LISTS_AT_ONCE),
                    log=self._choices.log,
                )
        for old in idle:
            old.close()
        return session


def _turn(record: type[Record]) -> tuple[int, str]:
    """Kinds wait for each other, and for the deadline: first come those without which most checks are unknown."""
    return -catalog.wanted().get(record, 0), record.__name__


def _rows(seen: Seen[Record]) -> Rows:
    if isinstance(seen.part, Unread):
        return seen.part
    if not seen.part.unread:
        return seen.part.items
    return Partial(seen.part.items, seen.part.unread, asked_for=seen.asked_for)


def _only(seen: Mapping[type[Record], Seen[Record]]) -> tuple[str, ...] | None:
    """The namespaces that were seen, where of some kind it was not all."""
    partial = [part.namespaces for part in seen.values() if part.namespaces is not None]
    return tuple(sorted({name for names in partial for name in names})) if partial else None
