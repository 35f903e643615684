"""The zone that a node stands in."""

from typing import Final

from kubegap_checks.facts.nodes import Node

# https://kubernetes.io/docs/reference/labels-annotations-taints/: the newer one first
_LABELS: Final = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")


def zone_of(node: Node) -> str | None:
    return next((node.labels[key] for key in _LABELS if node.labels.get(key)), None)
