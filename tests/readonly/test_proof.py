"""The proof of read-only: every tool over a real client, with hostile arguments, and an ear on all that leaves.

What the server saw, what the trace says and what the interpreter itself reports must be the same reads, all of them
on the list that `kubegap rbac` prints. The same proof is then held against four sabotaged copies, and must fail.
"""

import json
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio
import pytest
import yaml
from fake_apiserver import FakeApiServer, Seen
from kube_objects import namespace, node, pod
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import TextContent, TextResourceContents
from metrics.fake_source import FakeSource
from readonly.test_trace import read, seen, told
from stdio.wire import ROOT, environment

from kubegap_mcp.kube.gather.registry import records

pytestmark = [
    pytest.mark.stdio,
    pytest.mark.skipif(sys.platform == "win32", reason="the ear is told of POSIX calls"),
]

WATCHED = str(Path(__file__).with_name("watched.py"))
INSTALLED = [f"{record.KIND.resource}/{record.KIND.versions[0]}" for record in records() if record.KIND.group]
HOSTILE: tuple[Any, ...] = (
    "../../secrets",
    "train/pods/a/exec?command=id",
    "kube-system?watch=true",
    "train\r\nDELETE /api/v1/nodes/gpu-0 HTTP/1.1\r\n",
    "https://evil.example/",
    "x" * 500,
    "x" * 1_000_000,
    "",
    -1,
    10**30,
    ["DELETE"],
    {"verb": "delete"},
)
LIST = re.compile(r"/(?:api|apis/(?P<group>[^/]+))/[^/]+/(?:namespaces/[^/]+/)?(?P<plural>[^/]+)")
DISCOVERY = re.compile(r"/version|/api|/apis|/api/v1|/apis/[^/]+/[^/]+")
METRICS_READS = {"/api/v1/query", "/api/v1/query_range", "/api/v1/label/__name__/values"}
REVIEW = re.compile(r"/apis/authorization\.k8s\.io/v1/selfsubject(?:access|rules)reviews")


def granted() -> frozenset[str]:
    """The resources of the published role, and the namespaces that a user without it is asked about one by one."""
    role = yaml.safe_load((ROOT / "docs" / "rbac.yaml").read_text(encoding="utf-8"))
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"list"}
    rules = [(group, name) for rule in role["rules"] for group in rule["apiGroups"] for name in rule["resources"]]
    return frozenset(f"{name}.{group}".rstrip(".") for group, name in rules) | {"namespaces"}


GRANTED = granted()


@dataclass(frozen=True, slots=True)
class Proof:
    """What one run left behind, on each side."""

    address: str
    server: list[Seen]
    trace: list[dict[str, Any]]
    heard: list[dict[str, Any]]
    trace_file: Path

    def holds(self) -> None:
        wrong = [f"{request.method} {request.path}" for request in self.server if not _is_read(request)]
        assert not wrong, f"the server saw {wrong}"
        assert self.server
        for event in self.heard:
            self._is_expected(event)
        assert [event for event in self.heard if event["event"] == "socket.connect"]
        assert sorted(map(told, self.trace), key=str) == sorted(map(seen, self.server), key=str)

    def _is_expected(self, event: dict[str, Any]) -> None:
        what, host = event["what"], self.address.partition(":")[0]
        if event["event"] == "socket.connect":
            assert event["behind_gate"], f"a socket past the gate: {what}"
            assert host in what, f"a socket to {what}"
        elif event["event"] in {"socket.getaddrinfo", "socket.gethostbyname"}:
            assert event["behind_gate"], f"a name past the gate: {what}"
        elif event["event"] == "socket.bind":
            # urllib3 binds one to ::1, once, to learn whether this machine knows IPv6.
            assert "::1" in what
        elif event["event"] == "write":
            assert what == str(self.trace_file), f"a file: {what}"
        else:
            assert (event["event"], what) == ("os.chmod", str(self.trace_file)), f"{event['event']}: {what}"


def _is_read(request: Seen) -> bool:
    if request.method == "POST":
        return REVIEW.fullmatch(request.path) is not None
    found = LIST.fullmatch(request.path)
    listed = found is not None and f"{found['plural']}.{found['group'] or ''}".rstrip(".") in GRANTED
    discovered = DISCOVERY.fullmatch(request.path) is not None and not request.query
    return (
        request.method == "GET"
        and (listed or discovered)
        and set(request.query) <= {"limit", "continue", "fieldSelector"}
    )


@pytest.fixture
def api() -> Iterator[FakeApiServer]:
    objects = [node(), node("gpu-1"), pod("a"), namespace("train"), namespace("kube-system")]
    with FakeApiServer(objects, installed=INSTALLED, allow_anything=True) as api:
        yield api


@asynccontextmanager
async def connected(how: str, api: FakeApiServer, folder: Path, *more: str) -> AsyncIterator[Client]:
    options = ["--kubeconfig", str(api.kubeconfig(folder)), "--trace", str(folder / "trace"), *more]
    # -B: what Python itself keeps of modules that it compiled is no deed of kubegap.
    command = ["-B", WATCHED, str(folder / "heard"), how, "serve", *options]
    server = StdioServerParameters(command=sys.executable, args=command, env=environment(folder), cwd=folder)
    with anyio.fail_after(60):
        async with Client(stdio_client(server)) as client:
            yield client


def proof(api: FakeApiServer, folder: Path) -> Proof:
    heard = [json.loads(line) for line in (folder / "heard").read_text(encoding="utf-8").splitlines()]
    return Proof(api.address, list(api.requests), read(folder / "trace"), heard, folder / "trace")


def spelled(address: str) -> str:
    """As the interpreter tells it of a socket."""
    host, _, port = address.partition(":")
    return str((host, int(port)))


def hostile_calls(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The arguments that a tool needs, and then one argument after the other with each hostile value."""
    needed = dict.fromkeys(schema.get("required", ()), "gpu_health.gpu_missing")
    yield needed
    for name in (*schema["properties"], "verb"):
        for value in HOSTILE:
            yield {**needed, name: value}


async def test_no_tool_and_no_argument_makes_kubegap_do_anything_but_read(api: FakeApiServer, tmp_path: Path) -> None:
    async with connected("whole", api, tmp_path) as client:
        tools = (await client.list_tools()).tools
        answered = 0
        for tool in tools:
            for number, given in enumerate(hostile_calls(tool.input_schema)):
                result = await client.call_tool(tool.name, given)
                block = result.content[0]
                assert isinstance(block, TextContent)
                assert "fault of kubegap" not in block.text, (tool.name, given)
                answered += not result.is_error
                assert number or not result.is_error or "--prometheus" in block.text, block.text
        assert answered > len(tools)
        api.rights = type(api.rights)(frozenset(), {"train": frozenset({"*"})})
        await client.call_tool("audit_cluster", {"refresh": True})
        (page,) = (await client.read_resource("kubegap://requests")).contents
        assert isinstance(page, TextResourceContents)
        assert json.loads(page.text)["total"] == len(api.requests)
        assert api.address not in page.text
    found = proof(api, tmp_path)
    found.holds()
    assert any(request.method == "POST" for request in found.server)


@pytest.mark.parametrize(
    ("how", "caught"),
    [
        ("no gate", "the server saw .*DELETE /api/v1/nodes/gpu-0"),
        ("own socket", "(socket|name) past the gate"),
        ("own child", "subprocess.Popen"),
    ],
)
async def test_the_proof_fails_where_something_else_leaves(
    how: str, caught: str, api: FakeApiServer, tmp_path: Path
) -> None:
    async with connected(how, api, tmp_path) as client:
        await client.call_tool("check_gpu_health", {})
    with pytest.raises(AssertionError, match=caught):
        proof(api, tmp_path).holds()


async def test_a_metrics_source_that_was_named_is_read_too_and_nothing_else_is(
    api: FakeApiServer, tmp_path: Path
) -> None:
    with FakeSource() as source:
        async with connected("whole", api, tmp_path, "--prometheus", source.url) as client:
            for name in ("audit_cluster", "check_ib_health", "list_gpu_nodes"):
                assert not (await client.call_tool(name, {})).is_error
        found = proof(api, tmp_path)
        connected_to = {event["what"] for event in found.heard if event["event"] == "socket.connect"}
        assert connected_to == {spelled(api.address), spelled(source.address)}
        asked = source.requests
    assert asked
    assert {request.method for request in asked} == {"GET"}
    both = replace(found, server=[*found.server, *asked])
    assert sorted(map(told, both.trace), key=str) == sorted(map(seen, both.server), key=str)
    of_cluster = [line for line in found.trace if told(line) not in [seen(request) for request in asked]]
    replace(found, trace=of_cluster).holds()


async def test_a_source_behind_a_service_that_was_named_is_read_through_the_cluster_alone(
    api: FakeApiServer, tmp_path: Path
) -> None:
    """Below the proxy of that one service, only reads of a metrics source; and no socket but those to the cluster."""
    name = "monitoring/prometheus:9090"
    proxy = "/api/v1/namespaces/monitoring/services/prometheus:9090/proxy"
    with FakeSource() as source:
        api.services = {name: source.url}
        async with connected("whole", api, tmp_path, "--prometheus-service", name) as client:
            for tool in (await client.list_tools()).tools:
                for given in hostile_calls(tool.input_schema):
                    await client.call_tool(tool.name, given)
        found = proof(api, tmp_path)
        asked = source.requests
    assert {event["what"] for event in found.heard if event["event"] == "socket.connect"} == {spelled(api.address)}
    assert asked
    assert {request.method for request in asked} == {"GET"}
    assert {request.path for request in asked} <= METRICS_READS
    through = [request for request in found.server if "/proxy" in request.path]
    assert len(through) == len(asked)
    assert {request.path.removeprefix(proxy) for request in through} <= METRICS_READS
    lines = [line for line in found.trace if "/proxy/" not in line["path"]]
    assert len(found.trace) == len(found.server)
    replace(found, server=[one for one in found.server if one not in through], trace=lines).holds()


async def test_the_gate_keeps_back_a_write_that_the_code_above_tries(api: FakeApiServer, tmp_path: Path) -> None:
    async with connected("tries", api, tmp_path) as client:
        result = await client.call_tool("check_gpu_health", {})
    assert result.is_error
    proof(api, tmp_path).holds()
