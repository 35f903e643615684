"""The pages of docs/ that are made from checks, incidents and tools, so that nothing is written twice."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from kubegap_checks import catalog
from kubegap_checks.model import Check
from kubegap_checks.text import Lang, Text
from kubegap_incidents.library import Library
from kubegap_incidents.library import load as load_library
from kubegap_mcp.app import Kubegap
from kubegap_mcp.report import incident_docs, record_schema
from kubegap_mcp.report.markdown import MADE, cell, linked_table, made_from, prose, table
from kubegap_mcp.report.pages import check_page
from kubegap_mcp.report.words import SEVERITY
from kubegap_mcp.server import definitions
from kubegap_mcp.settings import Settings

Schema = Mapping[str, Any]

_CHECKS = "checks/kubegap_checks/rules"
_TOOLS = "kubegap_mcp/server"


def render() -> dict[str, str]:
    """Every page by its path under docs/; the same sources always give the same text."""
    checks, library = catalog.load(), load_library(datetime.now(UTC).date())
    return {
        "checks.md": checks_page(checks, library, "en"),
        "checks.ko.md": checks_page(checks, library, "ko"),
        **incident_docs.pages(library, checks),
        "incident.schema.json": record_schema.render(),
        "tools.md": tools_page(definitions()),
        "rbac.yaml": f"# {MADE} {_CHECKS}\n" + Kubegap(Settings()).rbac(),
    }


def is_current(path: Path, text: str) -> bool:
    """Whether the file holds this text, whatever line ends a checkout gave it."""
    try:
        return path.read_text(encoding="utf-8") == text
    except (FileNotFoundError, UnicodeDecodeError):
        return False


def checks_page(checks: Sequence[Check], library: Library, lang: Lang) -> str:
    """An index, then a section for each check, by topic; checks come sorted by id."""
    intro = Text(
        en=f"{len(checks)} checks. Each one says what hurt someone's training or serving before, how it is found and "
        "what looks like it and is not reported.",
        ko=f"점검 {len(checks)}건. 점검마다 예전에 누군가의 학습이나 서빙을 멈추게 한 일이 무엇인지, 어떻게 찾는지, "
        "비슷해 보여도 보고하지 않는 것은 무엇인지 적어 둔다.",
    )
    head = [Text(en="check", ko="점검"), Text(en="severity", ko="심각도"), Text(en="gap", ko="틈")]
    rows = [[_link(check.id), SEVERITY[check.severity].of(lang), cell(check.title.of(lang))] for check in checks]
    lines = [made_from(_CHECKS), "", f"# {Text(en='Checks', ko='점검').of(lang)}", "", intro.of(lang), ""]
    lines += linked_table([text.of(lang) for text in head], rows)
    for topic, members in groupby(checks, key=lambda check: check.topic):
        lines += ["", f"## {topic}", "", Text(en=f"Tool: `check_{topic}`", ko=f"도구: `check_{topic}`").of(lang)]
        for check in members:
            lines += ["", _anchor(check.id), "", check_page(check, library, lang, level=3).rstrip()]
    return "\n".join(lines) + "\n"


def tools_page(tools: Sequence[Schema]) -> str:
    """What a client is told about each tool: when to use it, what it takes, what it answers."""
    lines = [made_from(_TOOLS), "", "# Tools", ""]
    lines += [f"{len(tools)} tools. All of them only read, and may be asked again at will."]
    for tool in tools:
        lines += ["", f"## {tool['name']}", "", prose(tool["description"]), "", "Takes:", ""]
        taken = tool["inputSchema"]
        required = taken.get("required", ())
        rows = [
            (name, _type(field), _default(field, required=name in required), _bounds(field), field["description"])
            for name, field in taken["properties"].items()
        ]
        lines += table(["argument", "type", "default", "bounds", "meaning"], rows)
        lines += ["", "Answers:", ""]
        answered = tool["outputSchema"]["properties"]
        lines += table(
            ["field", "type", "holds"],
            [(name, _type(field), field.get("description", "")) for name, field in answered.items()],
        )
    return "\n".join(lines) + "\n"


def _type(field: Schema) -> str:
    if "const" in field:
        return str(field["const"])
    if field.get("type") == "array":
        return f"array of {_type(field['items'])}"
    if "enum" in field:
        return ", ".join(map(str, field["enum"]))
    kind = field.get("type", "")
    return kind if isinstance(kind, str) else " or ".join(kind)


def _default(field: Schema, *, required: bool) -> str:
    if required:
        return "required"
    default = field.get("default")
    return "" if default is None else str(default).lower() if isinstance(default, bool) else str(default)


def _bounds(field: Schema) -> str:
    if "minimum" in field and "maximum" in field:
        return f"{field['minimum']} to {field['maximum']}"
    if "maxLength" in field:
        return f"at most {field['maxLength']} characters"
    return ""


def _anchor(name: str) -> str:
    """A place to link to that is the same in both languages; headings would give another in each."""
    return f'<a id="{name}"></a>'


def _link(name: str) -> str:
    return f"[`{name}`](#{name})"
