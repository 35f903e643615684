"""A node of the control plane must not take ordinary pods, and never training."""

from collections.abc import Iterator

from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import offered
from kubegap_checks.inventory.sources import read_or_unread
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.text import Text

# https://kubernetes.io/docs/reference/labels-annotations-taints: the second is of Kubernetes before 1.24.
_ROLES = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")


def find(facts: Facts) -> Iterator[Finding | Unread]:
    nodes = facts.known(Node)
    if all(_in_control(node) for node in nodes):
        return
    found = offered(facts)
    with_devices = {devices.node.name for devices in found.devices}
    pods, no_pods = read_or_unread(facts, Pod)
    for node in nodes:
        if not _in_control(node) or not _takes_pods(node):
            continue
        run = next((pod.run for pod in pods if pod.node == node.name), None)
        if run:
            says = Text(
                en=f"{run.kind} {run.namespace}/{run.name} runs GPU pods here, beside the API server",
                ko=f"{run.kind} {run.namespace}/{run.name}의 GPU 파드가 API 서버와 같은 노드에서 실행 중임",
            )
            yield _finding(node, says, Severity.HIGH)
        elif no_pods or found.unread:
            yield from (*no_pods, *found.unread)
        elif node.name in with_devices:
            says = Text(
                en="it offers GPUs, and no taint keeps training away", ko="GPU를 제공하며 학습을 막는 테인트가 없음"
            )
            yield _finding(node, says, Severity.MEDIUM)
        else:
            says = Text(en="no taint keeps ordinary pods away", ko="일반 파드를 막는 테인트가 없음")
            yield _finding(node, says, Severity.LOW)


def _in_control(node: Node) -> bool:
    return any(role in node.labels for role in _ROLES)


def _takes_pods(node: Node) -> bool:
    return not node.unschedulable and not any(taint.effect in ("NoSchedule", "NoExecute") for taint in node.taints)


def _finding(node: Node, says: Text, severity: Severity) -> Finding:
    taints = ", ".join(taint.key for taint in node.taints)
    subject = Subject("Node", node.name)
    return Finding(subject=subject, says=says, evidence={"spec.taints": taints or None}, severity=severity)


CHECK = Check(
    module=__name__,
    title=Text(en="Pods may run on a node of the control plane", ko="일반 파드가 실행될 수 있는 컨트롤 플레인 노드"),
    why=Text(
        en="A pod without limits takes memory and CPU from etcd and the API server, and the whole cluster goes down "
        "with them.",
        ko="제한 없는 파드가 etcd와 API 서버의 메모리와 CPU를 차지하면 클러스터 전체가 멈춘다.",
    ),
    fix=Text(
        en="Taint the control plane's nodes with NoSchedule, and move what runs there to worker nodes.",
        ko="컨트롤 플레인 노드에 NoSchedule 테인트를 걸고, 그곳에서 실행 중인 파드를 워커 노드로 옮긴다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.CERTAIN,
    reads=(Node, ResourceSlice, Pod),
    cites=(
        Cite(
            incident="2025-cartesia-control-plane-colocation",
            because=Text(
                en="pods of a large deployment landed on control-plane nodes and overloaded them, and the inference "
                "cluster could not be reached (whether they asked for GPUs is not told)",
                ko="대규모 Deployment의 파드가 컨트롤 플레인 노드에 배치되어 과부하가 났고 추론 클러스터에 접속할 수 "
                "없었음(GPU 파드였는지는 알려지지 않음)",
            ),
        ),
    ),
    verify=(
        "kubectl get nodes -l node-role.kubernetes.io/control-plane -o jsonpath='{.items[*].spec.taints}'",
        "kubectl get pods -A -o wide --field-selector spec.nodeName=NODE",
    ),
    looks_like=(
        Text(en="a cluster whose every node is of the control plane", ko="모든 노드가 컨트롤 플레인인 클러스터"),
        Text(en="a node that is cordoned or has a NoSchedule taint", ko="cordon됐거나 NoSchedule 테인트가 있는 노드"),
        Text(en="a managed control plane, which shows no node", ko="노드로 보이지 않는 관리형 컨트롤 플레인"),
    ),
    find=find,
    applies=lambda facts: any(_in_control(node) for node in facts.known(Node)),
)
