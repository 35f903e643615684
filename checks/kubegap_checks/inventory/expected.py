"""How many devices a node should have.

That is told by the first of these that speaks:

1. the instance type, looked up in the table: what the vendor of the machine sells;
2. a label of the cloud, the autoscaler or a health agent that knows the machine's nominal count;
3. the node's PCI bus, as Node Feature Discovery lists it: a device without a working driver is still there; one that
   has left the bus is not, which almost all nodes like it tell where they have more and no machine is sold so;
4. the nodes like it (vendor, product, instance type and machine, of which a type alone is enough): at least
   `gpu_peers_min` others, more than half of which offer the same number; one that offers more than they do lacks
   nothing. Where nothing tells the machine, all nodes with the same product must offer the same number;
5. the driver's own count (discovery label, ResourceSlice), only where it is MORE than what is offered: a device that
   the driver never saw is missing from both, so an equal number proves nothing.

A source that could not be read is not skipped: what comes after it might say something else.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from msgspec.structs import replace

from kubegap_checks.facts.nodes import Node, PciDevice
from kubegap_checks.facts.read import Unread
from kubegap_checks.inventory.devices import Devices, Expected, Kin, kin, lookalike
from kubegap_checks.inventory.dra_offers import Offers
from kubegap_checks.inventory.sources import machine_type, majority, number, once
from kubegap_checks.model import Confidence
from kubegap_checks.signals.instance_labels import told
from kubegap_checks.signals.instance_types import InstanceType
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text


def sold_with(node: Node, known: InstanceType, count: int) -> Expected:
    """What the table says of the node's instance type."""
    label, _ = told("instance_type", node.labels) or ("", "")
    return _sold(known.name, label, count)


# The nodes of a fleet should have the same for the same reason, so each of these is made once.
_once = lru_cache(maxsize=1024)


@_once
def _sold(instance_type: str, label: str, count: int) -> Expected:
    return Expected(
        count=count,
        basis=Text(
            en=f"instance type {instance_type} has {count}", ko=f"인스턴스 유형 {instance_type}의 사양은 {count}개"
        ),
        path=f"metadata.labels.{label}",
        seen=instance_type,
        confidence=Confidence.CERTAIN,
    )


@_once
def said_by_label(key: str, count: int, confidence: Confidence) -> Expected:
    return Expected(
        count=count,
        basis=Text(en=f"label {key} says {count}", ko=f"레이블 {key} 값은 {count}"),
        path=f"metadata.labels.{key}",
        seen=count,
        confidence=confidence,
    )


@_once
def listed_on_bus(count: int, confidence: Confidence) -> Expected:
    return Expected(
        count=count,
        basis=Text(en=f"{count} are on the PCI bus", ko=f"PCI 버스에는 {count}개가 있음"),
        path="NodeFeature.spec.features.instances.pci.device",
        seen=count,
        confidence=confidence,
    )


def agreed_by_peers(offered: int | None, counts: Counter[int], path: str, *, percent: float = 50) -> Expected | None:
    """What more than so many of the nodes of the same kind offer; `counts` holds this node's own `offered` as well."""
    others = counts - Counter([] if offered is None else [offered])
    agreed = majority(others, percent)
    if agreed is None:
        return None
    count, holders = agreed
    total = others.total()
    return Expected(
        count=max(count, offered or 0),
        basis=Text(
            en=f"{holders} of {total} nodes of the same kind have {count}",
            ko=f"같은 종류의 노드 {total}대 중 {holders}대가 {count}개를 가짐",
        ),
        path=f"peers.{path}",
        seen=count,
        confidence=Confidence.LIKELY,
    )


def unanimous(alike: Kin | None, offered: int | None, counts: Mapping[Kin, Counter[int]]) -> Kin | None:
    """The same, where all nodes that are alike offer as many: that says that none is missing, and never that one is."""
    return alike if alike and offered is not None and counts[alike].keys() == {offered} else None


def counts_of_kin(found: Iterable[Devices], buses: Mapping[str, Counter[PciDevice]]) -> Mapping[Kin, Counter[int]]:
    """How often each number of devices is offered among nodes that are alike; more than are on the bus are shares."""
    counts: dict[Kin, Counter[int]] = defaultdict(Counter)
    for one in found:
        alike, on_bus = kin(one) or lookalike(one), _on_bus(one, buses.get(one.node.name))
        if alike and one.capacity is not None and not (on_bus and one.capacity > on_bus.count):
            counts[alike][one.capacity] += 1
    return counts


def with_expected(
    devices: Devices,
    bus: Counter[PciDevice] | None,
    offers: Offers,
    counts: Mapping[Kin, Counter[int]],
    no_features: tuple[Unread, ...],
    no_peers: tuple[Unread, ...],
) -> Devices:
    """The same devices with what there should be, by the order that the module's docstring gives."""
    nominal, on_bus = _nominal(devices), _on_bus(devices, bus)
    if nominal:
        confirmed = on_bus if on_bus and on_bus.count == nominal.count else None
        return _never_more(replace(devices, expected=nominal, confirmed=confirmed))
    if no_features and devices.signal.pci_vendor:
        return replace(devices, unread=once(devices.unread, no_features))
    alike = kin(devices)
    if alike is None and not on_bus:
        alike = unanimous(lookalike(devices), devices.capacity, counts)
    if on_bus and (alike is None or _is_a_size(on_bus.count) or (devices.capacity or 0) > on_bus.count):
        return _never_more(replace(devices, expected=on_bus))
    if alike and no_peers:
        return replace(devices, unread=once(devices.unread, no_peers))
    percent = threshold("gpu_peers_against_bus").value if on_bus else 50
    of_kin = counts.get(alike, Counter[int]()) if alike else Counter[int]()
    peers = agreed_by_peers(devices.capacity, of_kin, devices.path, percent=percent)
    if on_bus and (peers is None or peers.count <= on_bus.count):
        return replace(devices, expected=on_bus)
    return replace(devices, expected=peers or _seen_by_driver(devices, offers), confirmed=on_bus)


def _is_a_size(count: int) -> bool:
    """Whether machines and virtual machines are made with so many devices: 1, 2, 4, 8, 16.

    A machine with half of the usual devices, and a virtual one that was given a part of them, is whole.
    """
    return count & (count - 1) == 0


def _nominal(devices: Devices) -> Expected | None:
    node, vendor = devices.node, devices.vendor
    known = machine_type(node)
    if known and known.vendor == vendor and known.gpus:
        return sold_with(node, known, known.gpus)
    label = told("accelerators_expected", node.labels, vendor)
    count = number(label[1]) if label else None
    return said_by_label(label[0], count, Confidence.CERTAIN) if label and count else None


def _on_bus(devices: Devices, bus: Counter[PciDevice] | None) -> Expected | None:
    signal = devices.signal
    count = sum(
        number
        for device, number in (bus or Counter()).items()
        if device.vendor == signal.pci_vendor and device.cls in signal.pci_classes
    )
    return listed_on_bus(count, Confidence.CERTAIN) if count else None


def _seen_by_driver(devices: Devices, offers: Offers) -> Expected | None:
    """What the driver has seen, where that is more than the node offers."""
    if devices.capacity is None:
        return None
    offer = offers.by_vendor.get((devices.node.name, devices.vendor))
    seen = {
        **{
            f"metadata.labels.{count.label}": number(devices.node.labels.get(count.label))
            for count in devices.signal.count
        },
        "ResourceSlice.spec.devices": len(offer.physical) if offer and offer.physical else None,
    }
    path, most = max(seen.items(), key=lambda item: item[1] or 0)
    if not most or most <= devices.capacity:
        return None
    return Expected(
        count=most,
        basis=Text(en=f"the driver has seen {most}", ko=f"드라이버는 {most}개를 인식함"),
        path=path,
        seen=most,
        confidence=Confidence.LIKELY,
    )


def _never_more(devices: Devices) -> Devices:
    """A node cannot offer more whole devices than it has: the units must be shares."""
    expected, offered = devices.expected, devices.capacity
    if expected is None or offered is None or offered <= expected.count:
        return devices
    sliced = Text(
        en=f"its {offered} units stand for {expected.count} devices",
        ko=f"{offered}개 단위가 디바이스 {expected.count}개를 나타냄",
    )
    return replace(devices, capacity=None, allocatable=None, sliced=sliced)
