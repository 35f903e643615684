"""An API server in a process of its own: a big cluster's lists, ready as bytes, each sent as fast as a real one sends.

`python -m benchmarks.big_apiserver NODES` prints its address once it is ready, and ends when its stdin does.
It answers what kubegap and other read-only clients ask: /version, discovery in both forms, lists with limit and
continue, self reviews. Field selectors leave nothing out here: no pod of the cluster has ended.
"""

import base64
import json
import sys
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from benchmarks.big_cluster import big_cluster
from benchmarks.big_tables import TABLES, columns, rows
from kubegap_mcp.kube.gather.registry import records
from tests.fake_apiserver import _plural

# What a kube-apiserver 1.36 was seen to send of one list, in bytes a second.
PACE: Final = 80_000_000
_PIECE: Final = 256 * 1024

Json = dict[str, Any]


class Resource:
    """One kind's objects, and where clients look at it as a table, its rows."""

    def __init__(self, api_version: str, kind: str, objects: list[bytes]) -> None:
        self.api_version, self.kind = api_version, kind
        self.group, _, self.version = api_version.rpartition("/")
        known = (record.KIND for record in records())
        self.plural = next((one.plural for one in known if (one.group, one.name) == (self.group, kind)), _plural(kind))
        self.namespaced = b'"namespace":' in objects[0][:1000]
        self.objects = Run(objects)
        self.rows = Run(rows(kind, objects)) if kind in TABLES else None

    @property
    def path(self) -> str:
        root = f"/apis/{self.group}" if self.group else "/api"
        return f"{root}/{self.version}/{self.plural}"

    def page(self, query: Mapping[str, str], *, table: bool) -> list[bytes | memoryview]:
        run = self.rows if table and self.rows is not None else self.objects
        start = int(base64.urlsafe_b64decode(query["continue"])) if query.get("continue") else 0
        end = min(run.count, start + (int(query.get("limit") or 0) or run.count))
        meta: Json = {"resourceVersion": "14077", "continue": ""}
        if end < run.count:
            token = base64.urlsafe_b64encode(str(end).encode()).decode()
            meta |= {"continue": token, "remainingItemCount": run.count - end}
        if run is self.rows:
            head = {"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": meta}
            head["columnDefinitions"] = columns(self.kind)
            return [_compact(head)[:-1] + b',"rows":[', run.part(start, end), b"]}"]
        head = {"kind": f"{self.kind}List", "apiVersion": self.api_version, "metadata": meta}
        if "." in self.group and not self.group.endswith(".k8s.io"):
            # Custom resources are written field by field in the order of their names.
            version = _compact({"apiVersion": head.pop("apiVersion")})[:-1]
            return [version + b',"items":[', run.part(start, end), b"]," + _compact(head)[1:]]
        return [_compact(head)[:-1] + b',"items":[', run.part(start, end), b"]}"]


class Run:
    """Pieces of JSON in one run of bytes, so that any page of them is a slice and not a copy."""

    def __init__(self, pieces: list[bytes]) -> None:
        self.count = len(pieces)
        self._starts = [0]
        for piece in pieces:
            self._starts.append(self._starts[-1] + len(piece) + 1)
        self._bytes = memoryview(b",".join(pieces))

    def part(self, start: int, end: int) -> memoryview:
        return self._bytes[self._starts[start] : max(0, self._starts[end] - 1)]


def _compact(content: Json) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode()


class ApiServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, nodes: int, *, pace: int = PACE) -> None:
        self.pace = pace
        self.resources = [Resource(*key, objects) for key, objects in big_cluster(nodes).items()]
        self.by_path = {resource.path: resource for resource in self.resources}
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: ApiServer

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
        pass

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        if (resource := self.server.by_path.get(parts.path)) is not None:
            self._send(resource.page(query, table="as=Table" in self.headers.get("Accept", "")))
        elif (told := self._told(parts.path)) is not None:
            self._send([json.dumps(told).encode()])
        else:
            self._send([b"404 page not found\n"], 404)

    def do_POST(self) -> None:
        """Whatever is asked in a self review, in whatever encoding, is allowed."""
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        kind = "SelfSubjectAccessReview" if self.path.endswith("accessreviews") else "SelfSubjectRulesReview"
        everything = [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]
        review = {"kind": kind, "apiVersion": "authorization.k8s.io/v1", "metadata": {}, "spec": {}}
        self._send([_compact(review | {"status": {"allowed": True, "resourceRules": everything}})], 201)

    def _told(self, path: str) -> Json | None:
        if path == "/version":
            return {"major": "1", "minor": "36", "gitVersion": "v1.36.0"}
        if path in {"/api", "/apis"} and "as=APIGroupDiscoveryList" in self.headers.get("Accept", ""):
            return self._aggregated(named=path == "/apis")
        groups = {resource.group: resource.version for resource in self.server.resources}
        if path == "/api":
            return {"kind": "APIVersions", "versions": ["v1"]}
        if path == "/apis":
            listed = [_group(group, version) for group, version in groups.items() if group]
            return {"kind": "APIGroupList", "apiVersion": "v1", "groups": listed}
        found = [resource for resource in self.server.resources if resource.path.rpartition("/")[0] == path]
        if not found:
            return None
        listed = [_offered(one) | {"name": one.plural, "kind": one.kind, "namespaced": one.namespaced} for one in found]
        return {"kind": "APIResourceList", "groupVersion": found[0].api_version, "resources": listed}

    def _aggregated(self, *, named: bool) -> Json:
        self.form = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
        versions: dict[tuple[str, str], list[Json]] = {}
        for one in self.server.resources:
            if bool(one.group) == named:
                kind = {"group": one.group, "version": one.version, "kind": one.kind}
                scope = "Namespaced" if one.namespaced else "Cluster"
                told = _offered(one) | {"resource": one.plural, "responseKind": kind, "scope": scope}
                versions.setdefault((one.group, one.version), []).append(told)
        if named:  # so that clients ask before they list
            review = {"resource": "selfsubjectaccessreviews", "scope": "Cluster", "verbs": ["create"]}
            kind = {"group": "authorization.k8s.io", "version": "v1", "kind": "SelfSubjectAccessReview"}
            versions["authorization.k8s.io", "v1"] = [review | {"responseKind": kind, "singularResource": "review"}]
        items = [
            {"metadata": {"name": group} if group else {}, "versions": [{"version": version, "resources": found}]}
            for (group, version), found in versions.items()
        ]
        return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items}

    def _send(self, content: list[bytes | memoryview], status: int = 200) -> None:
        started, sent = time.monotonic(), 0
        self.send_response(status)
        self.send_header("Content-Type", getattr(self, "form", "application/json"))
        self.send_header("Transfer-Encoding", "chunked")  # as the real one sends its lists
        self.end_headers()
        for part in content:
            for place in range(0, len(part), _PIECE):
                piece = part[place : place + _PIECE]
                self.wfile.write(b"%x\r\n" % len(piece))
                self.wfile.write(piece)
                self.wfile.write(b"\r\n")
                sent += len(piece)
                time.sleep(max(0.0, started + sent / self.server.pace - time.monotonic()))
        self.wfile.write(b"0\r\n\r\n")


def _offered(one: Resource) -> Json:
    return {"singularResource": one.kind.lower(), "verbs": ["get", "list", "watch"]}


def _group(group: str, version: str) -> Json:
    told = {"groupVersion": f"{group}/{version}", "version": version}
    return {"name": group, "versions": [told], "preferredVersion": told}


def main() -> None:
    server = ApiServer(int(sys.argv[1]))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.write(f"{server.url}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
