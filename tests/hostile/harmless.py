"""What every answer is, whatever the cluster holds: small, of letters that are seen, and each text in its place."""

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mcp import Client
from mcp_types import CallToolResult, TextContent

from tests.hostile.corpus import MARK

MOST_BYTES = 30_000
NEEDS_METRICS = "explain_throughput"  # fails in one sentence where there are none
LANGUAGES = ("en", "ko")
_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
# Where the text of a cluster may stand, and what of Markdown it may be there.
_PLACES = frozenset({"paragraph_open", "td_open"})
_LETTERS = frozenset({"text", "text_special", "softbreak"})


def assert_harmless(result: CallToolResult) -> None:
    """Of a tool's result, or of its error."""
    block = result.content[0]  # a picture may follow
    assert isinstance(block, TextContent)
    assert len(block.text.encode()) < MOST_BYTES
    assert "fault of kubegap" not in block.text
    for line in block.text.split("\n"):
        assert line.isprintable(), repr(line[:200])
    if result.is_error:
        assert "\n" not in block.text
        assert result.structured_content is None
        return
    compact = json.dumps(result.structured_content, ensure_ascii=False, separators=(",", ":"))
    assert len(compact.encode()) < MOST_BYTES
    for text in strings(result.structured_content):
        # The library's own stories have paragraphs.
        own = text.replace("\n", "") if MARK not in text else text
        assert own.isprintable(), repr(text[:200])
    assert_in_its_place(block.text)


def assert_in_its_place(markdown: str) -> None:
    """Each text of the cluster is letters of a paragraph or a cell: no heading, no code, no link, nothing strong."""
    tokens = _PARSER.parse(markdown)
    for before, token in pairwise(tokens):
        if MARK not in token.content:
            continue
        assert token.type == "inline", (token.type, token.content[:200])
        assert before.type in _PLACES, (before.type, token.content[:200])
        for child in token.children or ():
            assert child.type in _LETTERS or not _near(child, token.children or []), (child.type, token.content[:300])


def _near(child: Token, all_of_line: Sequence[Token]) -> bool:
    """Whether cluster text is what makes the token; `code` of the catalogue may stand beside it."""
    if child.type == "code_inline":
        return MARK in child.content
    return any(MARK in other.content for other in all_of_line)


def strings(value: Any) -> Iterator[str]:
    """Every text in it, names of fields too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from strings(key)
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


async def every_answer(client: Client) -> AsyncIterator[tuple[str, CallToolResult]]:
    """What each tool says, in both languages, `explain_gap` of each gap there is; all of it is harmless."""
    gaps: list[str] = []
    for lang in LANGUAGES:
        for tool in (await client.list_tools()).tools:
            given: list[dict[str, Any]] = [{}]
            if "id" in tool.input_schema.get("required", ()):
                given = [{"id": gap} for gap in gaps]
            if tool.name == "list_gpu_nodes":
                given = [{}, {"limit": 100}, {"product": MARK}, {"selector": "untouched=yes"}]
            for arguments in given:
                result = await client.call_tool(tool.name, {**arguments, "lang": lang})
                assert_harmless(result)
                if tool.name == NEEDS_METRICS and result.is_error:
                    continue
                yield f"{tool.name} {lang} {arguments}", result
                if tool.name == "audit_cluster" and result.structured_content:
                    gaps = [gap["id"] for gap in result.structured_content["gaps"]]
