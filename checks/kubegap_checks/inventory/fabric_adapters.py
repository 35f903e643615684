"""Fabric adapters that are seen elsewhere than in resources: on the PCI bus and through DRA."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from msgspec.structs import replace

from kubegap_checks.facts.nodes import PciDevice, ResourceSlice
from kubegap_checks.facts.read import Unread
from kubegap_checks.inventory.node_fabric import NodeFabric
from kubegap_checks.inventory.sources import machine_type, pools
from kubegap_checks.signals.fabrics import FabricKind, fabrics


def with_bus(fabric: NodeFabric, bus: Counter[PciDevice] | None, no_features: tuple[Unread, ...]) -> NodeFabric:
    """The fabric with its kind settled and the adapters of that kind on the bus counted."""
    known = machine_type(fabric.node)
    if fabric.kind == "unknown" and known and known.nic_kind and (known.is_sold_with_fabric or fabric.resources):
        fabric = replace(fabric, kind=known.nic_kind)
    if fabric.kind == "unknown" and known and known.nic_count == 0 and not fabric.resources:
        return replace(fabric, kind="none")
    if no_features:
        return replace(fabric, no_bus=no_features)
    if bus is None:
        return fabric
    adapters = adapters_on(bus)
    if fabric.kind == "unknown":
        # An Ethernet adapter that could do RoCE is in many machines that have no such fabric.
        likely = [kind for kind in adapters if kind != "roce" or any(row.offered for row in fabric.resources)]
        in_doubt = adapters or fabric.resources or fabric.by_dra or fabric.unread
        fabric = replace(fabric, kind=likely[0] if likely else "unknown" if in_doubt else "none")
    on_bus = next((count for kind, count in adapters.items() if kind == fabric.kind), None)
    return fabric if on_bus is None else replace(fabric, on_bus=on_bus)


def adapters_on(bus: Counter[PciDevice]) -> Mapping[FabricKind, int]:
    """How many adapters of each kind are on the bus, in the order of the table."""
    counts: dict[int, int] = {}
    for device, count in bus.items():
        for number in _rows_of(device):
            counts[number] = counts.get(number, 0) + count
    adapters: dict[FabricKind, int] = {}
    for number in sorted(counts):
        if kind := fabrics()[number].kind:
            adapters.setdefault(kind, counts[number])
    return adapters


@lru_cache(maxsize=4096)
def _rows_of(device: PciDevice) -> tuple[int, ...]:
    """The rows of the table, by number, that this device is an adapter of; the same few are in every node."""
    return tuple(number for number, row in enumerate(fabrics()) if any(match.fits(device) for match in row.pci))


def adapters_by_dra(slices: Iterable[ResourceSlice]) -> Mapping[str, tuple[FabricKind | None, int]]:
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
