"""A training run may not go on with a device that the kubelet or a health agent calls faulty."""

from collections.abc import Iterator

from kubegap_checks.facts.nodes import ComputeDomain, Node, ResourceSlice
from kubegap_checks.facts.pods import DeviceHealth, Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.reports import Agents, Report
from kubegap_checks.inventory.sources import examples, read_or_unread
from kubegap_checks.inventory.training import TrainingRun, devices, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.signals.accelerators import is_accelerator
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    rows, no_nodes = read_or_unread(facts, Node)
    yield from no_nodes
    nodes, agents = {node.name: node for node in rows}, Agents(facts)
    for run in training_runs(facts):
        if held := [(pod, device) for pod in run.pods for device in _unhealthy(pod)]:
            yield _holds(run, held)
        places = [(pod, nodes[pod.node]) for pod in run.pods if pod.node in nodes]
        reported = [(pod, report) for pod, node in places for report in agents.reports(node, "gpu_health")]
        yield from (report for _, report in reported if isinstance(report, Unread))
        if faults := [(pod, report) for pod, report in reported if isinstance(report, Report) and _serious(report)]:
            yield _beside(run, faults)


def _serious(report: Report) -> bool:
    return report.severity.rank >= Severity.HIGH.rank and report.confidence is not Confidence.HINT


def _unhealthy(pod: Pod) -> Iterator[DeviceHealth]:
    for device in (device for container in pod.containers for device in container.devices):
        if device.health == "Unhealthy" and (is_accelerator(device.resource) or device.resource.startswith("claim:")):
            yield device


def _holds(run: TrainingRun, held: list[tuple[Pod, DeviceHealth]]) -> Finding:
    pod, device = held[0]
    nodes = examples(pod.node for pod, _ in held)
    path = f"Pod[{pod.namespace}/{pod.name}].status.containerStatuses.allocatedResourcesStatus[{device.resource}]"
    return Finding(
        subject=run.subject,
        key="device",
        says=Text(
            en=f"the kubelet reports devices that its pods hold as unhealthy, on {nodes.en}",
            ko=f"{nodes.ko}에서 파드가 쓰는 디바이스를 kubelet이 Unhealthy로 보고함",
        ),
        evidence={f"{path}.{device.id}.health": device.health, run.sign.path: run.sign.value},
        confidence=run.sign.confidence,
    )


def _beside(run: TrainingRun, faults: list[tuple[Pod, Report]]) -> Finding:
    nodes = examples(pod.node for pod, _ in faults)
    report = faults[0][1]
    sure = Confidence.LIKELY if any(_holds_all(pod, report.node) for pod, report in faults) else Confidence.HINT
    return Finding(
        subject=run.subject,
        key="node",
        says=Text(
            en=f"its pods run on {nodes.en}, where {report.says.en}",
            ko=f"파드가 {nodes.ko}에서 실행 중인데 {report.says.ko}",
        ),
        evidence={f"Node[{report.node.name}].{path}": seen for path, seen in report.evidence.items()}
        | {run.sign.path: run.sign.value},
        since=report.since,
        confidence=run.sign.confidence.at_most(sure),
    )


def _holds_all(pod: Pod, node: Node) -> bool:
    """Whether the faulty device must be one of the pod's."""
    return devices(pod) >= sum(count for name, count in (node.capacity or {}).items() if is_accelerator(name)) > 0


CHECK = Check(
    module=__name__,
    title=Text(en="A training run goes on with a faulty device", ko="고장 난 디바이스로 계속 실행 중인 학습 작업"),
    why=Text(
        en="An unhealthy mark only keeps new pods away: the run goes on until a collective times out.",
        ko="비정상 표시는 새 파드만 막으므로, 학습은 집합 통신이 타임아웃될 때까지 그대로 돈다.",
    ),
    fix=Text(
        en="Confirm the fault on the node, then let the run save a checkpoint and restart it without that node.",
        ko="노드에서 장애를 확인하고, 체크포인트를 저장한 뒤 해당 노드를 빼고 작업을 다시 시작한다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(Pod, Node, ComputeDomain, ResourceSlice),
    cites=(
        Cite(
            incident="2021-nvidia-gpu-unhealthy-forever",
            because=Text(
                en="a pod that already held the device was neither told nor moved, so training could go on with it",
                ko="이미 그 GPU를 쓰던 파드는 알림도 받지 않고 옮겨지지도 않아 학습이 계속될 수 있었음",
            ),
        ),
        Cite(
            incident="2025-ncsa-delta-gpu-resilience",
            because=Text(
                en="an error that the GPU reported often ended the job on it; a Slurm cluster",
                ko="GPU가 보고한 오류는 그 GPU에서 돌던 작업의 종료로 이어지는 일이 많았음. Slurm 클러스터",
            ),
        ),
    ),
    verify=("kubectl -n NAMESPACE get pod POD -o jsonpath='{.status.containerStatuses[*].allocatedResourcesStatus}'",),
    looks_like=(
        Text(en="a device whose health is Unknown", ko="상태가 Unknown인 디바이스"),
        Text(en="a fault that is a known false positive, or not serious", ko="알려진 오탐이거나 심각하지 않은 장애"),
        Text(
            en="a pod that may hold another GPU of the node, reported as a hint only",
            ko="노드의 다른 GPU를 쓸 수도 있는 파드, 참고로만 보고함",
        ),
    ),
    find=find,
    applies=lambda facts: any(True for _ in training_runs(facts)),
)
