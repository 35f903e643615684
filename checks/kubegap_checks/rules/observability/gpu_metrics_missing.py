"""Where an exporter publishes GPU metrics, it must run on every GPU node of its vendor that is in service."""

from collections.abc import Iterator

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import has_accelerators, offered
from kubegap_checks.inventory.exporters import Exporter, LeftOut, exporters, left_out
from kubegap_checks.inventory.node_state import in_service
from kubegap_checks.inventory.placement import refused
from kubegap_checks.inventory.sources import examples
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    found = offered(facts)
    running = sorted(exporters(facts, "gpu"), key=lambda exporter: -exporter.daemon_set.desired)
    for vendor in dict.fromkeys(exporter.signal.vendor for exporter in running):
        same = [exporter for exporter in running if exporter.signal.vendor == vendor]
        nodes = [
            devices.node
            for devices in found.devices
            if devices.vendor == vendor and not devices.idle and _watched_by_pods(devices.node, same, facts)
        ]
        if missed := left_out(nodes, [exporter.daemon_set for exporter in same], facts.known(Node)):
            yield _left_out(same[0], missed, len(nodes))
        yield from (_not_ready(exporter) for exporter in same if _is_down(exporter, nodes))
    yield from found.unread


def _watched_by_pods(node: Node, same: list[Exporter], facts: Facts) -> bool:
    on_host = any(node.condition(exporter.signal.on_host) for exporter in same)
    return in_service(node, facts.read_at) and not on_host


def _is_down(exporter: Exporter, nodes: list[Node]) -> bool:
    """Whether no pod is ready although a ready node should have one: a pool that starts from nothing is none."""
    agent = exporter.daemon_set
    should = (node for node in nodes if not refused(agent.template, node))
    return agent.ready == 0 < agent.desired and any(node.ready for node in should)


def _left_out(exporter: Exporter, missed: LeftOut, nodes: int) -> Finding:
    which = examples(missed.nodes)
    return Finding(
        subject=exporter.subject,
        key="left out",
        says=Text(
            en=f"{exporter.signal.product} does not run on {which.en} of {nodes} with the GPUs that it measures",
            ko=f"담당 GPU 노드 {nodes}대 중 {which.ko}에서 {exporter.signal.product} 파드가 실행되지 않음",
        ),
        evidence={"status.desiredNumberScheduled": exporter.daemon_set.desired, **missed.evidence},
    )


def _not_ready(exporter: Exporter) -> Finding:
    agent = exporter.daemon_set
    return Finding(
        subject=exporter.subject,
        key="not ready",
        says=Text(
            en=f"of {agent.desired} wanted pods of {exporter.signal.product} none is ready",
            ko=f"{exporter.signal.product} 파드 {agent.desired}개 중 준비된 것이 없음",
        ),
        evidence={"status.numberReady": agent.ready, "status.desiredNumberScheduled": agent.desired},
    )


CHECK = Check(
    module=__name__,
    title=Text(en="GPU nodes without a GPU metrics exporter", ko="GPU 메트릭 익스포터가 없는 GPU 노드"),
    why=Text(
        en="A GPU that throttles or remaps memory rows is then seen only when a job dies or crawls, and alerts on "
        "its metrics stay silent instead of failing.",
        ko="스로틀링, row remap 같은 이상을 작업이 죽거나 느려진 뒤에야 알게 되고, 메트릭 알림은 그냥 울리지 않는다.",
    ),
    fix=Text(
        en="Bring the exporter onto these nodes (tolerations, selector, labels), and mend what keeps its pods down.",
        ko="toleration, nodeSelector, 레이블을 고쳐 익스포터를 띄우고, 파드가 뜨지 않는 원인을 해결한다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(Node, ResourceSlice, DaemonSet),
    cites=(
        Cite(
            incident="2023-nvidia-dcgm-exporter-blind-spots",
            because=Text(
                en="exporters froze or were killed for memory and GPU alerts fell silent; here the exporter is not "
                "there at all, with the same result",
                ko="익스포터가 멈추거나 메모리 부족으로 죽어 GPU 알림이 울리지 않았음. 여기서는 익스포터가 아예 "
                "없다는 점이 다르지만 결과는 같음",
            ),
        ),
        Cite(
            incident="2024-imbue-70b-cluster-bring-up",
            because=Text(
                en="DCGM metrics were among what gave faulty GPUs away (on bare metal without Kubernetes)",
                ko="고장 난 GPU를 찾은 단서 중 하나가 DCGM 메트릭이었음(Kubernetes 없는 베어메탈)",
            ),
        ),
    ),
    verify=(
        "kubectl get daemonsets -A -o wide | grep -i exporter",
        "kubectl get node NODE -o jsonpath='{.spec.taints}{.metadata.labels}'",
    ),
    looks_like=(
        Text(en="a node that is cordoned, starts, or is under repair", ko="cordon됐거나 기동 중이거나 수리 중인 노드"),
        Text(en="AKS nodes whose own services publish the metrics", ko="노드 자체 서비스가 메트릭을 내보내는 AKS 노드"),
        Text(en="a node whose GPUs belong to virtual machines", ko="GPU를 가상 머신에 넘긴 노드"),
        Text(en="a cluster in which no exporter is known at all", ko="알려진 익스포터가 전혀 없는 클러스터"),
    ),
    find=find,
    applies=lambda facts: has_accelerators(facts) and any(exporters(facts, "gpu")),
)
