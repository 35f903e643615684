"""Discovery tells what is installed, in every form that servers since 1.26 answer, and never takes 403 for absent."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_apiserver import FakeApiServer, Fault, Rights, not_json, redirect, reset, slow, status
from kube_objects import node, weka

from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Kind
from kubegap_checks.facts.storage import StorageClass, WekaCluster
from kubegap_mcp.kube.gather.registry import gatherers, records
from kubegap_mcp.kube.live.connection import Connection
from kubegap_mcp.kube.live.discovery import Discovery, Found, read_discovery
from kubegap_mcp.kube.live.lists import read_rows
from kubegap_mcp.transport.deadline import Deadline, DeadlineError

Connect = Callable[[Path], Connection]
KINDS = tuple(record.KIND for record in records())
ABSENT = Found(None)


def discover(connection: Connection, seconds: float = 5.0) -> Discovery:
    return read_discovery(connection, KINDS, Deadline(seconds))


def doubt(found: Found) -> str:
    assert found.version is None
    assert found.doubt is not None, found
    return found.doubt.reason


@pytest.mark.parametrize(
    ("form", "requests"),
    [
        pytest.param("v2", 2, id="aggregated"),
        pytest.param("v2beta1", 2, id="aggregated, as 1.26 has it"),
        pytest.param("legacy", 6, id="legacy"),
    ],
)
def test_every_form_tells_the_same(connect: Connect, tmp_path: Path, form: str, requests: int) -> None:
    with FakeApiServer([node(), weka()], discovery=form) as api:
        found = discover(connect(api.kubeconfig(tmp_path)))
        assert found.find(Node.KIND) == Found("v1")
        assert found.find(StorageClass.KIND) == Found("v1")
        assert found.find(WekaCluster.KIND) == Found("v1alpha1")
        assert found.find(next(kind for kind in KINDS if kind.name == "NodeFeature")) == ABSENT
        assert len(api.requests) == requests


def test_the_best_version_that_the_server_offers_is_taken(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer(installed=["resourceslices.resource.k8s.io/v1beta1"]) as api:
        assert discover(connect(api.kubeconfig(tmp_path))).find(ResourceSlice.KIND) == Found("v1")
    older = Kind(name="ResourceSlice", plural="resourceslices", group="resource.k8s.io", versions=("v2", "v1"))
    with FakeApiServer() as api:
        assert discover(connect(api.kubeconfig(tmp_path))).find(older) == Found("v1")


@pytest.mark.parametrize("form", ["v2", "legacy"])
def test_a_kind_that_is_served_in_unknown_versions_only_is_neither_absent_nor_read(
    connect: Connect, tmp_path: Path, form: str
) -> None:
    with FakeApiServer(installed=["wekaclusters.weka.weka.io/v9"], discovery=form) as api:
        connection = connect(api.kubeconfig(tmp_path))
        found = discover(connection).find(WekaCluster.KIND)
        asked = len(api.requests)
        listed = read_rows(connection, gatherers()[WekaCluster], found, None, Deadline(5))

        assert doubt(found) == "invalid"
        assert listed == found.doubt
        assert len(api.requests) == asked
        assert found.doubt is not None
        assert "is served as v9 only, and kubegap knows v1alpha1" in found.doubt.remedy.en


def group(name: str, *plurals: str, freshness: str = "Current") -> dict[str, object]:
    listed = [{"resource": plural, "verbs": ["list"]} for plural in plurals]
    version = {"version": "v1", "resources": listed, "freshness": freshness}
    return {"metadata": {"name": name}, "versions": [version]}


def told(*groups: object, **more: object) -> Fault:
    document = {"kind": "APIGroupDiscoveryList", "items": list(groups)} | more
    return not_json(json.dumps(document).encode())


LACKING = {
    "no group": told(),
    "null": told(items=None),
    "an empty group": told(group("")),
    "only services": told(group("", "services")),
    "resources without verbs": told({"versions": [{"version": "v1", "resources": [{"resource": "pods"}]}]}),
    "null resources": told({"versions": [{"version": "v1", "resources": None}]}),
}


@pytest.mark.parametrize("name", LACKING)
def test_a_cluster_without_nodes_and_pods_is_none(connect: Connect, tmp_path: Path, name: str) -> None:
    """The list tells; where that is not there either, it is unknown."""
    with FakeApiServer([node()], faults={"/api": LACKING[name]}) as api:
        connection = connect(api.kubeconfig(tmp_path))
        found = discover(connection).find(Node.KIND)
        assert doubt(found) == "invalid"
        listed = read_rows(connection, gatherers()[Node], found, None, Deadline(5))
        assert [row.name for row in getattr(listed, "items")] == ["gpu-0"]  # noqa: B009 (a Part)
        api.faults["/api/v1/nodes"] = [status(404)]
        assert read_rows(connection, gatherers()[Node], found, None, Deadline(5)) == found.doubt


@pytest.mark.parametrize(
    "body",
    [
        b'{"kind": "APIGroupDiscoveryList"}',
        b'{"kind": "APIGroupDiscoveryList", "items": []}',
        b'{"kind": "APIGroupList", "groups": null}',
    ],
)
def test_a_server_without_any_group_is_none(connect: Connect, tmp_path: Path, body: bytes) -> None:
    with FakeApiServer([weka()], faults={"/apis": not_json(body)}) as api:
        assert doubt(discover(connect(api.kubeconfig(tmp_path))).find(WekaCluster.KIND)) == "invalid"


def test_a_group_that_stands_there_twice_has_what_either_says(connect: Connect, tmp_path: Path) -> None:
    document = told(group("storage.k8s.io", "storageclasses"), group("storage.k8s.io"))
    with FakeApiServer(faults={"/apis": document}) as api:
        assert discover(connect(api.kubeconfig(tmp_path))).find(StorageClass.KIND) == Found("v1")


def test_a_freshness_that_is_not_known_is_not_fresh(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer(faults={"/apis": told(group("storage.k8s.io", freshness="Unknown"))}) as api:
        assert doubt(discover(connect(api.kubeconfig(tmp_path))).find(StorageClass.KIND)) == "stale"


@pytest.mark.parametrize("form", ["v2", "legacy"])
def test_discovery_that_is_refused_leaves_everything_unknown(connect: Connect, tmp_path: Path, form: str) -> None:
    with FakeApiServer([weka()], discovery=form, rights=Rights(discovery=False)) as api:
        found = discover(connect(api.kubeconfig(tmp_path)))
        assert doubt(found.find(WekaCluster.KIND)) == "forbidden"
        assert doubt(found.find(Node.KIND)) == "forbidden"


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (status(403, "Forbidden"), "forbidden"),
        (status(404), "unreachable"),
        (Fault(status=500, body=b""), "unreachable"),
        (reset(), "unreachable"),
        (redirect("http://127.0.0.1:9/"), "unreachable"),
        (not_json(), "invalid"),
        (not_json(b'{"kind": "NodeList", "items": []}'), "invalid"),
        (not_json(b'{"kind": "APIGroupList", "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"), "invalid"),
    ],
)
def test_half_of_discovery_that_fails_leaves_the_other_half(
    connect: Connect, tmp_path: Path, fault: Fault, reason: str
) -> None:
    with FakeApiServer([weka()], faults={"/apis": fault}) as api:
        found = discover(connect(api.kubeconfig(tmp_path)))
        assert found.find(Node.KIND) == Found("v1")
        assert doubt(found.find(WekaCluster.KIND)) == reason


def test_one_group_that_fails_leaves_the_other_groups(connect: Connect, tmp_path: Path) -> None:
    faults = {"/apis/weka.weka.io/v1alpha1": status(500)}
    with FakeApiServer([weka()], discovery="legacy", faults=faults) as api:
        found = discover(connect(api.kubeconfig(tmp_path)))
        assert doubt(found.find(WekaCluster.KIND)) == "unreachable"
        assert found.find(StorageClass.KIND) == Found("v1")


def test_a_stale_group_is_unknown_and_not_absent(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer() as api:
        api.stale_groups.add("weka.weka.io")
        found = discover(connect(api.kubeconfig(tmp_path)))
        assert doubt(found.find(WekaCluster.KIND)) == "stale"
        assert found.find(StorageClass.KIND) == Found("v1")


def test_discovery_that_is_slow_is_told_in_time(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer(faults={"/apis": slow()}) as api:
        connection = connect(api.kubeconfig(tmp_path))
        with pytest.raises(DeadlineError):
            discover(connection, 0.3)


@pytest.mark.parametrize("form", ["v2", "legacy"])
@pytest.mark.parametrize("version", ["v1/../../../v1/secrets", "v1?watch=true", "v1 x", "V1", "한글", "v" + "1" * 500])
def test_a_version_that_may_not_stand_in_a_path_is_not_believed(
    connect: Connect, tmp_path: Path, form: str, version: str
) -> None:
    told = {"version": version, "resources": [{"resource": "wekaclusters", "verbs": ["list"]}]}
    name = {"metadata": {"name": "weka.weka.io"}, "name": "weka.weka.io"}
    body = (
        {"kind": "APIGroupDiscoveryList", "items": [{**name, "versions": [told]}]}
        if form == "v2"
        else {"kind": "APIGroupList", "groups": [{**name, "versions": [told]}]}
    )
    with FakeApiServer(faults={"/apis": not_json(json.dumps(body).encode())}) as api:
        found = discover(connect(api.kubeconfig(tmp_path)))
        assert doubt(found.find(WekaCluster.KIND)) == "invalid"
        assert found.find(Node.KIND) == Found("v1")


def test_a_group_with_versions_without_end_is_not_asked_for_each(connect: Connect, tmp_path: Path) -> None:
    versions = [{"version": f"v{number}"} for number in range(1000)]
    body = {"kind": "APIGroupList", "groups": [{"name": "weka.weka.io", "versions": versions}]}
    with FakeApiServer(faults={"/apis": not_json(json.dumps(body).encode())}, discovery="legacy") as api:
        assert discover(connect(api.kubeconfig(tmp_path))).find(WekaCluster.KIND).doubt
        assert len(api.requests) < 60


def test_known_versions_are_asked_for_however_many_others_there_are(connect: Connect, tmp_path: Path) -> None:
    versions = [{"version": f"v{number}"} for number in range(1000)]
    groups = [{"name": name, "versions": versions} for name in ("apps", "storage.k8s.io", "weka.weka.io")]
    groups[2]["versions"] = [*versions, {"version": "v1alpha1"}]
    body = {"kind": "APIGroupList", "groups": groups}
    with FakeApiServer([weka()], faults={"/apis": not_json(json.dumps(body).encode())}, discovery="legacy") as api:
        found = discover(connect(api.kubeconfig(tmp_path)))
        assert found.find(WekaCluster.KIND) == Found("v1alpha1")
        assert found.find(StorageClass.KIND) == Found("v1")
