"""What goes wrong between kubegap and a cluster: an answer in time, from what was read, and the next one is whole."""

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from time import monotonic, sleep

import fake_tls
import pytest
from fake_apiserver import (
    FakeApiServer,
    Fault,
    drip,
    expired,
    half,
    not_json,
    redirect,
    reset,
    slow,
    status,
    throttled,
)
from kube_objects import nodes

from kubegap_checks.facts.nodes import NodeFeature
from kubegap_mcp.app import Kubegap
from kubegap_mcp.errors import ClusterUnreachable
from kubegap_mcp.kube.live import LiveClusters
from kubegap_mcp.kube.snapshots.write import write_snapshot
from kubegap_mcp.report.models import AuditAnswer
from kubegap_mcp.settings import Settings
from tests.faults.demo_cluster import cluster

DEADLINE_S = 1.0
# For what ends by itself: on a busy machine a second may be over before it does.
AMPLE_S = 8.0
# What a busy machine may add to it; the work of the checks themselves comes after the deadline too.
SLACK_S = 4.0
FROM_NODES, FROM_PODS = "gpu_health.gpu_missing", "storage_tiering.shm_missing_or_unbounded"


@pytest.fixture
def api() -> Iterator[FakeApiServer]:
    with FakeApiServer(cluster()) as api:
        yield api


@asynccontextmanager
async def asking(kubeconfig: Path, deadline_s: float = DEADLINE_S) -> AsyncIterator[Kubegap]:
    app = Kubegap(Settings(kubeconfig=kubeconfig, deadline_s=deadline_s))
    try:
        yield app
    finally:
        app.close()


async def in_time(app: Kubegap) -> AuditAnswer:
    started = monotonic()
    try:
        return await app.audit(refresh=True)
    finally:
        assert monotonic() - started < (app.settings.deadline_s or 0) + SLACK_S


def reasons(answer: AuditAnswer) -> dict[str, str]:
    """Why each thing was not seen; there is no source of metrics here at all."""
    unread = [unread for unread in answer.coverage.unread if unread.reason != "no_metrics_source"]
    return {item.what: item.reason for item in unread}


def gaps(answer: AuditAnswer) -> set[str]:
    return {gap.id for gap in answer.gaps}


async def is_whole_again(app: Kubegap) -> None:
    """The next call, with as much time as one has by default."""
    async with asking(app.settings.kubeconfig or Path(), 30) as patient:
        answer = await in_time(patient)
    assert reasons(answer) == {}
    assert {FROM_NODES, FROM_PODS} <= gaps(answer)


OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
EMPTY = b'{"kind": "PodList", "metadata": {}, "items": []}'
FAULTS = {
    "refused": (status(403, "Forbidden"), "forbidden"),
    "absent": (status(404, "NotFound"), "timed_out"),
    "silent": (slow(), "timed_out"),
    "a byte now and then": (drip(), "timed_out"),
    "a head without end": (Fault(drip_head_s=0.05), "timed_out"),
    "cut in the middle of a page": (half(), "invalid"),
    "reset": (reset(), "unreachable"),
    "a storm of 429 that names no time": (throttled(None, times=None), "unreachable"),
    "a storm of 429 that names a moment": (throttled("0", times=None), "unreachable"),
    "a storm of 429 that names an hour": (throttled("3600", times=None), "unreachable"),
    "a storm of 429 by a clock that is wrong": (throttled("Fri, 31 Dec 2099 23:59:59 GMT", times=None), "unreachable"),
    "a fault of the server": (status(500, "InternalError"), "unreachable"),
    "not available": (Fault(status=503, body=b""), "unreachable"),
    "a gateway's page": (not_json(), "invalid"),
    "a redirect": (redirect("http://127.0.0.1:9/"), "unreachable"),
    "promises of an answer without end": (Fault(raw=b"", forever=b"HTTP/1.1 100 Continue\r\n\r\n" * 50), "timed_out"),
    "headers without end": (Fault(raw=OK, forever=b"X-More: x\r\n" * 50), "unreachable"),
    "a chunk that is none": (Fault(raw=OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"), "invalid"),
    "a chunk without end": (Fault(raw=OK + b"Transfer-Encoding: chunked\r\n\r\n", forever=b"1" * 4096), "unreachable"),
    "more length than body": (Fault(raw=OK + b"Content-Length: 9999\r\n\r\n" + EMPTY), "invalid"),
    "less length than body": (Fault(raw=OK + b"Content-Length: 20\r\n\r\n" + EMPTY), "invalid"),
    # Bytes that are no gzip are seen before or after the server has hung up.
    "gzip that is none": (
        Fault(raw=OK + b"Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"),
        "invalid or unreachable",
    ),
    "no HTTP": (Fault(raw=EMPTY), "unreachable"),
    "success without a body": (Fault(raw=b"HTTP/1.1 204 No Content\r\n\r\n"), "invalid"),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_one_list_that_fails_is_unknown_and_the_rest_is_used(
    name: str, api: FakeApiServer, tmp_path: Path
) -> None:
    fault, reason = FAULTS[name]
    api.faults = {"pods": [fault]}
    async with asking(api.kubeconfig(tmp_path), DEADLINE_S if reason == "timed_out" else AMPLE_S) as app:
        answer = await in_time(app)
        # A user who may not list pods everywhere is asked about each namespace, none of which is allowed either.
        told = reasons(answer)
        assert told.keys() == {"pods"}
        assert told["pods"] in reason.split(" or ")
        assert FROM_NODES in gaps(answer)
        assert FROM_PODS not in gaps(answer)
        if "429" in name:
            assert "429" in next(unread.remedy for unread in answer.coverage.unread if unread.what == "pods")
        api.faults.clear()
        await is_whole_again(app)


@pytest.mark.parametrize("name", FAULTS)
async def test_where_nothing_can_be_read_it_is_told_in_time(name: str, api: FakeApiServer, tmp_path: Path) -> None:
    fault, _ = FAULTS[name]
    async with asking(api.kubeconfig(tmp_path)) as app:
        api.faults = {"*": [fault]}
        try:
            answer = await in_time(app)
        except ClusterUnreachable as error:
            told = (error.text.en, error.text.ko)
        else:
            told = (answer.summary,)
            assert answer.coverage.evaluated == 0
            assert not answer.gaps
            assert all(reasons(answer).values())
        for sentence in told:
            assert sentence.isprintable()
            assert api.address not in sentence
        api.faults.clear()
        await is_whole_again(app)


async def test_half_of_the_lists_hang_and_the_other_half_is_used(api: FakeApiServer, tmp_path: Path) -> None:
    api.faults = {
        kind: [slow()] for kind in ("pods", "persistentvolumes", "daemonsets.apps", "pytorchjobs.kubeflow.org")
    }
    async with asking(api.kubeconfig(tmp_path)) as app:
        answer = await in_time(app)
        assert FROM_NODES in gaps(answer)
        assert "pods" in reasons(answer)
        assert set(reasons(answer).values()) == {"timed_out"}
        api.faults.clear()
        await is_whole_again(app)


@pytest.mark.parametrize("times", [1, None])
async def test_a_list_that_expires_on_its_tenth_page_starts_again_or_is_unknown(
    times: int | None, tmp_path: Path
) -> None:
    kind = NodeFeature.KIND
    template = next(item for item in cluster() if item["kind"] == kind.name)
    many = [
        {**template, "metadata": {**template["metadata"], "name": f"f-{place}"}} for place in range(9 * kind.page + 1)
    ]
    faults = {kind.resource: expired(page=10, times=times)}
    with FakeApiServer([*cluster(), *many], faults=faults) as api:
        async with asking(api.kubeconfig(tmp_path), 20) as app:
            answer = await in_time(app)
        assert reasons(answer) == ({} if times else {kind.resource: "timed_out"})
        assert FROM_NODES in gaps(answer)
        assert len(api.lists(kind.plural)) == (20 if times else 30)


@pytest.mark.parametrize("renewed", [True, False])
async def test_a_token_that_ends_between_two_pages(renewed: bool, tmp_path: Path) -> None:  # noqa: FBT001
    token = tmp_path / "token"
    token.write_text("first", encoding="utf-8")

    def end() -> None:
        api.wait_for("nodes")
        sleep(0.1)  # its first page is made by now, and still under way
        if renewed:
            token.write_text("second", encoding="utf-8")
        api.tokens = {"Bearer second"}

    # Each page takes a moment, so that the token ends before the second one is asked for.
    with FakeApiServer(
        [*nodes(1100), *cluster()], faults={"nodes": Fault(delay_s=0.3)}, tokens={"Bearer first"}
    ) as api:
        async with asking(api.kubeconfig(tmp_path, user={"tokenFile": str(token)}), 20) as app:
            ending = threading.Thread(target=end)
            ending.start()
            answer = await in_time(app)
            ending.join()
    assert FROM_PODS in gaps(answer)
    if renewed:
        assert {page.headers["authorization"] for page in api.lists("nodes")} == {"Bearer first", "Bearer second"}
        assert "nodes" not in reasons(answer)
    else:
        assert reasons(answer)["nodes"] == "unreachable"
        assert "log in again" in next(unread.remedy for unread in answer.coverage.unread if unread.what == "nodes")


@pytest.mark.parametrize(
    "ahead", [-timedelta(hours=1, minutes=5), timedelta(days=1), -timedelta(days=3000), timedelta(days=3000)], ids=str
)
async def test_times_of_a_cluster_are_held_against_its_own_clock(ahead: timedelta, tmp_path: Path) -> None:
    """Ours is wrong: by an hour, by a day, by years. A snapshot is of the cluster's time too."""
    with FakeApiServer(cluster()) as api:
        async with asking(api.kubeconfig(tmp_path), 20) as app:
            as_it_is = gaps(await in_time(app))
    with FakeApiServer(cluster(ahead)) as api:
        api.date = format_datetime(datetime.now(UTC) + ahead, usegmt=True)
        async with asking(api.kubeconfig(tmp_path), 20) as app:
            assert gaps(await in_time(app)) == as_it_is
        clusters = LiveClusters(api.kubeconfig(tmp_path))
        await write_snapshot(await clusters.objects(), tmp_path / "snapshot")
        clusters.close()
    assert gaps(await Kubegap(Settings(snapshot=tmp_path / "snapshot")).audit()) == as_it_is


@pytest.mark.parametrize("date", ["Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "soon", ""])
async def test_a_server_that_tells_no_time_is_judged_by_ours(date: str, tmp_path: Path) -> None:
    with FakeApiServer(cluster()) as api:
        api.date = date
        async with asking(api.kubeconfig(tmp_path), 20) as app:
            assert "storage_tiering.fast_tier_near_full" in gaps(await in_time(app))


async def test_clocks_that_differ_change_no_verdict(tmp_path: Path) -> None:
    """A day apart, either way; what is told with a date is too old or too new by both."""
    found: list[set[str]] = []
    for skew in (timedelta(), timedelta(days=1), -timedelta(hours=1)):
        objects = cluster()
        for item in objects:
            if item["kind"] == "Node":
                for condition in item["status"]["conditions"]:
                    told = datetime.fromisoformat(condition["lastHeartbeatTime"]) + skew
                    condition["lastHeartbeatTime"] = told.strftime("%Y-%m-%dT%H:%M:%SZ")
        with FakeApiServer(objects) as api:
            async with asking(api.kubeconfig(tmp_path), 20) as app:
                found.append(gaps(await in_time(app)) - {"observability.stale_health_data"})
    assert found[0] == found[1] == found[2]


async def test_a_server_of_another_authority_is_told_and_then_trusted(tmp_path: Path) -> None:
    with FakeApiServer(cluster(), tls=fake_tls.made()) as api:
        path = api.kubeconfig(tmp_path)
        right = path.read_text()
        path.write_text(right.replace("certificate-authority-data", "unknown"), encoding="utf-8")
        async with asking(path) as app:
            with pytest.raises(ClusterUnreachable, match="TLS failed"):
                await in_time(app)
            path.write_text(right, encoding="utf-8")
            await is_whole_again(app)


async def test_a_server_that_restarts_is_found_again(tmp_path: Path) -> None:
    api = FakeApiServer(cluster())
    async with asking(api.kubeconfig(tmp_path), 20) as app:
        with api:
            assert reasons(await in_time(app)) == {}
        with pytest.raises(ClusterUnreachable, match=r"nothing answers|closed the connection"):
            await in_time(app)
        with FakeApiServer(cluster(), port=int(api.address.rpartition(":")[2])):
            assert reasons(await in_time(app)) == {}
