"""One answer in the two channels that a tool result has, each complete by itself: clients show only one of them."""

import base64
import json
from typing import TYPE_CHECKING, TypeVar

from anyio import to_thread
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, ImageContent, TextContent

from kubegap_checks.text import Text
from kubegap_mcp.errors import KubegapError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from kubegap_checks.text import Lang
    from kubegap_mcp.app import Kubegap
    from kubegap_mcp.report.models import Answer
    from kubegap_mcp.server.lazy import LazyApp

A = TypeVar("A", bound="Answer")

# Clients cut longer results in the middle or put them into a file: Codex at about 48,000 characters, Claude Code at
# 50,000. Answers keep below by themselves; this is the last guard.
MOST_BYTES = 30_000


async def reply(
    lazy: "LazyApp",
    lang: "Lang | None",
    ask: "Callable[[Kubegap], Awaitable[A]]",
    picture: "Callable[[Kubegap, A], bytes] | None" = None,
) -> CallToolResult:
    """The answer to a question as a tool result; `picture` draws it as PNG, to be shown after the text.

    Raises ToolError with what kept kubegap from answering, in the language of the question.
    """
    try:
        app = await lazy.get()
        answer = await ask(app)
        drawn = await to_thread.run_sync(picture, app, answer, abandon_on_cancel=True) if picture else b""
    except KubegapError as error:
        raise ToolError(error.of(lazy.lang(lang))) from error
    told = result(answer, lazy.lang(lang))
    if drawn:
        image = ImageContent(type="image", data=base64.b64encode(drawn).decode(), mime_type="image/png")
        told.content.append(image)
    return told


def result(answer: "Answer", lang: "Lang") -> CallToolResult:
    from kubegap_mcp.report.text import render  # noqa: PLC0415 (loads with the first answer, not at start)

    text = render(answer, lang)
    structured = answer.model_dump(mode="json", by_alias=True)
    type(answer).model_validate(structured)
    compact = json.dumps(structured, ensure_ascii=False, separators=(",", ":"))
    size = max(len(compact.encode()), len(text.encode()))
    if size > MOST_BYTES:
        raise ToolError(_too_large(size).of(lang))
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=structured)


def _too_large(size: int) -> Text:
    return Text(
        en=f"the answer has {size:,} bytes, over the {MOST_BYTES:,} that clients take: ask again with a smaller limit "
        "(and go on with next_cursor where the tool has a cursor), or narrow it to a namespace or a topic",
        ko=f"답이 {size:,}바이트로, 클라이언트가 받는 {MOST_BYTES:,}바이트를 넘음. limit를 줄여 다시 묻거나(cursor가 "
        "있는 도구는 next_cursor로 이어 본다) 네임스페이스나 주제로 좁힌다",
    )
