"""A node with accelerators must be ready, in service and not about to leave."""

from collections.abc import Iterator

from kubegap_checks.facts.nodes import Condition, Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Reason, Unread
from kubegap_checks.inventory.accelerators import has_accelerators, offered
from kubegap_checks.inventory.node_state import READ_STATUS, last_seen_stale, not_ready_text, settling, under_way
from kubegap_checks.inventory.reports import Agents, cordoned_since
from kubegap_checks.inventory.sources import examples
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.text import Text, moment


def find(facts: Facts) -> Iterator[Finding | Unread]:
    found, agents = offered(facts), Agents(facts)
    nodes = {devices.node.name: devices.node for devices in found.devices}
    judged = [node for node in nodes.values() if not settling(node, facts.read_at)]
    silent: list[str] = []
    for node in judged:
        condition = node.condition("Ready")
        if condition is None:
            silent.append(node.name)
        elif says := not_ready_text(condition):
            yield _not_ready(node, condition, says)
        if node.unschedulable:
            yield _cordoned(node)
        yield from agents.findings(node, "node")
    yield from found.unread
    if silent:
        yield _unknown(silent, "invalid")
    if stale := [node.name for node in judged if last_seen_stale(node, facts.read_at)]:
        yield _unknown(stale, "stale")


def _not_ready(node: Node, condition: Condition, says: Text) -> Finding:
    return Finding(
        subject=Subject("Node", node.name),
        key="Ready",
        says=says,
        evidence={"status.conditions[Ready].status": condition.status},
        since=moment(condition.since),
    )


def _cordoned(node: Node) -> Finding:
    says, mark = Text(en="the node is cordoned", ko="노드가 cordon됨"), under_way(node)
    if mark:
        title = mark.signal.title
        says = Text(en=f"{says.en} while {title.en}", ko=f"{says.ko}: {title.ko}")
    return Finding(
        subject=Subject("Node", node.name),
        key="cordon",
        says=says,
        evidence={"spec.unschedulable": True, **({f"metadata.{mark.key}": mark.value} if mark else {})},
        since=moment(cordoned_since(node)),
        severity=Severity.LOW,
        confidence=Confidence.HINT if mark else Confidence.CERTAIN,
    )


def _unknown(names: list[str], reason: Reason) -> Unread:
    nodes = examples(names)
    what = Text(en=f"whether the kubelet of {nodes.en} is ready now", ko=f"{nodes.ko}의 kubelet이 지금 준비된 상태인지")
    return Unread(what=what, reason=reason, remedy=READ_STATUS)


CHECK = Check(
    module=__name__,
    title=Text(en="A GPU node is out of service or about to leave", ko="서비스에서 빠졌거나 곧 빠질 GPU 노드"),
    why=Text(
        en="Its GPUs count as capacity and cannot be used, so a job that needs them waits, and one that runs "
        "there will be interrupted.",
        ko="GPU가 용량에는 잡히지만 쓸 수 없으므로 이를 기다리는 작업은 시작되지 못하고, 노드에서 실행 중인 작업은 "
        "중단될 수 있다.",
    ),
    fix=Text(
        en="Find out who took the node out and why, repair or replace it, and uncordon it only after its GPUs "
        "passed a test.",
        ko="누가 왜 노드를 뺐는지 확인해 수리하거나 교체하고, GPU 점검을 통과한 뒤에만 uncordon한다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.CERTAIN,
    reads=(Node, ResourceSlice),
    cites=(
        Cite(
            incident="2024-imbue-70b-cluster-bring-up",
            because=Text(
                en="about a tenth of the servers did not boot at first, and the team plans with 10 to 20 "
                "percent more machines than needed",
                ko="처음에 서버의 약 10%가 부팅되지 않았고, 필요한 것보다 10-20% 많은 장비를 두도록 정리했음",
            ),
        ),
        Cite(
            incident="2025-huggingface-smollm3-throughput",
            because=Text(
                en="the team kept a spare node with the dataset in its reservation and swapped it in as soon as a "
                "node died; on a Slurm cluster",
                ko="데이터셋까지 올린 예비 노드 하나를 예약에 두고, 노드가 죽자마자 바꿔 넣었음. Slurm 클러스터 사례",
            ),
        ),
    ),
    verify=(
        "kubectl get nodes -o wide",
        "kubectl describe node NODE | sed -n '/^Labels/,/^Addresses/p'",
    ),
    looks_like=(
        Text(en="a node that has just joined and is still starting", ko="막 합류해 아직 기동 중인 노드"),
        Text(en="a node that is being deleted", ko="삭제 중인 노드"),
        Text(
            en="a node that an operator cordoned for an upgrade and will put back: the finding says so and is a hint",
            ko="오퍼레이터가 업그레이드를 위해 cordon했고 스스로 되돌릴 노드, 결과에 그렇게 표시하며 참고로만 보고함",
        ),
        Text(en="a busy node, which is ready", ko="사용 중일 뿐 Ready인 노드"),
    ),
    find=find,
    applies=has_accelerators,
)
