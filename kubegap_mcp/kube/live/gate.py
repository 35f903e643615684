"""What may go to a cluster: GET on a list of resource paths, and two access reviews; everything else raises."""

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import parse_qsl

from kubegap_checks.facts.read import Kind
from kubegap_mcp.cluster import is_namespace
from kubegap_mcp.metrics.gate import check_read
from kubegap_mcp.metrics.settings import Service
from kubegap_mcp.transport.gated_pool import Call, GateError, Origin, Server

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


class Gate:
    """The calls that are allowed to one server; `server` may end in a path, as Rancher's do.

    With a `service`, the reads of a metrics source through its proxy are allowed too, and nothing else of any proxy.
    """

    def __init__(
        self, server: str, kinds: Iterable[Kind], *, proxy: Origin | None = None, service: Service | None = None
    ) -> None:
        self._metrics = service.proxy_path if service else None
        self._server = Server(server, proxy)
        self._kinds = {(kind.group, kind.plural): kind for kind in (*kinds, NAMESPACES)}
        self._groups = {kind.group for kind in self._kinds.values()}

    def check(self, call: Call) -> str:
        """The path and query of a call that may go out; raises GateError for any other, before a socket is open."""
        path, query = self._server.split(call)
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
        if self._metrics is not None and path.startswith(f"{self._metrics}/"):
            check_read(path.removeprefix(self._metrics), query)
            return
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
            if not known and not self._server.names_itself(call, name, value):
                raise GateError(f"not a header that kubegap sends: {name[:40]!r}")
