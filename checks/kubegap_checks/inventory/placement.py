"""On which nodes the scheduler may put a pod, or the pods of a controller."""

from kubegap_checks.facts.controllers import Template
from kubegap_checks.facts.nodes import Node, Taint
from kubegap_checks.facts.pods import Pod, Toleration
from kubegap_checks.signals.passing_taints import passes

_KEEPS_AWAY = frozenset({"NoSchedule", "NoExecute"})


def may_take(node: Node, pod: Pod) -> bool:
    """Whether the node is in service and lets the pod onto it."""
    return node.ready and not node.unschedulable and selects(pod, node) and not _refusing(pod, node)


def selects(pods: Pod | Template, node: Node) -> bool:
    """Whether the node has what node selector and required affinity ask for."""
    return _unmet(pods, node) is None


def refused(pods: Pod | Template, node: Node) -> tuple[str, str] | None:
    """What keeps the pods off the node, as a field of the node and its value; None where nothing does.

    Taints of a node that comes or goes do not count.
    """
    if (key := _unmet(pods, node)) is not None:
        return f"metadata.labels.{key}", node.labels.get(key, "")
    taint = next((taint for taint in _refusing(pods, node) if not passes(taint.key)), None)
    return (f"spec.taints.{taint.key}", taint.effect) if taint else None


def tolerates(pods: Pod | Template, taint: Taint) -> bool:
    return any(_covers(toleration, taint) for toleration in pods.tolerations)


def asked_labels(pods: Pod | Template) -> tuple[str, ...]:
    """The keys of the node labels that decide."""
    terms = (requirement.key for term in pods.node_terms for requirement in term)
    return tuple(dict.fromkeys((*pods.node_selector, *terms)))


def _unmet(pods: Pod | Template, node: Node) -> str | None:
    """The first key that is asked for in vain; a term without requirements matches no node."""
    for key, value in pods.node_selector.items():
        if node.labels.get(key) != value:
            return key
    labels = {**node.labels, "metadata.name": node.name}
    terms = pods.node_terms
    if not terms or any(term and all(requirement.matches(labels) for requirement in term) for term in terms):
        return None
    return next((requirement.key for term in terms for requirement in term), "")


def _refusing(pods: Pod | Template, node: Node) -> list[Taint]:
    return [taint for taint in node.taints if taint.effect in _KEEPS_AWAY and not tolerates(pods, taint)]


def _covers(toleration: Toleration, taint: Taint) -> bool:
    # https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
    if toleration.effect not in {"", taint.effect}:
        return False
    if toleration.operator == "Exists":
        return toleration.key in {"", taint.key}
    return (toleration.key, toleration.value) == (taint.key, taint.value)
