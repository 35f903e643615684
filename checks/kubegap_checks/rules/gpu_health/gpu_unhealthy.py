"""Every accelerator that a node offers must be allocatable."""

from collections.abc import Iterator

from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import has_accelerators, offered
from kubegap_checks.inventory.devices import Devices
from kubegap_checks.inventory.node_state import READ_STATUS, settling, under_way
from kubegap_checks.inventory.sources import examples
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.labels import marks
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    found = offered(facts)
    judged = [devices for devices in found.devices if not settling(devices.node, facts.read_at)]
    for devices in judged:
        yield from _by_dra(devices) if devices.by_dra else _by_plugin(devices)
    yield from found.unread
    if untold := [devices.node.name for devices in judged if not _is_told(devices)]:
        nodes = examples(untold)
        what = Text(en=f"which devices of {nodes.en} are allocatable", ko=f"{nodes.ko}에서 할당할 수 있는 디바이스")
        yield Unread(what=what, reason="invalid", remedy=READ_STATUS)


def _is_told(devices: Devices) -> bool:
    if devices.by_dra:
        return devices.capacity is not None
    return devices.node.capacity is not None and not any(None in pair for pair in devices.units.values())


def _by_plugin(devices: Devices) -> Iterator[Finding]:
    for name, (capacity, allocatable) in devices.units.items():
        if capacity and allocatable is not None and allocatable < capacity and not _paused(devices, allocatable):
            yield _held_back(devices, name, capacity, allocatable)


def _by_dra(devices: Devices) -> Iterator[Finding]:
    if devices.blocked:
        name, blocked = devices.signal.name, len(devices.blocked)
        yield Finding(
            subject=Subject("Node", devices.node.name),
            key=devices.vendor,
            says=Text(
                en=f"{blocked} of {devices.capacity} {name}s carry a taint that keeps pods away",
                ko=f"{name} {devices.capacity}개 중 {blocked}개에 파드 배치를 막는 테인트가 있음",
            ),
            evidence={f"{devices.path}[tainted]": ", ".join(devices.blocked)},
        )


def _paused(devices: Devices, allocatable: int) -> bool:
    """Nothing is allocatable because the device plugin is meant to be off."""
    return allocatable == 0 and bool(devices.idle or under_way(devices.node))


def _held_back(devices: Devices, name: str, capacity: int, allocatable: int) -> Finding:
    named = [mark for mark in marks(devices.node) if mark.device and mark.signal.topic == "gpu_health"]
    which = ", ".join(mark.device for mark in named)
    return Finding(
        subject=Subject("Node", devices.node.name),
        key=name,
        says=Text(
            en=f"{allocatable} of {capacity} {name} are allocatable"
            + (f", marked unhealthy: GPU {which}" if which else ""),
            ko=f"{name} {capacity}개 중 {allocatable}개만 할당 가능" + (f", 비정상 표시: GPU {which}" if which else ""),
        ),
        evidence={f"status.capacity.{name}": capacity, f"status.allocatable.{name}": allocatable}
        | {f"metadata.labels.{mark.key}": mark.value for mark in named},
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A GPU of a node is out of service", ko="노드의 GPU가 서비스에서 빠짐"),
    why=Text(
        en="A node that lost one GPU cannot take a job that needs all of them, and NVIDIA's device plugin keeps the "
        "GPU out until it is restarted, even after a contained error such as Xid 94.",
        ko="GPU 하나를 잃은 노드에는 전체 GPU가 필요한 작업을 배치할 수 없다. NVIDIA 디바이스 플러그인은 Xid 94처럼 "
        "격리된 오류 뒤에도 재시작하기 전까지 GPU를 복귀시키지 않는다.",
    ),
    fix=Text(
        en="Find the device's error in the kernel log (NVIDIA: the Xid), reset or replace the device where the error "
        "asks for it, and then restart the device plugin on the node.",
        ko="커널 로그에서 디바이스 오류(NVIDIA는 Xid)를 찾아 필요하면 디바이스를 리셋하거나 교체한 뒤, 노드의 "
        "디바이스 플러그인을 재시작한다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.CERTAIN,
    reads=(Node, ResourceSlice),
    cites=(
        Cite(
            incident="2021-nvidia-gpu-unhealthy-forever",
            because=Text(
                en="after almost any Xid the plugin took a GPU out for good; the pod ran, the node was Ready, and only "
                "this count told",
                ko="거의 모든 Xid에 플러그인이 GPU를 뺀 채 되돌리지 않았고, 파드도 노드도 멀쩡해 보여 이 숫자로만 알 "
                "수 있었음",
            ),
        ),
    ),
    verify=(
        'kubectl get node NODE -o jsonpath=\'{.status.capacity}{"\\n"}{.status.allocatable}{"\\n"}\'',
        "kubectl -n gpu-operator logs -l app=nvidia-device-plugin-daemonset --prefix --tail=200 | grep -i xid",
    ),
    looks_like=(
        Text(
            en="a device plugin that is paused for a driver upgrade or a MIG change, so that nothing is allocatable",
            ko="드라이버 업그레이드나 MIG 변경으로 디바이스 플러그인이 중지되어 할당 가능한 GPU가 없는 노드",
        ),
        Text(en="a node that has just joined or is being deleted", ko="막 합류했거나 삭제 중인 노드"),
        Text(en="a device taint without effect", ko="effect가 없는 디바이스 테인트"),
    ),
    find=find,
    applies=has_accelerators,
)
