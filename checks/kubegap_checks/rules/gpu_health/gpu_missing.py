"""A node must offer every accelerator that its machine has."""

from collections.abc import Iterator

from kubegap_checks.facts.nodes import Node, NodeFeature, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import has_accelerators, inventory, uncounted, undecided
from kubegap_checks.inventory.devices import Devices, Expected
from kubegap_checks.inventory.node_state import settling, under_way
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    found = inventory(facts)
    untold: list[str] = []
    cut: list[str] = []
    for devices in found.devices:
        if settling(devices.node, facts.read_at):
            continue
        expected, present = devices.expected, devices.present
        if devices.capacity == 0:
            if not devices.idle and not under_way(devices.node):
                yield _none(devices)
        elif expected and present and present[0] < expected.count:
            yield _fewer(devices, expected, present)
        else:
            yield from devices.unread
            if not devices.unread and (present is None or expected is None):
                (cut if devices.sliced and expected else untold).append(devices.node.name)
    yield from found.unread
    if untold:
        yield undecided(Text(en="accelerators", ko="가속기"), untold)
    if cut:
        yield uncounted(cut)


def _none(devices: Devices) -> Finding:
    name, expected = devices.signal.name, devices.expected
    basis = Text(en=f", {expected.basis.en}", ko=f", {expected.basis.ko}") if expected else Text(en="", ko="")
    return Finding(
        subject=Subject("Node", devices.node.name),
        key=devices.vendor,
        says=Text(
            en=f"the node has {name}s and offers none of them{basis.en}",
            ko=f"노드에 있는 {name} 중 제공되는 것이 없음{basis.ko}",
        ),
        evidence={devices.path: 0, **({expected.path: expected.seen} if expected else {})},
        confidence=Confidence.CERTAIN if expected else Confidence.LIKELY,
    )


def _fewer(devices: Devices, expected: Expected, present: tuple[int, str]) -> Finding:
    name, (count, path) = devices.signal.name, present
    told = [expected, *([devices.confirmed] if devices.confirmed else [])]
    return Finding(
        subject=Subject("Node", devices.node.name),
        key=devices.vendor,
        says=Text(
            en=f"{count} of {expected.count} {name}s are there, {', '.join(one.basis.en for one in told)}",
            ko=f"{name} {expected.count}개 중 {count}개만 있음, {', '.join(one.basis.ko for one in told)}",
        ),
        evidence={path: count, **{one.path: one.seen for one in told}},
        confidence=expected.confidence,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A node offers fewer GPUs than its machine has", ko="노드의 GPU 수가 사양보다 적음"),
    why=Text(
        en="A GPU that the driver does not find is missing from capacity and allocatable alike, so no alert "
        "fires; a job that needs the whole node waits for ever, or runs with fewer ranks than planned.",
        ko="드라이버가 찾지 못한 GPU는 capacity와 allocatable에서 함께 빠지므로 알림이 울리지 않는다. 노드 "
        "전체를 쓰는 작업은 끝없이 대기하거나 계획보다 적은 랭크로 실행된다.",
    ),
    fix=Text(
        en="Cordon the node and compare its PCI bus with what the vendor's tool lists (nvidia-smi, rocm-smi), then "
        "restore the driver or device plugin where no GPU is offered, and reset or replace the GPU where one is "
        "missing.",
        ko="노드를 cordon하고 PCI 버스와 벤더 도구(nvidia-smi, rocm-smi)의 결과를 비교해, GPU가 하나도 제공되지 "
        "않으면 드라이버나 디바이스 플러그인을 복구하고 일부만 없으면 GPU를 리셋하거나 교체한다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.CERTAIN,
    reads=(Node, NodeFeature, ResourceSlice),
    cites=(
        Cite(
            incident="2024-imbue-70b-cluster-bring-up",
            because=Text(
                en="GPUs and PCIe cables had to be reseated, and each host had to pass a check of its GPUs before it "
                "trained",
                ko="GPU와 PCIe 케이블을 다시 장착해야 했고, GPU 점검을 통과한 호스트만 학습에 썼음",
            ),
        ),
    ),
    verify=(
        "kubectl get node NODE -o jsonpath='{.metadata.labels}{.status.capacity}{.status.allocatable}'",
        "grep -l 0x10de /sys/bus/pci/devices/*/vendor  # on the node",
    ),
    looks_like=(
        Text(
            en="GPUs cut into MIG devices, partitioned or shared, so that the resource does not count whole GPUs",
            ko="MIG, 파티션, 공유 설정으로 리소스가 물리 GPU 수를 나타내지 않는 노드",
        ),
        Text(
            en="GPUs offered through DRA instead of a device plugin",
            ko="디바이스 플러그인 대신 DRA로 GPU를 제공하는 노드",
        ),
        Text(
            en="a node whose device plugin is paused for a driver upgrade, or whose GPUs belong to virtual machines",
            ko="드라이버 업그레이드로 디바이스 플러그인이 중지되었거나 GPU를 가상 머신에 넘긴 노드",
        ),
        Text(en="a node that has just joined or is being deleted", ko="막 합류했거나 삭제 중인 노드"),
        Text(en="NVSwitches on the PCI bus, which are not GPUs", ko="GPU가 아니라 NVSwitch인 PCI 디바이스"),
    ),
    find=find,
    applies=has_accelerators,
)
