"""On which nodes a DaemonSet makes a pod: selector and affinity must match, and taints must be tolerated."""

from collections.abc import Iterable

from kubegap_checks.facts.controllers import Template
from kubegap_checks.facts.nodes import Node, Taint
from kubegap_checks.facts.pods import Toleration
from kubegap_checks.signals.passing_taints import passes

_KEEPS_AWAY = frozenset({"NoSchedule", "NoExecute"})


def refused(template: Template, node: Node) -> tuple[str, str] | None:
    """What keeps the pods of this template off the node, as a field of the node and its value; None where nothing does.

    Taints of a node that comes or goes do not count.
    """
    for key, value in template.node_selector.items():
        if node.labels.get(key) != value:
            return f"metadata.labels.{key}", node.labels.get(key, "")
    labels = {**node.labels, "metadata.name": node.name}
    if template.node_terms and not any(
        all(requirement.matches(labels) for requirement in term) for term in template.node_terms
    ):
        key = template.node_terms[0][0].key
        return f"metadata.labels.{key}", labels.get(key, "")
    taint = next((taint for taint in node.taints if _refuses(taint, template.tolerations)), None)
    return (f"spec.taints.{taint.key}", taint.effect) if taint else None


def _refuses(taint: Taint, tolerations: Iterable[Toleration]) -> bool:
    if taint.effect not in _KEEPS_AWAY or passes(taint.key):
        return False
    return not any(_tolerates(toleration, taint) for toleration in tolerations)


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect not in {"", taint.effect}:
        return False
    if toleration.operator == "Exists":
        return toleration.key in {"", taint.key}
    return toleration.key == taint.key and toleration.value == taint.value
