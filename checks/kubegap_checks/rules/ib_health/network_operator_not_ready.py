"""What the operators of the fabric's adapters were told to set up must be in place."""

from collections.abc import Iterator

from kubegap_checks.facts.adapters import SriovNetworkNodeState
from kubegap_checks.facts.nodes import NicClusterPolicy, Node
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.node_state import changing
from kubegap_checks.inventory.sources import read_or_unread
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.fabrics import shows_adapters
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding]:
    policies, _ = read_or_unread(facts, NicClusterPolicy)  # `applies` tells where there may be others
    for policy in policies:
        if policy.state in {"notReady", "error"} and _ought_to_be_ready(facts):
            yield _of_policy(policy)
    failed = [state for state in facts.known(SriovNetworkNodeState) if state.sync_status == "Failed"]
    nodes = {node.name: node for node in facts.known(Node)} if failed else {}
    for state in failed:
        if (node := nodes.get(state.name)) and not _in_work(node, facts):
            yield _of_node(state)


def _ought_to_be_ready(facts: Facts) -> bool:
    """It is not while any pod of its agents is not ready, nor where there is no node with adapters for them."""
    nodes = [node for node in facts.known(Node) if shows_adapters(node.labels)]
    return bool(nodes) and not facts.unread(Node) and not any(_in_work(node, facts) for node in nodes)


def _in_work(node: Node, facts: Facts) -> bool:
    ready = node.condition("Ready")
    away = node.unschedulable or (ready and ready.status != "True")
    return bool(away or changing(node, facts.read_at))


def _of_policy(policy: NicClusterPolicy) -> Finding:
    parts = [part for part in policy.parts if part.state in {"notReady", "error"}]
    names = ", ".join(part.name for part in parts) or policy.reason or policy.state
    return Finding(
        subject=Subject("NicClusterPolicy", policy.name),
        says=Text(en=f"the policy is {policy.state}: {names}", ko=f"정책 상태가 {policy.state}: {names}"),
        evidence={
            "status.state": policy.state,
            "status.reason": policy.reason or None,
            **{f"status.appliedStates[{part.name}].state": part.state for part in parts},
            **{f"status.appliedStates[{part.name}].message": part.message for part in parts if part.message},
        },
    )


def _of_node(state: SriovNetworkNodeState) -> Finding:
    return Finding(
        subject=Subject("Node", state.name),
        says=Text(
            en=f"its virtual functions could not be set up: {state.last_error or 'no error is given'}",
            ko=f"VF 설정에 실패함: {state.last_error or '오류 메시지 없음'}",
        ),
        evidence={
            f"SriovNetworkNodeState[{state.namespace}/{state.name}].status.syncStatus": state.sync_status,
            f"SriovNetworkNodeState[{state.namespace}/{state.name}].status.lastSyncError": state.last_error,
        },
        confidence=Confidence.CERTAIN,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A network operator has not set up the fabric", ko="네트워크 오퍼레이터의 패브릭 설정 미완료"),
    why=Text(
        en="Until its driver, device plugin or virtual functions are in place, nodes join without the fabric, "
        "and a driver pod that starts over and over can take a node's network with it.",
        ko="드라이버, 디바이스 플러그인, VF가 준비되지 않으면 노드가 패브릭 없이 합류하고, 되풀이해 시작하는 드라이버 "
        "파드는 노드의 네트워크까지 끊을 수 있다.",
    ),
    fix=Text(
        en="Read the log of the operator's pod for the part that is named, mend what it tells, and start no job "
        "there that needs the fabric until then.",
        ko="표시된 구성 요소의 파드 로그에서 원인을 찾아 바로잡고, 그 전에는 패브릭이 필요한 작업을 시작하지 않는다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(NicClusterPolicy, SriovNetworkNodeState, Node),
    cites=(
        Cite(
            incident="2026-nvidia-doca-driver-node-loss",
            because=Text(
                en="the driver that the operator installed took nodes offline and was tried again at every boot",
                ko="오퍼레이터가 설치한 드라이버 때문에 노드가 끊겼고 부팅할 때마다 다시 시도했음",
            ),
        ),
        Cite(
            incident="2024-nvidia-nic-driver-rollout-drains-nodes",
            because=Text(
                en="on one of three nodes the driver pod could not start, since storage modules held the old driver",
                ko="스토리지 모듈이 기존 드라이버를 잡고 있어 노드 3대 중 1대에서 드라이버 파드가 뜨지 못했음",
            ),
        ),
    ),
    verify=(
        "kubectl get nicclusterpolicies.mellanox.com -o jsonpath='{.items[*].status}'",
        "kubectl get sriovnetworknodestates.sriovnetwork.openshift.io -A",
    ),
    looks_like=(
        Text(en="a second policy, whose state is ignore", ko="상태가 ignore인 두 번째 정책"),
        Text(en="a node that comes, goes, is cordoned or upgraded", ko="합류, 삭제, cordon, 업그레이드 중인 노드"),
        Text(en="no node with such adapters, as in a pool at zero", ko="어댑터를 가진 노드가 없음(0대로 줄어든 풀)"),
        Text(
            en="virtual functions in progress, with an error of an earlier try",
            ko="이전 시도의 오류가 남은 진행 중인 VF 설정",
        ),
    ),
    find=find,
    applies=lambda facts: any(facts.seen(NicClusterPolicy)) or any(facts.seen(SriovNetworkNodeState)),
)
