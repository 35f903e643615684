"""Nodes that are alike, for the tests of drift."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from kubegap_checks.facts.nodes import Node
from tests.checks.build import node

DELL = {
    "nvidia.com/gpu.present": "true",
    "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
    "nvidia.com/gpu.machine": "PowerEdge-XE9680",
}
DRIVER = "nvidia.com/cuda.driver-version.full"


def alike(count: int, labels: Mapping[str, str] | None = None, first: int = 0, **fields: Any) -> tuple[Node, ...]:
    """So many nodes of the same machine with eight GPUs each."""
    return tuple(
        node(f"gpu-{number}", DELL | dict(labels or {}), {"nvidia.com/gpu": 8}, **fields)
        for number in range(first, first + count)
    )


def with_labels(node: Node, labels: Mapping[str, str]) -> Node:
    return replace(node, labels={**node.labels, **labels})
