"""Output schemas as outlines: the top level typed, what lies below named in a description.

Full nested schemas of all tools would cost a client tens of thousands of bytes before the first question. Outlines
are made from the answer models and kept in outlines.json, so that the server starts without building the models;
a test compares the two. Results are validated against the full models.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel

PATH = Path(__file__).with_name("outlines.json")

Schema = dict[str, Any]

# Not worth the bytes: the first is the same in every answer, the others count an enum that stands beside them.
_UNNAMED = frozenset({"cluster", "counts", "by_severity"})


def published() -> dict[str, Schema]:
    """The outline of each answer model, by its name."""
    outlines: dict[str, Schema] = json.loads(PATH.read_text(encoding="utf-8"))
    return outlines


def rendered() -> str:
    """What outlines.json must hold."""
    from kubegap_mcp.report import models  # noqa: PLC0415 (only the generator pays for building them)

    answers: tuple[type[BaseModel], ...] = (
        models.AuditAnswer,
        models.ContextsAnswer,
        models.GapAnswer,
        models.IncidentsAnswer,
        models.NodesAnswer,
        models.ThroughputAnswer,
        models.TopicAnswer,
    )
    outlines = {answer.__name__: outline(answer) for answer in answers}
    return json.dumps(outlines, ensure_ascii=False, indent=1) + "\n"


def outline(model: "type[BaseModel]") -> Schema:
    full = model.model_json_schema(by_alias=True)
    defs: Schema = full.get("$defs", {})
    return {
        "type": "object",
        "properties": {name: _outlined(name, field, defs) for name, field in full["properties"].items()},
    }


def _outlined(name: str, field: Schema, defs: Schema) -> Schema:
    options = [_resolved(option, defs) for option in field.get("anyOf", [field])]
    nullable = {"type": "null"} in options
    first = next(option for option in options if option != {"type": "null"})
    kind = first.get("type")
    result: Schema = {key: first[key] for key in ("const", "enum") if key in first} or {"type": kind}
    if nullable:
        result = {"type": [kind, "null"]}
    if kind == "array":
        result["items"] = {"type": _resolved(_richest(first["items"], defs), defs)["type"]}
    names = _names(first, defs)
    if names and name not in _UNNAMED:
        result["description"] = names
    return result


def _names(schema: Schema, defs: Schema) -> str:
    """The fields of an object or of an array's items, in one line: `id,findings[id,subject],gpus{free}`."""
    if schema.get("type") == "array":
        schema = _resolved(_richest(schema["items"], defs), defs)
    return ",".join(_named(name, field, defs) for name, field in schema.get("properties", {}).items())


def _named(name: str, field: Schema, defs: Schema) -> str:
    field = _resolved(_richest(field, defs), defs)
    inner = _names(field, defs)
    if field.get("type") == "array":
        return f"{name}[{inner}]"
    return f"{name}{{{inner}}}" if inner else name


def _richest(field: Schema, defs: Schema) -> Schema:
    """Of several shapes, the one with the most fields: a check with a gap carries what a clear one does, and more."""
    options = field.get("anyOf", [field])
    richest: Schema = max(options, key=lambda option: len(_resolved(option, defs).get("properties", {})))
    return richest


def _resolved(schema: Schema, defs: Schema) -> Schema:
    reference = schema.get("$ref")
    return defs[reference.removeprefix("#/$defs/")] if reference else schema
