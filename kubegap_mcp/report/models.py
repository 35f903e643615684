"""The answers, field by field, as clients and scripts rest on them; a change here is a change of contract."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer
from pydantic.json_schema import SkipJsonSchema

from kubegap_checks.facts.read import Reason
from kubegap_checks.model import Status
from kubegap_checks.throughput.kinds import ShapeId

StatusName = Status
SeverityName = Literal["low", "medium", "high", "critical"]
ConfidenceName = Literal["hint", "likely", "certain"]
Seen = str | int | float | bool | None


class Part(BaseModel):
    # Models are built when the first answer is, not when the server starts.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Note(Part):
    kind: Literal["silenced", "threshold", "left_out", "partial", "demo"]
    text: str
    id: str | None = None

    @model_serializer(mode="wrap")
    def _without_empty_id(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {key: value for key, value in handler(self).items() if key != "id" or value is not None}


class Answer(Part):
    schema_: Literal[1] = Field(default=1, alias="schema")


class ClusterPart(Part):
    context: str
    server_version: str | None
    source: Literal["live", "snapshot", "demo"]
    read_at: str
    age_s: int


class ClusterAnswer(Answer):
    cluster: ClusterPart


class Counts(Part):
    """`silenced` is there where something is: scripts that know of no silences see the four that they know."""

    gap: int = 0
    clear: int = 0
    unknown: int = 0
    not_applicable: int = 0
    silenced: int = 0

    @model_serializer(mode="wrap")
    def _without_no_silence(self, handler: SerializerFunctionWrapHandler) -> dict[str, int]:
        return {key: value for key, value in handler(self).items() if key != "silenced" or value}


class UnreadPart(Part):
    what: str
    reason: Reason
    remedy: str


class UnreadOf(UnreadPart):
    checks: list[str]


class FindingPart(Part):
    id: str
    subject: str
    says: str
    evidence: dict[str, Seen]
    since: str | None


class CitePart(Part):
    id: str
    title: str
    because: str


class CheckBrief(Part):
    """All that a clear, silenced or not applicable check carries."""

    id: str
    status: StatusName
    title: str


class CheckFull(CheckBrief):
    severity: SeverityName
    confidence: ConfidenceName
    why: str
    fix: str
    findings_total: int
    findings: list[FindingPart]
    unread: list[UnreadPart]
    incidents: list[CitePart]


class Omitted(Part):
    findings: int
    how: str


class TopicAnswer(ClusterAnswer):
    topic: str
    status: StatusName
    summary: str
    counts: Counts
    checks: list[CheckFull | CheckBrief]
    unread: list[UnreadOf]
    omitted: Omitted | None
    notes: list[Note]


class BySeverity(Part):
    critical: int = 0
    high: int = 0
    medium: int = 0
    low: int = 0


class Coverage(Part):
    evaluated: int
    total: int
    unread: list[UnreadOf]
    # Unknown for want of any source of metrics alone; for who has to decide whether enough was seen, not for clients.
    lacking_metrics: SkipJsonSchema[int] = Field(default=0, exclude=True)


class GapPart(Part):
    id: str
    severity: SeverityName
    confidence: ConfidenceName
    title: str
    findings_total: int
    examples: str
    incidents: list[str]


class ClosestIncident(Part):
    id: str
    title: str
    holds: int
    of: int
    unknown: int


class AuditAnswer(ClusterAnswer):
    status: StatusName
    summary: str
    counts: Counts
    by_severity: BySeverity
    coverage: Coverage
    gaps: list[GapPart]
    gaps_total: int
    # Ids of critical and high gaps for which `gaps` has no room, by severity; there where there are any.
    also: dict[SeverityName, list[str]] = Field(default_factory=dict[SeverityName, list[str]])
    omitted: Omitted | None
    closest_incidents: list[ClosestIncident]
    notes: list[Note]

    @model_serializer(mode="wrap")
    def _without_empty_also(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {key: value for key, value in handler(self).items() if key != "also" or value}


class GpuCounts(Part):
    expected: int | None
    capacity: int | None
    allocatable: int | None
    requested: int | None


class GpuTotals(GpuCounts):
    free: int | None


class Fabric(Part):
    kind: Literal["infiniband", "roce", "efa", "gpudirect_tcpx", "none", "unknown"]
    devices: int | None
    expected: int | None


class NodePart(Part):
    name: str
    verdict: Literal["ready", "not_ready", "unknown"]
    reasons: list[str]
    product: str | None
    instance_type: str | None
    gpus: GpuCounts
    driver: str | None
    fabric: Fabric
    zone: str | None
    topology: str | None


class NodesSummary(Part):
    nodes: int
    ready: int
    not_ready: int
    unknown: int
    gpus: GpuTotals
    by_product: dict[str, int]
    by_instance_type: dict[str, int]


class NodesAnswer(ClusterAnswer):
    summary: NodesSummary
    nodes: list[NodePart]
    total: int
    next_cursor: str | None
    notes: list[Note]


class CheckPart(Part):
    id: str
    title: str
    why: str
    fix: str
    severity: SeverityName
    confidence: ConfidenceName
    verify: list[str]
    needs: list[str]
    looks_like: list[str]


class CitedIncident(Part):
    id: str
    title: str
    what_happened: str
    because: str


class GapAnswer(ClusterAnswer):
    check: CheckPart
    status: StatusName
    findings: list[FindingPart]
    findings_total: int
    next_cursor: str | None
    unread: list[UnreadPart]
    incidents: list[CitedIncident]
    notes: list[Note]


class Hit(Part):
    id: str
    aliases: list[str]
    title: str
    organization: str
    published: str | None
    symptoms: list[str]
    components: list[str]
    gist: str
    matched: list[str]


class FacetPart(Part):
    id: str
    name: str
    count: int


class Facets(Part):
    components: list[FacetPart]
    symptoms: list[FacetPart]
    causes: list[FacetPart]


class RelatedIncident(Part):
    id: str
    title: str
    cause: str


class CitingCheck(Part):
    id: str
    title: str


class IncidentsAnswer(Answer):
    hits: list[Hit]
    total: int
    next_cursor: str | None
    facets: Facets
    # The whole record in one language; its fields are the record schema's (incident_library/README.md).
    record: dict[str, Any] | None
    related: list[RelatedIncident]
    checks: list[CitingCheck]
    notes: list[Note]


class SeriesPart(Part):
    """`window` is an ISO 8601 interval; `coverage` is the share of its points that have a sample, 0 to 1."""

    metric: str
    job: str | None
    window: str
    points: int
    coverage: float


class ShapePart(Part):
    id: ShapeId
    confidence: ConfidenceName
    since: str | None
    drop_percent: float | None
    period_s: float | None


class CoincidentPart(Part):
    """`onset_lag_s` is the signal's time minus the throughput's; the score, 0 to 1, says how well both coincide."""

    signal: str
    subject: str
    onset_lag_s: float | None
    score: float


class ThroughputAnswer(ClusterAnswer):
    series: SeriesPart
    shape: ShapePart
    coincident: list[CoincidentPart]
    incidents: list[CitePart]
    next: list[str]
    unread: list[UnreadPart]
    notes: list[Note]
    # How many of the notes, the first ones, say what the shape leaves open: the text puts them beside it.
    doubts: SkipJsonSchema[int] = Field(default=0, exclude=True)
    # The id of the picture, for who shows it beside the answer; clients are told its address in a note.
    picture: SkipJsonSchema[str] = Field(default="", exclude=True)


class ContextPart(Part):
    name: str
    current: bool


class ContextsAnswer(Answer):
    contexts: list[ContextPart]
    in_use: str | None
    source: Literal["kubeconfig", "in_cluster", "snapshot", "demo", "none"]
    notes: list[Note]
