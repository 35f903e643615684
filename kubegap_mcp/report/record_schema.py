"""The JSON Schema of a record's file, for editors and for those who take the records elsewhere."""

import json

from kubegap_incidents.record import Incident
from kubegap_incidents.vocabulary import Listing, vocabulary

# Where a record names terms of the vocabulary; the closed list stands in the schema, so that editors offer it.
_TERMS: dict[str, Listing] = {"symptoms": "symptoms", "components": "components", "same_cause": "groups"}


def render() -> str:
    """Without `id`: it is the file's name."""
    schema = Incident.model_json_schema(by_alias=True)
    properties = schema["properties"]
    del properties["id"]
    schema["required"].remove("id")
    for field, listing in _TERMS.items():
        properties[field]["items"] = {"enum": list(vocabulary().terms(listing))}
    properties["trigger_class"] = {"enum": list(vocabulary().terms("triggers"))}
    schema["$defs"]["Cause"]["properties"]["class"] = {"enum": list(vocabulary().terms("causes"))}
    # A figure is text to kubegap (`401`, `2 GPUs`); other YAML readers take the first for a number.
    schema["$defs"]["Figure"]["properties"]["value"] = {"type": ["string", "number"]}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "kubegap incident record"}
    return json.dumps(head | {key: value for key, value in schema.items() if key != "title"}, indent=2) + "\n"
