"""The high-speed network of each accelerator node: its kind, the adapters it offers, and how many there should be.

A resource of which one unit opens every adapter is shared: its number is never a number of adapters. Which ones
are shared is told by the first of these that speaks: the resource's name, the instance type, NicClusterPolicy, and
last the size: more than `shared_rdma_factor` units a device, or a single unit beside several devices.

How many adapters there should be is told by the first of these that speaks:

1. the instance type, looked up in the table;
2. a label of a health agent that knows the nominal count;
3. the nodes like it, as for accelerators;
4. the PCI bus, where the adapters are InfiniBand or EFA. It also holds adapters for storage, so it is a hint only.

A source that could not be read is not skipped: what comes after it might say something else.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from kubegap_checks.facts.nodes import NicClusterPolicy, Node, NodeFeature, PciDevice, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread, UnreadError
from kubegap_checks.inventory.accelerators import (
    Devices,
    Expected,
    Inventory,
    Kin,
    examples,
    inventory,
    kin,
    machine_type,
    majority,
    number,
    offered,
    once,
    pci_buses,
    pools,
    read_or_unread,
)
from kubegap_checks.model import Confidence, Seen, Severity
from kubegap_checks.signals.fabrics import Fabric, FabricKind, fabric_of, fabrics
from kubegap_checks.signals.instance_labels import told
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text

Counts = Literal["devices", "shared"]
ShownKind = FabricKind | Literal["none", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """An extended resource that stands for a fabric. `counts` is None where it cannot be told what a unit is."""

    name: str
    signal: Fabric
    capacity: int | None
    allocatable: int | None
    counts: Counts | None

    @property
    def offered(self) -> int:
        """What is there, whichever of the two maps carries it."""
        return max(self.capacity or 0, self.allocatable or 0)

    @property
    def usable(self) -> int:
        return min(number for number in (self.capacity, self.allocatable) if number is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFabric:
    """The fabric of one node.

    `devices` is None where the node does not offer its adapters one by one; `on_bus` is None where the bus was not
    listed or shows none. `unread` and, for what only the bus tells, `no_bus` are what could not be read and might
    have told a field that is None or unknown.
    """

    node: Node
    accelerators: Devices
    kind: ShownKind = "unknown"
    resources: tuple[Resource, ...] = ()
    devices: int | None = None
    by_dra: int | None = None
    on_bus: int | None = None
    expected: Expected | None = None
    path: str = ""
    unread: tuple[Unread, ...] = ()
    no_bus: tuple[Unread, ...] = ()

    @property
    def has_status(self) -> bool:
        return self.node.capacity is not None or self.node.allocatable is not None

    @property
    def is_offered(self) -> bool:
        """Whether a pod can ask for the fabric on this node."""
        return bool(self.by_dra) or any(row.usable for row in self.resources)

    @property
    def seen(self) -> tuple[int, str] | None:
        """The adapters that can be counted, and where; None where none can.

        The bus is a count only beside another source that says how many there should be.
        """
        if self.devices is not None:
            return self.devices, self.path
        if self.unread or self.expected is None:
            return None
        for key in (row.label_current for row in fabrics()):
            count = number(self.node.labels.get(key)) if key else None
            if key and count is not None:
                return count, f"metadata.labels.{key}"
        if self.on_bus is not None:
            return self.on_bus, "NodeFeature.spec.features.instances.pci.device"
        return None

    @property
    def wanting(self) -> tuple[Unread, ...]:
        """What could not be read and might have told how many adapters are there or should be."""
        if self.seen is None:
            return once(self.unread, self.no_bus if self.expected else ())
        return once(self.unread, self.no_bus) if self.expected is None else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fabrics:
    """The fabric of every node that is known to have accelerators; `unread` might add a node."""

    nodes: tuple[NodeFabric, ...]
    unread: tuple[Unread, ...] = ()


def node_fabrics(facts: Facts, found: Inventory | None = None) -> Fabrics:
    """The fabric of all accelerator nodes; UnreadError where nodes could not be read."""
    found = found or inventory(facts)
    policies, no_policies = read_or_unread(facts, NicClusterPolicy)
    features, no_features = read_or_unread(facts, NodeFeature)
    slices, no_slices = read_or_unread(facts, ResourceSlice)
    buses, by_dra = pci_buses(features), _adapters_by_dra(slices)
    first: dict[str, list[Devices]] = defaultdict(list)
    for one in found.devices:
        first[one.node.name].append(one)
    shared = frozenset(name for policy in policies for name in policy.shared_resources)
    counted = frozenset(name for policy in policies for name in policy.counted_resources)
    told_by = _Policy(shared=shared - counted, counted=counted - shared, unread=no_policies)
    nodes = [
        _offered(NodeFabric(node=group[0].node, accelerators=group[0]), group, told_by, by_dra, no_slices)
        for group in first.values()
    ]
    nodes = [_on_bus(fabric, buses.get(fabric.node.name), no_features) for fabric in nodes]
    counts = _counts_of_kin(nodes)
    incomplete = once(no_slices, no_policies)
    return Fabrics(nodes=tuple(_with_expected(fabric, counts, incomplete) for fabric in nodes), unread=found.unread)


def has_fabric(facts: Facts) -> bool:
    """Whether any accelerator node has a high-speed network; False only where all that could tell was read."""
    nodes = [one.node for one in offered(facts).devices]
    if any(_tells_of_fabric(node) for node in nodes):
        return True
    names = {node.name for node in nodes}
    if any(node in names for node in _adapters_by_dra(facts.known(ResourceSlice))):
        return True
    buses = pci_buses(facts.known(NodeFeature))
    if any(kind != "roce" for name in names & buses.keys() for kind in _adapters_on(buses[name])):
        return True
    if untold := [node.name for node in nodes if node.name not in buses and not _sold_without(node)]:
        raise UnreadError(
            Unread(
                what=f"whether there are fabric adapters on {examples(untold)}",
                reason="invalid",
                remedy=Text(
                    en="run Node Feature Discovery, which lists the adapters on the PCI bus",
                    ko="PCI 버스의 어댑터를 보여 주는 Node Feature Discovery를 실행",
                ),
            )
        )
    return False


def _sold_without(node: Node) -> bool:
    known = machine_type(node)
    return known is not None and known.nic_count == 0


def _tells_of_fabric(node: Node) -> bool:
    known = machine_type(node)
    return (
        bool(known and known.nic_kind)
        or any(fabric_of(name) for name in (*(node.capacity or {}), *(node.allocatable or {})))
        or any(row.label_expected in node.labels for row in fabrics() if row.label_expected)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Lack:
    """What a node with a fabric fails to offer, how that is known, and how sure and how bad it is."""

    key: str
    text: Text
    evidence: Mapping[str, Seen]
    severity: Severity
    confidence: Confidence


def lacks(nodes: Sequence[NodeFabric]) -> Iterator[tuple[NodeFabric, Lack | tuple[Unread, ...]]]:
    """Each node whose fabric pods cannot ask for, or what could not be read to tell."""
    offering: dict[Kin, Counter[bool]] = defaultdict(Counter)
    for fabric in nodes:
        if (alike := kin(fabric.accelerators)) is not None and fabric.has_status:
            offering[alike][fabric.is_offered] += 1
    for fabric in nodes:
        alike = kin(fabric.accelerators)
        if not any(row.usable for row in fabric.resources) and (
            lack := _lack(fabric, offering[alike] if alike else Counter())
        ):
            yield fabric, lack


def _lack(fabric: NodeFabric, kindred: Counter[bool]) -> Lack | tuple[Unread, ...] | None:
    known = machine_type(fabric.node)
    if known and (known.nic_count == 0 or known.nic_resource == "none"):
        return None
    if not fabric.has_status:
        return None
    if fabric.resources:
        return _at_zero(fabric.resources, by_dra=bool(fabric.by_dra))
    if fabric.unread or fabric.by_dra:
        return fabric.unread or None
    others = kindred - Counter([False])
    if majority(sorted(others.elements())) == (True, others[True]):
        return Lack(
            key="peers",
            text=Text(
                en=f"{others[True]} of {others.total()} nodes of the same kind offer a fabric resource, this one none",
                ko=f"같은 종류의 노드 {others.total()}대 중 {others[True]}대는 패브릭 리소스를 제공하는데 이 "
                f"노드에는 없음",
            ),
            evidence={"peers.offering": others[True], "status.allocatable[fabric]": None},
            severity=Severity.HIGH,
            confidence=Confidence.LIKELY,
        )
    return _not_offered(fabric)


def _at_zero(resources: Sequence[Resource], *, by_dra: bool) -> Lack:
    """A resource that no pod can get; where the adapters are offered through DRA as well, it is a left-over."""
    gone = max(resources, key=lambda row: row.offered)
    text = Text(en=f"{gone.name} is advertised as 0", ko=f"{gone.name} 값이 0으로 제공됨")
    if gone.offered:
        text = Text(
            en=f"none of {gone.offered} {gone.name} is allocatable",
            ko=f"{gone.name} {gone.offered}개 중 할당 가능한 것이 없음",
        )
    return Lack(
        key=gone.name,
        text=text,
        evidence={f"status.capacity.{gone.name}": gone.capacity, f"status.allocatable.{gone.name}": gone.allocatable},
        severity=Severity.LOW if by_dra else Severity.HIGH,
        confidence=Confidence.HINT if by_dra else Confidence.CERTAIN,
    )


def _not_offered(fabric: NodeFabric) -> Lack | tuple[Unread, ...] | None:
    """Adapters are there and no resource is; jobs may still open them on the host, so this is not certain."""
    expected, known = fabric.expected, machine_type(fabric.node)
    if expected is None and fabric.kind not in {"infiniband", "efa"}:
        return fabric.no_bus or None
    always = known is not None and known.nic_resource in {"devices", "shared"}
    basis = expected.basis if expected else Text(en=f"its fabric is {fabric.kind}", ko=f"패브릭 종류는 {fabric.kind}")
    return Lack(
        key="resource",
        text=Text(
            en=f"no resource offers its fabric adapters, {basis.en}",
            ko=f"패브릭 어댑터를 제공하는 리소스가 없음, {basis.ko}",
        ),
        evidence={"status.allocatable[fabric]": None, **({expected.path: expected.seen} if expected else {})},
        severity=Severity.MEDIUM,
        confidence=Confidence.LIKELY if always else Confidence.HINT,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Policy:
    shared: frozenset[str]
    counted: frozenset[str]
    unread: tuple[Unread, ...]

    @property
    def names(self) -> frozenset[str]:
        return self.shared | self.counted


def _offered(
    fabric: NodeFabric,
    accelerators: Sequence[Devices],
    policy: _Policy,
    by_dra: Mapping[str, tuple[FabricKind | None, int]],
    no_slices: tuple[Unread, ...],
) -> NodeFabric:
    """The fabric with what its device plugins or, where those offer nothing, its DRA drivers offer."""
    node = fabric.node
    names: list[str] = sorted({*(node.capacity or {}), *(node.allocatable or {})})
    gpus = _devices_of(accelerators)
    resources = tuple(
        _resource(node, name, signal, gpus, policy) for name in names if (signal := fabric_of(name)) is not None
    )
    kinds = [row.signal.kind for row in sorted(resources, key=lambda row: -row.offered) if row.signal.kind]
    undecided = any(row.counts is None and row.offered for row in resources)
    counted = [row for row in resources if row.counts == "devices" and row.offered]
    fabric = replace(
        fabric,
        resources=resources,
        kind=kinds[0] if kinds else "unknown",
        devices=sum(row.usable for row in counted) if counted and not undecided else None,
        path=f"status.allocatable.{counted[0].name}" if counted else "",
        unread=policy.unread if undecided else (),
    )
    if any(row.offered for row in resources):
        return fabric
    if no_slices:
        return replace(fabric, unread=once(fabric.unread, no_slices))
    kind, adapters = by_dra.get(node.name, (None, None))
    if adapters is None:
        return fabric
    path = "ResourceSlice.spec.devices"
    return replace(fabric, kind=kind or fabric.kind, devices=adapters, by_dra=adapters, path=path)


def _resource(node: Node, name: str, signal: Fabric, gpus: int | None, policy: _Policy) -> Resource:
    resource = Resource(
        name=name,
        signal=signal,
        capacity=(node.capacity or {}).get(name),
        allocatable=(node.allocatable or {}).get(name),
        counts=None,
    )
    return replace(resource, counts=_counts(resource, node, gpus, policy))


def _counts(resource: Resource, node: Node, gpus: int | None, policy: _Policy) -> Counts | None:
    """What one unit is, by the first source that the module's docstring names; None where none can tell."""
    known = machine_type(node)
    for said in (resource.signal.counts, known.nic_resource if known else None):
        if said == "devices" or said == "shared":  # noqa: PLR1714 (narrows the type)
            return said
    if policy.unread or (resource.name not in policy.names and not gpus):
        return None
    if resource.name in policy.names:
        return "shared" if resource.name in policy.shared else "devices"
    return "shared" if _too_many_or_one(resource.offered, gpus or 0) else "devices"


def _too_many_or_one(units: int, gpus: int) -> bool:
    return units == 1 < gpus or units > threshold("shared_rdma_factor").value * gpus


def _devices_of(accelerators: Iterable[Devices]) -> int | None:
    counts = [one.expected.count if one.expected else one.capacity for one in accelerators]
    return sum(count for count in counts if count) or None


def _on_bus(fabric: NodeFabric, bus: Counter[PciDevice] | None, no_features: tuple[Unread, ...]) -> NodeFabric:
    """The fabric with its kind settled and the adapters of that kind on the bus counted."""
    known = machine_type(fabric.node)
    if fabric.kind == "unknown" and known and known.nic_kind:
        fabric = replace(fabric, kind=known.nic_kind)
    if fabric.kind == "unknown" and known and known.nic_count == 0 and not fabric.resources:
        return replace(fabric, kind="none")
    if no_features:
        return replace(fabric, no_bus=no_features)
    if bus is None:
        return fabric
    adapters = _adapters_on(bus)
    if fabric.kind == "unknown":
        # An Ethernet adapter that could do RoCE is in many machines that have no such fabric.
        likely = [kind for kind in adapters if kind != "roce" or any(row.offered for row in fabric.resources)]
        in_doubt = adapters or fabric.resources or fabric.by_dra or fabric.unread
        fabric = replace(fabric, kind=likely[0] if likely else "unknown" if in_doubt else "none")
    return replace(fabric, on_bus=next((count for kind, count in adapters.items() if kind == fabric.kind), None))


def _adapters_on(bus: Counter[PciDevice]) -> Mapping[FabricKind, int]:
    """How many adapters of each kind are on the bus, in the order of the table."""
    adapters: dict[FabricKind, int] = {}
    for row in fabrics():
        count = sum(n for device, n in bus.items() if any(match.fits(device) for match in row.pci))
        if row.kind and count:
            adapters.setdefault(row.kind, count)
    return adapters


def _adapters_by_dra(slices: Iterable[ResourceSlice]) -> Mapping[str, tuple[FabricKind | None, int]]:
    """How many adapters each node offers by DRA, from the newest generation of each pool."""
    rows = {row.dra.driver: row for row in fabrics() if row.dra}
    adapters: dict[str, tuple[FabricKind | None, int]] = {}
    for (node, driver, _), pieces in pools(slices).items():
        row = rows.get(driver)
        if row is None or row.dra is None:
            continue
        count = sum(row.dra.counts(device) for piece in pieces for device in piece.devices)
        if count:
            kind, before = adapters.get(node, (row.kind, 0))
            adapters[node] = (kind or row.kind, before + count)
    return adapters


def _counts_of_kin(nodes: Iterable[NodeFabric]) -> Mapping[Kin, Counter[int]]:
    counts: dict[Kin, Counter[int]] = defaultdict(Counter)
    for fabric in nodes:
        alike = kin(fabric.accelerators)
        if alike and fabric.devices is not None:
            counts[alike][fabric.devices] += 1
    return counts


def _with_expected(
    fabric: NodeFabric,
    counts: Mapping[Kin, Counter[int]],
    incomplete: tuple[Unread, ...],
) -> NodeFabric:
    if fabric.kind == "none":
        return fabric
    if nominal := _nominal(fabric.node):
        return replace(fabric, expected=nominal)
    alike = kin(fabric.accelerators)
    if alike and incomplete:
        return replace(fabric, unread=once(fabric.unread, incomplete))
    peers = _peers(fabric, counts[alike]) if alike and alike in counts else None
    if peers or fabric.on_bus is None or fabric.devices is None or fabric.kind == "roce":
        return replace(fabric, expected=peers)
    count = fabric.on_bus
    basis = Text(en=f"{count} are on the PCI bus", ko=f"PCI 버스에는 {count}개가 있음")
    path = "NodeFeature.spec.features.instances.pci.device"
    return replace(
        fabric, expected=Expected(count=count, basis=basis, path=path, seen=count, confidence=Confidence.HINT)
    )


def _nominal(node: Node) -> Expected | None:
    known = machine_type(node)
    if known and known.nic_count:
        label = told("instance_type", node.labels)
        return Expected(
            count=known.nic_count,
            basis=Text(
                en=f"instance type {known.name} has {known.nic_count}",
                ko=f"인스턴스 유형 {known.name}의 사양은 {known.nic_count}개",
            ),
            path=f"metadata.labels.{label[0] if label else ''}",
            seen=known.name,
            confidence=Confidence.CERTAIN,
        )
    for key in (row.label_expected for row in fabrics()):
        count = number(node.labels.get(key)) if key else None
        if key and count:
            return Expected(
                count=count,
                basis=Text(en=f"label {key} says {count}", ko=f"레이블 {key} 값은 {count}"),
                path=f"metadata.labels.{key}",
                seen=count,
                confidence=Confidence.LIKELY,
            )
    return None


def _peers(fabric: NodeFabric, counts: Counter[int]) -> Expected | None:
    others = counts - Counter([] if fabric.devices is None else [fabric.devices])
    agreed = majority(sorted(others.elements()))
    if agreed is None:
        return None
    count, holders = agreed
    total = others.total()
    return Expected(
        count=max(count, fabric.devices or 0),
        basis=Text(
            en=f"{holders} of {total} nodes of the same kind have {count}",
            ko=f"같은 종류의 노드 {total}대 중 {holders}대가 {count}개를 가짐",
        ),
        path="peers.status.allocatable",
        seen=count,
        confidence=Confidence.LIKELY,
    )
