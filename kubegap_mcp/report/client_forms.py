"""In which form each client shows a tool's definition and its answer to the model.

Read off the requests that the real clients send, and held to them: tests/agents compares every tool's. A client that
changes its form fails there.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kubegap_checks.text import Text
from kubegap_mcp.report.typescript_form import declared

Json = dict[str, Any]

# All that Codex keeps of a JSON schema: no default, no bound, no pattern.
_KEPT_BY_CODEX = {"additionalProperties", "anyOf", "description", "enum", "items", "properties", "required", "type"}
_WAIT = (
    "Set to true to wait for all previously requested tools in this turn to complete before starting. Set to false (or "
    "omit) to run in parallel. Use true when this tool depends on the output of previous tools."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientForm:
    """`definition` takes a tool as tools/list has it and the instructions; `answer` both channels of a result.

    `page` is the name of its page under docs/clients/; `version` the program that was looked at.
    """

    client: str
    page: str
    version: str
    remark: Text
    definition: Callable[[Mapping[str, Any], str], Json | str]
    answer: Callable[[Mapping[str, Any], str], str]


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _for_claude_code(tool: Mapping[str, Any], _: str) -> Json:
    return {
        "name": f"mcp__kubegap__{tool['name']}",
        "description": tool["description"],
        "input_schema": tool["inputSchema"],
    }


def _for_codex(tool: Mapping[str, Any], _: str) -> Json:
    return {
        "type": "function",
        "name": tool["name"],
        "description": tool["description"],
        "strict": False,
        "parameters": _stripped(tool["inputSchema"]),
    }


def _stripped(schema: Mapping[str, Any]) -> Json:
    kept = {key: value for key, value in schema.items() if key in _KEPT_BY_CODEX}
    if "properties" in kept:
        kept["properties"] = {name: _stripped(kept["properties"][name]) for name in sorted(kept["properties"])}
    return kept


def _for_gemini(tool: Mapping[str, Any], _: str) -> Json:
    schema = tool["inputSchema"]
    own = {"wait_for_previous": {"type": "boolean", "description": _WAIT}}
    return {
        "name": f"mcp_kubegap_{tool['name']}",
        "description": tool["description"],
        "parametersJsonSchema": {**schema, "properties": {**schema["properties"], **own}},
    }


CLAUDE_CODE = ClientForm(
    client="Claude Code",
    page="claude-code",
    version="2.1.332",
    remark=Text(
        en="Until it has searched for a tool, the model sees the tool's name only; the instructions it sees from the "
        "start. Of an answer it gets the structured half. Titles, outlines of answers and annotations it never gets.",
        ko="모델은 도구를 검색하기 전에는 이름만, 서버 안내문은 처음부터 봄. 답에서는 구조화된 쪽만 받음. "
        "제목, 답의 개요, 주석은 받지 않음.",
    ),
    definition=_for_claude_code,
    answer=lambda structured, _: compact(structured),
)
CODEX = ClientForm(
    client="Codex",
    page="codex",
    version="0.171.0",
    remark=Text(
        en="The tools stand in a namespace, `mcp__kubegap`, whose description is the instructions. Defaults and bounds "
        "are lost but for what descriptions say. Of an answer it gets the structured half, after the seconds it took.",
        ko="도구는 `mcp__kubegap` 네임스페이스에 있고 그 설명이 서버 안내문임. 기본값과 범위는 설명에 적힌 것만 남음. "
        "답에서는 걸린 시간 뒤에 구조화된 쪽만 받음.",
    ),
    definition=_for_codex,
    answer=lambda structured, _: f"Wall time: 0.5000 seconds\nOutput:\n{compact(structured)}",
)
CODEX_CODE = ClientForm(
    client="Codex in code mode",
    page="codex-code",
    version="0.171.0",
    remark=Text(
        en="For models that call tools from scripts (gpt-6.2-sol). At first they see the first line of the "
        "instructions; a script finds each tool in `ALL_TOOLS`, as it stands here. Of an answer the script gets both "
        "halves, and here it prints the structured one; of an error the sentence.",
        ko="스크립트로 도구를 부르는 모델용(gpt-6.2-sol). 처음에는 서버 안내문의 첫 줄만 보이고, 스크립트로 "
        "`ALL_TOOLS`에서 여기 적힌 대로의 도구를 찾음. 스크립트는 답의 두 쪽을 다 받으며 여기서는 구조화된 쪽을, "
        "오류는 그 문장을 출력함.",
    ),
    definition=declared,
    answer=lambda structured, _: compact(structured),
)
GEMINI_CLI = ClientForm(
    client="Gemini CLI",
    page="gemini-cli",
    version="0.61.0",
    remark=Text(
        en="All tools are defined from the start, with an argument of its own each. Of an answer it gets the text.",
        ko="모든 도구가 처음부터 정의되고, 저마다 Gemini의 인자가 하나 더 붙음. 답에서는 글 쪽을 받음.",
    ),
    definition=_for_gemini,
    answer=lambda _, text: f"<untrusted_context>\n{text}\n</untrusted_context>",
)
CLIENTS = (CLAUDE_CODE, CODEX, CODEX_CODE, GEMINI_CLI)
