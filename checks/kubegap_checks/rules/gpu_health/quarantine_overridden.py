"""A node that an agent took out of service may return by hand only once its fault is gone."""

from collections.abc import Iterator

from kubegap_checks.facts.nodes import ComputeDomain, Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.reports import Agents, Report, speaks_of
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.labels import Mark, marks
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    agents = Agents(facts)
    for node in facts.known(Node):
        override = next((mark for mark in marks(node) if mark.signal.topic == "override"), None)
        if override is None or node.unschedulable:
            continue
        for report in (*agents.reports(node, "gpu_health"), *agents.reports(node, "ib_health")):
            if isinstance(report, Unread):
                yield report
            elif report.severity.rank >= Severity.HIGH.rank and report.confidence is not Confidence.HINT:
                yield _overridden(node, override, report)


def _overridden(node: Node, override: Mark, report: Report) -> Finding:
    title = override.signal.title
    return Finding(
        subject=Subject("Node", node.name),
        key=report.key,
        says=Text(en=f"{title.en}, while {report.says.en}", ko=f"{title.ko}. 그런데 아직 {report.says.ko}"),
        evidence={f"metadata.annotations.{override.key}": override.value, **report.evidence},
        since=report.since,
        confidence=report.confidence,
    )


CHECK = Check(
    module=__name__,
    title=Text(
        en="A quarantined node was put back into service with its fault", ko="장애가 남은 채 서비스에 복귀한 격리 노드"
    ),
    why=Text(
        en="The agent does not take a node out again that a person put back, so every job that lands there meets the "
        "same fault.",
        ko="사람이 되돌린 노드는 에이전트가 다시 빼지 않으므로, 이 노드에 배치되는 작업마다 같은 장애를 만난다.",
    ),
    fix=Text(
        en="Cordon the node again, repair what the agent reports, and return it only after the report is gone and its "
        "GPUs passed a test.",
        ko="노드를 다시 cordon하고 에이전트가 보고한 장애를 수리한 뒤, 보고가 사라지고 GPU 점검을 통과했을 때만 "
        "복귀시킨다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(Node, ComputeDomain, ResourceSlice),
    cites=(
        Cite(
            incident="2023-huggingface-idefics80b-row-remap-loss-spikes",
            because=Text(
                en="a node with memory-remap errors came back into the job, and the loss diverged; there nothing had "
                "taken it out, here something had",
                ko="메모리 리매핑 오류를 낸 노드가 작업에 다시 들어왔고 손실이 발산했음. 그때는 격리 장치가 없었고, "
                "여기서는 격리된 노드를 되돌렸다는 점이 다름",
            ),
        ),
        Cite(
            incident="2026-pytorch-b200-nodes-unprovisioned",
            because=Text(
                en="nodes went back to service after a repair without a test and failed every job that landed on them",
                ko="수리한 노드가 점검 없이 서비스에 복귀해, 배정된 작업을 모두 실패시켰음",
            ),
        ),
    ),
    verify=("kubectl describe node NODE",),
    looks_like=(
        Text(
            en="an annotation that stayed on a node whose fault is gone",
            ko="장애가 해소된 뒤에도 노드에 남아 있는 어노테이션",
        ),
        Text(en="a node that is cordoned again", ko="다시 cordon한 노드"),
        Text(en="a report that is a known false positive", ko="알려진 오탐 보고"),
    ),
    find=find,
    applies=lambda facts: speaks_of(facts.known(Node), "override"),
)
