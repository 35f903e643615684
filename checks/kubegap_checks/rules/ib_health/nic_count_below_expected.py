"""A node must have every fabric adapter that its machine has."""

from collections.abc import Iterator

from kubegap_checks.facts.nodes import NicClusterPolicy, Node, NodeFeature, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread, UnreadError
from kubegap_checks.inventory.accelerators import undecided
from kubegap_checks.inventory.devices import Expected
from kubegap_checks.inventory.fabric import node_fabrics
from kubegap_checks.inventory.node_fabric import NodeFabric
from kubegap_checks.inventory.node_state import changing
from kubegap_checks.inventory.sources import once
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    found = node_fabrics(facts)
    untold: list[str] = []
    for fabric in found.nodes:
        if changing(fabric.node, facts.read_at):
            continue
        yield from fabric.wanting
        if fabric.seen is None:
            continue
        if fabric.expected and fabric.seen[0] < fabric.expected.count:
            yield _fewer(fabric, fabric.seen, fabric.expected)
        elif fabric.expected is None and not fabric.wanting:
            untold.append(fabric.node.name)
    yield from found.unread
    if untold:
        yield undecided(Text(en="fabric adapters", ko="패브릭 어댑터"), untold)


def _applies(facts: Facts) -> bool:
    """Whether adapters can be counted on any node; those behind a shared resource cannot."""
    found = node_fabrics(facts)
    if any(fabric.seen for fabric in found.nodes):
        return True
    unread = once(found.unread, *(fabric.wanting for fabric in found.nodes))
    if unread:
        raise UnreadError(*unread)
    return False


def _fewer(fabric: NodeFabric, seen: tuple[int, str], expected: Expected) -> Finding:
    count, path = seen
    # Counted on the bus or by an agent, against the machine type or a label, which are sure enough.
    sure = expected.confidence if fabric.devices is not None else Confidence.LIKELY
    return Finding(
        subject=Subject("Node", fabric.node.name),
        says=Text(
            en=f"{count} of {expected.count} fabric adapters are there, {expected.basis.en}",
            ko=f"패브릭 어댑터 {expected.count}개 중 {count}개만 있음, {expected.basis.ko}",
        ),
        evidence={path: count, expected.path: expected.seen},
        severity=Severity.LOW if expected.confidence is Confidence.HINT else Severity.HIGH,
        confidence=sure,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A node has fewer fabric adapters than its machine", ko="노드의 패브릭 어댑터 수가 사양보다 적음"),
    why=Text(
        en="Each GPU sends through adapters of its own; with one gone, the ranks on that node share the rest "
        "and every collective waits for them.",
        ko="GPU마다 전용 어댑터로 통신한다. 하나가 빠지면 그 노드의 랭크들이 나머지를 나눠 쓰고 모든 집합 "
        "통신이 이를 기다린다.",
    ),
    fix=Text(
        en="Cordon the node, compare the adapters on its PCI bus with those that the driver and the device "
        "plugin see, and repair whichever of them lost one.",
        ko="노드를 cordon하고 PCI 버스의 어댑터를 드라이버와 디바이스 플러그인이 인식한 것과 비교해 빠진 쪽을 "
        "복구한다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.CERTAIN,
    reads=(Node, NodeFeature, ResourceSlice, NicClusterPolicy),
    cites=(
        Cite(
            incident="2024-imbue-70b-cluster-bring-up",
            because=Text(
                en="the check that decided whether a host may train wants eight InfiniBand ports on it; on bare "
                "metal without Kubernetes",
                ko="호스트를 학습에 쓸지 정하는 점검에서 InfiniBand 포트 8개가 있는지 확인했음(Kubernetes 없는 "
                "베어메탈)",
            ),
        ),
    ),
    verify=(
        'kubectl get node NODE -o jsonpath=\'{.status.capacity}{"\\n"}{.status.allocatable}{"\\n"}\'',
        "ls /sys/class/infiniband  # on the node",
    ),
    looks_like=(
        Text(
            en="a shared RDMA resource, of which one unit opens every adapter: its number is not a number of adapters",
            ko="한 단위로 모든 어댑터를 여는 공유 RDMA 리소스, 그 값은 어댑터 수가 아님",
        ),
        Text(en="a machine type that is sold without a fabric", ko="패브릭이 없는 머신 유형"),
        Text(
            en="adapters for storage or management on the PCI bus, which no training resource offers",
            ko="학습용 리소스로 제공되지 않는 스토리지·관리용 PCI 어댑터",
        ),
        Text(
            en="a node that has just joined, is being deleted, or whose adapters an operator is changing",
            ko="막 합류했거나 삭제 중이거나 오퍼레이터가 어댑터를 변경 중인 노드",
        ),
    ),
    find=find,
    applies=_applies,
)
