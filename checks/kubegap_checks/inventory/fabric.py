"""The high-speed network of each accelerator node: its kind, the adapters it offers, and how many there should be."""

from collections import defaultdict

from msgspec import Struct

from kubegap_checks.facts.derived import derived
from kubegap_checks.facts.nodes import NicClusterPolicy, Node, NodeFeature, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import inventory, offered
from kubegap_checks.inventory.devices import Devices
from kubegap_checks.inventory.fabric_adapters import adapters_by_dra, adapters_on, with_bus
from kubegap_checks.inventory.fabric_expected import adapters_of_kin, with_expected_adapters
from kubegap_checks.inventory.fabric_resources import Policy, with_resources
from kubegap_checks.inventory.node_fabric import NodeFabric
from kubegap_checks.inventory.sources import machine_type, once, pci_buses, read_or_unread
from kubegap_checks.signals.fabrics import fabric_of, fabrics


class Fabrics(Struct, frozen=True, kw_only=True):
    """The fabric of every node that is known to have accelerators.

    `unread` might add a node; `damaged` stands for nodes that made no sense, and may be like the others.
    """

    nodes: tuple[NodeFabric, ...]
    unread: tuple[Unread, ...] = ()
    damaged: tuple[Unread, ...] = ()


@derived
def node_fabrics(facts: Facts) -> Fabrics:
    """The fabric of all accelerator nodes; UnreadError where nodes could not be read."""
    found = inventory(facts)
    policies, no_policies = read_or_unread(facts, NicClusterPolicy)
    features, no_features = read_or_unread(facts, NodeFeature)
    slices, no_slices = read_or_unread(facts, ResourceSlice)
    buses, by_dra = pci_buses(features), adapters_by_dra(slices)
    on_node = defaultdict[str, list[Devices]](list)
    for one in found.devices:
        on_node[one.node.name].append(one)
    shared = frozenset(name for policy in policies for name in policy.shared_resources)
    counted = frozenset(name for policy in policies for name in policy.counted_resources)
    told_by = Policy(shared=shared - counted, counted=counted - shared, unread=no_policies)
    nodes = [with_resources(group, told_by, by_dra, no_slices) for group in on_node.values()]
    nodes = [with_bus(fabric, buses.get(fabric.node.name), no_features) for fabric in nodes]
    counts = adapters_of_kin(nodes)
    damaged = facts.unread(Node)
    incomplete = once(no_slices, no_policies, damaged)
    return Fabrics(
        nodes=tuple(with_expected_adapters(fabric, counts, incomplete) for fabric in nodes),
        unread=found.unread,
        damaged=damaged,
    )


@derived
def has_fabric(facts: Facts) -> bool:
    """Whether anything tells of a high-speed network of an accelerator node; False only where all that could was read.

    Ordinary nodes have none and nothing says so: that nobody lists their PCI bus is no doubt.
    """
    nodes = [one.node for one in offered(facts).devices]
    if any(_tells_of_fabric(node) for node in nodes):
        return True
    names = {node.name for node in nodes}
    if any(node in names for node in adapters_by_dra(facts.known(ResourceSlice))):
        return True
    buses = pci_buses(facts.known(NodeFeature))
    return any(kind != "roce" for name in names & buses.keys() for kind in adapters_on(buses[name]))


def _tells_of_fabric(node: Node) -> bool:
    known = machine_type(node)
    return (
        bool(known and known.is_sold_with_fabric)
        or any(fabric_of(name) for name in (*(node.capacity or {}), *(node.allocatable or {})))
        or any(row.label_expected in node.labels for row in fabrics() if row.label_expected)
    )
