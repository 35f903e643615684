"""The arguments of the tools; some clients drop defaults and bounds from schemas, so each description says them too."""

from typing import Annotated, Any, Literal

from pydantic import Field

from kubegap_mcp.server.topics import TopicName

MOST_GAPS = 50
MOST_ROWS = 100
_MOST_LETTERS = 500

Word = Annotated[str, Field(min_length=1, max_length=_MOST_LETTERS)]

Context = Annotated[Word | None, Field(description="kubeconfig context. Default: current.")]
Namespace = Annotated[Word | None, Field(description="Default: all.")]
Refresh = Annotated[bool, Field(description="Skip the 60 s cache. Default false.")]
Lang = Annotated[Literal["en", "ko"] | None, Field(description="Default: the server's.")]
Cursor = Annotated[Word | None, Field(description="next_cursor of the last page.")]


def _count(default: int, most: int) -> Any:  # noqa: ANN401 (as pydantic's Field itself)
    return Field(ge=1, le=most, description=f"1 to {most}, default {default}.")


Findings = Annotated[int, _count(3, MOST_ROWS)]
Gaps = Annotated[int, _count(15, MOST_GAPS)]
Nodes = Annotated[int, _count(20, MOST_ROWS)]
GapFindings = Annotated[int, _count(10, MOST_ROWS)]
Hits = Annotated[int, _count(5, MOST_ROWS)]

Topics = Annotated[list[TopicName] | None, Field(min_length=1, description="Default: all.")]
MinSeverity = Annotated[Literal["low", "medium", "high", "critical"] | None, Field(description="Default: all.")]
NodeVerdict = Annotated[Literal["ready", "not_ready", "unknown"] | None, Field(description="Default: all.")]
Product = Annotated[Word | None, Field(description="GPU product or part of its name.")]
Selector = Annotated[Word | None, Field(description="Node labels, as for kubectl -l.")]
GapId = Annotated[Word, Field(description="Check id, or finding id (with @).")]

Job = Annotated[Word | None, Field(description="Name or namespace/name. Default: the largest training run.")]
Metric = Annotated[Word | None, Field(description="Default: the trainer's, else what GPUs do.")]
Window = Annotated[Word | None, Field(description="1h to 7d until now. Default: 24h.")]
Expected = Annotated[float | None, Field(gt=0, allow_inf_nan=False, description="The level it should have.")]
Picture = Annotated[bool, Field(description="Show the curve too. Default false.")]

IncidentId = Annotated[Word | None, Field(description="Id or alias (IL-0129): whole record.")]
Query = Annotated[Word | None, Field(description="Words, English or Korean.")]
Symptom = Annotated[Word | None, Field(description="Id in facets.symptoms.")]
Component = Annotated[Word | None, Field(description="Id in facets.components.")]
Cause = Annotated[Word | None, Field(description="Id in facets.causes.")]
Organization = Annotated[Word | None, Field(description="Who published it.")]
Year = Annotated[int | None, Field(ge=1990, le=2100, description="Year it happened, else published.")]


# Published without: a title says nothing, and a string's bounds only keep nonsense out.
_UNPUBLISHED = frozenset({"title", "anyOf", "minLength", "maxLength", "minItems"})
# But a query is written freely, and whoever pastes a log into it should know where it ends.
_LENGTH_TOLD = {"query": {"maxLength": _MOST_LETTERS}}


def published(schema: dict[str, Any]) -> dict[str, Any]:
    """The input schema as clients get it: an optional argument without its null, and no argument but these."""
    properties = {
        name: _tidy(field) | _LENGTH_TOLD.get(name, {}) for name, field in schema.get("properties", {}).items()
    }
    required = {"required": schema["required"]} if schema.get("required") else {}
    return {"type": "object", "properties": properties, **required, "additionalProperties": False}


def _tidy(field: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in field.items() if key not in _UNPUBLISHED}
    if kept.get("default", 0) is None:
        del kept["default"]
    for option in field.get("anyOf", ()):
        if option != {"type": "null"}:
            kept = _tidy(option) | kept
    return kept
