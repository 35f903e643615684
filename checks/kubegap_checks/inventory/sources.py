"""What the inventory is made from: rows or why there are none, buses, pools, machine types, and peers that agree."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from kubegap_checks.facts.derived import row_derived
from kubegap_checks.facts.nodes import Node, NodeFeature, PciDevice, ResourceSlice
from kubegap_checks.facts.read import Facts, Record, Unread, UnreadError
from kubegap_checks.signals.instance_labels import told
from kubegap_checks.signals.instance_types import InstanceType, instance_type
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text

R = TypeVar("R", bound=Record)


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
        if (bus := _bus(feature)) is not None:
            buses[feature.node] = buses[feature.node] | bus if feature.node in buses else bus
    return buses


@row_derived
def _bus(feature: NodeFeature) -> Counter[PciDevice] | None:
    return None if feature.pci is None else Counter(feature.pci)


def pools(slices: Iterable[ResourceSlice]) -> Mapping[tuple[str, str, str], Sequence[ResourceSlice]]:
    """The slices of each (node, driver, pool) in its newest generation; older ones are about to go."""
    found: dict[tuple[str, str, str], list[ResourceSlice]] = defaultdict(list)
    for piece in slices:
        if piece.node:
            found[piece.node, piece.driver, piece.pool].append(piece)
    newest = {key: max(piece.generation for piece in pieces) for key, pieces in found.items()}
    return {key: [piece for piece in pieces if piece.generation == newest[key]] for key, pieces in found.items()}


@row_derived
def machine_type(node: Node) -> InstanceType | None:
    """What the table knows about this node's instance type."""
    label = told("instance_type", node.labels)
    return instance_type(label[1]) if label else None


def majority(counts: Counter[int], percent: float = 50) -> tuple[int, int] | None:
    """The number that more than so many of at least `gpu_peers_min` peers have, and how many have it."""
    peers = counts.total()
    if peers < threshold("gpu_peers_min").value:
        return None
    [(count, holders)] = counts.most_common(1)
    return (count, holders) if holders * 100 > percent * peers else None


def number(value: str | None) -> int | None:
    return int(value) if value and value.isdecimal() else None


def once(*groups: tuple[Unread, ...]) -> tuple[Unread, ...]:
    return tuple(dict.fromkeys(item for group in groups for item in group))


def examples(names: Iterable[str]) -> Text:
    """How many nodes these are, and up to three of them by name."""
    nodes = list(dict.fromkeys(names))
    if len(nodes) == 1:
        return Text(en=f"node {nodes[0]}", ko=f"노드 {nodes[0]}")
    few = f"{', '.join(nodes[:3])}{', ...' if len(nodes) > 3 else ''}"  # noqa: PLR2004
    return Text(en=f"{len(nodes)} nodes ({few})", ko=f"노드 {len(nodes)}대({few})")
