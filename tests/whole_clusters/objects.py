"""Objects with the fields that real clusters have, and the folder that a complete snapshot of them is."""

import copy
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from kubegap_checks import catalog
from kubegap_checks.inventory import readiness

Object = dict[str, Any]

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
RECORDED: Object = json.loads(
    (Path(__file__).parent.parent / "recorded" / "kube-apiserver-1.36" / "nodes-page-1.json").read_text()
)["body"]["items"][0]
# A hundred labels that say which instructions the processor has, as the recorded nodes carry them.
PROCESSOR = {key: value for key, value in RECORDED["metadata"]["labels"].items() if "cpu-cpuid" in key}


def ago(**span: float) -> str:
    return (NOW - timedelta(**span)).strftime("%Y-%m-%dT%H:%M:%SZ")


def condition(kind: str, status: str = "False") -> Object:
    times = {"lastHeartbeatTime": ago(seconds=50), "lastTransitionTime": ago(days=20)}
    return {"type": kind, "status": status, "reason": "Fine", "message": "", **times}


def node(
    name: str,
    labels: Mapping[str, str],
    resources: Mapping[str, int | str],
    *,
    storage: str = "1800Gi",
    conditions: Sequence[Object] = (),
    **annotations: str,
) -> Object:
    """The recorded node with another name, other devices and an agent's conditions."""
    made = {"apiVersion": "v1", "kind": "Node"} | copy.deepcopy(RECORDED)
    offered = {"cpu": "192", "memory": "2113409848Ki", "pods": "110", "ephemeral-storage": storage}
    offered |= {resource: str(count) for resource, count in resources.items()}
    made["metadata"] |= {
        "name": name,
        "creationTimestamp": ago(days=20),
        "annotations": annotations,
        "labels": PROCESSOR | {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"} | dict(labels),
    }
    made["spec"] = {"podCIDR": "10.0.0.0/24", "providerID": f"cloud://{name}"}
    pressures = [condition(f"{what}Pressure") for what in ("Memory", "Disk", "PID")]
    made["status"]["conditions"] = [*pressures, condition("Ready", "True"), *map(dict, conditions)]
    made["status"] |= {"capacity": offered, "allocatable": dict(offered)}
    return made


def gfd(product: str, count: int, machine: str = "") -> dict[str, str]:
    """What GPU Operator and GPU Feature Discovery write on a node."""
    told = {"gpu.present": "true", "gpu.product": product, "gpu.count": str(count), "gpu.replicas": "1"}
    told |= {"mig.strategy": "single", "gpu-driver-upgrade-state": "upgrade-done"} | (
        {"gpu.machine": machine} if machine else {}
    )
    return {"feature.node.kubernetes.io/pci-10de.present": "true"} | {f"nvidia.com/{k}": v for k, v in told.items()}


def bus(name: str, *devices: tuple[str, int]) -> Object:
    """A NodeFeature; a device is `vendor:class:id`."""
    elements = [
        {"attributes": dict(zip(("vendor", "class", "device"), device.split(":"), strict=True))}
        for device, count in devices
        for _ in range(count)
    ]
    return {
        "apiVersion": "nfd.k8s-sigs.io/v1alpha1",
        "kind": "NodeFeature",
        "metadata": {"name": name, "namespace": "nfd", "labels": {"nfd.node.kubernetes.io/node-name": name}},
        "spec": {"features": {"instances": {"pci.device": {"elements": elements}}}},
    }


def devices(node_name: str, driver: str, attributes: Sequence[Mapping[str, Object]]) -> Object:
    """A ResourceSlice that is its node's whole pool."""
    pool = {"name": node_name, "generation": 1, "resourceSliceCount": 1}
    offered = [{"name": f"device-{place}", "attributes": item} for place, item in enumerate(attributes)]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": f"{node_name}-{driver}"},
        "spec": {"driver": driver, "nodeName": node_name, "pool": pool, "devices": offered},
    }


def training(on: Sequence[str], resources: Mapping[str, int], **spec: Any) -> Iterable[Object]:
    """A run that does it right: the data is copied to the node first, shared memory and the fabric are asked for."""
    limits = {"memory": "1800Gi", **{resource: str(count) for resource, count in resources.items()}}
    mounted = {"shm": "/dev/shm", "local": "/local/data", "checkpoints": "/checkpoints"}  # noqa: S108 (a mount)
    volumes: list[Object] = [
        {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "512Gi"}},
        {"name": "local", "emptyDir": {}},
        {"name": "source", "persistentVolumeClaim": {"claimName": "tokens", "readOnly": True}},
        {"name": "checkpoints", "persistentVolumeClaim": {"claimName": "checkpoints"}},
    ]
    trainer = {
        "name": "trainer",
        "args": ["--data-path=/local/data/tokens", "--save=/checkpoints/llm"],
        "env": [{"name": "MASTER_ADDR", "value": "llm-worker-0"}],
        "resources": {"limits": limits, "requests": limits},
        "volumeMounts": mounts(mounted),
    }
    stage = {"name": "stage", "volumeMounts": mounts({"source": "/source", "local": "/local/data"})}
    owner = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "llm", "uid": "1"}
    for rank, name in enumerate(on):
        meta = {"name": f"llm-worker-{rank}", "namespace": "train", "ownerReferences": [owner]}
        run = {"nodeName": name, "initContainers": [stage], "containers": [trainer], "volumes": volumes, **spec}
        yield {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": run, "status": {"phase": "Running"}}
    for claim in ("tokens", "checkpoints"):
        shared: Object = {"accessModes": ["ReadWriteMany"], "storageClassName": "shared"}
        yield {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": claim, "namespace": "train"},
            "spec": shared | {"volumeName": f"pv-{claim}"},
        }
        bound = {"claimRef": {"namespace": "train", "name": claim}}
        csi = {"csi": {"driver": "fsx.csi.aws.com", "volumeHandle": f"fs-{claim}"}}
        meta = {"name": f"pv-{claim}"}
        yield {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": meta, "spec": shared | bound | csi}


def mounts(paths: Mapping[str, str]) -> list[Object]:
    return [{"name": name, "mountPath": path} for name, path in paths.items()]


def write(objects: Iterable[Object], folder: Path) -> Path:
    """The objects as a snapshot that says of every kind that it was read."""
    kinds: dict[str, list[Object]] = {}
    for item in objects:
        kinds.setdefault(item["kind"], []).append(item)
    for kind, items in kinds.items():
        (folder / f"{kind.lower()}.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    records = catalog.reads(catalog.load()) | frozenset(readiness.READS)
    read = {record.KIND.resource: {"objects": len(kinds.get(record.KIND.name, ()))} for record in records}
    manifest = {"schema": 1, "taken_at": ago(), "context": "test", "server_version": "v1.33.4", "kinds": read}
    (folder / "kubegap-snapshot.json").write_text(json.dumps(manifest))
    return folder
