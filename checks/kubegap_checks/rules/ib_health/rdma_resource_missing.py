"""A node with a training fabric must offer it to pods."""

from collections.abc import Iterator

from kubegap_checks.facts.nodes import NicClusterPolicy, Node, NodeFeature, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.fabric import has_fabric, node_fabrics
from kubegap_checks.inventory.fabric_lacks import Lack, lacks
from kubegap_checks.inventory.node_fabric import NodeFabric
from kubegap_checks.inventory.node_state import READ_STATUS, changing
from kubegap_checks.inventory.sources import examples
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    found = node_fabrics(facts)
    for fabric, lack in lacks(found):
        if changing(fabric.node, facts.read_at):
            continue
        if isinstance(lack, Lack):
            yield _finding(fabric, lack)
        else:
            yield from lack
    yield from found.unread
    if untold := [fabric.node.name for fabric in found.nodes if fabric.expected and not fabric.has_status]:
        nodes = examples(untold)
        what = Text(en=f"the fabric resources of {nodes.en}", ko=f"{nodes.ko}의 패브릭 리소스")
        yield Unread(what=what, reason="invalid", remedy=READ_STATUS)


def _finding(fabric: NodeFabric, lack: Lack) -> Finding:
    return Finding(
        subject=Subject("Node", fabric.node.name),
        key=lack.key,
        says=lack.text,
        evidence=lack.evidence,
        severity=lack.severity,
        confidence=lack.confidence,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A node's training fabric is not offered to pods", ko="파드에 제공되지 않는 학습용 패브릭"),
    why=Text(
        en="A pod that asks for the resource never lands there, and one that does not ask falls back to TCP, "
        "which is many times slower.",
        ko="리소스를 요청한 파드는 이 노드에 배치되지 않고, 요청하지 않은 파드는 몇 배나 느린 TCP로 통신한다.",
    ),
    fix=Text(
        en="Correct the device plugin's selector (interface names, PCI ids) so that it matches the adapters, "
        "or install the plugin, and check that the resource is above zero.",
        ko="디바이스 플러그인의 선택자(인터페이스 이름, PCI ID)가 어댑터와 맞도록 고치거나 플러그인을 "
        "설치하고, 리소스 값이 0보다 큰지 확인한다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.CERTAIN,
    reads=(Node, NodeFeature, ResourceSlice, NicClusterPolicy),
    cites=(
        Cite(
            incident="2024-imbue-70b-cluster-bring-up",
            because=Text(
                en="adapters in the machine were not enough: GPUs reached them directly only after a kernel module "
                "and a PCIe setting were put right; on bare metal, where no resource offers them",
                ko="어댑터가 있는 것만으로는 부족했고, 커널 모듈과 PCIe 설정을 바로잡은 뒤에야 GPU가 직접 쓸 수 "
                "있었음. 리소스로 제공하지 않는 베어메탈 사례",
            ),
        ),
    ),
    verify=(
        "kubectl get node NODE -o jsonpath='{.status.allocatable}'",
        "kubectl get nicclusterpolicies.mellanox.com -o jsonpath='{.items[*].spec.rdmaSharedDevicePlugin.config}'",
    ),
    looks_like=(
        Text(
            en="an old resource name left at zero beside one that is in use",
            ko="사용 중인 리소스 옆에 0으로 남아 있는 예전 리소스 이름",
        ),
        Text(
            en="adapters offered through DRA, beside which a resource at zero is a left-over and a hint only",
            ko="DRA로 제공하는 어댑터, 이때 0인 리소스는 남은 흔적이며 참고로만 보고함",
        ),
        Text(
            en="a platform where pods name the network in an annotation and no resource exists",
            ko="리소스 없이 파드 어노테이션으로 네트워크를 지정하는 플랫폼",
        ),
        Text(en="a machine type that is sold without a fabric", ko="패브릭이 없는 머신 유형"),
        Text(
            en="a node that has just joined, is being deleted, or whose network driver is being upgraded",
            ko="막 합류했거나 삭제 중이거나 네트워크 드라이버를 업그레이드 중인 노드",
        ),
    ),
    find=find,
    applies=has_fabric,
)
