"""The accelerators of each node in physical devices: how many there should be, are offered and can be used.

Units that are slices or shares of a device never enter a count. Where the number of physical devices cannot be
told, it is None and the record says why. Whether all devices behind slices are there is still told by the driver's
own count, where it counts whole devices beside slices of other names, or by units that divide evenly.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from kubegap_checks.facts.derived import derived, row_derived
from kubegap_checks.facts.nodes import Node, NodeFeature, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.devices import Devices
from kubegap_checks.inventory.dra_offers import Offer, Offers, offers_by_node
from kubegap_checks.inventory.expected import counts_of_kin, with_expected
from kubegap_checks.inventory.slices import with_devices_behind
from kubegap_checks.inventory.sources import examples, machine_type, number, once, pci_buses, read_or_unread
from kubegap_checks.inventory.units import explanation, fulfilled, physical, rules_of, vendors_of
from kubegap_checks.signals.accelerators import Accelerator, DraDevices, Vendor, accelerators
from kubegap_checks.signals.instance_labels import told
from kubegap_checks.text import Text


class Inventory(Struct, frozen=True, kw_only=True):
    """Every node that is known to have accelerators, by vendor, in the order of the nodes.

    `unread` is what could not be read and might add a node.
    """

    devices: tuple[Devices, ...]
    unread: tuple[Unread, ...] = ()


@derived
def offered(facts: Facts) -> Inventory:
    """The accelerators of all nodes without what there should be; UnreadError where nodes could not be read."""
    slices, no_slices = read_or_unread(facts, ResourceSlice)
    return Inventory(devices=tuple(_all_counted(facts, offers_by_node(slices), no_slices)), unread=no_slices)


@derived
def inventory(facts: Facts) -> Inventory:
    """The accelerators of all nodes; UnreadError where nodes could not be read."""
    found = offered(facts)
    slices, no_slices = read_or_unread(facts, ResourceSlice)
    features, no_features = read_or_unread(facts, NodeFeature)
    offers, buses = offers_by_node(slices), pci_buses(features)
    counts = counts_of_kin(found.devices, buses)
    no_peers = once(no_slices, facts.unread(Node))
    devices = (
        with_expected(one, buses.get(one.node.name), offers, counts, no_features, no_peers) for one in found.devices
    )
    return Inventory(devices=with_devices_behind(tuple(devices)), unread=no_slices)


@derived
def has_accelerators(facts: Facts) -> bool:
    """Whether any node has accelerators; False only where all that could tell was read."""
    nodes = facts.known(Node)
    if any(_signals_of(node, Offers()) for node in nodes):
        return True
    named = {node.name for node in nodes}
    return any(node in named for node, _ in offers_by_node(facts.known(ResourceSlice)).by_vendor)


def _signals_of(node: Node, offers: Offers) -> tuple[Accelerator, ...]:
    """The vendors whose accelerators the node has: it offers them, is labelled or sold with them.

    What only the PCI bus shows does not count: Node Feature Discovery writes it to a label as well.
    """
    told_by_type = machine_type(node)
    holding = _fulfilled(node)
    resources = {**(node.capacity or {}), **(node.allocatable or {})}
    offering = frozenset(vendor for name in resources for vendor in vendors_of(name))
    return tuple(
        signal
        for signal in accelerators()
        if (told_by_type and told_by_type.gpus and told_by_type.vendor == signal.vendor)
        or signal.vendor in offering
        or any(id(rule) in holding for rule in signal.present)
        or (node.name, signal.vendor) in offers.by_vendor
    )


@row_derived
def _fulfilled(node: Node) -> frozenset[int]:
    return fulfilled(node.labels)


def _all_counted(facts: Facts, offers: Offers, no_slices: tuple[Unread, ...]) -> list[Devices]:
    return [
        _counted(node, signal, offers, no_slices) for node in facts.known(Node) for signal in _signals_of(node, offers)
    ]


def _counted(node: Node, signal: Accelerator, offers: Offers, no_slices: tuple[Unread, ...]) -> Devices:
    """The devices that the node offers, by its device plugin or, where that offers none, by DRA."""
    offer = offers.by_vendor.get((node.name, signal.vendor))
    labels, holding = node.labels, _fulfilled(node)
    capacity = physical(signal, labels, holding, node.capacity)
    allocatable = capacity if node.allocatable == node.capacity else physical(signal, labels, holding, node.allocatable)
    names = {name for name in {**(node.capacity or {}), **(node.allocatable or {})} if signal.whole.fullmatch(name)}
    devices = Devices(
        node=node,
        signal=signal,
        product=next((labels[key] for key in signal.product if labels.get(key)), ""),
        machine=(told("machine", labels) or ("", ""))[1],
        driver=_driver(node, signal),
        capacity=capacity.devices,
        allocatable=None if capacity.sliced else allocatable.devices,
        path=f"status.capacity.{min(names, default=_name_of_whole(signal))}",
        shares=capacity.shares,
        sliced=capacity.sliced,
        agent=_agent_count(labels, signal.vendor),
        idle=explanation(signal.no_capacity_is_normal, holding),
        doubt=capacity.doubt,
    )
    if devices.capacity or devices.sliced or _is_older_than_dra(signal, labels):
        return devices
    if no_slices:
        return replace(devices, capacity=None, allocatable=None, unread=no_slices)
    if signal.dra is not None and offer is not None:
        return _by_dra(devices, signal.dra, offer)
    if node.name in offers.strangers:
        doubt = Text(
            en="a DRA driver that no table knows offers devices on it",
            ko="알려지지 않은 DRA 드라이버가 디바이스를 제공함",
        )
        return replace(devices, capacity=None, allocatable=None, doubt=doubt)
    return devices


def _is_older_than_dra(signal: Accelerator, labels: Mapping[str, str]) -> bool:
    """Whether all labels of this vendor's devices come from before there was a DRA driver."""
    if signal.dra is None or signal.dra.older_labels is None:
        return False
    keys = [key for key in labels if any(rule in signal.present for rule in rules_of(key))]
    return bool(keys) and all(signal.dra.older_labels.fullmatch(key) for key in keys)


def _by_dra(devices: Devices, dra: DraDevices, offer: Offer) -> Devices:
    product = devices.product or offer.product
    driver = devices.driver or offer.driver_version
    path = f"ResourceSlice[{dra.driver}].spec.devices"
    if offer.physical is None:
        doubt = Text(en="its ResourceSlice pool is not complete", ko="ResourceSlice 풀이 완전하지 않음")
        return replace(
            devices,
            product=product,
            driver=driver,
            path=path,
            capacity=None,
            allocatable=None,
            doubt=doubt,
            by_dra=True,
        )
    return replace(
        devices,
        product=product,
        driver=driver,
        path=path,
        capacity=len(offer.physical),
        allocatable=len(offer.physical - offer.blocked),
        doubt=None,
        by_dra=True,
        blocked=tuple(sorted(offer.blocked)),
    )


def _driver(node: Node, signal: Accelerator) -> str:
    places = {"label": node.labels, "annotation": node.annotations}
    return next((version for keys in signal.driver if (version := keys.version_in(places[keys.where]))), "")


def _agent_count(labels: Mapping[str, str], vendor: Vendor) -> tuple[int, str] | None:
    label = told("accelerators_current", labels, vendor)
    count = number(label[1]) if label else None
    return None if label is None or count is None else (count, f"metadata.labels.{label[0]}")


def _name_of_whole(signal: Accelerator) -> str:
    return signal.whole.pattern.replace("\\", "")


def undecided(what: Text, names: Iterable[str]) -> Unread:
    """One item for all nodes of which nothing tells what they should have."""
    nodes = examples(names)
    return Unread(
        what=Text(en=f"whether all {what.en} of {nodes.en} are there", ko=f"{nodes.ko}의 {what.ko}가 모두 있는지"),
        reason="invalid",
        remedy=Text(
            en="run Node Feature Discovery so that the PCI bus is listed, or label the nodes with their instance type",
            ko="PCI 버스가 보이도록 Node Feature Discovery를 실행하거나 노드에 인스턴스 유형 레이블을 추가",
        ),
    )


def uncounted(names: Iterable[str]) -> Unread:
    """One item for all nodes whose slices or shares do not tell whether all devices are there."""
    nodes = examples(names)
    return Unread(
        what=Text(
            en=f"whether all accelerators behind the slices or shares of {nodes.en} are there",
            ko=f"{nodes.ko}에서 나눠 쓰는 가속기가 모두 있는지",
        ),
        reason="invalid",
        remedy=Text(
            en="compare `nvidia-smi -L` (or `rocm-smi`) on the node with what the machine has",
            ko="노드에서 `nvidia-smi -L`(또는 `rocm-smi`) 결과를 장비 사양과 비교",
        ),
    )
