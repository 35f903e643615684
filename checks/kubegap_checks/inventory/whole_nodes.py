"""Nodes for what rests on a sum over all of them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread, UnreadError
from kubegap_checks.inventory.node_state import READ_STATUS
from kubegap_checks.inventory.sources import examples
from kubegap_checks.text import Text

Has = Mapping[str, int]


def nodes_and_their(resources: Literal["capacity", "allocatable"], facts: Facts) -> Sequence[tuple[Node, Has]]:
    """All nodes and what they have; UnreadError also where one makes no sense or does not say what it has."""
    if lacking := facts.unread(Node):
        raise UnreadError(*lacking)
    told: Sequence[tuple[Node, Has | None]] = [(node, getattr(node, resources)) for node in facts.known(Node)]
    if untold := [node.name for node, has in told if has is None]:
        few = examples(untold)
        what = Text(en=f"status.{resources} of {few.en}", ko=f"{few.ko}의 status.{resources}")
        raise UnreadError(Unread(what=what, reason="invalid", remedy=READ_STATUS))
    return [(node, has) for node, has in told if has is not None]


def free(allocatable: Iterable[tuple[Node, Has]], pods: Iterable[Pod], resource: str) -> Has:
    """Node name -> units of the resource that no pod on it asks for; a node without the resource is not there."""
    taken: dict[str, int] = defaultdict(int)
    for pod in pods:
        taken[pod.node] += pod.resources.get(resource, 0)
    return {node.name: max(0, has[resource] - taken[node.name]) for node, has in allocatable if resource in has}
