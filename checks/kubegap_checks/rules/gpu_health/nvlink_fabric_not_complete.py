"""Every node of a kind must have finished its NVLink fabric, where most of its peers have."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import has_accelerators, offered
from kubegap_checks.inventory.devices import Devices, Kin, kin
from kubegap_checks.inventory.node_state import changing
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.instance_labels import told
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text

Label = tuple[str, str]


def find(facts: Facts) -> Iterator[Finding | Unread]:
    found = offered(facts)
    yield from found.unread
    alike: dict[Kin, list[Devices]] = defaultdict(list)
    for devices in found.devices:
        if (kind := kin(devices)) and not devices.sliced:
            alike[kind].append(devices)
    # A node that makes no sense may be a peer without the label.
    for group in alike.values() if not facts.unread(Node) else ():
        cliques = [_clique(devices) for devices in group]
        having = [label for label in cliques if label]
        for devices, clique in zip(group, cliques, strict=True):
            if clique is None and not changing(devices.node, facts.read_at):
                yield from _incomplete(devices, having, len(group) - 1)


def _clique(devices: Devices) -> Label | None:
    return told("nvlink_clique", devices.node.labels, devices.vendor)


def _incomplete(devices: Devices, having: Sequence[Label], peers: int) -> Iterator[Finding]:
    if peers >= threshold("gpu_peers_min").value and len(having) * 2 > peers:
        yield Finding(
            subject=Subject("Node", devices.node.name),
            says=Text(
                en=f"the node belongs to no NVLink clique, while {len(having)} of {peers} nodes like it do",
                ko=f"같은 종류의 노드 {peers}대 중 {len(having)}대에는 있는 NVLink clique가 이 노드에는 없음",
            ),
            evidence={f"metadata.labels.{having[0][0]}": None},
        )


CHECK = Check(
    module=__name__,
    title=Text(en="A node's NVLink fabric is not complete", ko="NVLink 패브릭 구성이 끝나지 않은 노드"),
    why=Text(
        en="The node is Ready and offers its GPUs, while CUDA fails to start there or collectives fall back to a "
        "slower path.",
        ko="노드는 Ready이고 GPU도 제공하지만, CUDA 초기화가 실패하거나 집합 통신이 느린 경로로 빠진다.",
    ),
    fix=Text(
        en="Cordon the node, look at the state of its fabric and of the service that sets it up, and return it only "
        "once the fabric is complete on every GPU.",
        ko="노드를 cordon하고 패브릭 상태와 이를 구성하는 서비스를 확인한 뒤, 모든 GPU에서 패브릭 구성이 끝났을 때만 "
        "복귀시킨다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(Node, ResourceSlice),
    cites=(
        Cite(
            incident="2026-huggingface-jobs-h200-error-802",
            because=Text(
                en="hosts took jobs although their NVLink fabric never completed, and CUDA failed",
                ko="NVLink 패브릭 구성이 끝나지 않은 호스트가 작업을 받아 CUDA가 실패했음",
            ),
        ),
        Cite(
            incident="2026-nvidia-b200-fabric-manager-error-802",
            because=Text(
                en="the node was Ready and offered eight GPUs while CUDA failed for want of the fabric",
                ko="노드는 Ready이고 GPU 8개를 제공했지만 패브릭이 준비되지 않아 CUDA가 실패했음",
            ),
        ),
    ),
    verify=(
        "kubectl get nodes -L nvidia.com/gpu.clique,nvidia.com/gpu.product",
        "nvidia-smi -q | grep -A 8 Fabric  # on the node",
    ),
    looks_like=(
        Text(
            en="machines without such a fabric, on which no node has the label",
            ko="그런 패브릭이 없어 모두 레이블이 없는 장비",
        ),
        Text(en="a node whose GPUs are cut into MIG devices", ko="GPU를 MIG로 나눈 노드"),
        Text(en="a node that has just joined or is being upgraded", ko="막 합류했거나 업그레이드 중인 노드"),
    ),
    find=find,
    applies=has_accelerators,
)
