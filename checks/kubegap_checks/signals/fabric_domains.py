"""Parts of the network that labels of nodes name, and what lies between two of them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal

from kubegap_checks.facts.nodes import Node
from kubegap_checks.signals.tables import Filled, Regex, Row, Words, read

# kubernetes-sigs/kueue:apis/kueue/v1beta1/topology_types.go
_NEAR = re.compile(r"kueue\.x-k8s\.io/podset-(?:required|preferred|unconstrained)-topology")


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


def asks_to_be_near(annotations: Iterable[str]) -> bool:
    """Whether a scheduler packed the pod as well as it could, or was told not to."""
    return any(_NEAR.fullmatch(key) for key in annotations)
