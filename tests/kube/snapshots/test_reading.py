import gzip
import io
import json
import os
import tarfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kubegap_checks.facts.nodes import Node, NodeFeature
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import UnreadError
from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_mcp.cluster import Ask
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.kube.gather.registry import records
from kubegap_mcp.kube.snapshots.reader import open_snapshot

FIXTURES = Path(__file__).parents[2] / "fixtures"


def obj(kind, name, version="v1", **parts):
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **parts.pop("metadata", {})}, **parts}


def listed(*items, kind="List", version="v1", **meta):
    return {"apiVersion": version, "kind": kind, "metadata": meta, "items": list(items)}


async def read(path, **ask):
    return await open_snapshot(path).read(Ask(**{"kinds": frozenset(records()), **ask}))


async def nodes(path):
    return sorted(node.name for node in (await read(path)).facts.known(Node))


def written(folder, files):
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return folder


def why(facts, record):
    with pytest.raises(UnreadError) as caught:
        facts.known(record)
    return [(unread.what.en, unread.reason) for unread in caught.value.unread]


async def test_every_given_file_is_read_by_itself_without_error():
    files = sorted(FIXTURES.glob("*/*.json")) + sorted(FIXTURES.glob("*/*.yaml"))
    of_no_read_kind = {"24-csidrivers", "26-events"}
    assert len(files) > 30
    for file in files:
        if file.stem == "28-smollm3-incident-facts":
            with pytest.raises(ConfigError, match="no Kubernetes object"):
                await read(file)
            continue
        reading = await read(file)
        rows = [row for record in records() for row in _rows(reading.facts, record)]
        assert bool(rows) == (file.stem not in of_no_read_kind), file


def _rows(facts, record):
    try:
        return facts.known(record)
    except UnreadError:
        assert {reason for _, reason in why(facts, record)} == {"not_in_snapshot"}
        return ()


async def test_a_folder_of_given_files_is_one_cluster():
    facts = (await read(FIXTURES)).facts
    assert len(facts.known(Node)) == 35
    assert {weka.name for weka in facts.known(WekaCluster)} == {"weka-healthy", "weka-ssd-full", "weka-no-stats"}
    assert len(facts.known(Volume)) == 19
    assert len(facts.known(StorageClass)) == 12
    pod = next(pod for pod in facts.known(Pod) if pod.run.name == "llama3-1-8b-fsdp")
    assert pod.containers[0].flags["--checkpoint_dir"] == "./checkpoints"
    assert [mount.path for mount in pod.containers[0].mounts] == ["/dev/shm", "/local"]  # noqa: S108
    classes = {each.name: each for each in facts.known(StorageClass)}
    assert classes["openzfs-intelligent-tiering"].parameters["StorageType"] == "INTELLIGENT_TIERING"
    assert classes["ibm-scale-cache"].parameters["volumeType"] == "cache"
    assert "s3ImportPath" in classes["fsx-s3-linked"].parameters
    full = next(weka for weka in facts.known(WekaCluster) if weka.name == "weka-ssd-full")
    assert (full.ssd_used, full.ssd_provisioned, full.buckets_up, full.buckets) == (97 * 10**12, 10**14, 1, 2)
    nvme = next(node for node in facts.known(Node) if node.name == "p5-nvme-unused")
    assert nvme.allocatable["ephemeral-storage"] == 17 * 2**30
    assert nvme.labels["karpenter.k8s.aws/instance-local-nvme"] == "30400"


BOTH = listed(obj("Node", "a"), obj("Node", "b"))


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"a.json": obj("Node", "a"), "b.json": obj("Node", "b")}, id="single objects"),
        pytest.param({"a.json": BOTH}, id="a list"),
        pytest.param(
            {"a.json": listed({"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}, kind="NodeList")},
            id="a list whose items have no kind",
        ),
        pytest.param(
            {
                "a.yaml": b"kind: Node\napiVersion: v1\nmetadata: {name: a}\n---\n---\n"
                b"kind: Node\napiVersion: v1\nmetadata:\n  name: b\n"
            },
            id="documents",
        ),
        pytest.param({"x/y/a.json": obj("Node", "a"), "z/B.YML": obj("Node", "b")}, id="folders"),
        pytest.param(
            {"a.yml": b"{kind: List, items: [" + json.dumps(obj("Node", "a")).encode() + b"]}", "b.json": BOTH},
            id="flow",
        ),
        pytest.param({"a.json": b"\xef\xbb\xbf" + json.dumps(BOTH).encode()}, id="a byte order mark"),
        pytest.param({"a.json": json.dumps(BOTH).encode("utf-16")}, id="UTF-16 of PowerShell"),
        pytest.param(
            {"a.json": listed(*BOTH["items"], obj("Thing", "c", "x.io/v1"), {"kind": 7}, 5)}, id="other kinds"
        ),
        pytest.param({"a.json": BOTH, "notes.txt": b"\x00", "._a.json": b"\x00", "v.json": {"x": 1}}, id="other files"),
    ],
)
async def test_objects_are_found_in_any_split(tmp_path, files):
    assert await nodes(written(tmp_path, files)) == ["a", "b"]


async def test_of_two_objects_with_one_name_the_last_wins(tmp_path):
    gpu = {"containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}
    written(
        tmp_path,
        {
            "a.json": listed(obj("Node", "n", metadata={"labels": {"v": "1"}}), obj("Pod", "p", spec=gpu)),
            "b.json": listed(
                obj("Node", "n", metadata={"labels": {"v": "2"}}), obj("Pod", "p", spec=gpu, status={"phase": "Failed"})
            ),
        },
    )
    facts = (await read(tmp_path)).facts
    assert [node.labels for node in facts.known(Node)] == [{"v": "2"}]
    assert facts.known(Pod) == ()


async def test_objects_of_one_name_in_two_namespaces_are_two(tmp_path):
    written(
        tmp_path, {"a.json": listed(*(obj("PersistentVolumeClaim", "c", metadata={"namespace": ns}) for ns in "ab"))}
    )
    assert len((await read(tmp_path)).facts.known(Claim)) == 2


async def test_a_kind_of_another_group_is_another_kind(tmp_path):
    written(tmp_path, {"a.json": listed(obj("Node", "a"), obj("Node", "b", "metal.example/v1"))})
    assert await nodes(tmp_path) == ["a"]


async def test_a_file_that_a_failed_kubectl_left_empty_takes_nothing_from_the_others(tmp_path):
    written(tmp_path, {"nodes.json": obj("Node", "a"), "wekaclusters.json": b""})
    assert await nodes(tmp_path) == ["a"]


async def test_a_kind_without_an_object_is_not_in_the_snapshot(tmp_path):
    written(tmp_path, {"a.json": obj("Node", "a")})
    facts = (await read(tmp_path)).facts
    assert why(facts, Pod) == [("pods", "not_in_snapshot")]
    with pytest.raises(UnreadError) as caught:
        facts.known(NodeFeature)
    assert (
        "`kubectl get --raw /apis/nfd.k8s-sigs.io/v1alpha1/nodefeatures > nodefeatures.nfd.k8s-sigs.io.json`"
        in caught.value.unread[0].remedy.en
    )
    assert "kubectl get --raw /apis/nfd.k8s-sigs.io" in caught.value.unread[0].remedy.ko


async def test_an_empty_list_of_a_kind_says_that_there_are_none(tmp_path):
    written(tmp_path, {"a.json": obj("Node", "a"), "b.json": listed(kind="PodList"), "c.json": listed()})
    facts = (await read(tmp_path)).facts
    assert facts.known(Pod) == ()
    assert why(facts, Claim) == [("persistentvolumeclaims", "not_in_snapshot")]


async def test_the_first_page_of_a_list_is_not_the_list(tmp_path):
    written(tmp_path, {"a.json": listed({"metadata": {"name": "a"}}, kind="NodeList", **{"continue": "token"})})
    facts = (await read(tmp_path)).facts
    assert why(facts, Node) == [("nodes", "not_in_snapshot")]
    assert next(facts.seen(Node)).name == "a"


async def test_an_object_that_cannot_be_understood_leaves_nothing_certain(tmp_path):
    written(
        tmp_path,
        {"a.json": listed(obj("Node", "a"), obj("Node", "b", status=[]), {"kind": "Node", "apiVersion": "v1"})},
    )
    facts = (await read(tmp_path)).facts
    assert why(facts, Node) == [("nodes", "invalid")]
    assert next(facts.seen(Node)).name == "a"


async def test_a_list_with_odd_metadata_keeps_its_items(tmp_path):
    written(
        tmp_path,
        {"a.json": {"kind": "List", "apiVersion": "v1", "metadata": 5, "items": [obj("Node", "a"), obj("Node", "b")]}},
    )
    assert await nodes(tmp_path) == ["a", "b"]


async def test_time_is_the_newest_in_the_objects(tmp_path):
    heartbeat = {"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-02-01T00:00:00Z"}
    ahead = {"type": "Ahead", "status": "True", "lastHeartbeatTime": "2999-01-01T00:00:00Z"}
    written(
        tmp_path,
        {
            "a.json": obj(
                "Node",
                "a",
                metadata={"creationTimestamp": "2026-01-01T00:00:00Z"},
                status={"conditions": [heartbeat, ahead]},
            ),
            "b.json": obj("Event", "e", metadata={"creationTimestamp": "2026-01-15T00:00:00+02:00"}),
        },
    )
    reading = await read(tmp_path)
    assert reading.cluster.read_at == reading.facts.read_at == datetime(2026, 2, 1, tzinfo=UTC)
    assert timedelta(seconds=reading.cluster.age_s) > timedelta(days=200)
    assert (reading.cluster.source, reading.cluster.server_version) == ("snapshot", None)


async def test_where_no_object_has_a_time_it_is_that_of_the_files(tmp_path):
    written(tmp_path, {"a.json": obj("Node", "a")})
    os.utime(tmp_path / "a.json", (1_750_000_000, 1_750_000_000))
    assert (await read(tmp_path)).cluster.read_at == datetime.fromtimestamp(1_750_000_000, UTC)


async def test_another_context_than_the_snapshots_is_refused(tmp_path):
    reader = open_snapshot(written(tmp_path, {"a.json": obj("Node", "a")}))
    contexts = await reader.contexts()
    assert contexts.names == (contexts.current,) == (contexts.in_use,) == (tmp_path.name,)
    assert contexts.source == "snapshot"
    ask = Ask(kinds=frozenset({Node}), context=tmp_path.name)
    assert (await reader.read(ask)).cluster.context == tmp_path.name
    with pytest.raises(ConfigError, match="not of production: leave the context out"):
        await reader.read(Ask(kinds=frozenset({Node}), context="production"))
    reader.close()
    reader.close()


async def test_the_demo_says_that_it_is_one(tmp_path):
    written(tmp_path, {"a.json": obj("Node", "a")})
    reader = open_snapshot(tmp_path, source="demo")
    assert (await reader.read(Ask(kinds=frozenset({Node})))).cluster.source == "demo"
    assert (await reader.contexts()).names == ("demo",)


async def test_files_are_read_once_and_again_where_asked_to_refresh(tmp_path):
    reader = open_snapshot(written(tmp_path, {"a.json": obj("Node", "a")}))
    ask = Ask(kinds=frozenset({Node}))
    assert len((await reader.read(ask)).facts.known(Node)) == 1
    written(tmp_path, {"b.json": obj("Node", "b")})
    assert len((await reader.read(ask)).facts.known(Node)) == 1
    seen = []
    again = Ask(kinds=frozenset({Node}), refresh=True, progress=lambda done, total: seen.append((done, total)))
    assert len((await reader.read(again)).facts.known(Node)) == 2
    assert seen == [(1, 1)]


async def test_only_the_kinds_asked_for_are_in_the_facts(tmp_path):
    reading = await read(written(tmp_path, {"a.json": obj("Node", "a")}), kinds=frozenset({Node}), namespace="ns")
    assert reading.facts.kinds == {Node}
    assert reading.only_namespaces is None


async def test_reading_that_takes_too_long_says_so_and_goes_on(tmp_path):
    reader = open_snapshot(written(tmp_path, {"a.json": obj("Node", "a")}))
    with pytest.raises(ConfigError, match=r"was not read within 0 s: ask again in a moment"):
        await reader.read(Ask(kinds=frozenset({Node}), deadline_s=0.0))
    assert (await reader.read(Ask(kinds=frozenset({Node})))).facts.known(Node)


async def test_names_are_shown_only_where_asked_for(tmp_path):
    pv = obj("PersistentVolume", "v", spec={"csi": {"driver": "x.example", "volumeHandle": "bucket"}})
    written(tmp_path, {"a.json": pv})
    ask = Ask(kinds=frozenset({Volume}))
    assert (await open_snapshot(tmp_path).read(ask)).facts.known(Volume)[0].filesystem.startswith("#")
    assert (await open_snapshot(tmp_path, show_names=True).read(ask)).facts.known(Volume)[0].filesystem == "bucket"


def archive(path, members, *, mode="w:gz"):
    with tarfile.open(path, mode) as tar:
        for name, text in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            member.mtime = 1_750_000_000
            tar.addfile(member, io.BytesIO(text))
    return path


async def test_an_archive_is_read_and_never_unpacked(tmp_path):
    node = json.dumps(obj("Node", "a")).encode()
    other = json.dumps(obj("Node", "b")).encode()
    path = archive(
        tmp_path / "s.tar.gz",
        {"x/a.json": node, "../../outside.json": other, "/etc/c.txt": b"\x00", "x/._a.json": b"\x00"},
    )
    assert await nodes(path) == ["a", "b"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["s.tar.gz"]
    assert not (tmp_path.parent.parent / "outside.json").exists()


async def test_an_archive_cut_in_half_is_refused(tmp_path):
    path = archive(tmp_path / "s.tar.gz", {"a.json": os.urandom(100_000)})
    path.write_bytes(path.read_bytes()[:50_000])
    with pytest.raises(ConfigError, match=r"s\.tar\.gz is not a whole \.tar\.gz"):
        await read(path)


async def test_a_gzip_of_something_else_is_refused(tmp_path):
    path = tmp_path / "nodes.json.gz"
    path.write_bytes(gzip.compress(json.dumps(obj("Node", "a")).encode()))
    with pytest.raises(ConfigError, match=r"nodes\.json\.gz is not a whole \.tar\.gz"):
        await read(path)
