"""Where the scheduler may put a pod, and what of a resource is free there."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.inventory.tolerations import tolerates

_KEEPS_AWAY = frozenset({"NoSchedule", "NoExecute"})
_BY_FIELD = "metadata.name"


def may_take(node: Node, pod: Pod) -> bool:
    """Whether the node is in service and selector, required affinity and taints let the pod onto it."""
    ready = node.condition("Ready")
    return (
        not node.unschedulable
        and ready is not None
        and ready.status == "True"
        and _selected(node, pod)
        and all(tolerates(pod, taint) for taint in node.taints if taint.effect in _KEEPS_AWAY)
    )


def free(
    allocatable: Iterable[tuple[Node, Mapping[str, int]]], pods: Iterable[Pod], resource: str
) -> Mapping[str, int]:
    """Node name -> units of the resource that no pod on it asks for; a node without the resource is not there."""
    taken: dict[str, int] = defaultdict(int)
    for pod in pods:
        taken[pod.node] += pod.resources.get(resource, 0)
    return {node.name: max(0, has[resource] - taken[node.name]) for node, has in allocatable if resource in has}


def _selected(node: Node, pod: Pod) -> bool:
    labels = {**node.labels, _BY_FIELD: node.name}
    return all(labels.get(key) == value for key, value in pod.node_selector.items()) and (
        not pod.node_terms or any(all(need.matches(labels) for need in term) for term in pod.node_terms)
    )
