"""The JSON Schema of a record's file, for editors and for those who take the records elsewhere."""

import json
from typing import Any

from kubegap_incidents.record import Incident
from kubegap_incidents.vocabulary import Listing, vocabulary
from kubegap_mcp.report.markdown import MADE

# Where a record names terms of the vocabulary; the closed list stands in the schema, so that editors offer it.
_TERMS: dict[str, Listing] = {"symptoms": "symptoms", "components": "components", "same_cause": "groups"}

# A name for ever; under the project's own URL, where the file is.
_ID = "https://github.com/kubegap/kubegap/raw/HEAD/docs/incident.schema.json"


def render() -> str:
    """For a record's file and for an exported line, which alone has an `id`: a file has it as its name."""
    schema = Incident.model_json_schema(by_alias=True)
    properties = schema["properties"]
    properties["id"] |= {"readOnly": True, "description": "in exported lines; a file has it as its name"}
    schema["required"].remove("id")
    for part in (schema, *schema["$defs"].values()):
        _without_empty(part["properties"])
    for field, listing in _TERMS.items():
        properties[field]["items"] = {"enum": list(vocabulary().terms(listing))}
    for field in ("aliases", *_TERMS):
        properties[field]["uniqueItems"] = True
    properties["trigger_class"] = {"enum": list(vocabulary().terms("triggers"))}
    schema["$defs"]["Cause"]["properties"]["class"] = {"enum": list(vocabulary().terms("causes"))}
    # A figure is text to kubegap (`401`, `2 GPUs`); other YAML readers take the first for a number.
    schema["$defs"]["Figure"]["properties"]["value"] = {
        "anyOf": [{"type": ["string", "number"]}, {"$ref": "#/$defs/Text"}]
    }
    del schema["$defs"]["Value"]
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": _ID,
        "$comment": f"{MADE} incident_library/kubegap_incidents/record.py",
        "title": "kubegap incident record",
    }
    return json.dumps(head | {key: value for key, value in schema.items() if key != "title"}, indent=2) + "\n"


def _without_empty(properties: dict[str, Any]) -> None:
    """An absent part is absent, neither null nor an empty list."""
    for name, form in properties.items():
        if "default" in form:
            del form["default"]
            properties[name] = next((kind for kind in form.get("anyOf", ()) if kind != {"type": "null"}), form)
