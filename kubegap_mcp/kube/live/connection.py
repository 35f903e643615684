"""One context's way to its API server, behind the gate: every request bounded, every failure one of a few causes."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

import msgspec
import urllib3

from kubegap_checks.facts.read import Kind
from kubegap_checks.text import Text
from kubegap_mcp import __version__
from kubegap_mcp.errors import ClusterUnreachable
from kubegap_mcp.foreign.decode import decode
from kubegap_mcp.kube.live import client
from kubegap_mcp.kube.live.credentials import Secret, credentials, impersonation
from kubegap_mcp.kube.live.gate import Gate
from kubegap_mcp.kube.live.kubeconfig import Target, shown
from kubegap_mcp.kube.live.private import PrivateFiles
from kubegap_mcp.metrics.settings import Service
from kubegap_mcp.request_log import RequestLog
from kubegap_mcp.transport.deadline import Deadline, DeadlineError
from kubegap_mcp.transport.exchange import Answer, Bounds, exchange
from kubegap_mcp.transport.gated_pool import Origin, close_gate
from kubegap_mcp.transport.line import Watched

PAGE: Final = Bounds(seconds=10.0, size=256 * 1024 * 1024)
_UNAUTHORIZED: Final = 401


@dataclass(frozen=True, slots=True)
class Request:
    path: str
    query: tuple[tuple[str, str], ...] = ()
    accept: str = "application/json"
    body: bytes | None = None  # of a review; a request without one is a GET
    bounds: Bounds = PAGE
    proxied: bool = False  # to a service, which may refuse by itself what the API server let through


class Connection:
    """Blocking and thread-safe; `close` ends what is under way and deletes the credential files."""

    def __init__(
        self, target: Target, kinds: Iterable[Kind], log: RequestLog | None = None, *, service: Service | None = None
    ) -> None:
        """`service` is the one whose proxy may be asked for metrics, through this connection."""
        self.context = target.name
        self._log = log or RequestLog()
        self._kinds = tuple(kinds)
        self._service = service
        # Re-entrant, since close may come from a signal handler in a thread that holds it.
        self._lock = threading.RLock()
        self._under_way: set[Deadline] = set()
        self._closed = False
        self._managers: dict[tuple[str, str] | None, urllib3.PoolManager] = {}
        self._private = PrivateFiles()
        try:
            self._credentials = credentials(target, self._private.store)
            self._impersonation = impersonation(target.user, target.name)
            self._settings = client.settings(target, self._private.store)
        except BaseException:
            self._private.delete()
            raise

    def send(self, request: Request, deadline: Deadline) -> Answer:
        """One request, and once more with a fresh credential where the first is refused.

        Raises NoAnswerError, DeadlineError, or ClusterUnreachable where there is no credential that is accepted.
        """
        with self._lock:
            if self._closed:
                raise DeadlineError
            self._under_way.add(deadline)
        try:
            secret = self._credentials.current(deadline)
            answer = self._once(request, secret, deadline)
            if _is_refused(request, answer):
                fresh = self._credentials.renewed(secret, deadline)
                answer = self._once(request, fresh, deadline) if fresh else answer
            if _is_refused(request, answer):
                raise ClusterUnreachable(
                    Text(
                        en=f"the API server refused the credentials of context {shown(self.context)}: log in again, "
                        "check with `kubectl auth whoami`, then ask again",
                        ko=f"API 서버가 컨텍스트 {shown(self.context)}의 자격 증명을 거부함. 다시 로그인하고 "
                        "`kubectl auth whoami`로 확인한 뒤 다시 묻는다",
                    )
                )
            return answer
        finally:
            with self._lock:
                self._under_way.discard(deadline)

    @property
    def unfinished(self) -> ClusterUnreachable | None:
        """What is said of a credential plugin that was started and has given nothing."""
        return self._credentials.unfinished

    def close(self) -> None:
        with self._lock:
            self._closed = True
            under_way = tuple(self._under_way)
            managers, self._managers = tuple(self._managers.values()), {}
        for deadline in under_way:
            deadline.abort()
        for manager in managers:
            manager.clear()
        self._private.delete()

    def _once(self, request: Request, secret: Secret, deadline: Deadline) -> Answer:
        query = f"?{urlencode(request.query)}" if request.query else ""
        return exchange(
            self._manager(secret.certificate),
            f"{self._settings.host}{request.path}{query}",
            self._headers(request, secret),
            request.bounds,
            deadline,
            request.body,
        )

    def _headers(self, request: Request, secret: Secret) -> urllib3.HTTPHeaderDict:
        headers = urllib3.HTTPHeaderDict(self._impersonation)
        headers["Accept"] = request.accept
        headers["Accept-Encoding"] = "gzip"
        headers["User-Agent"] = f"kubegap/{__version__}"
        if secret.header:
            headers["Authorization"] = secret.header
        if request.body is not None:
            headers["Content-Type"] = "application/json"
        return headers

    def _manager(self, certificate: tuple[str, str] | None) -> urllib3.PoolManager:
        """The one for this client certificate; a plugin may give a new one, and then the old goes."""
        with self._lock:
            if self._closed:
                raise DeadlineError
            manager = self._managers.get(certificate)
            if manager is None:
                manager = client.pool_manager(self._settings, certificate, self.context)
                proxy = Origin.of(manager.proxy.url) if manager.proxy else None
                close_gate(
                    manager,
                    Gate(self._settings.host, self._kinds, proxy=proxy, service=self._service),
                    Watched,
                    log=self._log,
                )
                self._managers = {certificate: manager}
            return manager


class _Head(msgspec.Struct):
    kind: str


def _is_refused(request: Request, answer: Answer) -> bool:
    """Whether the API server itself takes these credentials for nobody's: it says so as a Status."""
    if answer.status != _UNAUTHORIZED or not request.proxied:
        return answer.status == _UNAUTHORIZED
    try:
        return decode(answer.body, _Head).kind == "Status"
    except msgspec.DecodeError:
        return False
