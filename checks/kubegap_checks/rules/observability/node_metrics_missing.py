"""Where an exporter publishes the metrics of nodes, it must run on every GPU node that is in service."""

from collections.abc import Iterator

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import has_accelerators, offered
from kubegap_checks.inventory.exporters import exporters, left_out
from kubegap_checks.inventory.node_state import in_service
from kubegap_checks.inventory.sources import examples
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    found = offered(facts)
    running = sorted(exporters(facts, "fabric"), key=lambda exporter: -exporter.daemon_set.desired)
    nodes = {devices.node.name: devices.node for devices in found.devices if in_service(devices.node, facts.read_at)}
    daemon_sets = [exporter.daemon_set for exporter in running]
    missed = left_out(nodes.values(), daemon_sets, facts.known(Node)) if running else None
    if missed:
        which, product = examples(missed.nodes), running[0].signal.product
        yield Finding(
            subject=running[0].subject,
            says=Text(
                en=f"{product} does not run on {which.en} of {len(nodes)} with GPUs",
                ko=f"GPU 노드 {len(nodes)}대 중 {which.ko}에서 {product} 파드가 실행되지 않음",
            ),
            evidence={"status.desiredNumberScheduled": running[0].daemon_set.desired, **missed.evidence},
        )
    yield from found.unread


CHECK = Check(
    module=__name__,
    title=Text(en="GPU nodes without a node metrics exporter", ko="노드 메트릭 익스포터가 없는 GPU 노드"),
    why=Text(
        en="Link counters of InfiniBand and RoCE, disk latency and memory of the training nodes are missing, while "
        "other nodes have theirs: when a run slows down, the first place to look is empty.",
        ko="다른 노드와 달리 학습 노드의 InfiniBand·RoCE 링크 카운터, 디스크 지연, 메모리 메트릭이 없다. 학습이 "
        "느려졌을 때 가장 먼저 볼 자료가 비어 있다.",
    ),
    fix=Text(
        en="Give the exporter's DaemonSet the tolerations or the node selector that bring it onto the GPU nodes.",
        ko="익스포터 DaemonSet의 toleration이나 nodeSelector를 고쳐 GPU 노드에서도 실행되게 한다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(Node, ResourceSlice, DaemonSet),
    cites=(
        Cite(
            incident="2024-bytedance-minder-faulty-machine",
            because=Text(
                en="one machine's weak PCIe link slowed 128 machines for 40 minutes; comparing node metrics such as "
                "pause frames finds such a machine in seconds, where every machine has them",
                ko="장비 한 대의 PCIe 링크 때문에 128대가 40분간 느려졌음. pause frame 같은 노드 메트릭을 비교하면 "
                "몇 초 만에 찾지만, 모든 장비의 메트릭이 있어야 가능함",
            ),
        ),
        Cite(
            incident="2023-nccl-error-12-flapping-ports",
            because=Text(
                en="port counters of the hosts held the evidence that NCCL's own message could not give",
                ko="NCCL 메시지만으로는 알 수 없던 원인의 증거가 호스트의 포트 카운터에 있었음",
            ),
        ),
    ),
    verify=(
        "kubectl get daemonsets -A -o wide | grep -i node-exporter",
        "kubectl get node NODE -o jsonpath='{.spec.taints}'",
    ),
    looks_like=(
        Text(en="a node that is cordoned, starts, or is under repair", ko="cordon됐거나 기동 중이거나 수리 중인 노드"),
        Text(en="a DaemonSet whose own count says that it is on all nodes", ko="status상 모든 노드에서 도는 DaemonSet"),
        Text(en="a cluster in which no such exporter is known", ko="알려진 노드 익스포터가 없는 클러스터"),
    ),
    find=find,
    applies=lambda facts: has_accelerators(facts) and any(exporters(facts, "fabric")),
)
