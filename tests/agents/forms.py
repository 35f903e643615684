"""The streaming APIs of three vendors, as far as their own clients use them: as seen on the wire."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from agents.script import Ask, Json, Turn, number_of

LAST_WORD = "done"


class Messages:
    """Anthropic: POST /v1/messages."""

    prefix = "mcp__kubegap__"

    def is_turn(self, path: str, body: Json) -> bool:
        return path.endswith("/v1/messages") and bool(body.get("tools"))

    def taken(self, body: Json) -> int:
        return sum(1 for message in body["messages"] if message["role"] == "assistant")

    def reply(self, turn: Turn, number: int) -> bytes:
        blocks: list[Json] = []
        for place, call in enumerate(turn):
            named = {"name": self.prefix + call.tool, "input": call.arguments} if isinstance(call, Ask) else call.block
            blocks.append({"type": "tool_use", "id": number_of(number, place), **named})
        return _events([*self._message(blocks, number)], named=True)

    def _message(self, blocks: list[Json], number: int) -> Iterator[Json]:
        usage = {"input_tokens": 1, "output_tokens": 1}
        # Claude Code takes two messages of one id for one.
        empty = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "stand-in", "content": []}
        yield {"type": "message_start", "message": {**empty, "stop_reason": None, "usage": usage}}
        for index, block in enumerate(blocks or [{"type": "text", "text": ""}]):
            start = {**block, "input": {}} if blocks else block
            text: Json = {"type": "text_delta", "text": LAST_WORD}
            if blocks:
                text = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            yield {"type": "content_block_start", "index": index, "content_block": start}
            yield {"type": "content_block_delta", "index": index, "delta": text}
            yield {"type": "content_block_stop", "index": index}
        why = "tool_use" if blocks else "end_turn"
        yield {"type": "message_delta", "delta": {"stop_reason": why, "stop_sequence": None}, "usage": usage}
        yield {"type": "message_stop"}

    def tools(self, body: Json) -> dict[str, Json]:
        return _ours(body["tools"], self.prefix)

    def told(self, body: Json) -> str:
        contents = [body.get("system", ""), *(message["content"] for message in body["messages"])]
        return "\n".join(text for content in contents for text in _texts(content))

    def shown(self, body: Json) -> dict[str, str]:
        blocks = (block for message in body["messages"] for block in _list(message["content"]))
        return {
            block["tool_use_id"]: "".join(_texts(block["content"]))
            for block in blocks
            if block["type"] == "tool_result"
        }


class Responses:
    """OpenAI: POST /v1/responses. A model that searches for tools finds them in the answer to its search."""

    namespace = "mcp__kubegap"
    _calls = ("function_call", "tool_search_call", "custom_tool_call")
    _answers = ("function_call_output", "custom_tool_call_output")

    def is_turn(self, path: str, body: Json) -> bool:
        return path.endswith("/responses") and "input" in body

    def taken(self, body: Json) -> int:
        numbers = (item["call_id"] for item in body["input"] if item["type"] in self._calls)
        return len({number.split("_")[1] for number in numbers})

    def reply(self, turn: Turn, number: int) -> bytes:
        items: list[Json] = []
        for place, call in enumerate(turn):
            item: Json = (
                call.block
                if not isinstance(call, Ask)
                else {
                    "type": "function_call",
                    "namespace": self.namespace,
                    "name": call.tool,
                    "arguments": json.dumps(call.arguments),
                }
            )
            items.append({**item, "call_id": number_of(number, place)})
        text = [{"type": "output_text", "text": LAST_WORD}]
        said: Json = {"type": "message", "id": "msg_1", "role": "assistant", "content": text}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        done = [{"type": "response.output_item.done", "item": item} for item in items or [said]]
        events = [
            {"type": "response.created", "response": {"id": "resp_1"}},
            *done,
            {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}},
        ]
        return _events(events, named=True)

    def tools(self, body: Json) -> dict[str, Json]:
        return {tool["name"]: tool for space in self._spaces(body) for tool in space["tools"]}

    def told(self, body: Json) -> str:
        return "\n".join(space["description"] for space in self._spaces(body))

    def _spaces(self, body: Json) -> list[Json]:
        """What it knows of kubegap: the instructions are the description of its tools' namespace."""
        found = [item for item in body["input"] if item["type"] == "tool_search_output"]
        offered = [*body.get("tools", ()), *(tool for item in found for tool in item["tools"])]
        return [tool for tool in offered if tool["type"] == "namespace" and tool["name"] == self.namespace]

    def shown(self, body: Json) -> dict[str, str]:
        return {
            item["call_id"]: "\n".join(_texts(item["output"]))
            for item in body["input"]
            if item["type"] in self._answers
        }


class Contents:
    """Google: POST /v1beta/models/NAME:streamGenerateContent."""

    prefix = "mcp_kubegap_"

    def is_turn(self, path: str, body: Json) -> bool:
        return "enerateContent" in path and bool(body.get("tools"))

    def taken(self, body: Json) -> int:
        return sum(1 for content in body["contents"] if any("functionCall" in part for part in content["parts"]))

    def reply(self, turn: Turn, number: int) -> bytes:
        parts: list[Json] = []
        for place, call in enumerate(turn):
            named = {"name": self.prefix + call.tool, "args": call.arguments} if isinstance(call, Ask) else call.block
            parts.append({"functionCall": {"id": number_of(number, place), **named}})
        content = {"role": "model", "parts": parts or [{"text": LAST_WORD}]}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        candidate = {"content": content, "finishReason": "STOP", "index": 0}
        return _events([{"candidates": [candidate], "usageMetadata": usage}], named=False)

    def tools(self, body: Json) -> dict[str, Json]:
        return _ours([one for tool in body["tools"] for one in tool.get("functionDeclarations", ())], self.prefix)

    def told(self, body: Json) -> str:
        parts = [*body.get("systemInstruction", {}).get("parts", ()), *_parts(body)]
        return "\n".join(part["text"] for part in parts if "text" in part)

    def shown(self, body: Json) -> dict[str, str]:
        """The client gives calls numbers of its own, in the order in which they were made."""
        made = [part["functionCall"]["id"] for part in _parts(body) if "functionCall" in part]
        answers = [part["functionResponse"] for part in _parts(body) if "functionResponse" in part]
        turns = [number_of(turn, place) for turn, parts in enumerate(_turns(body)) for place, _ in enumerate(parts)]
        ours = dict(zip(made, turns, strict=True))
        return {ours[one["id"]]: _said(one["response"]) for one in answers}


def _events(events: Sequence[Json], *, named: bool) -> bytes:
    heads = (f"event: {event['type']}\n" if named else "" for event in events)
    return "".join(f"{head}data: {json.dumps(event)}\n\n" for head, event in zip(heads, events, strict=True)).encode()


def _ours(tools: Iterable[Json], prefix: str) -> dict[str, Json]:
    return {tool["name"].removeprefix(prefix): tool for tool in tools if tool.get("name", "").startswith(prefix)}


def _list(content: Any) -> list[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _texts(content: Any) -> list[str]:
    return [block["text"] for block in _list(content) if "text" in block]


def _parts(body: Json) -> list[Json]:
    return [part for content in body["contents"] for part in content["parts"]]


def _turns(body: Json) -> list[list[Json]]:
    calls = ([part for part in content["parts"] if "functionCall" in part] for content in body["contents"])
    return [turn for turn in calls if turn]


def _said(response: Json) -> str:
    said: str = response["output"] if "output" in response else response["error"]
    return said
