"""In which parts of the network some nodes lie, and whether one part would have had room for all of them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from kubegap_checks.facts.derived import derived
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.read import Facts
from kubegap_checks.signals.accelerators import is_accelerator
from kubegap_checks.signals.fabric_domains import FabricDomain, fabric_domains

Accelerators = frozenset[tuple[str, int]]


@derived
def nodes_by_name(facts: Facts) -> Mapping[str, Node]:
    return {node.name: node for node in facts.known(Node)}


def parts_of(row: FabricDomain, nodes: Iterable[Node]) -> Mapping[str, Sequence[Node]]:
    """The nodes by their part; one that does not say is left out."""
    parts: dict[str, list[Node]] = defaultdict(list)
    for node in nodes:
        if (part := row.of(node)) is not None:
            parts[part].append(node)
    return parts


def room(row: FabricDomain, on: Sequence[Node], facts: Facts) -> str | None:
    """A part with at least as many nodes of the same accelerators, busy or not."""
    sizes = _sizes(facts).get((row, _accelerators(on[0])), Counter[str]())
    return next((part for part, size in sizes.most_common(1) if size >= len(on)), None)


@derived
def _sizes(facts: Facts) -> Mapping[tuple[FabricDomain, Accelerators], Counter[str]]:
    """How many nodes with the same accelerators each part has."""
    sizes: dict[tuple[FabricDomain, Accelerators], Counter[str]] = defaultdict(Counter)
    for node in facts.known(Node):
        for row in fabric_domains():
            if (part := row.of(node)) is not None:
                sizes[row, _accelerators(node)][part] += 1
    return sizes


def _accelerators(node: Node) -> Accelerators:
    return frozenset((name, count) for name, count in (node.capacity or {}).items() if is_accelerator(name))
