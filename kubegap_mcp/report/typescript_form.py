"""A tool as Codex declares it to a model that writes code: TypeScript, with descriptions as comments."""

import json
from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

_NAMES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def declared(tool: Mapping[str, Any], instructions: str) -> str:
    """What ALL_TOOLS says of the tool: its description, the server's instructions, and the types."""
    arguments, answer = _type(tool["inputSchema"]), _type(tool["outputSchema"])
    call = f"mcp__kubegap__{tool['name']}(args: {arguments}): Promise<CallToolResult<{answer}>>;"
    types = f"```ts\ndeclare const tools: {{ {call} }};\n```"
    return "\n\n".join((tool["description"], instructions, f"exec tool declaration:\n{types}"))


def _type(schema: Schema) -> str:
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(_type(option) for option in schema["anyOf"])
    kind: str | list[str] = schema["type"]
    if isinstance(kind, list):
        return " | ".join(_type({**schema, "type": one}) for one in kind)
    if kind == "array":
        return f"Array<{_type(schema['items'])}>"
    return _NAMES.get(kind) or _object(schema)


def _object(schema: Schema) -> str:
    fields: Mapping[str, Schema] = schema.get("properties", {})
    if not fields:
        return "{ [key: string]: unknown; }"
    lines: list[str] = []
    for name in sorted(fields):
        if said := fields[name].get("description"):
            lines.append(f"  // {said}")
        optional = "" if name in schema.get("required", ()) else "?"
        lines.append(f"  {name}{optional}: {_type(fields[name])};")
    return "\n".join(("{", *lines, "}"))
