"""An API server on loopback that answers as a real one does, and remembers everything it was asked.

    with FakeApiServer(objects) as api:
        path = api.kubeconfig(tmp_path)

`objects` are whole Kubernetes objects of any kinds. Leaving the block fails when the server saw anything but the
reads that kubegap may make; `allow_anything=True` is for the tests of the gate itself.
"""

import base64
import gzip
import json
import re
import socket
import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast
from urllib.parse import parse_qs, urlencode, urlsplit

Json = dict[str, Any]

_BUILT_IN = (
    ("v1", "Namespace", "namespaces", False),
    ("v1", "Node", "nodes", False),
    ("v1", "PersistentVolume", "persistentvolumes", False),
    ("v1", "Service", "services", True),
    ("v1", "PersistentVolumeClaim", "persistentvolumeclaims", True),
    ("v1", "Pod", "pods", True),
    ("v1", "Secret", "secrets", True),
    ("storage.k8s.io/v1", "StorageClass", "storageclasses", False),
    ("resource.k8s.io/v1", "ResourceSlice", "resourceslices", False),
)
_REVIEWS = "/apis/authorization.k8s.io/v1/"
_PROXY = re.compile(r"/api/v1/namespaces/(?P<namespace>[^/]+)/services/(?P<name>[^/]+)/proxy(?P<path>/.*)")
_METRIC_READS = re.compile(
    r"(?:/[\w-]+)*/api/v1/(?:query|query_range|labels|series|metadata|rules|targets|label/[A-Za-z_]\w*/values)"
)
_AGGREGATED = re.compile(r"g=apidiscovery\.k8s\.io;v=(v2beta1|v2);as=APIGroupDiscoveryList")


@dataclass(frozen=True, slots=True)
class Seen:
    """One request."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    multi: tuple[tuple[str, str], ...]
    peer_certificate: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What goes wrong with a request; without a status the true answer is sent, the way the fault says.

    `page` limits it to that page of a list (from 1), `times` to so many requests.
    """

    status: int | None = None
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    delay_s: float = 0.0
    drip_s: float = 0.0  # between bytes of the body
    drip_head_s: float = 0.0  # between bytes of the head
    cut: float = 1.0  # the part of the body that is sent before the line is closed
    reset: bool = False
    raw: bytes | None = None  # in place of an answer, head and all
    forever: bytes = b""  # after that, until the client leaves
    page: int | None = None
    times: int | None = None


def status(code: int, reason: str = "", message: str = "") -> Fault:
    return Fault(status=code, body=_failure(code, reason, message or reason).body)


def throttled(retry_after: str | None = "0", *, times: int | None = 1) -> Fault:
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return replace(status(429, "TooManyRequests"), headers=headers, times=times)


def expired(*, page: int = 2, times: int | None = 1) -> Fault:
    return replace(status(410, "Expired", "The provided continue parameter is too old"), page=page, times=times)


def slow(seconds: float = 30.0) -> Fault:
    return Fault(delay_s=seconds)


def drip(seconds: float = 0.05) -> Fault:
    return Fault(drip_s=seconds)


def half() -> Fault:
    return Fault(cut=0.5)


def reset(*, times: int | None = None) -> Fault:
    return Fault(reset=True, times=times)


def not_json(body: bytes = b"<html>sign in</html>") -> Fault:
    return Fault(status=200, body=body, headers={"Content-Type": "text/html"})


def redirect(to: str, code: int = 302) -> Fault:
    return Fault(status=code, body=b"", headers={"Location": to})


@dataclass(frozen=True, slots=True)
class Rights:
    """What may be listed: resources everywhere, and resources by namespace. `*` is all of them."""

    everywhere: frozenset[str] = frozenset({"*"})
    namespaces: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    discovery: bool = True

    def allow(self, resource: str, namespace: str | None) -> bool:
        if {resource, "*"} & self.everywhere:
            return True
        return namespace is not None and bool({resource, "*"} & self.namespaces.get(namespace, frozenset()))


def only_in(*namespaces: str, resources: Iterable[str] = ("*",), everywhere: Iterable[str] = ()) -> Rights:
    """The usual engineer: everything in some namespaces, and little beside."""
    return Rights(frozenset(everywhere), {name: frozenset(resources) for name in namespaces})


@dataclass(frozen=True, slots=True)
class _Resource:
    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool

    @property
    def name(self) -> str:
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def root(self) -> str:
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"


@dataclass(slots=True)
class Tls:
    """`tls.made()` gives one with its own authority; a client certificate of that authority may be asked for."""

    authority: bytes
    certificate: bytes
    key: bytes
    client_certificate: bytes
    client_key: bytes


class FakeApiServer:
    """See the module. `faults` go by resource name (`pods`, `wekaclusters.weka.weka.io`), path or `*`.

    Everything may be changed while it runs: `faults`, `rights`, `tokens`, `objects`.
    """

    def __init__(
        self,
        objects: Iterable[Json] = (),
        *,
        faults: Mapping[str, Fault | Sequence[Fault]] | None = None,
        rights: Rights | None = None,
        tokens: Iterable[str] | None = None,
        installed: Iterable[str] = (),
        discovery: str = "v2",
        version: str = "v1.36.0",
        prefix: str = "",
        tls: Tls | None = None,
        client_certificates: bool = False,
        gzipped: bool = False,
        services: Mapping[str, str] | None = None,
        allow_anything: bool = False,
        port: int = 0,
    ) -> None:
        """`services`: URLs on loopback by what stands for them in a proxy's path, `monitoring/prometheus:9090`.

        `installed`: `wekaclusters.weka.weka.io/v1alpha1` and the like, beside the kinds of the objects.

        `tokens`: those that are accepted, as `Authorization` values; None takes anyone. `discovery`: v2, v2beta1
        or legacy. `port`: that of a server that was here before; 0 takes a free one.
        """
        self.objects = list(objects)
        self.faults = {
            key: [given] if isinstance(given, Fault) else list(given) for key, given in (faults or {}).items()
        }
        self.rights = rights or Rights()
        self.tokens = None if tokens is None else set(tokens)
        self.installed = set(installed)
        self.discovery = discovery
        self.version = version
        self.stale_groups: set[str] = set()
        self.prefix = prefix
        self.gzipped = gzipped
        self.date: str | None = None  # of its answers, where its clock is not ours
        self.services = dict(services or {})
        self.requests: list[Seen] = []
        self.at_once = 0
        self.most_at_once = 0
        self.stopping = threading.Event()
        self._tls = tls
        self._allow_anything = allow_anything
        self._lock = threading.Lock()
        self._arrived = threading.Condition(self._lock)
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.api = self
        if tls is not None:
            self._server.context = _server_context(tls, client_certificates=client_certificates)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), name="fake API server")

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://{self.address}{self.prefix}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._thread.join(5)
        self._server.close_connections()
        self._server.server_close()
        if kind is None and not self._allow_anything:
            self.assert_only_reads()

    def close_connections(self) -> None:
        """As a server that restarts does, whatever is under way."""
        self._server.close_connections()

    def assert_only_reads(self) -> None:
        wrong = [f"{seen.method} {seen.path}" for seen in self.requests if not self._allowed(seen)]
        assert not wrong, f"the server saw {wrong}"

    def paths(self) -> list[str]:
        """The paths that were asked for, in order, without the query."""
        return [seen.path for seen in self.requests]

    def lists(self, resource: str) -> list[Seen]:
        """The requests for lists of one resource, by plural."""
        return [seen for seen in self.requests if seen.path.rsplit("/", 1)[-1] == resource]

    def wait_for(self, resource: str, seconds: float = 5.0) -> None:
        """Blocks until a list of the resource was asked for."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: bool(self.lists(resource)), seconds)

    def kubeconfig(
        self,
        directory: Path,
        *,
        user: Json | None = None,
        cluster: Json | None = None,
        context: str = "test",
        namespace: str | None = None,
        name: str = "kubeconfig",
    ) -> Path:
        """Writes one with a single context, and gives its path."""
        described: Json = {"server": self.url}
        if self._tls is not None:
            described["certificate-authority-data"] = base64.b64encode(self._tls.authority).decode()
        path = directory / name
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": context,
            "contexts": [
                {
                    "name": context,
                    "context": {"cluster": "c", "user": "u", **({"namespace": namespace} if namespace else {})},
                }
            ],
            "clusters": [{"name": "c", "cluster": described | (cluster or {})}],
            "users": [{"name": "u", "user": user or {}}],
        }
        path.write_text(json.dumps(content), encoding="utf-8")
        return path

    def answer(self, seen: Seen, body: bytes) -> "_Answer":
        """The true answer, without faults."""
        if self.tokens is not None and seen.headers.get("authorization", "") not in self.tokens:
            return _failure(401, "Unauthorized", "Unauthorized")
        if seen.method == "POST" and seen.path.startswith(_REVIEWS):
            return self._review(seen.path, json.loads(body))
        if seen.method != "GET":
            return _Answer(200, _json({"kind": "Status", "apiVersion": "v1", "status": "Success"}))
        if seen.path == "/version":
            return _Answer(200, _json({"major": "1", "minor": "36", "gitVersion": self.version}))
        return self._proxied(seen) or self._discovery(seen) or self._list(seen)

    def _proxied(self, seen: Seen) -> "_Answer | None":
        """As a real one does: it asks the service without the credentials that it was given itself."""
        found = _PROXY.fullmatch(seen.path)
        if found is None:
            return None
        if not self.rights.allow("services/proxy", found["namespace"]):
            return _failure(403, "Forbidden", f'User "reader" cannot get resource "services/proxy" {found["name"]}')
        base = self.services.get(f"{found['namespace']}/{found['name']}")
        if base is None:
            return _failure(404, "NotFound", f'services "{found["name"]}" not found')
        onward = urllib.request.Request(f"{base}{found['path']}?{urlencode(seen.query)}")  # noqa: S310 (loopback)
        try:
            with urllib.request.build_opener(_NoRedirect).open(onward, timeout=5) as answer:
                return _Answer(answer.status, answer.read(), {"Content-Type": answer.headers["Content-Type"] or ""})
        except urllib.error.HTTPError as error:
            kept = {key: value for key, value in error.headers.items() if key in {"Location", "Retry-After"}}
            return _Answer(error.code, error.read(), kept)
        except OSError as error:
            return _failure(503, "ServiceUnavailable", f"error trying to reach service: {error}")

    def take_fault(self, seen: Seen) -> Fault | None:
        with self._lock:
            for key in (seen.path, self._resource_name(seen.path), "*"):
                for fault in self.faults.get(key or "", ()):
                    if fault.page is not None and fault.page != _page(seen):
                        continue
                    if fault.times is not None:
                        self.faults[key or ""].remove(fault)
                        if fault.times > 1:
                            self.faults[key or ""].insert(0, replace(fault, times=fault.times - 1))
                    return fault
        return None

    def _resources(self) -> list[_Resource]:
        found: dict[str, _Resource] = {}
        for api_version, kind, plural, namespaced in _BUILT_IN:
            group, _, version = api_version.rpartition("/")
            found[f"{api_version}/{plural}"] = _Resource(group, version, kind, plural, namespaced)
        for item in self.objects:
            group, _, version = str(item["apiVersion"]).rpartition("/")
            plural = _plural(str(item["kind"]))
            namespaced = "namespace" in item["metadata"]
            found.setdefault(
                f"{item['apiVersion']}/{plural}", _Resource(group, version, item["kind"], plural, namespaced)
            )
        for entry in self.installed:
            name, _, version = entry.partition("/")
            plural, _, group = name.partition(".")
            found.setdefault(
                f"{group}/{version}/{plural}", _Resource(group, version, plural.title()[:-1], plural, namespaced=True)
            )
        return list(found.values())

    def _resource_name(self, path: str) -> str | None:
        return next((resource.name for resource in self._resources() if self._scope(resource, path) is not False), None)

    @staticmethod
    def _scope(resource: _Resource, path: str) -> str | bool | None:
        """The namespace that a list path names, None for all, False where it is another resource's path."""
        if path == f"{resource.root}/{resource.plural}":
            return None
        match = re.fullmatch(f"{re.escape(resource.root)}/namespaces/([^/]+)/{resource.plural}", path)
        return match[1] if match and resource.namespaced else False

    def _list(self, seen: Seen) -> "_Answer":
        for resource in self._resources():
            scope = self._scope(resource, seen.path)
            if scope is False:
                continue
            namespace = cast("str | None", scope)
            if not self.rights.allow(resource.name, namespace):
                return _forbidden(resource, namespace)
            return self._page_of(resource, namespace, seen)
        match = re.fullmatch(r"/apis/([^/]+)/[^/]+/(?:namespaces/([^/]+)/)?([^/]+)", seen.path)
        if match and not self.rights.allow(f"{match[3]}.{match[1]}", match[2]):
            # A real server looks at the rights first: 403 says nothing about whether the resource exists.
            return _forbidden(_Resource(match[1], "v1", match[3], match[3], namespaced=True), match[2])
        return _Answer(404, b"404 page not found\n", {"Content-Type": "text/plain; charset=utf-8"})

    def _page_of(self, resource: _Resource, namespace: str | None, seen: Seen) -> "_Answer":
        api_version = f"{resource.group}/{resource.version}".lstrip("/")
        items = [
            item
            for item in self.objects
            if item["kind"] == resource.kind
            and item["apiVersion"] == api_version
            and (namespace is None or item["metadata"].get("namespace") == namespace)
        ]
        selector = seen.query.get("fieldSelector", "")
        for term in filter(None, selector.split(",")):
            match = re.fullmatch(r"(status\.phase|metadata\.name|spec\.nodeName)(!=|==?)(.*)", term)
            if match is None:
                return _failure(400, "BadRequest", f"field label not supported: {term}")
            part, name = match[1].split(".")
            items = [item for item in items if (item.get(part, {}).get(name, "") == match[3]) == (match[2] != "!=")]
        start = 0
        if "continue" in seen.query:
            try:
                start = int(base64.urlsafe_b64decode(seen.query["continue"]))
            except ValueError:
                return _failure(400, "BadRequest", "invalid continue token")
        limit = int(seen.query.get("limit", "0")) or len(items)
        metadata: Json = {"resourceVersion": "14077", "continue": ""}
        if start + limit < len(items):
            metadata["continue"] = base64.urlsafe_b64encode(str(start + limit).encode()).decode()
            metadata["remainingItemCount"] = len(items) - start - limit
        # As a real server has it: items of a list carry neither apiVersion nor kind.
        bare = [{key: value for key, value in item.items() if key not in {"apiVersion", "kind"}} for item in items]
        page = {"apiVersion": api_version, "kind": f"{resource.kind}List", "metadata": metadata}
        return _Answer(200, _json(page | {"items": bare[start : start + limit]}))

    def _discovery(self, seen: Seen) -> "_Answer | None":
        resources = self._resources()
        roots = {resource.root for resource in resources}
        if seen.path not in {"/api", "/apis"} | roots:
            return None
        if not self.rights.discovery:
            return _failure(403, "Forbidden", f'User "reader" cannot get path "{seen.path}"')
        if seen.path in roots:
            found = [_legacy(item) for item in resources if item.root == seen.path]
            return _Answer(200, _json({"kind": "APIResourceList", "resources": found}))
        offered = _AGGREGATED.findall(seen.headers.get("accept", ""))
        wanted = [item for item in resources if bool(item.group) == (seen.path == "/apis")]
        if self.discovery in offered:
            kind = f"application/json;g=apidiscovery.k8s.io;v={self.discovery};as=APIGroupDiscoveryList"
            return _Answer(200, _json(self._aggregated(wanted)), {"Content-Type": kind})
        if seen.path == "/api":
            return _Answer(200, _json({"kind": "APIVersions", "versions": ["v1"]}))
        groups: dict[str, set[str]] = {}
        for item in wanted:
            groups.setdefault(item.group, set()).add(item.version)
        listed = [
            {
                "name": group,
                "versions": [
                    {"groupVersion": f"{group}/{version}", "version": version} for version in sorted(versions)
                ],
            }
            for group, versions in groups.items()
        ]
        return _Answer(200, _json({"kind": "APIGroupList", "apiVersion": "v1", "groups": listed}))

    def _aggregated(self, resources: list[_Resource]) -> Json:
        groups: dict[str, dict[str, list[Json]]] = {}
        for item in resources:
            entry = {
                "resource": item.plural,
                "responseKind": {"group": "", "version": "", "kind": item.kind},
                "scope": "Namespaced" if item.namespaced else "Cluster",
                "verbs": ["get", "list", "watch"],
            }
            groups.setdefault(item.group, {}).setdefault(item.version, []).append(entry)
        for group in self.stale_groups:
            groups.setdefault(group, {"v1": []})
        items = [
            {
                "metadata": {"name": group} if group else {},
                "versions": [
                    {
                        "version": version,
                        "resources": [] if group in self.stale_groups else found,
                        "freshness": "Stale" if group in self.stale_groups else "Current",
                    }
                    for version, found in versions.items()
                ],
            }
            for group, versions in groups.items()
        ]
        return {
            "kind": "APIGroupDiscoveryList",
            "apiVersion": f"apidiscovery.k8s.io/{self.discovery}",
            "metadata": {},
            "items": items,
        }

    def _review(self, path: str, review: Json) -> "_Answer":
        if path.endswith("/selfsubjectaccessreviews"):
            wanted = review["spec"]["resourceAttributes"]
            name = f"{wanted['resource']}.{wanted.get('group', '')}".rstrip(".")
            review["status"] = {"allowed": self.rights.allow(name, wanted.get("namespace"))}
            return _Answer(201, _json(review))
        names = self.rights.everywhere | self.rights.namespaces.get(review["spec"]["namespace"], frozenset())
        rules: list[Json] = []
        for name in sorted(names):
            plural, _, group = name.partition(".")
            rules.append(
                {"verbs": ["get", "list"], "apiGroups": ["*" if name == "*" else group], "resources": [plural]}
            )
        review["status"] = {"resourceRules": rules, "nonResourceRules": [], "incomplete": False}
        return _Answer(201, _json(review))

    def _allowed(self, seen: Seen) -> bool:
        if seen.method == "POST":
            return bool(re.fullmatch(f"{_REVIEWS}selfsubject(access|rules)reviews", seen.path))
        name = r"[a-z0-9.-]+"
        version = r"v\d+(?:(?:alpha|beta)\d+)?"
        listing = f"/(?:api/v1|apis/{name}/{version})(?:/namespaces/{name})?/(?!secrets|configmaps|events){name}"
        discovery = f"/version|/api|/apis|/api/v1|/apis/{name}/{version}"
        proxied = _PROXY.fullmatch(seen.path)
        if proxied is not None:
            named = f"{proxied['namespace']}/{proxied['name']}" in self.services
            return seen.method == "GET" and named and _METRIC_READS.fullmatch(proxied["path"]) is not None
        return (
            seen.method == "GET"
            and re.fullmatch(f"{listing}|{discovery}", seen.path) is not None
            and not {"watch", "resourceVersion", "follow"} & set(seen.query)
        )


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object, **__: object) -> None:
        """Answers of a service are passed on as they are."""


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True
    api: FakeApiServer
    context: ssl.SSLContext | None = None

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self._open: set[socket.socket] = set()
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def finish_request(self, request: Any, client_address: Any) -> None:
        """In the request's own thread, so that a slow handshake holds up nobody."""
        if self.context is None:
            super().finish_request(request, client_address)
            return
        request.settimeout(5)
        with self.context.wrap_socket(request, server_side=True, suppress_ragged_eofs=True) as wrapped:
            self._open.add(wrapped)
            super().finish_request(wrapped, client_address)
            self._open.discard(wrapped)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle is what many tests are about."""

    def close_connections(self) -> None:
        for connection in tuple(self._open):
            try:
                socket.socket.shutdown(connection, socket.SHUT_RDWR)
            except OSError:
                continue


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body go out as two writes: 40 ms each otherwise
    server: _Server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
        pass

    def date_time_string(self, timestamp: float | None = None) -> str:
        date = self.server.api.date
        return super().date_time_string(timestamp) if date is None else date

    def do_GET(self) -> None:
        self._serve()

    do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = do_GET  # noqa: N815 (the base class's names)

    def _serve(self) -> None:
        api = self.server.api
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        seen = self._seen(api)
        with api._lock:  # noqa: SLF001 (one machine in two classes)
            api.requests.append(seen)
            api.at_once += 1
            api.most_at_once = max(api.most_at_once, api.at_once)
            api._arrived.notify_all()  # noqa: SLF001
        try:
            self._send(api.answer(seen, body), api.take_fault(seen) or Fault(), api)
        finally:
            with api._lock:  # noqa: SLF001
                api.at_once -= 1

    def _seen(self, api: FakeApiServer) -> Seen:
        parts = urlsplit(self.path)
        query = {key: values[-1] for key, values in parse_qs(parts.query, keep_blank_values=True).items()}
        path = parts.path.removeprefix(api.prefix)
        headers = {key.lower(): value for key, value in self.headers.items()}
        wire = self.connection
        peer = wire.getpeercert(binary_form=True) if isinstance(wire, ssl.SSLSocket) else None
        return Seen(self.command, path, query, headers, tuple(self.headers.items()), peer)

    def _send(self, answer: _Answer, fault: Fault, api: FakeApiServer) -> None:
        if fault.reset:
            self.close_connection = True
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
            self.connection.close()
            return
        if api.stopping.wait(fault.delay_s) if fault.delay_s else False:
            self.close_connection = True
            return
        if fault.raw is not None:
            self._send_raw(fault.raw, fault.forever, api)
            return
        body = fault.body if fault.body is not None else answer.body
        headers = {**answer.headers, **fault.headers}
        if api.gzipped and "gzip" in self.headers.get("Accept-Encoding", ""):
            body, headers["Content-Encoding"] = gzip.compress(body), "gzip"
        if fault.drip_head_s:
            self.close_connection = True
            self._drip(b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 10_000, fault.drip_head_s, api)
            return
        self.send_response(fault.status or answer.status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if fault.drip_s:
            self._drip(body, fault.drip_s, api)
            return
        self.wfile.write(body[: int(len(body) * fault.cut)])
        self.close_connection = self.close_connection or fault.cut < 1

    def _send_raw(self, raw: bytes, forever: bytes, api: FakeApiServer) -> None:
        self.close_connection = True
        self.wfile.write(raw)
        while forever and not api.stopping.is_set():
            self.wfile.write(forever)

    def _drip(self, content: bytes, pause_s: float, api: FakeApiServer) -> None:
        for byte in content:
            if api.stopping.wait(pause_s):
                self.close_connection = True
                return
            self.wfile.write(bytes([byte]))


def _page(seen: Seen) -> int:
    limit = int(seen.query.get("limit", "0") or 0)
    token = seen.query.get("continue")
    return 1 if not token or not limit else int(base64.urlsafe_b64decode(token)) // limit + 1


def _json(content: object) -> bytes:
    return json.dumps(content).encode()


def _failure(code: int, reason: str, message: str) -> _Answer:
    body = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message}
    return _Answer(code, _json(body | {"reason": reason, "code": code}))


def _forbidden(resource: _Resource, namespace: str | None) -> _Answer:
    where = f'in the namespace "{namespace}"' if namespace else "at the cluster scope"
    message = (
        f'{resource.name} is forbidden: User "reader" cannot list resource "{resource.plural}" in API group '
        f'"{resource.group}" {where}'
    )
    return _failure(403, "Forbidden", message)


def _legacy(resource: _Resource) -> Json:
    return {
        "name": resource.plural,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": ["get", "list", "watch"],
    }


def _plural(kind: str) -> str:
    lower = kind.lower()
    if lower.endswith("y"):
        return f"{lower[:-1]}ies"
    return f"{lower}es" if lower.endswith(("s", "x", "ch")) else f"{lower}s"


def _server_context(tls: Tls, *, client_certificates: bool) -> ssl.SSLContext:
    from fake_tls import server_context  # noqa: PLC0415 (needs cryptography, which only TLS tests do)

    return server_context(tls, client_certificates=client_certificates)
