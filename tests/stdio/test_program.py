"""The program as clients start it: a real client over a real process, with no kubeconfig and next to no environment."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import TextContent, TextResourceContents
from server.names import NAMES
from stdio.wire import environment, started

pytestmark = pytest.mark.stdio

SERVE = ["-m", "kubegap_mcp", "serve"]
# Each of these costs more than the whole start may; a call loads what it needs.
HEAVY = (
    "kubernetes",
    "yaml",
    "msgspec",
    "urllib3",
    "tomlkit",
    "kubegap_checks.catalog",
    "kubegap_checks.rules.",  # the package itself is empty: its folders are the topics
    "kubegap_incidents",
    "kubegap_mcp.app",
    "kubegap_mcp.kube",
    "kubegap_mcp.registration",
    "kubegap_mcp.report",
)


@asynccontextmanager
async def connected(era: str, home: Path, *options: str) -> AsyncIterator[Client]:
    server = StdioServerParameters(command=sys.executable, args=[*SERVE, *options], env=environment(home), cwd=home)
    with anyio.fail_after(30):
        async with Client(stdio_client(server), mode=era) as client:
            yield client


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_every_tool_answers_about_the_demo_cluster(tmp_path: Path, era: str) -> None:
    async with connected(era, tmp_path, "--demo") as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == NAMES
        audit = await client.call_tool("audit_cluster", {})
        assert audit.structured_content, audit.content
        first = audit.structured_content["gaps"][0]["id"]
        curve = await client.call_tool("explain_throughput", {})
        assert curve.is_error  # the demo has no metrics
        assert "--prometheus" in str(curve.content)
        for name in (name for name in NAMES if name != "explain_throughput"):
            given: dict[str, Any] = {"id": first} if name == "explain_gap" else {}
            for lang in ("en", "ko"):
                result = await client.call_tool(name, {**given, "lang": lang})
                assert not result.is_error, result.content
                assert result.structured_content
                (block,) = result.content
                assert isinstance(block, TextContent)
                assert block.text.strip()


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_without_a_cluster_the_server_still_lists_its_tools_and_says_what_is_missing(
    tmp_path: Path, era: str
) -> None:
    async with connected(era, tmp_path) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == NAMES
        assert not (await client.call_tool("lookup_incident", {})).is_error
        result = await client.call_tool("audit_cluster", {})
        assert result.is_error
        (block,) = result.content
        assert isinstance(block, TextContent)
        assert "kubeconfig" in block.text
        assert "fault of kubegap" not in block.text


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_page_is_read_in_the_language_asked_for(tmp_path: Path, era: str) -> None:
    async with connected(era, tmp_path, "--lang", "en") as client:
        for page, english, korean in (
            ("incidents/2025-huggingface-smollm3-throughput", "## What happened", "## 무슨 일이 있었나"),
            ("incidents/IL-0129", "## Same cause", "## 같은 원인"),
            ("checks/gpu_health.gpu_missing", "**Fix**", "**조치**"),
        ):
            for query, said in (("", english), ("?lang=en", english), ("?lang=ko", korean)):
                (content,) = (await client.read_resource(f"kubegap://{page}{query}")).contents
                assert isinstance(content, TextResourceContents)
                assert content.mime_type == "text/markdown"
                assert said in content.text, (page, query)
        with pytest.raises(MCPError, match="there is no language 'fr': ask with"):
            await client.read_resource("kubegap://incidents/IL-0129?lang=fr")


async def test_nothing_heavy_is_loaded_before_the_first_call(tmp_path: Path) -> None:
    with anyio.fail_after(20):
        async with started(["-X", "importtime", *SERVE, "--demo"], tmp_path) as wire:
            await wire.shake_hands()
            listed = await wire.ask("tools/list")
            assert len(listed["result"]["tools"]) == len(NAMES)
            await wire.hang_up()
            _, said = await wire.rest()
    loaded = {line.rpartition("|")[2].strip() for line in said.splitlines()}
    assert "kubegap_mcp.server.tools" in loaded
    assert [name for name in sorted(loaded) if name.startswith(HEAVY)] == []
