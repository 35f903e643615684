"""What each client shows the model, tool by tool and to the byte: a page per client, and one that compares them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kubegap_checks.text import Lang, Text
from kubegap_mcp.report.client_forms import CLIENTS, ClientForm, compact
from kubegap_mcp.report.markdown import made_from, table

SOURCE = "kubegap_mcp/report/client_forms.py"
# Answers about the demo cluster; to each call the first that a model would think of.
EXAMPLES: Mapping[str, Mapping[str, str]] = {
    "explain_gap": {"id": "gpu_health.gpu_missing"},
    "lookup_incident": {"query": "weka s3 eviction"},
}

Definition = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One tool, a call of it, and both channels of its answer; an error has no structured one."""

    tool: Definition
    arguments: Mapping[str, str]
    structured: Mapping[str, Any] | None
    text: str


def pages(instructions: str, examples: Sequence[Example]) -> dict[str, str]:
    """By path under docs/."""
    made = {f"clients/{form.page}.md": _page(form, instructions, examples) for form in CLIENTS}
    for lang in ("en", "ko"):
        name = "README.ko.md" if lang == "ko" else "README.md"
        made[f"clients/{name}"] = _sizes(instructions, examples, lang)
    return made


def _page(form: ClientForm, instructions: str, examples: Sequence[Example]) -> str:
    lines = [made_from(SOURCE), "", f"# What {form.client} shows the model", ""]
    lines += [f"{form.client} {form.version}, to the byte. {form.remark.en}"]
    lines += ["The cluster is the packaged one (`kubegap serve --demo`); its age is left out.", ""]
    lines += _block(f"## Instructions, {_bytes(instructions)} bytes", instructions)
    for example in examples:
        definition, answer = _shown(form, instructions, example)
        lines += ["", f"## {example.tool['name']}", ""]
        lines += _block(f"Definition, {_bytes(definition)} bytes:", definition)
        lines += [""]
        lines += _block(f"Answer to `{compact(example.arguments)}`, {_bytes(answer)} bytes:", answer)
    return "\n".join(lines) + "\n"


def _block(head: str, text: str) -> list[str]:
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return [head, "", f"{fence}text", text, fence]


_TITLE = Text(en="What the model receives", ko="모델이 받는 것")
_SAYS = Text(
    en="Bytes of each tool's definition and of one answer about the demo cluster, as the client writes them into the "
    "model's input. `make agents` holds every one of them to what the real clients send. The client's name leads to "
    "its page with the whole texts; what else differs between clients stands in "
    "[the guide](../guides/what-the-model-receives.md).",
    ko="클라이언트가 모델의 입력에 적는 그대로, 도구마다 정의와 데모 클러스터에 대한 답 하나의 바이트 수입니다. 모두 "
    "`make agents`가 실제 클라이언트가 보내는 것과 견줍니다. 클라이언트 이름을 누르면 글 전체가 있는 페이지로 갑니다. "
    "클라이언트마다 다른 그 밖의 점은 [안내](../guides/what-the-model-receives.ko.md)에 있습니다.",
)
_TOOL = Text(en="tool", ko="도구")
_DEFINITION = Text(en="definition", ko="정의")
_ANSWER = Text(en="answer", ko="답")
_ALL = Text(en="all", ko="모두")
_TOLD = Text(
    en="The instructions take {instructions} bytes; with the names and descriptions of all tools, {told}.",
    ko="서버 안내문은 {instructions}바이트이고, 모든 도구의 이름과 설명을 더하면 {told}바이트입니다.",
)


def _sizes(instructions: str, examples: Sequence[Example], lang: Lang) -> str:
    words = [instructions, *(example.tool[key] for example in examples for key in ("name", "description"))]
    told = _TOLD.of(lang).format(instructions=_bytes(instructions), told=sum(map(_bytes, words)))
    lines = [made_from(SOURCE), "", f"# {_TITLE.of(lang)}", "", _SAYS.of(lang), "", told, ""]
    links = ", ".join(f"[{form.client} {form.version}]({form.page}.md)" for form in CLIENTS)
    lines += [links, ""]
    rows = [
        [example.tool["name"], *(_bytes(text) for form in CLIENTS for text in _shown(form, instructions, example))]
        for example in examples
    ]
    total = [_ALL.of(lang), *(sum(row[place] for row in rows) for place in range(1, 1 + 2 * len(CLIENTS)))]
    heads = [f"{form.client}, {word.of(lang)}" for form in CLIENTS for word in (_DEFINITION, _ANSWER)]
    lines += table([_TOOL.of(lang), *heads], [*rows, total])
    return "\n".join(lines) + "\n"


def _shown(form: ClientForm, instructions: str, example: Example) -> tuple[str, str]:
    """Definition and answer; the age of the packaged cluster grows with every second, and is left out."""
    defined = form.definition(example.tool, instructions)
    definition = defined if isinstance(defined, str) else compact(defined)
    if example.structured is None:
        return definition, example.text
    answer = form.answer(example.structured, example.text)
    return definition, re.sub(r'"age_s":\d+', '"age_s":0', answer)


def _bytes(text: str) -> int:
    return len(text.encode())
