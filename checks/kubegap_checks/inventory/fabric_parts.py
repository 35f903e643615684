"""In which parts of the network some nodes lie, and whether one part would have had room for all of them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from kubegap_checks.facts.nodes import Node
from kubegap_checks.signals.accelerators import is_accelerator
from kubegap_checks.signals.fabric_domains import FabricDomain


def parts_of(row: FabricDomain, nodes: Iterable[Node]) -> Mapping[str, Sequence[Node]]:
    """The nodes by their part; one that does not say is left out."""
    parts: dict[str, list[Node]] = defaultdict(list)
    for node in nodes:
        if (part := row.of(node)) is not None:
            parts[part].append(node)
    return parts


def room(row: FabricDomain, on: Sequence[Node], nodes: Iterable[Node]) -> str | None:
    """A part with at least as many nodes of the same accelerators, busy or not."""
    alike = _accelerators(on[0])
    sizes = Counter(part for node in nodes if (part := row.of(node)) is not None and _accelerators(node) == alike)
    return next((part for part, size in sizes.most_common(1) if size >= len(on)), None)


def _accelerators(node: Node) -> Mapping[str, int]:
    return {name: count for name, count in (node.capacity or {}).items() if is_accelerator(name)}
