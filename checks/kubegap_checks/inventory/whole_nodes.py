"""Nodes for what rests on a sum over all of them."""

from collections import Counter, defaultdict
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


def held_on_nodes(pods: Iterable[Pod]) -> Mapping[str, Counter[str]]:
    """Node name -> units of each resource that the pods on it ask for."""
    held: dict[str, Counter[str]] = defaultdict(Counter)
    for pod in pods:
        held[pod.node].update(pod.resources)
    return held


def free(allocatable: Iterable[tuple[Node, Has]], held: Mapping[str, Counter[str]], resource: str) -> Has:
    """Node name -> units of the resource that no pod on it asks for; a node without the resource is not there."""
    none: Counter[str] = Counter()
    return {
        node.name: max(0, has[resource] - held.get(node.name, none)[resource])
        for node, has in allocatable
        if resource in has
    }
