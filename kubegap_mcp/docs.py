"""The pages of docs/ that are made from checks, incidents and tools, so that nothing is written twice."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kubegap_checks import catalog
from kubegap_incidents.library import load as load_library
from kubegap_mcp.app import Kubegap
from kubegap_mcp.report import check_docs, client_docs, incident_docs, metric_docs, record_schema
from kubegap_mcp.report.markdown import MADE, made_from, prose, table
from kubegap_mcp.server import INSTRUCTIONS, answers, definitions
from kubegap_mcp.settings import Settings

Schema = Mapping[str, Any]

_TOOLS = "kubegap_mcp/server"


def render() -> dict[str, str]:
    """Every page by its path under docs/; the same sources always give the same text."""
    checks, library = catalog.load(), load_library(datetime.now(UTC).date())
    return {
        **check_docs.pages(library, checks),
        **incident_docs.pages(library, checks),
        **metric_docs.pages(checks),
        "incident.schema.json": record_schema.render(),
        **client_docs.pages(INSTRUCTIONS, _examples()),
        "tools.md": tools_page(definitions()),
        "rbac.yaml": f"# {MADE} {check_docs.SOURCE}\n" + Kubegap(Settings()).rbac(),
    }


def _examples() -> list[client_docs.Example]:
    return [
        client_docs.Example(
            tool=tool,
            arguments=client_docs.EXAMPLES.get(tool["name"], {}),
            structured=structured,
            text=text,
        )
        for tool, (structured, text) in zip(definitions(), answers(client_docs.EXAMPLES), strict=True)
    ]


def outlived(folder: Path, pages: Mapping[str, str]) -> list[Path]:
    """Pages that were made from what is no longer there, so that no check or incident is told that is gone."""
    kept = {folder / name for name in pages}
    return sorted(path for path in folder.rglob("*.md") if path not in kept and _made(path))


def _made(path: Path) -> bool:
    with path.open(encoding="utf-8", errors="replace") as file:
        return MADE in file.readline()


def is_current(path: Path, text: str) -> bool:
    """Whether the file holds this text, whatever line ends a checkout gave it."""
    try:
        return path.read_text(encoding="utf-8") == text
    except (FileNotFoundError, UnicodeDecodeError):
        return False


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
