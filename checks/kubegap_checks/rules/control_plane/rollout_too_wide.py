"""What carries the network or the devices of every node must be replaced on a few nodes at a time."""

from collections.abc import Iterator

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.node_agents import NodeAgent, node_agent
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text

_LOST = {"network": Text(en="network", ko="네트워크"), "devices": Text(en="devices", ko="디바이스")}


def find(facts: Facts) -> Iterator[Finding]:
    for agents in facts.known(DaemonSet):
        row = _agent(agents)
        if row and agents.strategy == "RollingUpdate" and agents.desired >= threshold("rollout_nodes").value:
            share = _percent(agents.max_unavailable, agents.desired)
            if share >= threshold("rollout_percent").value:
                yield _finding(agents, row, share)


def _agent(agents: DaemonSet) -> NodeAgent | None:
    rows = map(node_agent, agents.repositories)
    return next((row for row in rows if row), None)


def _percent(told: str, nodes: int) -> float:
    """Of these nodes; what is neither a number nor a percentage the API server would not have taken."""
    number = told.removesuffix("%")
    if not number.isdecimal():
        return 0
    return int(number) if told.endswith("%") else 100 * int(number) / nodes


def _finding(agents: DaemonSet, row: NodeAgent, share: float) -> Finding:
    lost = _LOST[row.stops]
    return Finding(
        subject=Subject(agents.kind, agents.name, agents.namespace),
        says=Text(
            en=f"{row.product} may be replaced on {share:.0f}% of {agents.desired} nodes at once, whose pods lose "
            f"their {lost.en} together if it fails",
            ko=f"{row.product} 파드를 노드 {agents.desired}대 중 {share}%에서 한 번에 교체할 수 있어, 실패하면 그 "
            f"노드의 파드가 모두 {lost.ko}를 잃음",
        ),
        evidence={
            "spec.updateStrategy.rollingUpdate.maxUnavailable": agents.max_unavailable,
            "status.desiredNumberScheduled": agents.desired,
        },
    )


CHECK = Check(
    module=__name__,
    title=Text(
        en="A network or driver agent rolls out on many nodes at once",
        ko="네트워크나 드라이버 에이전트가 많은 노드에 한꺼번에 배포됨",
    ),
    why=Text(
        en="A bad version or setting then reaches most of the cluster before the first node shows it, and every run "
        "that spans those nodes stops.",
        ko="잘못된 버전이나 설정이 첫 노드에서 드러나기도 전에 클러스터 대부분에 퍼져, 그 노드에 걸친 학습이 모두 "
        "중단된다.",
    ),
    fix=Text(
        en="Lower maxUnavailable to a few nodes, and try a new version on a few nodes of each hardware variant first.",
        ko="maxUnavailable을 노드 몇 대로 낮추고, 새 버전은 하드웨어 종류별로 노드 몇 대에서 먼저 시험한다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.CERTAIN,
    reads=(DaemonSet,),
    cites=(
        Cite(
            incident="2023-openai-cni-change-cuts-cluster",
            because=Text(
                en="a CNI setting that did not fit one hardware variant cut a whole GPU cluster off (how wide it was "
                "rolled out within the cluster is not told)",
                ko="한 하드웨어 종류와 맞지 않는 CNI 설정이 GPU 클러스터 전체의 네트워크를 끊었음(클러스터 안에서 "
                "얼마나 넓게 배포했는지는 알려지지 않음)",
            ),
        ),
        Cite(
            incident="2024-nvidia-nic-driver-rollout-drains-nodes",
            because=Text(
                en="a change of NIC drivers or virtual functions drained or rebooted many nodes at once (by the "
                "operators that set them up, not by an update of a DaemonSet)",
                ko="NIC 드라이버나 VF 설정 변경으로 여러 노드가 한꺼번에 drain되거나 재부팅됐음(DaemonSet 업데이트가 "
                "아니라 오퍼레이터가 한 일)",
            ),
        ),
    ),
    verify=("kubectl get daemonsets -A -o custom-columns=NAME:.metadata.name,MAX:.spec.updateStrategy.rollingUpdate",),
    looks_like=(
        Text(
            en="a device plugin or a DRA driver, whose restart running pods do not feel",
            ko="재시작해도 실행 중인 파드에 영향이 없는 디바이스 플러그인이나 DRA 드라이버",
        ),
        Text(en="one that replaces pods only when they are deleted", ko="파드를 지워야만 교체되는 OnDelete 방식"),
        Text(
            en="a few nodes, of which one is already a large share", ko="노드가 몇 대뿐이라 한 대만 해도 비율이 큰 경우"
        ),
    ),
    find=find,
    applies=lambda facts: any(_agent(agents) for agents in facts.seen(DaemonSet)),
)
