"""The accelerators of each node in physical devices: how many there should be, are offered and can be used.

Units that are slices or shares of a device never enter a count. Where the number of physical devices cannot be
told, it is None and the record says why.

How many there should be is told by the first of these that speaks:

1. the instance type, looked up in the table: what the vendor of the machine sells;
2. a label of the cloud, the autoscaler or a health agent that knows the machine's nominal count;
3. the node's PCI bus, as Node Feature Discovery lists it: a device without a working driver is still there;
4. the nodes like it (vendor, product, instance type and machine): at least `gpu_peers_min` others, more than half
   of which offer the same number; one that offers more than they do lacks nothing;
5. the driver's own count (discovery label, ResourceSlice), only where it is MORE than what is offered: a device that
   the driver never saw is missing from both, so an equal number proves nothing.

A source that could not be read is not skipped: what comes after it might say something else.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeVar

from kubegap_checks.facts.nodes import Node, NodeFeature, PciDevice, ResourceSlice
from kubegap_checks.facts.read import Facts, Record, Unread, UnreadError
from kubegap_checks.model import Confidence, Seen
from kubegap_checks.signals.accelerators import Accelerator, DraDevices, Explained, LabelMatch, Vendor, accelerators
from kubegap_checks.signals.fabrics import fabrics
from kubegap_checks.signals.instance_labels import told
from kubegap_checks.signals.instance_types import InstanceType, instance_type
from kubegap_checks.signals.tables import Regex
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text

R = TypeVar("R", bound=Record)

# A device with such a taint is not given to new pods; a taint without effect only informs.
_BLOCKING = {"NoSchedule", "NoExecute"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """How many devices there should be, what tells so, and how sure that is."""

    count: int
    basis: Text
    path: str
    seen: Seen
    confidence: Confidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Devices:
    """One vendor's accelerators on one node.

    `confirmed` is the PCI bus where it bears out what something else says. `sliced` says why what the node offers is
    not whole devices: then there is nothing to compare. `shares` is how many units stand for one device. `idle` says
    why the node is meant to offer none. `agent` is what a health agent counts, and where it says so. `blocked` names
    the devices that a taint keeps from pods. `doubt` says why a count is not known although everything was read;
    `unread` is what could not be read and might have told it.
    """

    node: Node
    signal: Accelerator
    product: str
    machine: str
    driver: str
    expected: Expected | None = None
    confirmed: Expected | None = None
    capacity: int | None = None
    allocatable: int | None = None
    path: str
    sliced: Text | None = None
    idle: Text | None = None
    agent: tuple[int, str] | None = None
    doubt: Text | None = None
    by_dra: bool = False
    blocked: tuple[str, ...] = ()
    shares: int = 1
    unread: tuple[Unread, ...] = ()

    @property
    def vendor(self) -> Vendor:
        return self.signal.vendor

    @property
    def present(self) -> tuple[int, str] | None:
        """The devices that are there and where that is seen: the least that the node or an agent counts."""
        offered = (self.capacity, self.path) if self.capacity is not None else None
        return min((count for count in (offered, self.agent) if count), key=lambda count: count[0], default=None)

    @property
    def short(self) -> int:
        """How many devices fewer than expected are there; 0 where either number is not known."""
        if self.expected is None or self.present is None:
            return 0
        return max(0, self.expected.count - self.present[0])

    @property
    def units(self) -> Mapping[str, tuple[int | None, int | None]]:
        """Capacity and allocatable of each resource of this vendor, whatever its units are."""
        capacity, allocatable = self.node.capacity or {}, self.node.allocatable or {}
        names = (name for name in (*capacity, *allocatable) if _resource_of(self.signal, name))
        return {name: (capacity.get(name), allocatable.get(name)) for name in dict.fromkeys(names)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """Every node that is known to have accelerators, by vendor, in the order of the nodes.

    `unread` is what could not be read and might add a node.
    """

    devices: tuple[Devices, ...]
    unread: tuple[Unread, ...] = ()


def offered(facts: Facts) -> Inventory:
    """The accelerators of all nodes without what there should be; UnreadError where nodes could not be read."""
    slices, no_slices = read_or_unread(facts, ResourceSlice)
    return Inventory(devices=tuple(_all_counted(facts, _offers(slices), no_slices)), unread=no_slices)


def inventory(facts: Facts) -> Inventory:
    """The accelerators of all nodes; UnreadError where nodes could not be read."""
    slices, no_slices = read_or_unread(facts, ResourceSlice)
    features, no_features = read_or_unread(facts, NodeFeature)
    offers = _offers(slices)
    buses = pci_buses(features)
    found = _all_counted(facts, offers, no_slices)
    counts = _counts_of_kin(found)
    devices = (_with_expected(one, buses.get(one.node.name), offers, counts, no_features, no_slices) for one in found)
    return Inventory(devices=tuple(devices), unread=no_slices)


def has_accelerators(facts: Facts) -> bool:
    """Whether any node has accelerators; False only where all that could tell was read."""
    nodes = facts.known(Node)
    if any(_signals_of(node, _Offers()) for node in nodes):
        return True
    named = {node.name for node in nodes}
    return any(node in named for node, _ in _offers(facts.known(ResourceSlice)).by_vendor)


def read_or_unread(facts: Facts, record: type[R]) -> tuple[tuple[R, ...], tuple[Unread, ...]]:
    """All rows of a kind, or none of them and why."""
    try:
        return facts.known(record), ()
    except UnreadError as error:
        return (), error.unread


def pci_buses(features: Iterable[NodeFeature]) -> Mapping[str, Counter[PciDevice]]:
    """The devices on each node's bus; a node that no object lists devices of is not there.

    Two objects of one node (two installations of the agent) list the same bus, so the larger number counts.
    """
    buses: dict[str, Counter[PciDevice]] = {}
    for feature in features:
        if feature.pci is not None:
            buses[feature.node] = buses.get(feature.node, Counter()) | Counter(feature.pci)
    return buses


def pools(slices: Iterable[ResourceSlice]) -> Mapping[tuple[str, str, str], Sequence[ResourceSlice]]:
    """The slices of each (node, driver, pool) in its newest generation; older ones are about to go."""
    found: dict[tuple[str, str, str], list[ResourceSlice]] = defaultdict(list)
    for piece in slices:
        if piece.node:
            found[piece.node, piece.driver, piece.pool].append(piece)
    newest = {key: max(piece.generation for piece in pieces) for key, pieces in found.items()}
    return {key: [piece for piece in pieces if piece.generation == newest[key]] for key, pieces in found.items()}


def machine_type(node: Node) -> InstanceType | None:
    """What the table knows about this node's instance type."""
    label = told("instance_type", node.labels)
    return instance_type(label[1]) if label else None


def majority(counts: Sequence[int]) -> tuple[int, int] | None:
    """The number that more than half of at least `gpu_peers_min` peers have, and how many have it."""
    if len(counts) < threshold("gpu_peers_min").value:
        return None
    [(count, holders)] = Counter(counts).most_common(1)
    return (count, holders) if holders * 2 > len(counts) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offer:
    """What a DRA driver offers on one node, in physical devices; None where its pool is not complete."""

    physical: frozenset[str] | None
    blocked: frozenset[str]
    product: str
    driver_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offers:
    """What DRA drivers offer by node and vendor, and the nodes on which an unknown driver offers something."""

    by_vendor: Mapping[tuple[str, Vendor], _Offer] = field(default_factory=dict[tuple[str, Vendor], _Offer])
    strangers: frozenset[str] = frozenset()


Kin = tuple[Vendor, str, str, str]


def _signals_of(node: Node, offers: _Offers) -> tuple[Accelerator, ...]:
    """The vendors whose accelerators the node has: it offers them, is labelled or sold with them.

    What only the PCI bus shows does not count: Node Feature Discovery writes it to a label as well.
    """
    told_by_type = machine_type(node)
    holding = _holding(node.labels)
    resources = {**(node.capacity or {}), **(node.allocatable or {})}
    return tuple(
        signal
        for signal in accelerators()
        if (told_by_type and told_by_type.gpus and told_by_type.vendor == signal.vendor)
        or any(_resource_of(signal, name) for name in resources)
        or any(id(rule) in holding for rule in signal.present)
        or (node.name, signal.vendor) in offers.by_vendor
    )


def _all_counted(facts: Facts, offers: _Offers, no_slices: tuple[Unread, ...]) -> list[Devices]:
    return [
        _counted(node, signal, offers, no_slices) for node in facts.known(Node) for signal in _signals_of(node, offers)
    ]


def _counted(node: Node, signal: Accelerator, offers: "_Offers", no_slices: tuple[Unread, ...]) -> Devices:
    """The devices that the node offers, by its device plugin or, where that offers none, by DRA."""
    offer = offers.by_vendor.get((node.name, signal.vendor))
    labels, holding = node.labels, _holding(node.labels)
    capacity = _physical(signal, labels, holding, node.capacity)
    allocatable = _physical(signal, labels, holding, node.allocatable)
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
        idle=_explanation(signal.no_capacity_is_normal, holding),
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
    keys = [key for key in labels if any(rule in signal.present for rule in _rules_of(key))]
    return bool(keys) and all(signal.dra.older_labels.fullmatch(key) for key in keys)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Count:
    """Physical devices, or why the units are not whole devices (`sliced`) or do not tell (`doubt`)."""

    devices: int | None = None
    shares: int = 1
    sliced: Text | None = None
    doubt: Text | None = None


def _physical(
    signal: Accelerator, labels: Mapping[str, str], holding: frozenset[int], resources: Mapping[str, int] | None
) -> _Count:
    """The physical devices that the units of a resource map stand for."""
    if resources is None:
        return _Count(doubt=Text(en="its status carries no count", ko="status에 개수가 없음"))
    whole = max(_units(signal.whole, resources), default=0)
    shares = sum(_units(signal.shared, resources))
    replicas = max((number(labels.get(key)) or 0 for key in signal.replicas), default=0)
    if sliced := _why_sliced(signal, holding, resources, whole):
        return _Count(sliced=sliced)
    if replicas > 1 and (shares or whole) % replicas:
        doubt = Text(en="its shares do not add up to devices", ko="공유 단위가 디바이스 수로 나누어떨어지지 않음")
        return _Count(doubt=doubt)
    if replicas > 1:
        return _Count(devices=shares // replicas + whole if shares else whole // replicas, shares=replicas)
    if shares or (whole and _explanation(signal.shared_when, holding)):
        return _Count(
            sliced=Text(en="no label tells how many share a device", ko="디바이스당 공유 수를 알려 주는 레이블이 없음")
        )
    return _Count(devices=whole)


def _why_sliced(signal: Accelerator, holding: frozenset[int], resources: Mapping[str, int], whole: int) -> Text | None:
    if any(_units(signal.sliced, resources)):
        return Text(en="its devices are cut into slices", ko="디바이스가 슬라이스로 나뉘어 있음")
    if not whole and any(_units(signal.parts, resources)):
        return Text(en="only parts of its devices are offered", ko="디바이스의 일부 단위만 제공함")
    return _explanation(signal.units_when, holding)


def _units(pattern: Regex | None, resources: Mapping[str, int]) -> list[int]:
    return [count for name, count in resources.items() if pattern and pattern.fullmatch(name)]


def _by_dra(devices: Devices, dra: DraDevices, offer: _Offer) -> Devices:
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


def _offers(slices: Iterable[ResourceSlice]) -> _Offers:
    """What each node's DRA drivers offer, from the newest generation of each pool."""
    by_driver = {signal.dra.driver: signal for signal in accelerators() if signal.dra}
    others = {name for signal in by_driver.values() if signal.dra for name in signal.dra.companions}
    others |= {row.dra.driver for row in fabrics() if row.dra}
    offers: dict[tuple[str, Vendor], _Offer] = {}
    strangers: set[str] = set()
    for (node, driver, _), pieces in pools(slices).items():
        signal = by_driver.get(driver)
        if signal is not None and signal.dra is not None:
            offer = _offer(pieces, signal.dra)
            known = offers.get((node, signal.vendor))
            offers[node, signal.vendor] = _joined(known, offer) if known else offer
        elif driver not in others:
            strangers.add(node)
    return _Offers(by_vendor=offers, strangers=frozenset(strangers))


def _offer(pieces: Sequence[ResourceSlice], dra: DraDevices) -> _Offer:
    usable: dict[str, bool] = {}
    attributes: dict[str, str] = {}
    for device in (device for piece in pieces for device in piece.devices):
        form, parent = device.attributes.get(dra.type_attribute, ""), device.attributes.get(dra.parent)
        if dra.slice.fullmatch(form) and parent:
            identity = parent
        elif dra.whole.fullmatch(form):
            identity = device.attributes.get(dra.identity) or device.name
        else:
            continue
        # One physical device may be offered in several forms; it is out of reach when all of them are.
        free = not any(taint.effect in _BLOCKING for taint in device.taints)
        usable[identity] = usable.get(identity, False) or free
        attributes = {**device.attributes, **attributes}
    complete = len(pieces) >= max(piece.slices_in_pool for piece in pieces)
    return _Offer(
        physical=frozenset(usable) if complete else None,
        blocked=frozenset(identity for identity, free in usable.items() if not free),
        product=attributes.get(dra.product, ""),
        driver_version=attributes.get(dra.version, ""),
    )


def _joined(one: _Offer, other: _Offer) -> _Offer:
    both = one.physical is not None and other.physical is not None
    return replace(
        one,
        physical=(one.physical or frozenset()) | (other.physical or frozenset()) if both else None,
        blocked=one.blocked | other.blocked,
    )


def _counts_of_kin(found: Iterable[Devices]) -> Mapping[Kin, Counter[int]]:
    """How often each number of devices is offered among nodes that are alike."""
    counts: dict[Kin, Counter[int]] = defaultdict(Counter)
    for one in found:
        alike = kin(one)
        if alike and one.capacity is not None:
            counts[alike][one.capacity] += 1
    return counts


def kin(devices: Devices) -> Kin | None:
    """What makes two nodes alike; None where too little is known to say so."""
    label = told("instance_type", devices.node.labels)
    kind = label[1] if label else ""
    return (
        (devices.vendor, devices.product, kind, devices.machine)
        if devices.product and (kind or devices.machine)
        else None
    )


def _with_expected(
    devices: Devices,
    bus: Counter[PciDevice] | None,
    offers: _Offers,
    counts: Mapping[Kin, Counter[int]],
    no_features: tuple[Unread, ...],
    no_slices: tuple[Unread, ...],
) -> Devices:
    """The same devices with what there should be, by the order that the module's docstring gives."""
    nominal, on_bus = _nominal(devices), _on_bus(devices, bus)
    if nominal:
        confirmed = on_bus if on_bus and on_bus.count == nominal.count else None
        return _never_more(replace(devices, expected=nominal, confirmed=confirmed))
    if no_features and devices.signal.pci_vendor:
        return replace(devices, unread=once(devices.unread, no_features))
    if on_bus:
        return _never_more(replace(devices, expected=on_bus))
    alike = kin(devices)
    if alike and no_slices:
        return replace(devices, unread=once(devices.unread, no_slices))
    peers = _peers(devices, counts[alike]) if alike and alike in counts else None
    return replace(devices, expected=peers or _seen_by_driver(devices, offers))


def _nominal(devices: Devices) -> Expected | None:
    node, vendor = devices.node, devices.vendor
    known = machine_type(node)
    if known and known.vendor == vendor and known.gpus:
        path, _ = told("instance_type", node.labels) or ("", "")
        return Expected(
            count=known.gpus,
            basis=Text(
                en=f"instance type {known.name} has {known.gpus}",
                ko=f"인스턴스 유형 {known.name}의 사양은 {known.gpus}개",
            ),
            path=f"metadata.labels.{path}",
            seen=known.name,
            confidence=Confidence.CERTAIN,
        )
    label = told("accelerators_expected", node.labels, vendor)
    count = number(label[1]) if label else None
    if label is None or not count:
        return None
    return Expected(
        count=count,
        basis=Text(en=f"label {label[0]} says {count}", ko=f"레이블 {label[0]} 값은 {count}"),
        path=f"metadata.labels.{label[0]}",
        seen=count,
        confidence=Confidence.CERTAIN,
    )


def _on_bus(devices: Devices, bus: Counter[PciDevice] | None) -> Expected | None:
    signal = devices.signal
    count = sum(
        number
        for device, number in (bus or Counter()).items()
        if device.vendor == signal.pci_vendor and device.cls in signal.pci_classes
    )
    if not count:
        return None
    return Expected(
        count=count,
        basis=Text(en=f"{count} are on the PCI bus", ko=f"PCI 버스에는 {count}개가 있음"),
        path="NodeFeature.spec.features.instances.pci.device",
        seen=count,
        confidence=Confidence.CERTAIN,
    )


def _peers(devices: Devices, counts: Counter[int]) -> Expected | None:
    others = counts - Counter([] if devices.capacity is None else [devices.capacity])
    agreed = majority(sorted(others.elements()))
    if agreed is None:
        return None
    count, holders = agreed
    total = others.total()
    return Expected(
        count=max(count, devices.capacity or 0),
        basis=Text(
            en=f"{holders} of {total} nodes of the same kind have {count}",
            ko=f"같은 종류의 노드 {total}대 중 {holders}대가 {count}개를 가짐",
        ),
        path=f"peers.{devices.path}",
        seen=count,
        confidence=Confidence.LIKELY,
    )


def _seen_by_driver(devices: Devices, offers: _Offers) -> Expected | None:
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


def _driver(node: Node, signal: Accelerator) -> str:
    places = {"label": node.labels, "annotation": node.annotations}
    return next((version for keys in signal.driver if (version := keys.version_in(places[keys.where]))), "")


def _explanation(rules: Iterable[Explained], holding: frozenset[int]) -> Text | None:
    return next((rule.text for rule in rules if id(rule) in holding), None)


def _agent_count(labels: Mapping[str, str], vendor: Vendor) -> tuple[int, str] | None:
    label = told("accelerators_current", labels, vendor)
    count = number(label[1]) if label else None
    return None if label is None or count is None else (count, f"metadata.labels.{label[0]}")


def undecided(what: str, names: Iterable[str]) -> Unread:
    """One item for all nodes of which nothing tells what they should have."""
    return Unread(
        what=f"whether all {what} of {examples(names)} are there",
        reason="invalid",
        remedy=Text(
            en="run Node Feature Discovery so that the PCI bus is listed, or label the nodes with their instance type",
            ko="PCI 버스가 보이도록 Node Feature Discovery를 실행하거나 노드에 인스턴스 유형 레이블을 추가",
        ),
    )


def examples(names: Iterable[str]) -> str:
    """How many nodes these are, and up to three of them by name."""
    nodes = list(dict.fromkeys(names))
    if len(nodes) == 1:
        return f"node {nodes[0]}"
    return f"{len(nodes)} nodes ({', '.join(nodes[:3])}{', ...' if len(nodes) > 3 else ''})"  # noqa: PLR2004


def _name_of_whole(signal: Accelerator) -> str:
    return signal.whole.pattern.replace("\\", "")


def number(value: str | None) -> int | None:
    return int(value) if value and value.isdecimal() else None


def once(*groups: tuple[Unread, ...]) -> tuple[Unread, ...]:
    return tuple(dict.fromkeys(item for group in groups for item in group))


def _resource_of(signal: Accelerator, name: str) -> bool:
    return name in _resources_of(signal.vendor, name)


@lru_cache(maxsize=4096)
def _resources_of(vendor: Vendor, name: str) -> tuple[str, ...]:
    signal = next(row for row in accelerators() if row.vendor == vendor)
    patterns = (signal.whole, signal.shared, signal.sliced, signal.parts)
    return (name,) if any(pattern and pattern.fullmatch(name) for pattern in patterns) else ()


def _holding(labels: Mapping[str, str]) -> frozenset[int]:
    """The identities of all label rules that these labels fulfil.

    Only the rules that a key can fulfil are tried, and those are found once a key: trying every pattern on every
    label of every node would take seconds on a large cluster.
    """
    return frozenset(
        id(rule)
        for key, value in labels.items()
        for rule in _rules_of(key)
        if rule.value is None or rule.value.fullmatch(value)
    )


@lru_cache(maxsize=4096)
def _rules_of(key: str) -> tuple[LabelMatch, ...]:
    rules: Iterable[LabelMatch] = (
        rule
        for row in accelerators()
        for rule in (*row.present, *row.units_when, *row.shared_when, *row.no_capacity_is_normal)
    )
    return tuple(rule for rule in rules if rule.label.fullmatch(key))
