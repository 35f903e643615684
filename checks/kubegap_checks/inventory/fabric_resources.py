"""Which resources of a node stand for a fabric, and whether their units are adapters.

A resource of which one unit opens every adapter is shared: its number is never a number of adapters. Which ones
are shared is told by the first of these that speaks: the resource's name, the instance type, NicClusterPolicy, and
last the size: more than `shared_rdma_factor` units a device, or a single unit beside several devices.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.read import Unread
from kubegap_checks.inventory.devices import Devices
from kubegap_checks.inventory.node_fabric import Counts, NodeFabric, Resource
from kubegap_checks.inventory.sources import machine_type, once
from kubegap_checks.signals.accelerators import is_accelerator
from kubegap_checks.signals.fabrics import Counting, Fabric, FabricKind, fabric_of
from kubegap_checks.signals.thresholds import threshold


class Policy(Struct, frozen=True, kw_only=True):
    """The resources that NicClusterPolicy objects call shared or counted; one that is called both is neither."""

    shared: frozenset[str]
    counted: frozenset[str]
    unread: tuple[Unread, ...]

    @property
    def names(self) -> frozenset[str]:
        return self.shared | self.counted


def with_resources(
    accelerators: Sequence[Devices],
    policy: Policy,
    by_dra: Mapping[str, tuple[FabricKind | None, int]],
    no_slices: tuple[Unread, ...],
) -> NodeFabric:
    """A node's fabric with what its device plugins or, where those offer nothing, its DRA drivers offer."""
    node = accelerators[0].node
    names: list[str] = sorted({*(node.capacity or {}), *(node.allocatable or {})})
    gpus = _devices_of(accelerators)
    resources = tuple(
        _resource(node, name, signal, gpus, policy)
        for name in names
        if (signal := fabric_of(name)) is not None or name in policy.names
    )
    undecided = any(row.counts is None and row.offered for row in resources)
    nameless = not any(row.offered for row in resources) and any(map(_may_be_named_by_policy, names))
    kinds: Iterator[FabricKind] = (row.kind for row in sorted(resources, key=lambda row: -row.offered) if row.kind)
    kind = next(kinds, None)
    counted = [row for row in resources if row.counts == "devices" and row.offered]
    # Names that tell no kind may stand for adapters of another network: they count where no other is there.
    counted = [row for row in counted if row.kind] or counted
    fabric = NodeFabric(
        node=node,
        accelerators=accelerators[0],
        resources=resources,
        kind="unknown" if kind is None else kind,
        devices=sum(row.usable for row in counted) if counted and not undecided else None,
        path=f"status.allocatable.{counted[0].name}" if counted else "",
        unread=policy.unread if undecided or nameless else (),
        unnamed=policy.unread if nameless else (),
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


def _may_be_named_by_policy(name: str) -> bool:
    return "/" in name and not is_accelerator(name) and fabric_of(name) is None


def _resource(node: Node, name: str, signal: Fabric | None, gpus: int | None, policy: Policy) -> Resource:
    capacity, allocatable = (node.capacity or {}).get(name), (node.allocatable or {}).get(name)
    by_name = signal.counts if signal else None
    units = max(capacity or 0, allocatable or 0)
    return Resource(
        name=name,
        kind=signal.kind if signal else None,
        by_name=by_name,
        capacity=capacity,
        allocatable=allocatable,
        counts=_counts(name, by_name, units, node, gpus, policy),
    )


def _counts(
    name: str, by_name: Counting | None, units: int, node: Node, gpus: int | None, policy: Policy
) -> Counts | None:
    """What one unit is, by the first source that the module's docstring names; None where none can tell."""
    known = machine_type(node)
    for said in (by_name, known.nic_resource if known else None):
        if said == "devices" or said == "shared":  # noqa: PLR1714 (narrows the type)
            return said
    if policy.unread or (name not in policy.names and not gpus):
        return None
    if name in policy.names:
        return "shared" if name in policy.shared else "devices"
    return "shared" if _too_many_or_one(units, gpus or 0) else "devices"


def _too_many_or_one(units: int, gpus: int) -> bool:
    return units == 1 < gpus or units > threshold("shared_rdma_factor").value * gpus


def _devices_of(accelerators: Iterable[Devices]) -> int | None:
    counts = [one.expected.count if one.expected else one.capacity for one in accelerators]
    return sum(count for count in counts if count) or None
