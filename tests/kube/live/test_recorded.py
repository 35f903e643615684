"""Every answer that a real API server gave is understood for what it is."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from fake_apiserver import FakeApiServer, Fault, Rights

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.operators import ClusterPolicy
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Kind, Record, Unread
from kubegap_checks.facts.storage import WekaCluster
from kubegap_mcp.errors import ClusterUnreachable
from kubegap_mcp.kube.gather.registry import gatherers, records
from kubegap_mcp.kube.live.access import may_list, read_rules
from kubegap_mcp.kube.live.connection import Connection, Request
from kubegap_mcp.kube.live.discovery import Found, read_discovery
from kubegap_mcp.kube.live.gate import GateError
from kubegap_mcp.kube.live.hello import say_hello
from kubegap_mcp.kube.live.lists import read_rows
from kubegap_mcp.transport.deadline import Deadline

FOLDER = Path(__file__).parents[2] / "recorded" / "kube-apiserver-1.36"
KINDS = tuple(record.KIND for record in records())
Connect = Callable[[Path], Connection]


@dataclass(frozen=True)
class Recorded:
    name: str
    path: str
    fault: Fault


def recorded(name: str) -> Recorded:
    content: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    body = content["body"]
    # A recording of a continued list has a token in it, after which there is nothing more to hand out.
    if isinstance(body, dict) and "items" in body:
        body["metadata"]["continue"] = ""
        body["metadata"].pop("remainingItemCount", None)
    sent = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    headers = {"Content-Type": content["headers"]["Content-Type"]}
    path = urlsplit(content["request"]["path"]).path
    return Recorded(name, path, Fault(status=content["status"], body=sent, headers=headers))


def listed(connection: Connection, record: type[Record], version: str) -> str:
    got = read_rows(connection, gatherers()[record], Found(version), None, Deadline(5))
    return got.reason if isinstance(got, Unread) else f"{len(got.items)} rows"


def discovered(connection: Connection, plural: str, group: str = "") -> str:
    kind = Kind(name="X", plural=plural, group=group, versions=("v1", "v1alpha1"))
    found = read_discovery(connection, (*KINDS, kind), Deadline(5)).find(kind)
    return found.version or (found.doubt.reason if found.doubt else "absent")


def refused(connection: Connection) -> str:
    with pytest.raises(ClusterUnreachable) as error:
        listed(connection, Node, "v1")
    return "log in again" if "log in again" in str(error.value) else str(error.value)


def gated(connection: Connection, path: str) -> str:
    with pytest.raises(GateError):
        connection.send(Request(urlsplit(path).path, tuple(parse_qsl(urlsplit(path).query))), Deadline(5))
    return "never asked"


def rules(connection: Connection, plural: str) -> str:
    return read_rules(connection, "default", Deadline(5)).allows(Kind(name="X", plural=plural))


OUTCOMES: dict[str, tuple[Callable[[Connection], str], str]] = {
    "crd-empty": (lambda connection: listed(connection, ClusterPolicy, "v1"), "0 rows"),
    "crd-forbidden": (lambda connection: listed(connection, WekaCluster, "v1alpha1"), "forbidden"),
    "crd-not-installed": (lambda connection: gated(connection, "/apis/ceph.rook.io/v1/cephclusters"), "never asked"),
    "crd-not-installed-forbidden": (
        lambda connection: gated(connection, "/apis/ceph.rook.io/v1/cephclusters"),
        "never asked",
    ),
    "discovery-core-aggregated": (lambda connection: discovered(connection, "nodes"), "v1"),
    "discovery-groups-aggregated": (
        lambda connection: discovered(connection, "clusterpolicies", "nvidia.com"),
        "v1",
    ),
    "discovery-groups-legacy": (lambda connection: discovered(connection, "cephclusters", "ceph.rook.io"), "absent"),
    "field-selector-invalid": (lambda connection: listed(connection, Pod, "v1"), "invalid"),
    "node-not-found": (lambda connection: gated(connection, "/api/v1/nodes/no-such-node"), "never asked"),
    "nodes-continue-garbage": (lambda connection: listed(connection, Node, "v1"), "invalid"),
    "nodes-names-only": (lambda connection: listed(connection, Node, "v1"), "invalid"),
    "nodes-page-1": (lambda connection: listed(connection, Node, "v1"), "2 rows"),
    "nodes-page-2": (lambda connection: listed(connection, Node, "v1"), "2 rows"),
    # A pod that asks for no accelerator is no row.
    "pods-by-node": (lambda connection: listed(connection, Pod, "v1"), "0 rows"),
    "pods-forbidden": (lambda connection: listed(connection, Pod, "v1"), "forbidden"),
    "readyz": (lambda connection: gated(connection, "/readyz"), "never asked"),
    "rv-too-old": (lambda connection: listed(connection, Node, "v1"), "invalid"),
    "self-subject-access-pods-admin": (lambda connection: may_list(connection, Pod.KIND, None, Deadline(5)), "yes"),
    "self-subject-access-pods-reader": (lambda connection: may_list(connection, Pod.KIND, None, Deadline(5)), "no"),
    "self-subject-rules-admin": (lambda connection: rules(connection, "pods"), "yes"),
    "self-subject-rules-reader": (lambda connection: rules(connection, "pods"), "no"),
    "unauthorized": (refused, "log in again"),
    "version": (
        lambda connection: str(say_hello(connection, KINDS, Deadline(5)).server_version),
        "v0.0.0-master+$Format:%H$",
    ),
}


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.json")))
def test_a_recorded_answer_has_its_outcome(connect: Connect, tmp_path: Path, name: str) -> None:
    outcome, expected = OUTCOMES[name]
    answer = recorded(name)
    with FakeApiServer(faults={answer.path: answer.fault}) as api:
        assert outcome(connect(api.kubeconfig(tmp_path))) == expected


def test_the_fake_server_answers_a_refused_list_as_the_real_one(connect: Connect, tmp_path: Path) -> None:
    real = json.loads((FOLDER / "pods-forbidden.json").read_text())["body"]
    with FakeApiServer(rights=Rights(frozenset())) as api:
        answer = connect(api.kubeconfig(tmp_path)).send(Request("/api/v1/pods"), Deadline(5))
        fake = json.loads(answer.body)
        assert (answer.status, fake["message"], fake["reason"]) == (403, real["message"], real["reason"])
