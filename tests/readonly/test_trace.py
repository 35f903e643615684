"""The trace: every request that left the process, on file and as a page, and nothing else about it."""

import json
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from fake_apiserver import FakeApiServer, Fault, Seen, half, reset, slow, status
from kube_objects import node, nodes

from kubegap_checks.facts.nodes import Node
from kubegap_mcp.cli import main
from kubegap_mcp.cluster import Ask
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.kube.live import LiveClusters
from kubegap_mcp.request_log import RequestLog

Json = dict[str, Any]


def read(file: Path) -> list[Json]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def page(log: RequestLog) -> Json:
    shown: Json = json.loads(log.page())
    return shown


def told(line: Json) -> tuple[str, str, dict[str, list[str]]]:
    parts = urlsplit(line["path"])
    return line["method"], parts.path, parse_qs(parts.query)


def seen(request: Seen) -> tuple[str, str, dict[str, list[str]]]:
    return request.method, request.path, {key: [value] for key, value in request.query.items()}


async def ask(kubeconfig: Path, log: RequestLog, deadline_s: float = 5.0) -> None:
    clusters = LiveClusters(kubeconfig, log=log)
    try:
        await clusters.read(Ask(kinds=frozenset({Node}), deadline_s=deadline_s))
    finally:
        clusters.close()
        log.close()


async def test_the_trace_is_what_the_server_saw(tmp_path: Path) -> None:
    file = tmp_path / "trace.jsonl"
    with FakeApiServer(nodes(501), prefix="/k8s/clusters/c-1") as api:
        await ask(api.kubeconfig(tmp_path, user={"token": "not-in-a-trace"}), RequestLog(file))
        assert sorted(map(told, read(file)), key=str) == sorted(map(seen, api.requests), key=str)
        address = api.address
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    for hidden in ("not-in-a-trace", address, "/k8s/clusters", "User-Agent", "gpu-0"):
        assert hidden not in file.read_text(encoding="utf-8")
    for line in read(file):
        assert set(line) == {"time", "method", "path", "status", "bytes", "duration_ms", "failed"}
        assert (line["status"], line["failed"]) == (200, None)
        assert line["bytes"] > 0
        assert line["duration_ms"] >= 0


@pytest.mark.parametrize(
    ("fault", "code", "failed"),
    [
        pytest.param(status(403), 403, None, id="refused"),
        pytest.param(reset(), None, "broken", id="reset"),
        pytest.param(half(), 200, "cut", id="cut"),
        pytest.param(Fault(drip_s=0.2), 200, "given_up", id="too slow"),
        pytest.param(slow(), None, "given_up", id="silent"),
    ],
)
async def test_the_trace_says_how_a_request_failed(
    fault: Fault, code: int | None, failed: str | None, tmp_path: Path
) -> None:
    log = RequestLog()
    with FakeApiServer([node()], faults={"nodes": fault}) as api:
        await ask(api.kubeconfig(tmp_path), log, deadline_s=1.0)
    line = next(line for line in page(log)["requests"] if line["path"].startswith("/api/v1/nodes"))
    ends = {failed, "unfinished"} if failed == "given_up" else {failed}  # closed before its thread noticed
    assert line["status"] == code
    assert line["failed"] in ends


async def test_a_plain_server_behind_a_proxy_is_not_named(tmp_path: Path) -> None:
    log = RequestLog()
    with FakeApiServer([node()], allow_anything=True) as proxy:
        cluster = {"server": "http://kubernetes.test:8080", "proxy-url": f"http://user:secret@{proxy.address}"}
        await ask(proxy.kubeconfig(tmp_path, cluster=cluster), log)
    assert page(log)["total"] > 0
    for hidden in ("kubernetes.test", "secret", proxy.address):
        assert hidden not in log.page()


def test_what_is_under_way_at_the_end_is_told(tmp_path: Path) -> None:
    log = RequestLog(tmp_path / "trace")
    sending = log.begin("GET", "/version")
    log.close()
    sending.end(5)
    assert [(line["path"], line["failed"]) for line in read(tmp_path / "trace")] == [("/version", "unfinished")]


def test_a_page_of_requests_stays_small_and_says_how_many_there_were() -> None:
    log = RequestLog()
    for number in range(1000):
        log.begin("GET", f"/api/v1/pods?continue={'x' * 4000}&limit={number}").end(number)
    shown = page(log)
    assert len(log.page().encode()) < 30_000
    assert (shown["total"], shown["shown"]) == (1000, len(shown["requests"]))
    assert 20 < shown["shown"] <= 200
    assert shown["requests"][-1]["bytes"] == 999


def there_is_a_kubeconfig(path: Path) -> None:
    path.write_text("apiVersion: v1", encoding="utf-8")


def there_is_a_link(path: Path) -> None:
    (path.parent / "aim").write_text("", encoding="utf-8")
    path.symlink_to(path.parent / "aim")


@pytest.mark.parametrize(
    "there_is",
    [there_is_a_kubeconfig, there_is_a_link, Path.mkdir, lambda path: Path.rmdir(path.parent)],
    ids=["another file", "a link", "a folder", "no folder"],
)
def test_nothing_but_a_trace_is_ever_written_to(there_is: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "folder" / "trace"
    path.parent.mkdir()
    there_is(path)
    with pytest.raises(ConfigError, match=r"the trace cannot be written .*: give --trace a new file"):
        RequestLog(path)
    if path.is_file():
        assert path.read_text(encoding="utf-8") in {"apiVersion: v1", ""}


def test_a_line_that_found_no_room_is_no_success(tmp_path: Path) -> None:
    """A file system that is nearly full takes a part of the line, and an error comes with the next one only."""
    code = (
        "import resource, sys; from pathlib import Path; from kubegap_mcp.request_log import RequestLog\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "RequestLog(Path(sys.argv[1])).begin('GET', '/version').end(1)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "trace")], capture_output=True, text=True, check=False, timeout=30
    )
    assert "the trace cannot be written (File too large)" in done.stderr


def test_a_trace_is_gone_on_with_and_closed_to_others(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    RequestLog(path).begin("GET", "/version").end(1)
    path.chmod(0o644)
    RequestLog(path).begin("GET", "/apis").end(2)
    assert [line["path"] for line in read(path)] == ["/version", "/apis"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("command", ["audit", "nodes", "doctor", "snapshot"])
def test_each_command_that_asks_a_cluster_can_be_traced(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeApiServer([node()]) as api:
        words = [command, "--kubeconfig", str(api.kubeconfig(tmp_path)), "--trace", str(tmp_path / "trace")]
        words += ["-o", str(tmp_path / "snapshot")] if command == "snapshot" else []
        assert main(words) == 0
        assert sorted(map(told, read(tmp_path / "trace")), key=str) == sorted(map(seen, api.requests), key=str)
    capsys.readouterr()


def test_where_nothing_is_asked_the_trace_is_empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--demo", "--trace", str(tmp_path / "trace")]) == 0
    assert (tmp_path / "trace").read_bytes() == b""
    capsys.readouterr()
