"""Moments that objects of a cluster still tell: when pods were made and nodes changed; events are gone in an hour."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.throughput.coincidence import Happening


def happenings(pods: Iterable[Pod], nodes: Iterable[Node]) -> Iterator[Happening]:
    """Moments in the life of a job's pods and of the nodes that they run on.

    Pods that were made together are one happening; one that was made later was lost, or moved.
    """
    made: dict[datetime, list[Pod]] = {}
    for pod in pods:
        if pod.created is not None:
            made.setdefault(pod.created, []).append(pod)
    for moment, together in made.items():
        first = min(together, key=lambda pod: (pod.namespace, pod.name))
        yield _one("pod_created", f"Pod/{first.namespace}/{first.name}", moment, len(together))
    for node in nodes:
        for condition in node.conditions:
            if condition.since is not None:
                yield _one("node_condition_changed", f"Node/{node.name} {condition.type}", condition.since)
        for taint in node.taints:
            if taint.added is not None:
                yield _one("node_tainted", f"Node/{node.name} {taint.key}", taint.added)
        if node.created is not None:
            yield _one("node_joined", f"Node/{node.name}", node.created)


def _one(name: str, subject: str, moment: datetime, count: int = 1) -> Happening:
    more = f" +{count - 1}" if count > 1 else ""
    return Happening(name=name, subject=subject + more, times=(moment.timestamp(),))
