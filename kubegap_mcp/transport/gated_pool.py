"""A gate in front of every connection pool: the last code that runs before a socket is opened."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast
from urllib.parse import urlsplit

from kubegap_mcp.request_log import RequestLog
from kubegap_mcp.transport.line import WIRE

if TYPE_CHECKING:
    from typing import Any

    from urllib3 import BaseHTTPResponse, HTTPConnectionPool, PoolManager


class GateError(Exception):
    """Something above the transport asked for a call that kubegap never makes: a fault of kubegap itself."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port, as the connection pool spells them."""

    scheme: str
    host: str
    port: int

    @classmethod
    def of(cls, url: str) -> "Origin":
        parts = urlsplit(url)
        return cls(parts.scheme, (parts.hostname or "").lower(), parts.port or (443 if parts.scheme == "https" else 80))


@dataclass(frozen=True, slots=True)
class Call:
    """A request as it would go out through a pool of connections to `pool`."""

    method: str
    target: str
    pool: Origin
    headers: Mapping[str, str]
    body: object = None


class Gate(Protocol):
    def check(self, call: Call) -> str:
        """The path and query of a call that may go out; raises GateError for any other, before a socket is open."""
        ...


class Server:
    """The one server that calls may go to, perhaps through a proxy; `url` may end in a path, as Rancher's do."""

    def __init__(self, url: str, proxy: Origin | None = None) -> None:
        self._origin = Origin.of(url)
        self._netloc = urlsplit(url).netloc.lower()
        self._prefix = urlsplit(url).path.rstrip("/")
        self._proxy = proxy

    def split(self, call: Call) -> tuple[str, str]:
        """The path below the server's own, and the query; GateError where the call goes elsewhere."""
        target = call.target
        if target.startswith("/"):
            if call.pool != self._origin:
                raise GateError("not the server that kubegap reads")
        else:
            # Only a plain-text server behind a proxy is named in full, in a call to that proxy.
            if call.pool != self._proxy or Origin.of(target) != self._origin or "@" in target:
                raise GateError("not the server that kubegap reads")
            target = "/" + target.split("://", 1)[-1].partition("/")[2]
        path, _, query = target.partition("?")
        if not path.startswith(f"{self._prefix}/") or "#" in target:
            raise GateError("not a path of the server")
        return path[len(self._prefix) :], query

    def names_itself(self, call: Call, name: str, value: str) -> bool:
        """Whether it is the header that urllib3 adds to what goes through a proxy in the clear: the server's name."""
        return name.lower() == "host" and not call.target.startswith("/") and value.lower() == self._netloc


if TYPE_CHECKING:
    _Pool = HTTPConnectionPool
else:
    _Pool = object


class GatedPool(_Pool):
    """Goes in front of a urllib3 connection pool class."""

    gate: Gate
    log: RequestLog

    def urlopen(  # type: ignore[override]
        self,
        method: str,
        url: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        **more: "Any",  # noqa: ANN401 (urllib3's own, passed on)
    ) -> "BaseHTTPResponse":
        pool = Origin(self.scheme or "", self.host.strip("[]").lower(), self.port or 0)
        path = self.gate.check(Call(method=method, target=url, pool=pool, headers=headers or {}, body=body))
        sending = self.log.begin(method, path)
        line = WIRE.get()
        if line is not None:
            line.sending = sending
        # A redirect would take the credentials elsewhere, and a retry belongs where the deadline is known.
        more.update(redirect=False, retries=False)
        try:
            response = super().urlopen(method, url, body, headers, **more)  # type: ignore[arg-type]
        finally:
            if line is None:
                sending.end()
        sending.status = response.status
        return response


def close_gate(
    manager: "PoolManager", gate: Gate, connection: type[object] | None = None, *, log: RequestLog | None = None
) -> None:
    """Puts the gate into every pool that the manager will ever make, and `connection` into their connections.

    What passes is told to the log before it goes out.
    """
    log = log or RequestLog()
    gated: dict[str, Any] = {}
    for scheme, pool in manager.pool_classes_by_scheme.items():
        plain = cast("type[object]", getattr(pool, "ConnectionCls"))  # noqa: B009 (urllib3 types the pools as `type`)
        watched = type(f"Watched{plain.__name__}", (plain,) if connection is None else (connection, plain), {})
        members = {"gate": gate, "log": log, "ConnectionCls": watched}
        gated[scheme] = type(f"Gated{pool.__name__}", (GatedPool, pool), members)
    manager.pool_classes_by_scheme = gated
