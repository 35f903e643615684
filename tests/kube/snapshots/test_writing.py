import json
import os
import stat
from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Partial, Unread, UnreadError
from kubegap_checks.facts.storage import Claim, WekaCluster
from kubegap_checks.text import Text
from kubegap_mcp.cluster import Ask
from kubegap_mcp.errors import ClusterUnreachable, ConfigError
from kubegap_mcp.kube.gather.registry import gatherers, not_understood, records
from kubegap_mcp.kube.snapshots.reader import open_snapshot
from kubegap_mcp.kube.snapshots.write import KindRead, write_snapshot

REFUSED = Unread(
    what=Text.same("wekaclusters.weka.weka.io"), reason="forbidden", remedy=Text(en="grant it", ko="권한을 주세요")
)
ELSEWHERE = Unread(
    what=Text.same("persistentvolumeclaims"), reason="forbidden", remedy=Text(en="grant more", ko="더 주세요")
)
GPU = {"containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}


def item(name, namespace=None, **parts):
    return {"metadata": {"name": name, "namespace": namespace}, **parts}


BODIES = {
    Node: {"items": [item("a", status={"capacity": {"nvidia.com/gpu": "8"}}), item("b")]},
    Pod: {"items": [item("p", "ns", spec=GPU), item("q", "ns", spec={"containers": []})]},
    Claim: {"items": [item("c", "ns", spec={})]},
}


class FakeCluster:
    """Every kind is read and empty, but for what `answers` says."""

    context = "production"
    server_version = "v1.36.0"
    ahead = timedelta()

    def __init__(self, answers=None):
        self.answers = answers or {}

    def live(self, record):
        """What a live reader would make of the same answers."""
        answer = self.answers.get(record, {})
        if isinstance(answer, Unread):
            return answer
        body, unread, _ = self._parts(answer)
        page = gatherers()[record].page(json.dumps(body).encode())
        doubts = (*unread, not_understood(record, page.invalid)) if page.invalid else unread
        return Partial(page.rows, doubts) if doubts else page.rows

    async def objects(self, record):
        answer = self.answers.get(record, {})
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Unread):
            return answer
        body, unread, namespaces = self._parts(answer)
        pruned = gatherers()[record].prune(json.dumps(body).encode())
        return KindRead(objects=pruned.objects, unread=unread, namespaces=namespaces)

    @staticmethod
    def _parts(answer):
        return answer if isinstance(answer, tuple) else ({"items": [], **answer}, (), None)


def facts_of(facts, record):
    try:
        return facts.known(record)
    except UnreadError as error:
        return error.unread


async def read(folder, **ask):
    return await open_snapshot(folder).read(Ask(**{"kinds": frozenset(records()), **ask}))


async def test_a_snapshot_reads_like_the_cluster_it_was_taken_of(tmp_path):
    cluster = FakeCluster(
        {
            **BODIES,
            Node: {"items": [*BODIES[Node]["items"], {"metadata": {"name": "c"}, "status": []}, {}]},
            WekaCluster: REFUSED,
        }
    )
    before = datetime.now(UTC)
    written = await write_snapshot(cluster, tmp_path / "new" / "folder")
    reading = await read(written.folder)
    for record in records():
        live = cluster.live(record)
        expected = live.unread if isinstance(live, Partial) else (live,) if isinstance(live, Unread) else live
        assert facts_of(reading.facts, record) == expected
    assert [node.name for node in islice(reading.facts.seen(Node), 2)] == ["a", "b"]
    assert (reading.cluster.context, reading.cluster.server_version) == ("production", "v1.36.0")
    assert before <= reading.cluster.read_at <= datetime.now(UTC)
    assert reading.cluster.age_s < 60
    assert written.unread == (REFUSED,)
    assert written.objects == 6
    assert "wekaclusters.weka.weka.io.json" not in written.files


async def test_what_was_read_and_empty_stays_empty(tmp_path):
    await write_snapshot(FakeCluster(), tmp_path)
    facts = (await read(tmp_path)).facts
    assert all(facts.known(record) == () for record in records())


async def test_a_kind_seen_in_some_namespaces_stays_so(tmp_path):
    cluster = FakeCluster({Claim: (BODIES[Claim], (ELSEWHERE,), ("ns",)), Pod: ({"items": []}, (ELSEWHERE,), ("ns",))})
    await write_snapshot(cluster, tmp_path)
    reading = await read(tmp_path)
    assert reading.only_namespaces == ("ns",)
    assert (await read(tmp_path, kinds=frozenset({Node}))).only_namespaces is None
    assert facts_of(reading.facts, Claim) == facts_of(reading.facts, Pod) == (ELSEWHERE,)
    with pytest.raises(UnreadError):
        list(reading.facts.seen(Claim))
    asked = (await read(tmp_path, namespace="ns")).facts
    assert [claim.name for claim in asked.seen(Claim)] == ["c"]
    assert list(asked.seen(Pod)) == []
    with pytest.raises(UnreadError):
        list((await read(tmp_path, namespace="other")).facts.seen(Claim))


async def test_an_object_that_was_not_understood_leaves_its_namespace_open(tmp_path):
    body = {"items": [*BODIES[Claim]["items"], {"metadata": {"name": "d", "namespace": "ns"}, "spec": []}]}
    await write_snapshot(FakeCluster({Claim: (body, (ELSEWHERE,), ("ns",))}), tmp_path)
    facts = (await read(tmp_path, namespace="ns")).facts
    assert facts_of(facts, Claim) == (ELSEWHERE, not_understood(Claim, 1))
    with pytest.raises(UnreadError):
        list(facts.seen(Claim))


async def test_a_file_deleted_afterwards_is_not_in_the_snapshot(tmp_path):
    await write_snapshot(FakeCluster(BODIES), tmp_path)
    (tmp_path / "nodes.json").unlink()
    assert [unread.reason for unread in facts_of((await read(tmp_path)).facts, Node)] == ["not_in_snapshot"]


async def test_a_kind_that_the_writer_did_not_know_is_not_in_the_snapshot(tmp_path):
    await write_snapshot(FakeCluster(BODIES), tmp_path)
    manifest = json.loads((tmp_path / "kubegap-snapshot.json").read_text(encoding="utf-8"))
    del manifest["kinds"]["wekaclusters.weka.weka.io"]
    (tmp_path / "kubegap-snapshot.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert [unread.reason for unread in facts_of((await read(tmp_path)).facts, WekaCluster)] == ["not_in_snapshot"]


@pytest.mark.parametrize(
    ("kind", "change", "status"),
    [
        pytest.param(Node, lambda marks: marks, "read", id="the same"),
        pytest.param(Node, lambda marks: [*marks, "c0ffee"], "read", id="more than is read now"),
        pytest.param(Node, lambda marks: marks[1:], "taken by another", id="less than is read now"),
        pytest.param(Claim, lambda marks: marks[1:], "taken by another", id="less, and there is no object"),
        pytest.param(Node, lambda _: [], "read", id="no mark: the objects are whole"),
    ],
)
async def test_a_kind_of_which_the_writer_kept_less_is_not_in_the_snapshot(tmp_path, kind, change, status):
    folder = tmp_path / "taken"
    await write_snapshot(FakeCluster({Node: BODIES[Node]}), folder)
    manifest = json.loads((folder / "kubegap-snapshot.json").read_text())
    state = manifest["kinds"][kind.KIND.resource]
    state["marks"] = " ".join(change(state["marks"].split()))
    (folder / "kubegap-snapshot.json").write_text(json.dumps(manifest))

    facts = (await read(folder)).facts
    if status == "read":
        assert len(facts.known(kind)) == 2
        return
    with pytest.raises(UnreadError) as error:
        facts.known(kind)
    [unread] = error.value.unread
    assert unread.reason == "not_in_snapshot"
    assert "take it again" in unread.remedy.en


async def test_one_file_a_kind_and_nobody_else_may_read_them(tmp_path):
    written = await write_snapshot(FakeCluster(BODIES), tmp_path / "s")
    names = {f"{record.KIND.resource}.json" for record in records()} | {"kubegap-snapshot.json"}
    assert {path.name for path in (tmp_path / "s").iterdir()} == names == set(written.files)
    if os.name == "posix":
        assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "s").iterdir()} == {0o600}
        assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o700
    nodes = json.loads((tmp_path / "s" / "nodes.json").read_text(encoding="utf-8"))
    assert nodes["kind"] == "List"
    assert [(node["apiVersion"], node["kind"]) for node in nodes["items"]] == [("v1", "Node")] * 2


async def test_progress_counts_kinds(tmp_path):
    seen = []
    await write_snapshot(FakeCluster(), tmp_path, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(number, len(records())) for number in range(len(records()) + 1)]


async def test_a_folder_with_something_in_it_is_refused_and_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("x", encoding="utf-8")
    with pytest.raises(ConfigError, match="is not empty: name a new folder"):
        await write_snapshot(FakeCluster(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


async def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(ConfigError, match="cannot be written"):
        await write_snapshot(FakeCluster(), tmp_path / "file" / "s")
    with pytest.raises(ConfigError, match="cannot be written"):
        await write_snapshot(FakeCluster(), tmp_path / "file")


async def test_a_file_that_someone_puts_there_in_between_is_not_written_through(tmp_path):
    target = tmp_path / "target"
    target.write_text("mine", encoding="utf-8")

    class Intruder(FakeCluster):
        async def objects(self, record):
            if record is Pod:
                (tmp_path / "s" / "pods.json").symlink_to(target)
            return await super().objects(record)

    with pytest.raises(ConfigError, match="cannot be written"):
        await write_snapshot(Intruder(), tmp_path / "s")
    assert target.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("folder", [".", "new/folder"])
async def test_where_the_cluster_goes_away_nothing_stays_behind(tmp_path, folder):
    with pytest.raises(ClusterUnreachable):
        await write_snapshot(FakeCluster({**BODIES, Claim: ClusterUnreachable(Text.same("gone"))}), tmp_path / folder)
    assert list(tmp_path.iterdir()) == []


MANIFEST = {"schema": 1, "taken_at": "2026-01-01T00:00:00Z", "context": "c", "server_version": None, "kinds": {}}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        pytest.param({"schema": 2}, "was written by a newer kubegap", id="newer"),
        pytest.param({"taken_at": "yesterday"}, "is not what kubegap writes", id="no time"),
        pytest.param(
            {"kinds": {"nodes": {"unread": [{"what": "x", "reason": "whim", "remedy": {"en": "", "ko": ""}}]}}},
            "is not what kubegap writes",
            id="an unknown reason",
        ),
        pytest.param({"kinds": []}, "is not what kubegap writes", id="a list of kinds"),
    ],
)
async def test_a_manifest_that_kubegap_did_not_write_is_refused(tmp_path, change, says):
    (tmp_path / "kubegap-snapshot.json").write_text(json.dumps({**MANIFEST, **change}), encoding="utf-8")
    with pytest.raises(ConfigError, match=says):
        await read(tmp_path)


async def test_what_was_unread_is_written_in_both_languages(tmp_path):
    part = Unread(what=Text(en="half of it", ko="절반"), reason="invalid", remedy=REFUSED.remedy)
    await write_snapshot(FakeCluster({WekaCluster: part}), tmp_path)
    manifest = json.loads((tmp_path / "kubegap-snapshot.json").read_text(encoding="utf-8"))
    (gap,) = manifest["kinds"]["wekaclusters.weka.weka.io"]["unread"]
    assert gap["what"] == {"en": "half of it", "ko": "절반"}
    assert facts_of((await read(tmp_path)).facts, WekaCluster) == (part,)


async def test_two_snapshots_are_two_clusters(tmp_path):
    await write_snapshot(FakeCluster(), tmp_path / "a")
    await write_snapshot(FakeCluster(), tmp_path / "b")
    with pytest.raises(ConfigError, match="holds 2 snapshots"):
        await read(tmp_path)
    assert (await read(tmp_path / "a")).facts.known(Node) == ()


async def test_text_in_a_manifest_is_cleaned(tmp_path):
    gap = {"what": "no\u202ddes", "reason": "forbidden", "remedy": {"en": "run\n\x1b[2J" + "x" * 1000, "ko": "y"}}
    manifest = {**MANIFEST, "context": "c\u200b\n", "server_version": "v\x00", "kinds": {"nodes": {"unread": [gap]}}}
    (tmp_path / "kubegap-snapshot.json").write_text(json.dumps(manifest), encoding="utf-8")
    reading = await read(tmp_path)
    assert (reading.cluster.context, reading.cluster.server_version) == ("c ", "v")
    (unread,) = facts_of(reading.facts, Node)
    assert unread.what.en == "nodes"
    assert unread.remedy.en.startswith("run [2Jxxx")
    assert len(unread.remedy.en) == 300
    assert reading.cluster.age_s > timedelta(days=30).total_seconds()
