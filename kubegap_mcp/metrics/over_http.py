"""A metrics source at an address of its own, behind the gate, with the credentials that were chosen for it."""

import threading
from base64 import b64encode
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3

from kubegap_checks.facts.read import UnreadError
from kubegap_checks.text import Text
from kubegap_mcp import __version__
from kubegap_mcp.metrics import unread
from kubegap_mcp.metrics.endpoint import BOUNDS, Request
from kubegap_mcp.metrics.gate import MetricsGate
from kubegap_mcp.metrics.settings import MetricsSettings
from kubegap_mcp.request_log import RequestLog
from kubegap_mcp.transport.deadline import Deadline, DeadlineError
from kubegap_mcp.transport.exchange import Answer, exchange
from kubegap_mcp.transport.gated_pool import Origin, close_gate
from kubegap_mcp.transport.line import Watched
from kubegap_mcp.transport.secret_file import SecretFile
from kubegap_mcp.transport.ways import proxy_headers, tls_context

_UNAUTHORIZED: Final = 401
_KEPT_OPEN: Final = 8  # connections; more than are used at once, and urllib3 logs the address where one is too many


class OverHttp:
    """Blocking and thread-safe."""

    def __init__(self, settings: MetricsSettings, log: RequestLog | None = None) -> None:
        self._settings = settings
        self._log = log or RequestLog()
        secret = settings.token_file or settings.password_file
        self._secret = SecretFile(secret) if secret else None
        self._lock = threading.RLock()
        self._manager: urllib3.PoolManager | None = None
        self._closed = False

    def grant(self, status: int) -> Text:  # noqa: ARG002 (sources use either)
        if self._settings.token_file or self._settings.username:
            return unread.RENEW
        return unread.LOG_IN

    def send(self, request: Request, deadline: Deadline) -> Answer:
        """One request, and once more where its secret's file holds another one by now."""
        authorization = self._authorization()
        answer = self._once(request, authorization, deadline)
        if answer.status == _UNAUTHORIZED and self._secret is not None:
            self._secret.forget()
            renewed = self._authorization()
            answer = self._once(request, renewed, deadline) if renewed != authorization else answer
        return answer

    def close(self) -> None:
        with self._lock:
            self._closed = True
            manager, self._manager = self._manager, None
        if manager is not None:
            manager.clear()

    def _once(self, request: Request, authorization: str, deadline: Deadline) -> Answer:
        query = f"?{urlencode(request.query)}" if request.query else ""
        headers = {
            **self._settings.headers,
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "User-Agent": f"kubegap/{__version__}",
        }
        if authorization:
            headers["Authorization"] = authorization
        return exchange(self._opened(), f"{self._settings.url}{request.path}{query}", headers, BOUNDS, deadline)

    def _authorization(self) -> str:
        settings = self._settings
        try:
            secret = self._secret.read() if self._secret else settings.password
        except (OSError, UnicodeError):
            raise UnreadError(unread.no_secret()) from None
        if self._secret is not None and not (secret and secret.isprintable()):
            raise UnreadError(unread.no_secret())
        if settings.token_file:
            if not secret.isascii():
                raise UnreadError(unread.no_secret())
            return f"Bearer {secret}"
        if not settings.username:
            return ""
        return "Basic " + b64encode(f"{settings.username}:{secret}".encode()).decode()

    def _opened(self) -> urllib3.PoolManager:
        with self._lock:
            if self._closed:
                raise DeadlineError
            if self._manager is None:
                self._manager = _gated(self._settings, self._log)
            return self._manager


def _gated(settings: MetricsSettings, log: RequestLog) -> urllib3.PoolManager:
    parts = urlsplit(settings.url)
    more: dict[str, object] = {"maxsize": _KEPT_OPEN}
    if parts.scheme == "https":
        context = tls_context(own_authority=settings.ca_file is not None)
        if settings.ca_file is not None:
            try:
                context.load_verify_locations(settings.ca_file)
            except OSError:  # ssl.SSLError is one
                raise UnreadError(unread.no_authority()) from None
        more["ssl_context"] = context
    manager = _manager(_proxy(parts.scheme, parts.netloc), more)
    proxy = Origin.of(manager.proxy.url) if manager.proxy else None
    close_gate(manager, MetricsGate(settings.url, settings.headers, proxy=proxy), Watched, log=log)
    return manager


def _manager(proxy: str | None, more: Mapping[str, object]) -> urllib3.PoolManager:
    if not proxy:
        return urllib3.PoolManager(**more)  # type: ignore[arg-type]
    try:
        return urllib3.ProxyManager(proxy, proxy_headers=proxy_headers(proxy), **more)  # type: ignore[arg-type]
    except ValueError:  # of urllib3 too: ProxySchemeUnknown, LocationParseError
        raise UnreadError(unread.no_proxy()) from None


def _proxy(scheme: str, host: str) -> str | None:
    """As other programs take it from HTTPS_PROXY, HTTP_PROXY and NO_PROXY."""
    return None if proxy_bypass(host) else getproxies().get(scheme)
