"""How many fabric adapters a node should have.

That is told by the first of these that speaks:

1. the instance type, looked up in the table;
2. a label of a health agent that knows the nominal count;
3. the nodes like it, as for accelerators;
4. the PCI bus, where the adapters are InfiniBand or EFA. It also holds adapters for storage, so it is a hint only.

A source that could not be read is not skipped: what comes after it might say something else.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cache

from msgspec.structs import replace

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.read import Unread
from kubegap_checks.inventory.devices import Expected, Kin, kin, lookalike
from kubegap_checks.inventory.expected import agreed_by_peers, listed_on_bus, said_by_label, sold_with, unanimous
from kubegap_checks.inventory.node_fabric import NodeFabric
from kubegap_checks.inventory.sources import machine_type, number, once
from kubegap_checks.model import Confidence
from kubegap_checks.signals.fabrics import fabrics


def kin_of(fabric: NodeFabric) -> Kin | None:
    """What makes two nodes alike: as for accelerators, else the same product beside the same adapters on the bus."""
    devices = fabric.accelerators
    if alike := kin(devices):
        return alike
    return (devices.vendor, devices.product, fabric.kind, str(fabric.on_bus)) if fabric.on_bus else None


def adapters_of_kin(nodes: Iterable[NodeFabric]) -> Mapping[Kin, Counter[int]]:
    """How often each number of adapters is offered among nodes that are alike."""
    counts: dict[Kin, Counter[int]] = defaultdict(Counter)
    for fabric in nodes:
        alike = kin_of(fabric) or lookalike(fabric.accelerators)
        if alike and fabric.devices is not None:
            counts[alike][fabric.devices] += 1
    return counts


def with_expected_adapters(
    fabric: NodeFabric,
    counts: Mapping[Kin, Counter[int]],
    incomplete: tuple[Unread, ...],
) -> NodeFabric:
    """The same fabric with how many adapters there should be, by the order that the module's docstring gives."""
    if fabric.kind == "none":
        return fabric
    if nominal := _nominal(fabric.node):
        return replace(fabric, expected=nominal)
    alike = kin_of(fabric)
    if alike is None and not fabric.no_bus:  # the bus might tell them apart
        alike = unanimous(lookalike(fabric.accelerators), fabric.devices, counts)
    if alike and incomplete:
        return replace(fabric, unread=once(fabric.unread, incomplete))
    peers = agreed_by_peers(fabric.devices, counts[alike], "status.allocatable") if alike and alike in counts else None
    if peers or fabric.on_bus is None or fabric.devices is None or fabric.kind == "roce":
        return replace(fabric, expected=peers)
    return replace(fabric, expected=listed_on_bus(fabric.on_bus, Confidence.HINT))


def _nominal(node: Node) -> Expected | None:
    known = machine_type(node)
    if known and known.nic_count:
        return sold_with(node, known, known.nic_count)
    for key in _nominal_labels():
        if count := number(node.labels.get(key)):
            return said_by_label(key, count, Confidence.LIKELY)
    return None


@cache
def _nominal_labels() -> tuple[str, ...]:
    return tuple(row.label_expected for row in fabrics() if row.label_expected)
