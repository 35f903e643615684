"""Questions to a live cluster: what is shared, what is kept, what is told where rights or time end."""

import json
import os
import threading
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread
from fake_apiserver import FakeApiServer, Fault, Rights, not_json, only_in, redirect, reset, slow, status, throttled
from kube_objects import namespace, node, nodes, pod, storage_class, weka

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Record, UnreadError
from kubegap_checks.facts.storage import Claim, StorageClass, WekaCluster
from kubegap_mcp.cluster import Ask, Reading
from kubegap_mcp.errors import ClusterUnreachable, ConfigError
from kubegap_mcp.kube.gather.registry import records
from kubegap_mcp.kube.live import LiveClusters
from kubegap_mcp.kube.snapshots.reader import open_snapshot
from kubegap_mcp.kube.snapshots.write import write_snapshot

Live = Callable[..., LiveClusters]
ALL = frozenset(records())


def ask(*kinds: type[Record], deadline_s: float = 5.0, **more: Any) -> Ask:
    return Ask(kinds=frozenset(kinds or ALL), deadline_s=deadline_s, **more)


def unread(reading: Reading, record: type[Record]) -> list[str]:
    try:
        reading.facts.known(record)
    except UnreadError as error:
        return [item.reason for item in error.unread]
    return []


def names(reading: Reading, record: type[Record]) -> set[str]:
    """Those that can be seen, whether or not it is all."""
    found: set[str] = set()
    try:
        for row in reading.facts.seen(record):
            found.add(row.name)  # type: ignore[attr-defined]
    except UnreadError:
        pass
    return found


async def test_one_question_reads_every_kind_and_nothing_twice(live: Live, tmp_path: Path) -> None:
    with FakeApiServer([node(), pod("a"), weka(), storage_class()]) as api:
        told: list[tuple[int, int]] = []
        reading = await live(api.kubeconfig(tmp_path)).read(ask(progress=lambda done, of: told.append((done, of))))
        assert len(reading.facts.known(Node)) == 1
        assert len(reading.facts.known(Pod)) == 1
        assert len(reading.facts.known(WekaCluster)) == 1
        assert all(not unread(reading, record) for record in ALL)
        assert reading.only_namespaces is None
        assert reading.cluster.context == "test"
        assert reading.cluster.server_version == "v1.36.0"
        assert reading.cluster.source == "live"
        assert reading.cluster.age_s == 0
        assert reading.cluster.read_at == reading.facts.read_at
        assert told == [(number, len(ALL)) for number in range(1, len(ALL) + 1)]
        assert len(api.requests) == len(set(api.paths()))


async def test_what_is_not_installed_is_empty_and_what_is_forbidden_is_not(live: Live, tmp_path: Path) -> None:
    rights = Rights(frozenset({"nodes", "storageclasses.storage.k8s.io"}))
    with FakeApiServer([node()], rights=rights) as api:
        reading = await live(api.kubeconfig(tmp_path)).read(ask(Node, WekaCluster, StorageClass))
        assert reading.facts.known(WekaCluster) == ()
        api.installed.add("wekaclusters.weka.weka.io/v1alpha1")
        reading = await live(api.kubeconfig(tmp_path)).read(ask(Node, WekaCluster))
        assert unread(reading, WekaCluster) == ["forbidden"]
        assert len(reading.facts.known(Node)) == 1


async def test_questions_at_the_same_time_share_each_read(live: Live, tmp_path: Path) -> None:
    with FakeApiServer([node()], faults={"*": Fault(delay_s=0.05)}) as api:
        clusters = live(api.kubeconfig(tmp_path))
        readings: list[Reading] = []

        async def one(*kinds: type[Record]) -> None:
            readings.append(await clusters.read(ask(*kinds, refresh=True)))

        async with anyio.create_task_group() as group:
            for kinds in ((Node,), (Node, Pod), (Node, Pod, Claim), (Node,)):
                group.start_soon(one, *kinds)
        assert len(readings) == 4
        assert sorted(api.paths()) == sorted(
            ["/version", "/api", "/apis", "/api/v1/nodes", "/api/v1/pods", "/api/v1/persistentvolumeclaims"]
        )


async def test_fresh_questions_that_overlap_read_nothing_twice(live: Live, tmp_path: Path) -> None:
    """The second comes when the nodes are there and the pods are not."""
    with FakeApiServer([node()], faults={"pods": Fault(delay_s=0.4)}) as api:
        clusters = live(api.kubeconfig(tmp_path))
        readings: list[Reading] = []

        async def one() -> None:
            readings.append(await clusters.read(ask(Node, Pod, refresh=True)))

        async with anyio.create_task_group() as group:
            group.start_soon(one)
            while not api.lists("pods"):  # noqa: ASYNC110 (the server has no event to wait for)
                await anyio.sleep(0.01)
            await anyio.sleep(0.1)
            group.start_soon(one)
        first, second = readings
        assert first.facts.known(Node) is second.facts.known(Node)
        assert first.cluster.read_at == second.cluster.read_at
        assert (len(api.lists("nodes")), len(api.lists("pods"))) == (1, 1)
        third = await clusters.read(ask(Node, Pod, refresh=True))
        assert third.cluster.read_at > first.cluster.read_at
        assert (len(api.lists("nodes")), len(api.lists("pods"))) == (2, 2)


async def test_a_fresh_question_that_comes_later_sees_what_was_mended_meanwhile(
    live: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the first still waits for the pods."""
    monkeypatch.setattr("kubegap_mcp.kube.live.session._TOGETHER", timedelta(seconds=0.1))
    sick = node()
    with FakeApiServer([sick], faults={"pods": Fault(delay_s=0.6)}) as api:
        clusters = live(api.kubeconfig(tmp_path))
        async with anyio.create_task_group() as group:
            group.start_soon(clusters.read, ask(Node, Pod, refresh=True))
            while not api.lists("pods"):  # noqa: ASYNC110
                await anyio.sleep(0.01)
            await anyio.sleep(0.2)
            sick["spec"]["unschedulable"] = True
            (row,) = (await clusters.read(ask(Node, refresh=True))).facts.known(Node)
            assert api.at_once  # the first is not answered yet
        assert row.unschedulable
        assert (len(api.lists("nodes")), len(api.lists("pods"))) == (2, 1)


async def test_fresh_questions_that_follow_one_another_closely_do_not_live_on_the_first(
    live: Live, tmp_path: Path
) -> None:
    """The third overlaps the second alone, which is of the first's moment: it reads anew."""
    with FakeApiServer(
        [node()], faults={"pods": Fault(delay_s=0.3), "persistentvolumeclaims": Fault(delay_s=0.9)}
    ) as api:
        clusters = live(api.kubeconfig(tmp_path))
        moments: dict[str, Any] = {}

        async def one(name: str, *kinds: type[Record]) -> None:
            moments[name] = (await clusters.read(ask(*kinds, refresh=True))).cluster.read_at

        async with anyio.create_task_group() as group:
            group.start_soon(one, "first", Node, Pod)
            await anyio.sleep(0.15)
            group.start_soon(one, "second", Node, Pod, Claim)
            while "first" not in moments:  # noqa: ASYNC110
                await anyio.sleep(0.01)
            await anyio.sleep(0.05)
            group.start_soon(one, "third", Node)
        assert moments["first"] == moments["second"] < moments["third"]
        assert len(api.lists("nodes")) == 2


async def test_facts_are_kept_for_a_while_and_refresh_reads_again(live: Live, tmp_path: Path) -> None:
    with FakeApiServer([node()]) as api:
        clusters = live(api.kubeconfig(tmp_path))
        first = await clusters.read(ask(Node))
        api.objects.append(node("gpu-1"))
        second = await clusters.read(ask(Node, Pod))
        assert len(second.facts.known(Node)) == 1
        assert second.cluster.read_at == first.cluster.read_at
        third = await clusters.read(ask(Node, refresh=True))
        assert len(third.facts.known(Node)) == 2
        assert third.cluster.read_at > first.cluster.read_at
        assert len((await clusters.read(ask(Node))).facts.known(Node)) == 2
        assert len(api.lists("nodes")) == 2


async def test_nothing_is_kept_longer_than_the_cache_holds(live: Live, tmp_path: Path) -> None:
    with FakeApiServer([node()]) as api:
        clusters = live(api.kubeconfig(tmp_path), cache_s=0.05)
        await clusters.read(ask(Node))
        await anyio.sleep(0.06)
        await clusters.read(ask(Node))
        assert len(api.lists("nodes")) == 2


async def test_one_who_gives_up_does_not_take_the_read_from_the_others(live: Live, tmp_path: Path) -> None:
    with FakeApiServer(nodes(3), faults={"nodes": Fault(delay_s=0.3)}) as api:
        clusters = live(api.kubeconfig(tmp_path))
        readings: list[Reading] = []

        async def patient() -> None:
            readings.append(await clusters.read(ask(Node)))

        async with anyio.create_task_group() as group:
            group.start_soon(patient)
            with anyio.move_on_after(0.15):
                await clusters.read(ask(Node))
        assert len(readings[0].facts.known(Node)) == 3
        assert len(api.lists("nodes")) == 1


async def test_the_impatient_gets_unread_and_the_patient_gets_rows(live: Live, tmp_path: Path) -> None:
    with FakeApiServer(nodes(3), faults={"nodes": Fault(delay_s=0.4)}) as api:
        clusters = live(api.kubeconfig(tmp_path))
        await clusters.read(ask(StorageClass))
        readings: dict[float, Reading] = {}

        async def one(deadline_s: float) -> None:
            readings[deadline_s] = await clusters.read(ask(Node, deadline_s=deadline_s))

        async with anyio.create_task_group() as group:
            group.start_soon(one, 0.2)
            group.start_soon(one, 5.0)
        assert unread(readings[0.2], Node) == ["timed_out"]
        assert len(readings[5.0].facts.known(Node)) == 3
        assert len(api.lists("nodes")) == 1


async def test_a_failure_reaches_all_who_wait_and_is_not_kept(live: Live, tmp_path: Path) -> None:
    with FakeApiServer([node()], faults={"/version": reset()}) as api:
        clusters = live(api.kubeconfig(tmp_path))
        failures: list[str] = []

        async def one() -> None:
            try:
                await clusters.read(ask(Node))
            except ClusterUnreachable as error:
                failures.append(str(error))

        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(one)
        assert len(failures) == 3
        api.faults.clear()
        assert len((await clusters.read(ask(Node))).facts.known(Node)) == 1


async def test_a_time_out_is_soon_forgotten(live: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kubegap_mcp.kube.live.session._SHORT_S", 0.05)
    with FakeApiServer([node()], faults={"nodes": throttled("100", times=None)}) as api:
        clusters = live(api.kubeconfig(tmp_path))
        assert unread(await clusters.read(ask(Node)), Node) == ["unreachable"]
        api.faults.clear()
        await anyio.sleep(0.06)
        assert unread(await clusters.read(ask(Node)), Node) == []


async def test_at_most_four_lists_go_on_at_once(live: Live, tmp_path: Path) -> None:
    with FakeApiServer([node(), weka()], faults={"*": Fault(delay_s=0.05)}) as api:
        await live(api.kubeconfig(tmp_path)).read(ask())
        assert api.most_at_once == 4


async def test_kinds_without_which_most_checks_are_unknown_are_read_first(live: Live, tmp_path: Path) -> None:
    with FakeApiServer([node(), weka()], faults={"*": Fault(delay_s=0.02)}) as api:
        await live(api.kubeconfig(tmp_path)).read(ask())
        lists = [path.rpartition("/")[2] for path in api.paths() if path not in {"/api", "/apis", "/version"}]
        # Four begin at once; on a busy machine the thread of one of them may be late by a list or two of the others.
        assert {"nodes", "pods"} < set(lists[:6])
        assert len(lists) > 8


async def test_a_slow_kind_leaves_the_others_and_ends_in_time(live: Live, tmp_path: Path) -> None:
    with FakeApiServer([node(), pod("a")], faults={"pods": slow(), "nodes": Fault(drip_s=0.02)}) as api:
        clusters = live(api.kubeconfig(tmp_path))
        before = time.monotonic()
        reading = await clusters.read(ask(Node, Pod, StorageClass, deadline_s=0.5))
        assert time.monotonic() - before < 1.5
        assert unread(reading, Pod) == ["timed_out"]
        assert unread(reading, Node) == ["timed_out"]
        assert reading.facts.known(StorageClass) == ()


@pytest.mark.parametrize(
    ("faults", "said"),
    [
        pytest.param({"/version": reset()}, "closed the connection", id="a line that breaks"),
        pytest.param({"/version": not_json()}, "does not answer as a Kubernetes API server", id="a login page"),
        pytest.param({"/version": redirect("http://127.0.0.1:9/login")}, "answers with a redirect", id="a redirect"),
        pytest.param({"/version": Fault(cut=0.5)}, "its answer broke off", id="half an answer"),
        pytest.param({"*": slow()}, "did not answer in time", id="silence"),
        pytest.param({"*": Fault(drip_head_s=0.02)}, "did not answer in time", id="a header that drips"),
        pytest.param({"*": status(401, "Unauthorized")}, "refused the credentials", id="refused credentials"),
    ],
)
async def test_a_cluster_that_does_not_answer_is_one_sentence(
    live: Live, tmp_path: Path, faults: dict[str, Fault], said: str
) -> None:
    with FakeApiServer(faults=faults) as api:
        before = time.monotonic()
        with pytest.raises(ClusterUnreachable) as error:
            await live(api.kubeconfig(tmp_path)).read(ask(Node, deadline_s=0.4))
        assert time.monotonic() - before < 1.5
        message = str(error.value)
        assert said in message
        assert "context test" in message
        assert ": " in message
        assert "\n" not in message
        assert "127.0.0.1" not in message


async def test_a_server_that_is_down_is_one_sentence(live: Live, tmp_path: Path) -> None:
    with FakeApiServer() as api:
        path = api.kubeconfig(tmp_path)
    with pytest.raises(ClusterUnreachable, match="nothing answers at its address: check the network or VPN"):
        await live(path).read(ask(Node))


async def test_a_server_that_keeps_its_version_to_itself_is_read(live: Live, tmp_path: Path) -> None:
    with FakeApiServer([node()], faults={"/version": status(403, "Forbidden")}) as api:
        reading = await live(api.kubeconfig(tmp_path)).read(ask(Node))
        assert reading.cluster.server_version is None
        assert len(reading.facts.known(Node)) == 1


async def test_a_hostile_version_is_made_harmless(live: Live, tmp_path: Path) -> None:
    with FakeApiServer(version="v1\x1b[2J\u202e\n" + "9" * 500) as api:
        version = (await live(api.kubeconfig(tmp_path)).read(ask(Node))).cluster.server_version
        assert version is not None
        assert version.isprintable()
        assert len(version) <= 60


async def test_credentials_that_are_refused_in_between_end_the_question(live: Live, tmp_path: Path) -> None:
    with FakeApiServer([node()], faults={"nodes": status(401)}) as api:
        clusters = live(api.kubeconfig(tmp_path))
        with pytest.raises(ClusterUnreachable, match="log in again"):
            await clusters.read(ask(Node))


async def test_what_was_read_before_the_credentials_ended_is_used(live: Live, tmp_path: Path) -> None:
    ended = Fault(status=401, delay_s=0.3)
    with FakeApiServer([node(), pod("a")], faults={"pods": ended}) as api:
        clusters = live(api.kubeconfig(tmp_path))
        reading = await clusters.read(ask(Node, Pod))
        assert names(reading, Node) == {"gpu-0"}
        assert unread(reading, Pod) == ["unreachable"]
        with pytest.raises(UnreadError) as caught:
            reading.facts.known(Pod)
        assert "log in again" in caught.value.unread[0].remedy.en


async def test_without_a_kubeconfig_the_next_step_is_told(live: Live, tmp_path: Path) -> None:
    clusters = live(service_account=tmp_path)
    with pytest.raises(ConfigError) as error:
        await clusters.read(ask(Node))
    for word in ("--kubeconfig", "KUBECONFIG", "--snapshot", "--demo"):
        assert word in str(error.value)
    contexts = await clusters.contexts()
    assert (contexts.names, contexts.current, contexts.source) == ((), None, "none")


async def test_contexts_are_names_only(live: Live, tmp_path: Path) -> None:
    with FakeApiServer() as api:
        path = api.kubeconfig(tmp_path, user={"token": "secret"}, context="prod")
        contexts = await live(path).contexts()
        assert (contexts.names, contexts.current, contexts.in_use) == (("prod",), "prod", "prod")
        assert (contexts.source, contexts.missing) == ("kubeconfig", None)
        assert not api.requests


async def test_a_context_that_does_not_exist_is_not_in_use(live: Live, tmp_path: Path) -> None:
    with FakeApiServer() as api:
        path = api.kubeconfig(tmp_path, context="prod")
        chosen = await live(path, context="other").contexts()
        assert (chosen.names, chosen.current, chosen.in_use, chosen.missing) == (("prod",), "prod", None, "other")
        path.write_text(json.dumps({**json.loads(path.read_text()), "current-context": "gone"}))
        current = await live(path).contexts()
        assert (current.names, current.current, current.in_use, current.missing) == (("prod",), None, None, "gone")


@pytest.mark.skipif(os.name != "posix", reason="the plugin is a script with a first line")
@pytest.mark.parametrize("how", ["read", "access", "objects"])
async def test_a_plugin_that_outlasts_the_question_is_named_and_not_the_network(
    live: Live, tmp_path: Path, how: str
) -> None:
    plugin = tmp_path / "cloud-login"
    plugin.write_text("#!/bin/sh\nexec sleep 60\n")
    plugin.chmod(0o700)
    user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin)}}
    with FakeApiServer() as api:
        clusters = live(api.kubeconfig(tmp_path, user=user))
        asking: dict[str, Callable[[], Awaitable[object]]] = {
            "read": lambda: clusters.read(ask(Node, deadline_s=0.5)),
            "access": lambda: clusters.access(deadline_s=0.5),
            "objects": lambda: clusters.objects(deadline_s=0.5),
        }
        with pytest.raises(ClusterUnreachable) as caught:
            await asking[how]()
        assert not api.requests
    assert str(caught.value) == (
        "the credential plugin cloud-login of context test did not end in time; run a kubectl command with this "
        "context by hand, log in if it asks, then ask again"
    )
    assert caught.value.of("ko").startswith("컨텍스트 test의 자격 증명 플러그인 cloud-login: 제시간에 끝나지 않음. ")


async def test_a_plugin_that_gave_its_credential_is_not_blamed_for_a_slow_server(live: Live, tmp_path: Path) -> None:
    answer = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "t"}}
    arguments = ["-c", f"echo '{json.dumps(answer)}'"]
    user = {"exec": {"apiVersion": answer["apiVersion"], "command": "sh", "args": arguments}}
    with FakeApiServer(faults={"/version": slow(5)}) as api:
        clusters = live(api.kubeconfig(tmp_path, user=user))
        with pytest.raises(ClusterUnreachable, match="it did not answer in time: check the network"):
            await clusters.read(ask(Node, deadline_s=1.0))


async def test_an_explicit_context_never_falls_back(live: Live, tmp_path: Path) -> None:
    with FakeApiServer() as api:
        with pytest.raises(ConfigError, match="there is no context nope in the kubeconfig: choose one of test"):
            await live(api.kubeconfig(tmp_path)).read(ask(Node, context="nope"))
        assert not api.requests


async def test_two_contexts_are_kept_apart(live: Live, tmp_path: Path) -> None:
    with FakeApiServer(nodes(1)) as one, FakeApiServer(nodes(2)) as two:
        content = json.loads(one.kubeconfig(tmp_path).read_text())
        content["clusters"].append({"name": "d", "cluster": {"server": two.url}})
        content["contexts"].append({"name": "second", "context": {"cluster": "d", "user": "u"}})
        (tmp_path / "kubeconfig").write_text(json.dumps(content))
        clusters = live(tmp_path / "kubeconfig")
        assert len((await clusters.read(ask(Node))).facts.known(Node)) == 1
        other = await clusters.read(ask(Node, context="second"))
        assert len(other.facts.known(Node)) == 2
        assert other.cluster.context == "second"


async def test_a_fresh_login_is_seen_without_a_restart(live: Live, tmp_path: Path) -> None:
    with FakeApiServer([node()], tokens=["Bearer new"]) as api:
        clusters = live(api.kubeconfig(tmp_path, user={"token": "old"}))
        with pytest.raises(ClusterUnreachable):
            await clusters.read(ask(Node))
        api.kubeconfig(tmp_path, user={"token": "new"})
        assert len((await clusters.read(ask(Node))).facts.known(Node)) == 1


async def test_a_change_of_another_context_keeps_what_was_read(live: Live, tmp_path: Path) -> None:
    with FakeApiServer([node()]) as api:
        path = api.kubeconfig(tmp_path)
        clusters = live(path)
        await clusters.read(ask(Node))
        content = json.loads(path.read_text())
        content["contexts"].append({"name": "second", "context": {"cluster": "c", "user": "u"}})
        path.write_text(json.dumps(content))
        await clusters.read(ask(Node))
        assert len(api.lists("nodes")) == 1


WORK = [namespace("train"), namespace("serve"), namespace("infra"), pod("a"), pod("b", "serve"), pod("c", "infra")]


async def test_rights_in_some_namespaces_show_those_and_say_so(live: Live, tmp_path: Path) -> None:
    with FakeApiServer(WORK, rights=only_in("train", "serve", everywhere=["nodes", "namespaces"])) as api:
        reading = await live(api.kubeconfig(tmp_path)).read(ask(Node, Pod, StorageClass))
        assert names(reading, Pod) == {"a", "b"}
        assert unread(reading, Pod) == ["forbidden"]
        assert unread(reading, StorageClass) == ["forbidden"]
        assert reading.only_namespaces == ("serve", "train")
        with pytest.raises(UnreadError):
            list(reading.facts.seen(Pod))


async def test_the_namespace_that_was_asked_about_is_complete_for_the_question(live: Live, tmp_path: Path) -> None:
    with FakeApiServer(WORK, rights=only_in("train", everywhere=["nodes"])) as api:
        reading = await live(api.kubeconfig(tmp_path)).read(ask(Pod, namespace="train"))
        assert [row.name for row in reading.facts.seen(Pod)] == ["a"]
        assert unread(reading, Pod) == ["forbidden"]
        assert reading.only_namespaces == ("train",)
        assert "/api/v1/namespaces" not in api.paths()


async def test_the_namespace_that_was_asked_about_is_not_complete_with_a_broken_object(
    live: Live, tmp_path: Path
) -> None:
    broken = pod("broken")
    broken["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] = ["8"]
    with FakeApiServer([*WORK, broken], rights=only_in("train")) as api:
        reading = await live(api.kubeconfig(tmp_path)).read(ask(Pod, namespace="train"))
        assert "a" in names(reading, Pod)
        assert unread(reading, Pod) == ["forbidden", "invalid"]
        with pytest.raises(UnreadError):
            list(reading.facts.seen(Pod))


async def test_the_namespace_that_kubegap_was_started_with_is_asked_about(live: Live, tmp_path: Path) -> None:
    with FakeApiServer(WORK, rights=only_in("serve")) as api:
        reading = await live(api.kubeconfig(tmp_path), namespace="serve").read(ask(Pod))
        assert [row.name for row in reading.facts.seen(Pod)] == ["b"]


async def test_where_namespaces_cannot_be_listed_the_contexts_own_is_read(live: Live, tmp_path: Path) -> None:
    with FakeApiServer(WORK, rights=only_in("train")) as api:
        reading = await live(api.kubeconfig(tmp_path, namespace="train")).read(ask(Pod, Claim))
        assert names(reading, Pod) == {"a"}
        assert unread(reading, Pod) == ["forbidden"]
        assert reading.only_namespaces == ("train",)
        with pytest.raises(UnreadError):
            list(reading.facts.seen(Pod))


@pytest.mark.parametrize("kinds", [(Node, Pod), (Node,), (Pod, Claim)])
@pytest.mark.parametrize("asked", [None, "train", "infra"])
async def test_a_snapshot_names_the_namespaces_seen_as_the_cluster_does(
    live: Live, tmp_path: Path, kinds: tuple[type[Record], ...], asked: str | None
) -> None:
    rights = Rights(frozenset({"nodes", "namespaces"}), {"train": frozenset({"pods"}), "serve": frozenset({"pods"})})
    with FakeApiServer(WORK, rights=rights) as api:
        clusters = live(api.kubeconfig(tmp_path))
        await write_snapshot(await clusters.objects(), tmp_path / "taken")
        reading = await clusters.read(ask(*kinds, namespace=asked))
    recorded = await open_snapshot(tmp_path / "taken").read(ask(*kinds, namespace=asked))
    assert recorded.only_namespaces == reading.only_namespaces


async def test_rights_in_every_namespace_are_rights_everywhere(live: Live, tmp_path: Path) -> None:
    with FakeApiServer(WORK, rights=only_in("train", "serve", "infra", everywhere=["namespaces"])) as api:
        reading = await live(api.kubeconfig(tmp_path)).read(ask(Pod))
        assert len(reading.facts.known(Pod)) == 3
        assert reading.only_namespaces is None


async def test_rights_nowhere_are_forbidden(live: Live, tmp_path: Path) -> None:
    with FakeApiServer(WORK, rights=Rights(frozenset({"namespaces"}))) as api:
        reading = await live(api.kubeconfig(tmp_path)).read(ask(Pod))
        assert unread(reading, Pod) == ["forbidden"]
        assert names(reading, Pod) == set()
        assert reading.only_namespaces is None


async def test_rights_everywhere_read_everything_whatever_is_asked_about(live: Live, tmp_path: Path) -> None:
    with FakeApiServer(WORK) as api:
        reading = await live(api.kubeconfig(tmp_path)).read(ask(Pod, namespace="train"))
        assert len(reading.facts.known(Pod)) == 3
        assert reading.only_namespaces is None


async def test_a_namespace_that_fails_is_not_left_out_in_silence(live: Live, tmp_path: Path) -> None:
    rights = only_in("train", "serve", "infra", everywhere=["namespaces"])
    with FakeApiServer(WORK, rights=rights, faults={"/api/v1/namespaces/serve/pods": status(500)}) as api:
        reading = await live(api.kubeconfig(tmp_path)).read(ask(Pod))
        assert names(reading, Pod) == {"a", "c"}
        assert unread(reading, Pod) == ["unreachable"]


async def test_rights_in_few_of_many_namespaces_cost_one_question_a_namespace(live: Live, tmp_path: Path) -> None:
    many = [namespace(f"team-{number}") for number in range(90)]
    rights = only_in("team-7", "team-8", everywhere=["namespaces"])
    with FakeApiServer([*many, pod("a", "team-7"), pod("b", "team-80")], rights=rights) as api:
        reading = await live(api.kubeconfig(tmp_path)).read(ask())
        work = [record for record in ALL if record.KIND.workload]
        reviews = [path for path in api.paths() if path.endswith("selfsubjectrulesreviews")]

        assert names(reading, Pod) == {"a"}
        assert unread(reading, Pod) == ["forbidden"]
        assert reading.only_namespaces == ("team-7", "team-8")
        assert len(reviews) == 90
        assert len(api.requests) < 90 + len(ALL) + 2 * len(work) + 10


@pytest.mark.parametrize("fault", [status(500), status(403), not_json(b'{"status": {"incomplete": true}}')])
async def test_a_cluster_that_does_not_tell_all_rights_is_asked_for_each_list(
    live: Live, tmp_path: Path, fault: Fault
) -> None:
    faults = {"/apis/authorization.k8s.io/v1/selfsubjectrulesreviews": fault}
    with FakeApiServer(WORK, rights=only_in("train", everywhere=["namespaces"]), faults=faults) as api:
        reading = await live(api.kubeconfig(tmp_path)).read(ask(Pod))
        assert names(reading, Pod) == {"a"}
        assert unread(reading, Pod) == ["forbidden"]
        assert reading.only_namespaces == ("train",)


async def test_more_namespaces_than_are_read_one_by_one_are_told(
    live: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kubegap_mcp.kube.live.session.MOST_NAMESPACES", 2)
    with FakeApiServer(WORK, rights=only_in("train", "serve", "infra", everywhere=["namespaces"])) as api:
        reading = await live(api.kubeconfig(tmp_path)).read(ask(Pod))
        assert unread(reading, Pod) == ["forbidden"]
        assert reading.only_namespaces is not None
        assert len(reading.only_namespaces) == 2


@pytest.mark.parametrize("name", ["../secrets", "Train", "a b", "x" * 64, "a/b", "-a"])
async def test_a_namespace_that_is_no_name_is_refused(live: Live, tmp_path: Path, name: str) -> None:
    with FakeApiServer() as api:
        with pytest.raises(ConfigError, match="small letters"):
            await live(api.kubeconfig(tmp_path)).read(ask(Pod, namespace=name))
        assert not api.requests


async def test_closing_ends_a_question_under_way(live: Live, tmp_path: Path) -> None:
    with FakeApiServer([node()], faults={"nodes": slow()}) as api:
        clusters = live(api.kubeconfig(tmp_path))
        readings: list[Reading] = []

        async def one() -> None:
            readings.append(await clusters.read(ask(Node, deadline_s=20)))

        with anyio.fail_after(3):
            async with anyio.create_task_group() as group:
                group.start_soon(one)
                await anyio.to_thread.run_sync(api.wait_for, "nodes")
                clusters.close()
        assert unread(readings[0], Node) == ["timed_out"]
        with pytest.raises(ConfigError, match="shutting down"):
            await clusters.read(ask(Node))


def test_closing_what_was_never_used_does_nothing() -> None:
    clusters = LiveClusters()
    clusters.close()
    clusters.close()


async def test_a_snapshot_gets_every_object(live: Live, tmp_path: Path) -> None:
    with FakeApiServer([*WORK, node(), weka()], rights=only_in("train", everywhere=["nodes"])) as api:
        source = await live(api.kubeconfig(tmp_path)).objects(namespace="train")
        assert (source.context, source.server_version) == ("test", "v1.36.0")
        read = {record.KIND.name: await source.objects(record) for record in (Node, Pod, WekaCluster)}
    pods = read["Pod"]
    assert len(getattr(pods, "objects", ())) == 1
    assert getattr(pods, "namespaces", None) == ("train",)
    assert [item.reason for item in getattr(pods, "unread", ())] == ["forbidden"]
    assert len(getattr(read["Node"], "objects", ())) == 1
    assert getattr(read["WekaCluster"], "reason", None) == "forbidden"


async def test_a_cluster_that_hangs_holds_up_no_other(live: Live, tmp_path: Path) -> None:
    hung = Fault(delay_s=20)
    with FakeApiServer(nodes(1)) as one, FakeApiServer([node(), pod("a"), weka()], faults={"*": hung}) as two:
        two.faults = {record.KIND.resource: [hung] for record in ALL}
        content = json.loads(one.kubeconfig(tmp_path).read_text())
        content["clusters"].append({"name": "d", "cluster": {"server": two.url}})
        content["contexts"].append({"name": "hung", "context": {"cluster": "d", "user": "u"}})
        (tmp_path / "kubeconfig").write_text(json.dumps(content))
        clusters = live(tmp_path / "kubeconfig")
        async with anyio.create_task_group() as group:
            group.start_soon(clusters.read, ask(context="hung", deadline_s=10))
            await to_thread.run_sync(two.wait_for, "nodes")
            with anyio.fail_after(2):
                assert len((await clusters.read(ask(Node))).facts.known(Node)) == 1
            group.cancel_scope.cancel()


async def test_a_version_nested_without_end_is_no_api_server(live: Live, tmp_path: Path) -> None:
    version = not_json(b'{"gitVersion": "v1", "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}")
    says = "does not answer as a Kubernetes API server"
    with FakeApiServer(faults={"/version": version}) as api, pytest.raises(ClusterUnreachable, match=says):
        await live(api.kubeconfig(tmp_path)).read(ask(Node))


async def test_a_kubeconfig_that_takes_too_long_is_told_in_time(
    live: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = threading.Event()
    monkeypatch.setattr("kubegap_mcp.kube.live.targets.fingerprint", lambda _: reading.wait(10) and ())
    (tmp_path / "kubeconfig").write_text("{}")
    clusters = live(tmp_path / "kubeconfig")
    try:
        with anyio.fail_after(3), pytest.raises(ConfigError, match="was not read in time: ask again"):
            await clusters.read(ask(Node, deadline_s=0.2))
        clusters.close()
    finally:
        reading.set()
