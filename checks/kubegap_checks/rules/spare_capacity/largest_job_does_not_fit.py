"""Free accelerators must be of use to what waits: on one node, and in one NUMA zone where the kubelet insists."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod, Run
from kubegap_checks.facts.queues import NodeResourceTopology
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.placement import may_take
from kubegap_checks.inventory.whole_nodes import free, held_on_nodes, nodes_and_their
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.accelerators import is_accelerator
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text, moment


def find(facts: Facts) -> Iterator[Finding | Unread]:
    nodes, held = nodes_and_their("allocatable", facts), held_on_nodes(facts.known(Pod))
    zones = {topology.name: topology for topology in facts.known(NodeResourceTopology) if topology.single}
    for run, (pod, since) in _largest_waiting(facts).items():
        for resource, count in pod.resources.items():
            if count and is_accelerator(resource):
                left = free([(node, has) for node, has in nodes if may_take(node, pod)], held, resource)
                if sum(left.values()) >= count and not any(
                    amount >= count and _in_one_zone(zones.get(name), resource, count) for name, amount in left.items()
                ):
                    yield _finding(run, pod, resource, left, since)


def _largest_waiting(facts: Facts) -> Mapping[Run, tuple[Pod, datetime]]:
    """Of each run the largest pod that the scheduler has found no node for, for a while, and since when."""
    grace = timedelta(minutes=threshold("pod_wait_grace").value)
    waiting: dict[Run, tuple[Pod, datetime]] = {}
    for pod in sorted(facts.seen(Pod), key=lambda pod: (-sum(pod.resources.values()), pod.name)):
        if not pod.deleting and pod.unplaced_since and facts.read_at - pod.unplaced_since > grace:
            waiting.setdefault(pod.run, (pod, pod.unplaced_since))
    return waiting


def _in_one_zone(topology: NodeResourceTopology | None, resource: str, count: int) -> bool:
    """True where the kubelet does not care, too."""
    return topology is None or any(zone.available.get(resource, 0) >= count for zone in topology.zones)


def _finding(run: Run, pod: Pod, resource: str, left: Mapping[str, int], since: datetime) -> Finding:
    count, total, most = pod.resources[resource], sum(left.values()), max(left.values())
    at = f"Pod[{pod.namespace}/{pod.name}]"
    where = Text(en="one node", ko="한 노드") if most < count else Text(en="one NUMA zone of a node", ko="한 NUMA 존")
    return Finding(
        subject=Subject.of_run(run),
        key=resource,
        says=Text(
            en=f"pod {pod.name} waits for {count} {resource} on {where.en}: {total} are free where it may run, "
            f"at most {most} on one node",
            ko=f"대기 중인 파드 {pod.name}: {where.ko}에 {resource} {count}개가 필요한데, 갈 수 있는 노드를 합쳐 "
            f"{total}개가 비어 있어도 노드 하나에는 많아야 {most}개",
        ),
        evidence={
            f"{at}.spec.containers.resources.limits[{resource}]": count,
            f"{at}.status.conditions[PodScheduled]": pod.unplaced,
            "free on all nodes": total,
            "free on one node": most,
        },
        since=moment(since),
    )


CHECK = Check(
    module=__name__,
    title=Text(
        en="Free GPUs in pieces too small for the waiting job", ko="빈 GPU가 흩어져 있어 대기 중인 작업이 들어가지 못함"
    ),
    why=Text(
        en="A pod takes all its GPUs on one node, and under a strict NUMA policy in one zone. Free GPUs that are "
        "spread "
        "over nodes count as capacity and start nothing.",
        ko="파드는 GPU를 모두 한 노드에서 받고, 엄격한 NUMA 정책이면 한 존에서 받아야 한다. 여러 노드에 흩어진 GPU는 "
        "여유로 집계되지만 어떤 작업도 시작하지 못한다.",
    ),
    fix=Text(
        en="Move the small jobs together (bin-packing scores, a pool of their own) until one node is whole again.",
        ko="작은 작업을 한곳에 모아(빈 패킹 점수, 전용 풀) 노드 하나가 통째로 비게 한다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(Node, Pod, NodeResourceTopology),
    cites=(
        Cite(
            incident="2023-alibaba-gpu-fragmentation",
            because=Text(
                en="hundreds of GPUs were free in pieces that no waiting task fitted, where tasks share GPUs",
                ko="GPU를 나눠 쓰는 클러스터에서 수백 개가 조각난 채 남아 대기 중인 작업에 쓰이지 못했음",
            ),
        ),
        Cite(
            incident="2026-pytorch-numa-fragmentation",
            because=Text(
                en="four free GPUs on two sockets could not take a four-GPU job; there the kubelet rejected pods "
                "that the "
                "scheduler had bound",
                ko="두 소켓에 흩어진 GPU 4개로는 4개짜리 작업을 받지 못했음. 이 사례에서는 배정된 파드를 kubelet이 "
                "거부했음",
            ),
        ),
    ),
    verify=(
        "kubectl describe pod -n NAMESPACE POD",
        "kubectl describe node NODE | grep -A12 'Allocated resources'",
    ),
    looks_like=(
        Text(en="fewer GPUs are free than asked for", ko="요청한 것보다 빈 GPU가 적음"),
        Text(en="a node has room, and other things keep the pod away", ko="자리는 있지만 다른 이유로 배치되지 않음"),
        Text(en="the free GPUs are on nodes that the pod may not use", ko="파드가 갈 수 없는 노드의 GPU만 비어 있음"),
        Text(en="the pod has only just been created", ko="막 생성된 파드"),
    ),
    find=find,
    applies=lambda facts: any(pod.unplaced_since for pod in facts.seen(Pod)),
)
