"""Where a health agent watches GPU nodes, every one of them that is in service must be watched."""

from collections.abc import Iterator

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import has_accelerators, offered
from kubegap_checks.inventory.node_state import in_service
from kubegap_checks.inventory.placement import refused
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.health_agents import HealthAgent, agent_of, marker_in, writer_of
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    found = offered(facts)
    agents = [(agent, one) for one in facts.known(DaemonSet) for name in one.repositories if (agent := agent_of(name))]
    nodes = {devices.node.name: devices.node for devices in found.devices if not devices.idle}
    watched = {name: _watcher(node, agents) for name, node in nodes.items()}
    others = next((agent for agent in watched.values() if agent), None)
    for name, node in nodes.items():
        if others and watched[name] is None and in_service(node, facts.read_at):
            yield _unwatched(node, others)
    yield from found.unread


def _watcher(node: Node, agents: list[tuple[HealthAgent, DaemonSet]]) -> HealthAgent | None:
    """Who watches the node: an agent that wrote something on it, or whose DaemonSet belongs on it."""
    wrote = next((agent for condition in node.conditions if (agent := writer_of(condition.type))), None)
    marked = marker_in({**node.labels, **node.annotations})
    runs = next((agent for agent, one in agents if one.desired and not refused(one.template, node)), None)
    return wrote or marked or runs


def _unwatched(node: Node, others: HealthAgent) -> Finding:
    return Finding(
        subject=Subject("Node", node.name),
        says=Text(
            en=f"no health agent watches it, while {others.agent} watches other GPU nodes",
            ko=f"다른 GPU 노드에는 {others.agent} 에이전트가 있는데 이 노드에는 헬스 에이전트가 없음",
        ),
        evidence={"status.conditions": ", ".join(condition.type for condition in node.conditions)},
    )


CHECK = Check(
    module=__name__,
    title=Text(en="GPU nodes without a health agent", ko="헬스 에이전트가 없는 GPU 노드"),
    why=Text(
        en="The device plugin sees some Xid errors and nothing else, so a GPU with failing memory or NVLink, or a "
        "flapping adapter, goes back into the next job.",
        ko="디바이스 플러그인은 일부 Xid만 볼 뿐이다. 메모리나 NVLink가 망가진 GPU, 끊기는 어댑터가 있는 노드가 다음 "
        "작업에 다시 들어간다.",
    ),
    fix=Text(
        en="Run the platform's node health agent, or node-problem-detector with GPU checks, on every GPU node.",
        ko="플랫폼의 노드 헬스 에이전트나 GPU 점검을 더한 node-problem-detector를 모든 GPU 노드에서 실행한다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(Node, ResourceSlice, DaemonSet),
    cites=(
        Cite(
            incident="2021-bigscience-13b-bad-node-requeued",
            because=Text(
                en="after an ECC error the scheduler gave the next job the same node, since nothing marked it (on "
                "Slurm)",
                ko="ECC 오류가 난 노드를 표시하는 것이 없어 스케줄러가 다음 작업을 같은 노드에 배치했음(Slurm)",
            ),
        ),
        Cite(
            incident="2024-imbue-70b-cluster-bring-up",
            because=Text(
                en="hosts trained only after health checks were written that every one of them had to pass (on bare "
                "metal without Kubernetes)",
                ko="모든 호스트가 통과해야 하는 헬스 체크를 만든 뒤에야 학습에 투입했음(Kubernetes 없는 베어메탈)",
            ),
        ),
    ),
    verify=(
        "kubectl get node NODE -o jsonpath='{.status.conditions[*].type}'",
        "kubectl get daemonsets -A -o wide",
    ),
    looks_like=(
        Text(
            en="an agent on the host or outside of the cluster, of which no GPU node shows a trace",
            ko="호스트나 클러스터 밖에서 돌아 어느 GPU 노드에도 흔적이 없는 에이전트",
        ),
        Text(
            en="an agent that has found nothing yet, and whose DaemonSet runs on the node",
            ko="아직 보고할 것이 없지만 DaemonSet은 노드에서 실행 중인 에이전트",
        ),
        Text(en="a node that starts, is cordoned or is under repair", ko="기동 중, cordon 상태 또는 수리 중인 노드"),
    ),
    find=find,
    applies=has_accelerators,
)
