"""Which taints a pod tolerates, and whether it came to a node although a taint was there to keep it away."""

from kubegap_checks.facts.nodes import Taint
from kubegap_checks.facts.pods import Pod, Toleration


def tolerates(pod: Pod, taint: Taint) -> bool:
    return any(_covers(toleration, taint) for toleration in pod.tolerations)


def came_later(pod: Pod, taint: Taint) -> bool | None:
    """Whether the pod was made after the taint was set; None where nothing says when that was."""
    return None if taint.added is None or pod.created is None else pod.created > taint.added


def _covers(toleration: Toleration, taint: Taint) -> bool:
    # https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
    if toleration.effect not in {"", taint.effect}:
        return False
    if toleration.operator == "Exists":
        return toleration.key in {"", taint.key}
    return (toleration.key, toleration.value) == (taint.key, taint.value)
