"""Parts of the network that labels of nodes name, and what lies between two of them."""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from kubegap_checks.facts.nodes import Node
from kubegap_checks.signals.tables import Filled, Regex, Row, Words, read


@dataclass(frozen=True, slots=True, kw_only=True)
class FabricDomain(Row):
    """A label whose value names the part; with `resource`, only on nodes that have a resource of this name.

    `between` two parts the fabric does not lead at all (`apart`), or over more switches (`further`).
    """

    key: Filled
    resource: Regex | None = None
    between: Literal["apart", "further"]
    means: Words

    def of(self, node: Node) -> str | None:
        """The part that the node belongs to; None where it does not say, or the label means nothing there."""
        if self.resource and not any(map(self.resource.fullmatch, node.capacity or {})):
            return None
        return node.labels.get(self.key)


@cache
def fabric_domains() -> tuple[FabricDomain, ...]:
    """All rows, the widest first."""
    return read("fabric_domains.yaml", FabricDomain)
