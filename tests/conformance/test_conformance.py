"""The official conformance suite, over every scenario that needs no tools of its own fixture server."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from agents.clients import INSTALLED, node

ROOT = Path(__file__).parents[2]
# Left out of what a revision requires: scenarios that call tools, resources and prompts of the suite's own fixture
# server (tools-call-*, resources-read-*, prompts-get-*, input-required-*, server-sse-polling, and two checks of
# server-stateless), and what kubegap does not declare (completions, logging, subscriptions, tasks).
SCENARIOS = {
    "2025-11-25": [
        "server-initialize",
        "ping",
        "tools-list",
        "resources-list",
        "prompts-list",
        "dns-rebinding-protection",
        "server-session-lifecycle",
        "server-sse-multiple-streams",
    ],
    "2026-07-28": [
        "tools-list",
        "resources-list",
        "prompts-list",
        "caching",
        "sep-2164-resource-not-found",
        "http-header-validation",
        "dns-rebinding-protection",
        "server-sse-multiple-streams",
    ],
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    entry = [sys.executable, "-m", "tests.conformance.http_entry", str(port)]
    server = subprocess.Popen(entry, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(port, server)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.kill()
        server.wait(5)


def wait_for(port: int, server: subprocess.Popen[bytes], seconds: float = 30) -> None:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail("the server did not start")


@pytest.mark.parametrize(
    ("version", "scenario"), [(version, name) for version, names in SCENARIOS.items() for name in names]
)
def test_the_server_keeps_to_the_protocol(version: str, scenario: str, url: str, tmp_path: Path) -> None:
    program = [str(node()), str(INSTALLED / ".bin" / "conformance")]
    ran = subprocess.run(
        [*program, "server", "--url", url, "--scenario", scenario, "--spec-version", version],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-1000:]
    assert ", 0 failed, 0 warnings" in ran.stdout
