"""Lists: page after page, patient with a busy server, and never half a list taken for a whole one."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from fake_apiserver import (
    FakeApiServer,
    Fault,
    Rights,
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
from kube_objects import node, nodes, pod, weka

from kubegap_checks.facts.nodes import Node, NodeFeature
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Record, Unread
from kubegap_checks.facts.storage import WekaCluster
from kubegap_checks.text import Text
from kubegap_mcp.kube.gather.registry import gatherers
from kubegap_mcp.kube.live.connection import Connection
from kubegap_mcp.kube.live.discovery import Found
from kubegap_mcp.kube.live.lists import Part, read_objects, read_rows
from kubegap_mcp.transport.deadline import Deadline

Connect = Callable[[Path], Connection]
V1 = Found("v1")


def read(
    connection: Connection,
    record: type[Record] = Node,
    *,
    found: Found = V1,
    namespace: str | None = None,
    seconds: float = 5.0,
) -> Part[Record] | Unread:
    return read_rows(connection, gatherers()[record], found, namespace, Deadline(seconds))


def reason(got: Part[Record] | Unread) -> str:
    assert isinstance(got, Unread), got
    assert got.remedy.en
    assert got.remedy.ko
    assert got.remedy.en != got.remedy.ko
    return got.reason


def count(got: Part[Record] | Unread) -> int:
    assert isinstance(got, Part), got
    return len(got.items)


def test_a_long_list_comes_whole_in_pages_of_the_kind(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer(nodes(1001)) as api:
        got = read(connect(api.kubeconfig(tmp_path)))
        assert isinstance(got, Part)
        assert len({row.name for row in got.items if isinstance(row, Node)}) == 1001
        pages = api.lists("nodes")
        assert [page.query["limit"] for page in pages] == ["500"] * 3
        assert not any("resourceVersion" in page.query for page in pages)


def test_big_objects_come_in_small_pages(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer(installed=["nodefeatures.nfd.k8s-sigs.io/v1alpha1"]) as api:
        read(connect(api.kubeconfig(tmp_path)), NodeFeature, found=Found("v1alpha1"))
        assert api.lists("nodefeatures")[0].query["limit"] == "50"


def test_pods_that_ended_stay_on_the_server(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer(
        [pod("a"), pod("b", phase="Succeeded"), pod("c", phase="Failed"), pod("d", phase="Pending")]
    ) as api:
        got = read(connect(api.kubeconfig(tmp_path)), Pod)
        assert isinstance(got, Part)
        assert {row.name for row in got.items if isinstance(row, Pod)} == {"a", "d"}


def test_one_namespace_is_asked_for_by_its_path(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer([pod("a"), pod("b", namespace="other")]) as api:
        assert count(read(connect(api.kubeconfig(tmp_path)), Pod, namespace="train")) == 1
        assert api.paths() == ["/api/v1/namespaces/train/pods"]


def test_a_compressed_answer_is_read(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer(nodes(30), gzipped=True) as api:
        assert count(read(connect(api.kubeconfig(tmp_path)))) == 30


def test_the_objects_of_a_snapshot_come_whole_too(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer(nodes(501)) as api:
        connection = connect(api.kubeconfig(tmp_path))
        got = read_objects(connection, gatherers()[Node], V1, None, Deadline(5))
        assert isinstance(got, Part)
        assert len(got.items) == 501


@pytest.mark.parametrize(
    ("fault", "requests"),
    [
        pytest.param(throttled("0"), 2, id="busy, with Retry-After in seconds"),
        pytest.param(
            throttled(format_datetime(datetime.now(UTC) - timedelta(hours=1), usegmt=True)), 2, id="as a date"
        ),
        pytest.param(throttled(None), 2, id="busy, without Retry-After"),
        pytest.param(throttled("0", times=3), 4, id="busy three times"),
        pytest.param(Fault(status=503, body=b"", times=1, headers={"Retry-After": "0"}), 2, id="not available for now"),
        pytest.param(Fault(status=500, body=b"", times=1), 2, id="a fault of the server"),
        pytest.param(reset(times=1), 2, id="a line that breaks"),
        pytest.param(Fault(cut=0.5, times=1), 2, id="an answer that breaks off"),
    ],
)
def test_a_passing_fault_is_survived(connect: Connect, tmp_path: Path, fault: Fault, requests: int) -> None:
    with FakeApiServer([node()], faults={"nodes": fault}) as api:
        assert count(read(connect(api.kubeconfig(tmp_path)))) == 1
        assert len(api.requests) == requests


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        pytest.param(status(403, "Forbidden"), "forbidden", id="forbidden"),
        pytest.param(status(400, "BadRequest"), "invalid", id="a request that it does not understand"),
        pytest.param(status(410, "Expired"), "invalid", id="gone before it began"),
        pytest.param(Fault(status=500, body=b""), "unreachable", id="a lasting fault of the server"),
        pytest.param(Fault(status=503, body=b"", headers={"Retry-After": "0"}), "unreachable", id="not available"),
        pytest.param(throttled("0", times=None), "unreachable", id="busy for ever"),
        pytest.param(throttled("3600", times=None), "unreachable", id="busy for longer than there is time"),
        pytest.param(reset(), "unreachable", id="a line that always breaks"),
        pytest.param(half(), "invalid", id="half a page"),
        pytest.param(not_json(), "invalid", id="a login page"),
        pytest.param(not_json(b""), "invalid", id="nothing"),
        pytest.param(not_json(b'{"kind": "NodeList", "items": [{"meta'), "invalid", id="JSON that breaks off"),
        pytest.param(not_json(b'{"kind": "PodList", "items": []}'), "invalid", id="a list of something else"),
        pytest.param(not_json(b'{"kind": "Status", "status": "Failure"}'), "invalid", id="a failure with status 200"),
        pytest.param(not_json(b'{"kind": "NodeList", "items": 7}'), "invalid", id="a list that is none"),
        pytest.param(not_json(b"[" * 200_000), "invalid", id="nested without end"),
        pytest.param(redirect("http://127.0.0.1:9/"), "unreachable", id="a redirect"),
        pytest.param(slow(), "timed_out", id="silence"),
        pytest.param(drip(), "timed_out", id="a byte now and then"),
    ],
)
def test_a_lasting_fault_is_unread_in_time(connect: Connect, tmp_path: Path, fault: Fault, expected: str) -> None:
    seconds = 0.3 if expected == "timed_out" else 5.0
    with FakeApiServer(nodes(3), faults={"nodes": fault}) as api:
        before = time.monotonic()
        assert reason(read(connect(api.kubeconfig(tmp_path)), seconds=seconds)) == expected
        assert time.monotonic() - before < 4


def test_a_list_that_expires_between_its_pages_starts_again(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer(nodes(1200), faults={"nodes": expired(page=3)}) as api:
        assert count(read(connect(api.kubeconfig(tmp_path)))) == 1200
        assert len(api.requests) == 6


def test_a_list_that_always_expires_is_given_up(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer(nodes(600), faults={"nodes": expired(times=None)}) as api:
        assert reason(read(connect(api.kubeconfig(tmp_path)))) == "timed_out"
        assert len(api.requests) == 6


@pytest.mark.parametrize("fault", [half(), status(403), status(500), not_json(), not_json(b'{"kind": "PodList"}')])
def test_a_fault_on_the_second_page_leaves_no_half_list(connect: Connect, tmp_path: Path, fault: Fault) -> None:
    late = Fault(status=fault.status, body=fault.body, cut=fault.cut, page=2)
    with FakeApiServer(nodes(501), faults={"nodes": late}) as api:
        assert isinstance(read(connect(api.kubeconfig(tmp_path))), Unread)


def test_a_continue_token_that_never_changes_ends_the_list(connect: Connect, tmp_path: Path) -> None:
    page = b'{"kind": "NodeList", "metadata": {"continue": "again"}, "items": []}'
    with FakeApiServer(faults={"/api/v1/nodes": not_json(page)}) as api:
        assert reason(read(connect(api.kubeconfig(tmp_path)))) == "invalid"
        assert len(api.requests) == 2


def test_a_kind_that_is_not_installed_is_not_asked_for(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer() as api:
        assert count(read(connect(api.kubeconfig(tmp_path)), WekaCluster, found=Found(None))) == 0
        assert not api.requests


def test_where_discovery_is_in_doubt_the_list_itself_tells(connect: Connect, tmp_path: Path) -> None:
    doubt = Unread(what=Text.same("x"), reason="stale", remedy=Text(en="a", ko="b"))
    with FakeApiServer([weka()]) as api:
        connection = connect(api.kubeconfig(tmp_path))
        assert count(read(connection, WekaCluster, found=Found(None, doubt))) == 1
        api.objects.clear()
        assert reason(read(connection, WekaCluster, found=Found(None, doubt))) == "stale"
        api.rights = Rights(frozenset())
        assert reason(read(connection, WekaCluster, found=Found(None, doubt))) == "forbidden"


def test_the_remedy_for_a_refused_read_is_the_smallest_grant(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer([weka()], rights=Rights(frozenset())) as api:
        got = read(connect(api.kubeconfig(tmp_path)), WekaCluster, found=Found("v1alpha1"))
        assert isinstance(got, Unread)
        assert got.what.en == "wekaclusters.weka.weka.io"
        assert got.remedy.en == "grant list on wekaclusters.weka.weka.io (`kubegap rbac` prints the role)"
        assert "권한" in got.remedy.ko


@pytest.mark.parametrize("token", ["a&fieldSelector=x", "a b", "a\\r\\nHost: x", "한글"])
def test_a_continue_token_that_may_not_go_back_ends_the_list(connect: Connect, tmp_path: Path, token: str) -> None:
    page = f'{{"kind": "NodeList", "metadata": {{"continue": "{token}"}}, "items": []}}'.encode()
    with FakeApiServer(faults={"/api/v1/nodes": not_json(page)}) as api:
        assert reason(read(connect(api.kubeconfig(tmp_path)))) == "invalid"
        assert len(api.requests) == 1


def test_continue_tokens_that_take_turns_end_the_list(connect: Connect, tmp_path: Path) -> None:
    pages = [f'{{"kind": "NodeList", "metadata": {{"continue": "{token}"}}, "items": []}}'.encode() for token in "ab"]
    turns = [replace(not_json(pages[number % 2]), times=1) for number in range(20)]
    with FakeApiServer(faults={"/api/v1/nodes": turns}) as api:
        assert reason(read(connect(api.kubeconfig(tmp_path)))) == "invalid"
        assert len(api.requests) == 3


def test_a_list_that_always_has_one_more_page_is_given_up(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kubegap_mcp.kube.live.lists._MOST_PAGES", 2)
    with FakeApiServer(nodes(1200)) as api:
        assert reason(read(connect(api.kubeconfig(tmp_path)))) == "invalid"
        assert len(api.requests) == 2


@pytest.mark.parametrize("rest", [1, 510, -1])
def test_a_list_that_ends_before_its_own_count_is_not_whole(connect: Connect, tmp_path: Path, rest: int) -> None:
    page = {"kind": "NodeList", "metadata": {"remainingItemCount": rest}, "items": [node()]}
    with FakeApiServer(faults={"/api/v1/nodes": not_json(json.dumps(page).encode())}) as api:
        assert reason(read(connect(api.kubeconfig(tmp_path)))) == "invalid"


@pytest.mark.parametrize("how", [read_rows, read_objects])
def test_an_object_that_comes_twice_is_not_counted_twice(
    connect: Connect, tmp_path: Path, how: Callable[..., Part[Record] | Part[bytes] | Unread]
) -> None:
    """As where a proxy on the way answers with the page that it kept of the query before."""
    first = {"kind": "NodeList", "metadata": {"continue": "a"}, "items": [node("gpu-0"), node("gpu-1")]}
    second = {"kind": "NodeList", "metadata": {}, "items": [node("gpu-1")]}
    turns = [replace(not_json(json.dumps(page).encode()), times=1) for page in (first, second)]
    with FakeApiServer(faults={"/api/v1/nodes": turns}) as api:
        got = how(connect(api.kubeconfig(tmp_path)), gatherers()[Node], V1, None, Deadline(5))
    assert isinstance(got, Unread)
    assert got.reason == "invalid"


def test_one_name_in_two_namespaces_is_two_objects(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer([pod("a", "train"), pod("a", "serve")]) as api:
        assert count(read(connect(api.kubeconfig(tmp_path)), Pod)) == 2


@pytest.mark.parametrize("after", ["Mon, 01 Jan 99999999999999 00:00:00 GMT", "-5", "soon", "1e9"])
def test_a_time_to_wait_that_is_none_is_as_if_none_was_named(connect: Connect, tmp_path: Path, after: str) -> None:
    with FakeApiServer([node()], faults={"/api/v1/nodes": throttled(after)}) as api:
        assert count(read(connect(api.kubeconfig(tmp_path)))) == 1
