"""Small whole objects, as `kubectl get -o json` gives them."""

from collections.abc import Iterable
from typing import Any

from kubegap_checks.facts.read import Record

Json = dict[str, Any]


def node(name: str = "gpu-0", **labels: str) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "uid": name, "labels": labels, "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {},
        "status": {
            "capacity": {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "8"},
            "allocatable": {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "8"},
            "conditions": [{"type": "Ready", "status": "True"}],
            "nodeInfo": {"kubeletVersion": "v1.33.0"},
        },
    }


def nodes(count: int) -> list[Json]:
    return [node(f"gpu-{number:04}") for number in range(count)]


def pod(name: str, namespace: str = "train", phase: str = "Running") -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "uid": f"{namespace}/{name}"},
        "spec": {
            "nodeName": "gpu-0",
            "containers": [{"name": "main", "image": "train", "resources": {"limits": {"nvidia.com/gpu": "8"}}}],
        },
        "status": {"phase": phase},
    }


def namespace(name: str) -> Json:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def weka(name: str = "weka", namespace: str = "weka") -> Json:
    return {
        "apiVersion": "weka.weka.io/v1alpha1",
        "kind": "WekaCluster",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {},
        "status": {},
    }


def storage_class(name: str = "fast") -> Json:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": "csi.weka.io",
    }


def example_name(record: type[Record], records: Iterable[type[Record]]) -> str:
    """The name of a kind's example; where another group has a kind of that name, with its own group."""
    shared = sum(other.KIND.name == record.KIND.name for other in records) > 1
    return f"{record.KIND.name}.{record.KIND.group}" if shared else record.KIND.name
