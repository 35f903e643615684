"""Nodes whose adapters could reach GPU memory directly, and whether a module lets them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from kubegap_checks.facts.nodes import NicClusterPolicy, Node, NodeFeature, ResourceSlice
from kubegap_checks.facts.operators import ClusterPolicy
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.devices import Devices, Kin, kin
from kubegap_checks.inventory.fabric import node_fabrics
from kubegap_checks.signals.gpudirect import GpuDirect, gpudirect
from kubegap_checks.signals.thresholds import threshold


class DirectNode(Struct, frozen=True, kw_only=True):
    """A node with GPUs, their driver loaded, and verbs adapters that pods can have."""

    accelerators: Devices
    row: GpuDirect
    has_module: bool

    @property
    def node(self) -> Node:
        return self.accelerators.node


def direct_nodes(facts: Facts) -> Iterator[DirectNode]:
    """Those of which the loaded modules are listed; UnreadError where a node might be missing."""
    facts.known(NicClusterPolicy)  # these two may name a node's adapters
    facts.known(ResourceSlice)
    loaded: dict[str, frozenset[str]] = {}
    for feature in facts.known(NodeFeature):
        if feature.modules is not None:
            loaded[feature.node] = loaded.get(feature.node, frozenset()) | feature.modules
    rows = {row.vendor: row for row in gpudirect()}
    for fabric in node_fabrics(facts).nodes:
        modules, row = loaded.get(fabric.node.name), rows.get(fabric.accelerators.vendor)
        if modules is None or row is None or row.driver not in modules:
            continue
        if fabric.kind in {"infiniband", "roce"} and fabric.is_offered:
            yield DirectNode(accelerators=fabric.accelerators, row=row, has_module=row.has_peer_memory(modules))


def modules_of_kin(nodes: Iterable[DirectNode]) -> Mapping[Kin, Counter[bool]]:
    """How many nodes that are alike have the module, and how many have not."""
    counts: dict[Kin, Counter[bool]] = defaultdict(Counter)
    for one in nodes:
        if alike := kin(one.accelerators):
            counts[alike][one.has_module] += 1
    return counts


def peers_with_module(one: DirectNode, counts: Mapping[Kin, Counter[bool]]) -> int:
    """How many other nodes that are alike have the module, where that is most of them; else 0. This one has it not."""
    alike = kin(one.accelerators)
    of_kin = counts[alike] if alike else Counter[bool]()
    holders, others = of_kin[True], of_kin.total() - 1
    return holders if others >= threshold("gpu_peers_min").value and holders * 2 > others else 0


def without_dma_buf(one: DirectNode, facts: Facts) -> ClusterPolicy | None:
    """The policy by which the node has driver modules that do no DMA-BUF."""
    if one.node.labels.get(one.row.operator_label) != "true":
        return None
    return next(
        (
            policy
            for policy in facts.known(ClusterPolicy)
            if policy.driver.kernel_modules == one.row.without_dma_buf and not policy.driver_crd
        ),
        None,
    )
