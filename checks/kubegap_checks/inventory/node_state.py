"""What a node is going through, and where it stands."""

from datetime import datetime, timedelta
from typing import Final

from kubegap_checks.facts.derived import row_derived
from kubegap_checks.facts.nodes import Condition, Node
from kubegap_checks.signals.labels import Mark, marks
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text

READ_STATUS = Text(en="read the nodes with their whole status", ko="status를 포함해 노드를 다시 읽기")

# https://kubernetes.io/docs/reference/labels-annotations-taints/: the newer one first
_ZONES: Final = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")


def settling(node: Node, now: datetime) -> bool:
    """Whether the node has just joined or is about to go, so that what it lacks says nothing yet.

    One that joins in the future is none of them: the clock here is wrong, and that hides no fault.
    """
    grace = timedelta(minutes=threshold("node_boot_grace").value)
    return node.deleting or (node.created is not None and abs(now - node.created) < grace)


@row_derived
def under_way(node: Node) -> Mark | None:
    """The mark of an operator that is changing the node and will put it back itself."""
    return next((mark for mark in marks(node) if mark.signal.under_way), None)


def changing(node: Node, now: datetime) -> bool:
    """Whether what it lacks may be on its way: it has just joined, is about to go, or an operator is at work on it."""
    return settling(node, now) or under_way(node) is not None


def in_service(node: Node, now: datetime) -> bool:
    """A node that comes, goes, is cordoned, under repair or being changed lacks agents for that reason."""
    repaired = any(mark.signal.where == "taint" for mark in marks(node))
    return not (repaired or node.unschedulable or changing(node, now))


def last_seen_stale(node: Node, now: datetime) -> datetime | None:
    """The last heartbeat of a node that says it is ready, where that is too old to be believed.

    Without a heartbeat the condition itself is believed: the control plane turns it to Unknown when a node falls
    silent.
    """
    condition = node.condition("Ready")
    if condition is None or condition.status != "True" or condition.heartbeat is None:
        return None
    limit = timedelta(minutes=threshold("node_heartbeat_stale").value)
    return condition.heartbeat if now - condition.heartbeat > limit else None


def not_ready_text(condition: Condition) -> Text | None:
    """What the Ready condition says where it is not True."""
    if condition.status == "True":
        return None
    if condition.status == "Unknown":
        return Text(en="the kubelet has stopped reporting", ko="kubelet 보고가 끊김")
    return Text(en="the kubelet reports the node as not ready", ko="kubelet이 노드를 NotReady로 보고함")


def zone_of(node: Node) -> str | None:
    return next((node.labels[key] for key in _ZONES if node.labels.get(key)), None)
