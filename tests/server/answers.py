"""One small answer of each kind, with something in every list, so that each field is seen on its way."""

from kubegap_mcp.report.models import (
    AuditAnswer,
    BySeverity,
    CheckBrief,
    CheckFull,
    CheckPart,
    CitedIncident,
    CitePart,
    CitingCheck,
    ClosestIncident,
    ClusterPart,
    CoincidentPart,
    ContextPart,
    ContextsAnswer,
    Counts,
    Coverage,
    Fabric,
    FacetPart,
    Facets,
    FindingPart,
    GapAnswer,
    GapPart,
    GpuCounts,
    GpuTotals,
    Hit,
    IncidentsAnswer,
    NodePart,
    NodesAnswer,
    NodesSummary,
    Note,
    Omitted,
    RelatedIncident,
    SeriesPart,
    ShapePart,
    ThroughputAnswer,
    TopicAnswer,
    UnreadOf,
    UnreadPart,
)

CLUSTER = ClusterPart(context="lab", server_version="v1.36.1", source="live", read_at="2026-11-29T00:00:00Z", age_s=4)
NOTES = [Note(kind="partial", text="only namespace team-a seen: nothing is clear for the rest")]
FINDING = FindingPart(
    id="gpu_health.gpu_missing@0a1b2c3d",
    subject="Node/gpu-0003",
    says="7 of 8 GPUs",
    evidence={"status.capacity[nvidia.com/gpu]": 7},
    since="2026-11-28T10:00:00Z",
)
UNREAD = UnreadPart(what="pods", reason="forbidden", remedy="grant list on pods")
UNREAD_OF = UnreadOf(**UNREAD.model_dump(), checks=["gpu_health.gpu_missing"])
GPUS = GpuCounts(expected=8, capacity=7, allocatable=7, requested=0)

TOPIC = TopicAnswer(
    cluster=CLUSTER,
    topic="gpu_health",
    status="gap",
    summary="1 gap",
    counts=Counts(gap=1, clear=1),
    checks=[
        CheckFull(
            id="gpu_health.gpu_missing",
            status="gap",
            title="Fewer GPUs than expected",
            severity="high",
            confidence="certain",
            why="a job of eight ranks cannot start",
            fix="drain the node",
            findings_total=1,
            findings=[FINDING],
            unread=[UNREAD],
            incidents=[CitePart(id="2024-lab-lost-gpu", title="A lost GPU", because="same loss")],
        ),
        CheckBrief(id="gpu_health.node_not_ready", status="clear", title="Node not ready"),
    ],
    unread=[UNREAD_OF],
    omitted=Omitted(findings=2, how="ask again with a higher limit"),
    notes=NOTES,
)

AUDIT = AuditAnswer(
    cluster=CLUSTER,
    status="gap",
    summary="1 gap",
    counts=Counts(gap=1),
    by_severity=BySeverity(high=1),
    coverage=Coverage(evaluated=1, total=2, unread=[UNREAD_OF]),
    gaps=[
        GapPart(
            id="gpu_health.gpu_missing",
            severity="high",
            confidence="certain",
            title="Fewer GPUs than expected",
            findings_total=1,
            examples="1 node: gpu-0003",
            incidents=["2024-lab-lost-gpu"],
        )
    ],
    gaps_total=2,
    omitted=Omitted(findings=1, how="ask again with a higher limit"),
    closest_incidents=[ClosestIncident(id="2024-lab-lost-gpu", title="A lost GPU", holds=1, of=3, unknown=1)],
    notes=NOTES,
)

NODES = NodesAnswer(
    cluster=CLUSTER,
    summary=NodesSummary(
        nodes=1,
        ready=0,
        not_ready=1,
        unknown=0,
        gpus=GpuTotals(**GPUS.model_dump(), free=0),
        by_product={"H100": 1},
        by_instance_type={"p5.48xlarge": 1},
    ),
    nodes=[
        NodePart(
            name="gpu-0003",
            verdict="not_ready",
            reasons=["7 of 8 GPUs"],
            product="H100",
            instance_type="p5.48xlarge",
            gpus=GPUS,
            driver=None,
            fabric=Fabric(kind="efa", devices=32, expected=32),
            zone="a",
            topology=None,
        )
    ],
    total=2,
    next_cursor="WyJ4Il0",
    notes=NOTES,
)

GAP = GapAnswer(
    cluster=CLUSTER,
    check=CheckPart(
        id="gpu_health.gpu_missing",
        title="Fewer GPUs than expected",
        why="a job of eight ranks cannot start",
        fix="drain the node",
        severity="high",
        confidence="certain",
        verify=["kubectl get node gpu-0003 -o yaml"],
        needs=["nodes"],
        looks_like=["a node with MIG"],
    ),
    status="gap",
    findings=[FINDING],
    findings_total=1,
    next_cursor=None,
    unread=[UNREAD],
    incidents=[
        CitedIncident(id="2024-lab-lost-gpu", title="A lost GPU", what_happened="a GPU fell off", because="same")
    ],
    notes=NOTES,
)

THROUGHPUT = ThroughputAnswer(
    cluster=CLUSTER,
    series=SeriesPart(
        metric="tokens_per_second",
        job="ml/llm",
        window="2026-11-28T12:00:00Z/2026-11-29T12:00:00Z",
        points=288,
        coverage=1.0,
    ),
    shape=ShapePart(
        id="repeated_collapses",
        confidence="certain",
        since="2026-11-29T03:00:00Z",
        drop_percent=49.5,
        period_s=None,
    ),
    coincident=[
        CoincidentPart(signal="disk_read_latency", subject="Node/gpu-0003", onset_lag_s=0.0, score=0.93),
        CoincidentPart(signal="working_set", subject="Pod/ml/llm-worker-0", onset_lag_s=None, score=0.3),
    ],
    incidents=[CitePart(id="2024-lab-lost-gpu", title="A lost GPU", because="the same shape")],
    next=["look at the disks"],
    unread=[UNREAD],
    notes=NOTES,
    picture="0123456789ab",
)

INCIDENTS = IncidentsAnswer(
    hits=[
        Hit(
            id="2024-lab-lost-gpu",
            aliases=["IL-0129"],
            title="A lost GPU",
            organization="Lab",
            published="2024-05-01",
            symptoms=["crash"],
            components=["gpu"],
            gist="a GPU fell off the bus",
            matched=["title"],
        )
    ],
    total=1,
    next_cursor=None,
    facets=Facets(components=[FacetPart(id="gpu", name="GPU", count=1)], symptoms=[], causes=[]),
    record=None,
    related=[RelatedIncident(id="2023-lab-lost-nic", title="A lost NIC", cause="hardware")],
    checks=[CitingCheck(id="gpu_health.gpu_missing", title="Fewer GPUs than expected")],
    notes=[],
)

CONTEXTS = ContextsAnswer(contexts=[ContextPart(name="lab", current=True)], in_use="lab", source="kubeconfig", notes=[])
