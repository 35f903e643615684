"""What may leave the process: GET on a list of resource paths, and two access reviews; everything else raises."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import parse_qsl, urlsplit

from kubegap_checks.facts.read import Kind
from kubegap_mcp.cluster import is_namespace
from kubegap_mcp.kube.live.line import WIRE
from kubegap_mcp.request_log import RequestLog

if TYPE_CHECKING:
    from typing import Any

    from urllib3 import BaseHTTPResponse, HTTPConnectionPool, PoolManager

ACCESS_REVIEW: Final = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
RULES_REVIEW: Final = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
NAMESPACES: Final = Kind(name="Namespace", plural="namespaces")

_DISCOVERY = frozenset({"/version", "/api", "/apis", "/api/v1"})
_VERSION = re.compile(r"v[0-9]{1,4}(?:(?:alpha|beta)[0-9]{1,4})?")
# A list, in all namespaces or in one, or the discovery document above it; in whatever version the server offers.
_RESOURCES = re.compile(
    r"/(?:api|apis/(?P<group>[a-z0-9]+(?:[.-][a-z0-9]+)*))/"
    rf"{_VERSION.pattern}(?:/namespaces/(?P<namespace>[^/]+))?(?:/(?P<plural>[a-z0-9]+))?"
)
_CONTINUE = re.compile(r"[A-Za-z0-9+/=_.~%-]+")
# A method override header would turn an allowed GET into something else behind some proxies.
_HEADERS = frozenset({"accept", "accept-encoding", "authorization", "content-type", "user-agent"})
_IMPERSONATION = ("impersonate-user", "impersonate-group", "impersonate-uid", "impersonate-extra-")
_MAX_BODY = 4096
# A real one holds a revision and the key of an object: some hundred letters.
_LONGEST_CONTINUE = 4096


class GateError(Exception):
    """Something above the transport asked for a call that kubegap never makes: a fault of kubegap itself."""


def is_version(name: str) -> bool:
    """Whether what a server calls a version may stand in a path."""
    return _VERSION.fullmatch(name) is not None


def is_continue(token: str) -> bool:
    """Whether a server's continue token may go back to it."""
    return len(token) <= _LONGEST_CONTINUE and _CONTINUE.fullmatch(token) is not None


def api_root(group: str, version: str) -> str:
    return f"/apis/{group}/{version}" if group else f"/api/{version}"


def list_path(kind: Kind, version: str, namespace: str | None) -> str:
    scope = f"/namespaces/{namespace}" if namespace else ""
    return f"{api_root(kind.group, version)}{scope}/{kind.plural}"


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


class Gate:
    """The calls that are allowed to one server; `server` may end in a path, as Rancher's do."""

    def __init__(self, server: str, kinds: Iterable[Kind], *, proxy: Origin | None = None) -> None:
        self._origin = Origin.of(server)
        self._netloc = urlsplit(server).netloc.lower()
        self._prefix = urlsplit(server).path.rstrip("/")
        self._proxy = proxy
        self._kinds = {(kind.group, kind.plural): kind for kind in (*kinds, NAMESPACES)}
        self._groups = {kind.group for kind in self._kinds.values()}

    def check(self, call: Call) -> str:
        """The path and query of a call that may go out; raises GateError for any other, before a socket is open."""
        path, query = self._split(call)
        self._check_headers(call)
        self._check_target(call, path, query)
        return f"{path}?{query}" if query else path

    def _check_target(self, call: Call, path: str, query: str) -> None:
        if call.method == "POST" and path in {ACCESS_REVIEW, RULES_REVIEW} and not query:
            if not isinstance(call.body, bytes) or len(call.body) > _MAX_BODY:
                raise GateError("a review goes out as a short JSON body")
            return
        if call.method != "GET" or call.body is not None:
            raise GateError(f"not a read: {call.method[:20]!r}")
        if path in _DISCOVERY and not query:
            return
        found = _RESOURCES.fullmatch(path)
        if not found or (found["group"] or "") not in self._groups:
            raise GateError("not a resource that kubegap reads")
        if found["plural"] is None:
            if found["namespace"] is not None or query:
                raise GateError("not a query of discovery")
            return
        self._check_query(self._kind(found["group"] or "", found["plural"], found["namespace"]), query)

    def _split(self, call: Call) -> tuple[str, str]:
        target = call.target
        if target.startswith("/"):
            if call.pool != self._origin:
                raise GateError("not the cluster's API server")
        else:
            # Only a plain-text server behind a proxy is named in full, in a call to that proxy.
            if call.pool != self._proxy or Origin.of(target) != self._origin or "@" in target:
                raise GateError("not the cluster's API server")
            target = "/" + target.split("://", 1)[-1].partition("/")[2]
        path, _, query = target.partition("?")
        if not path.startswith(f"{self._prefix}/") or "#" in target:
            raise GateError("not a path of the API server")
        return path[len(self._prefix) :], query

    def _kind(self, group: str, plural: str, namespace: str | None) -> Kind:
        kind = self._kinds.get((group, plural))
        if kind is None or (namespace is not None and not (kind.namespaced and is_namespace(namespace))):
            raise GateError("not a resource that kubegap reads")
        return kind

    def _check_query(self, kind: Kind, query: str) -> None:
        if not query:
            return
        try:
            pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True, max_num_fields=3)
        except ValueError as error:
            raise GateError("not a query of a list") from error
        values = dict(pairs)
        if len(values) != len(pairs) or ";" in query:
            raise GateError("not a query of a list")
        for name, value in pairs:
            allowed = {
                "limit": value.isascii() and value.isdigit() and value.strip("0") != "",
                "continue": is_continue(value),
                "fieldSelector": bool(value) and value == kind.select,
            }
            if not allowed.get(name, False):
                raise GateError("not a query of a list")

    def _check_headers(self, call: Call) -> None:
        for name, value in call.headers.items():
            known = name.lower() in _HEADERS or name.lower().startswith(_IMPERSONATION)
            # urllib3 adds the server's own name to what goes through a proxy in the clear.
            names_server = name.lower() == "host" and not call.target.startswith("/") and value.lower() == self._netloc
            if not known and not names_server:
                raise GateError(f"not a header that kubegap sends: {name[:40]!r}")


if TYPE_CHECKING:
    _Pool = HTTPConnectionPool
else:
    _Pool = object


class GatedPool(_Pool):
    """Goes in front of a urllib3 connection pool class, the last code that runs before a socket is opened."""

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
