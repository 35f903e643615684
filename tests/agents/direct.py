"""The server asked without any agent, to compare what agents show with."""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from agents.script import Ask
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import TextContent


@dataclass(frozen=True, slots=True)
class Answer:
    structured: Mapping[str, Any] | None
    text: str


@dataclass(frozen=True, slots=True)
class Direct:
    instructions: str
    tools: Mapping[str, Mapping[str, Any]]
    answers: Sequence[Answer]


def ask(home: Path, asks: Sequence[Ask], *options: str) -> Direct:
    program = str(Path(sys.executable).with_name("kubegap-mcp"))
    server = StdioServerParameters(command=program, args=list(options), env={"HOME": str(home)}, cwd=home)

    async def talk() -> Direct:
        with anyio.fail_after(60):
            async with Client(stdio_client(server), mode="legacy") as client:
                listed = (await client.list_tools()).tools
                tools = {tool.name: tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed}
                answers = [await _answer(client, one) for one in asks]
                return Direct(client.instructions or "", tools, answers)

    return anyio.run(talk)


async def _answer(client: Client, one: Ask) -> Answer:
    result = await client.call_tool(one.tool, dict(one.arguments))
    text = "".join(block.text for block in result.content if isinstance(block, TextContent))
    return Answer(result.structured_content, text)


def timeless(shown: str) -> str:
    """Without what differs from call to call: the age of the packaged cluster, and how long Codex waited."""
    shown = re.sub(r'"age_s": ?\d+', '"age_s":0', shown)
    return re.sub(r"^Wall time: [\d.]+ seconds", "Wall time: 0.5000 seconds", shown)
