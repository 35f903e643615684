"""Makes the packaged demo cluster: `python scripts/make_demo.py` writes kubegap_mcp/demo/cluster/.

About thirty GPU nodes in AKS's shape on which both seed incidents could happen again, beside healthy nodes and
look-alikes that no check may report. Shapes are those of the public sources that the signal tables name; every
name and value is made up.
"""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from kubegap_mcp.kube.gather.registry import records

Object = dict[str, Any]

FOLDER = Path(__file__).parent.parent / "kubegap_mcp" / "demo" / "cluster"
NOW = datetime(2026, 11, 29, 10, 0, tzinfo=UTC)
TB = 10**12

H100, H200, SMALL = "Standard_ND96isr_H100_v5", "Standard_ND96isr_H200_v5", "Standard_NC80adis_H100_v5"
TRAINING_NODES = 20  # of the 24 H100 nodes; the rest run other work or are faulty
BAD_LINK, SEVEN_BY_PROBE, SEVEN_BY_PLUGIN, OLD_DRIVER = 4, 10, 13, (16, 17)
SILENT, SIX_ADAPTERS, NO_RDMA, UPGRADING = 20, 21, 22, 23


def ago(**span: float) -> str:
    return (NOW - timedelta(**span)).strftime("%Y-%m-%dT%H:%M:%SZ")


def main() -> None:
    """Writes one JSON list a kind, one object a line so that a change is seen in a diff, and the manifest."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
    sys.stdout.write(f"{FOLDER}\n")


def files() -> dict[str, str]:
    """File name to content, the same in every run."""
    kinds: dict[str, list[Object]] = {}
    for item in objects():
        kinds.setdefault(item["kind"], []).append(item)
    texts = {f"{kind.lower()}.json": _as_list(items) for kind, items in kinds.items()}
    counts = {kind: len(items) for kind, items in kinds.items()}
    return texts | {"kubegap-snapshot.json": json.dumps(manifest(counts), indent=1) + "\n"}


def _as_list(items: list[Object]) -> str:
    lines = ",\n".join(json.dumps(item, separators=(",", ":")) for item in items)
    return '{"apiVersion":"v1","kind":"List","items":[\n' + lines + "\n]}\n"


def objects() -> Iterator[Object]:
    yield from nodes()
    yield from node_features()
    yield from pods()
    yield from storage()
    yield nic_cluster_policy()


def names(prefix: str, count: int) -> list[str]:
    return [f"aks-{prefix}-29411376-vmss{place:06d}" for place in range(count)]


TRAINERS = names("h100", 24)
LARGE = names("h200", 4)
SERVERS = names("nc80", 2)
SYSTEM = names("system", 3)


def nodes() -> Iterator[Object]:
    for place, name in enumerate(TRAINERS):
        yield trainer(place, name)
    for name in LARGE:
        yield node(name, H200, gpus=8, product="NVIDIA-H200", adapters=8, driver="580.126.09")
    for place, name in enumerate(SERVERS):
        made = node(name, SMALL, gpus=2, product="NVIDIA-H100-NVL", adapters=None, driver="580.126.09")
        if place == 1:
            # Four minutes old: a check that reports Unknown while a node boots is not a fault.
            made["metadata"]["creationTimestamp"] = ago(minutes=4)
            made["status"]["conditions"].append(
                condition("XIDError", "Unknown", "NoXIDErrorCheck", since=ago(minutes=4))
            )
        yield made
    for name in SYSTEM:
        yield node(name, "Standard_D16s_v5", gpus=0, product=None, adapters=None, driver=None)


def trainer(place: int, name: str) -> Object:
    """One of the 24 H100 nodes, with the fault that its place stands for."""
    gpus = 7 if place == SEVEN_BY_PROBE else 8
    adapters = {SIX_ADAPTERS: 6, NO_RDMA: None}.get(place, 8)
    driver = "550.144.03" if place in OLD_DRIVER else "580.126.09"
    made = node(name, H100, gpus=gpus, product="NVIDIA-H100-80GB-HBM3", adapters=adapters, driver=driver)
    status, labels = made["status"], made["metadata"]["labels"]
    if place == SEVEN_BY_PLUGIN:
        status["allocatable"]["nvidia.com/gpu"] = "7"
    if place == BAD_LINK:
        set_condition(
            status,
            condition(
                "IBLinkFlapping",
                "True",
                "IBLinkFlapping",
                "check_ib_link_flapping: IB link flapping detected, multiple IB link flapping events within 6 hours. "
                "FaultCode: NHC2005",
                since=ago(hours=5),
            ),
        )
    if place == SILENT:
        silent = condition(
            "Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.", ago(hours=2)
        )
        silent["lastHeartbeatTime"] = ago(hours=2, minutes=1)
        set_condition(status, silent)
        made["spec"]["taints"] = [
            {"key": "node.kubernetes.io/unreachable", "effect": effect, "timeAdded": ago(hours=2)}
            for effect in ("NoSchedule", "NoExecute")
        ]
    if place == UPGRADING:
        # Cordoned by the operator for its own driver upgrade: out of service on purpose.
        labels["nvidia.com/gpu-driver-upgrade-state"] = "pod-restart-required"
        made["spec"]["unschedulable"] = True
        made["spec"]["taints"] = [
            {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule", "timeAdded": ago(minutes=12)}
        ]
    return made


def node(
    name: str, machine: str, *, gpus: int, product: str | None, adapters: int | None, driver: str | None
) -> Object:
    pool = name.split("-")[1]
    labels = {
        "agentpool": pool,
        "kubernetes.azure.com/agentpool": pool,
        "kubernetes.azure.com/node-image-version": "AKSUbuntu-2204gen2containerd-202611.03.0",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": machine,
        "topology.kubernetes.io/region": "koreacentral",
        "topology.kubernetes.io/zone": "koreacentral-1",
        "feature.node.kubernetes.io/kernel-version.full": "5.15.0-1097-azure",
    }
    resources = {"cpu": "96", "ephemeral-storage": "129886128Ki", "memory": "1900Gi", "pods": "250"}
    if gpus and product and driver:
        labels |= {
            "kubernetes.azure.com/accelerator": "nvidia",
            "feature.node.kubernetes.io/pci-10de.present": "true",
            "nvidia.com/gpu.present": "true",
            "nvidia.com/gpu.count": str(gpus),
            "nvidia.com/gpu.product": product,
            "nvidia.com/gpu.replicas": "1",
            "nvidia.com/gpu.sharing-strategy": "none",
            "nvidia.com/gpu.family": "hopper",
            "nvidia.com/mig.capable": "true",
            "nvidia.com/mig.strategy": "single",
            "nvidia.com/cuda.driver-version.full": driver,
        }
        resources["nvidia.com/gpu"] = str(gpus)
    if machine in (H100, H200):
        labels["feature.node.kubernetes.io/pci-15b3.present"] = "true"
        labels["feature.node.kubernetes.io/rdma.available"] = "true"
    if adapters is not None:
        resources["rdma/ib"] = str(adapters)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "creationTimestamp": ago(days=40), "labels": labels},
        "spec": {"providerID": f"azure:///demo/{name}"},
        "status": {
            "capacity": resources,
            "allocatable": dict(resources),
            "conditions": kubelet_conditions() + (gpu_conditions() if gpus else []),
            "nodeInfo": {
                "bootID": f"00000000-0000-4000-8000-{abs(hash_of(name)):012d}",
                "kernelVersion": "5.15.0-1097-azure",
                "osImage": "Ubuntu 22.04.5 LTS",
                "containerRuntimeVersion": "containerd://1.7.29",
                "kubeletVersion": "v1.33.5",
            },
        },
    }


def hash_of(name: str) -> int:
    return sum(ord(letter) * 31**place for place, letter in enumerate(name[-8:])) % 10**12


def condition(kind: str, status: str, reason: str, message: str = "", since: str = "") -> Object:
    return {
        "type": kind,
        "status": status,
        "reason": reason,
        "message": message,
        "lastHeartbeatTime": ago(seconds=40),
        "lastTransitionTime": since or ago(days=30),
    }


def set_condition(status: Object, new: Object) -> None:
    status["conditions"] = [item for item in status["conditions"] if item["type"] != new["type"]] + [new]


def kubelet_conditions() -> list[Object]:
    pressures = [
        condition(f"{name}Pressure", "False", f"KubeletHas{reason}")
        for name, reason in (("Memory", "SufficientMemory"), ("Disk", "NoDiskPressure"), ("PID", "SufficientPID"))
    ]
    return [*pressures, condition("Ready", "True", "KubeletReady", "kubelet is posting ready status")]


def gpu_conditions() -> list[Object]:
    """AKS's GPU checks on a healthy node."""
    return [
        condition("GPUMissing", "False", "NoGPUMissing"),
        condition("XIDError", "False", "XIDErrorIsNotPresent"),
        condition("IBLinkFlapping", "False", "NoIBLinkFlapping", "IB link is stable"),
        condition("UnhealthyNvidiaDevicePlugin", "False", "HealthyNvidiaDevicePlugin"),
        condition("UnhealthyNvidiaDCGMServices", "False", "HealthyNvidiaDCGMServices"),
    ]


def node_features() -> Iterator[Object]:
    """Every PCI device, as NFD lists them: a GPU that the driver could not probe is still on the bus."""
    for name in TRAINERS + LARGE + SERVERS:
        count, switches, adapters = (2, 0, 0) if name in SERVERS else (8, 4, 8)
        yield {
            "apiVersion": "nfd.k8s-sigs.io/v1alpha1",
            "kind": "NodeFeature",
            "metadata": {
                "name": name,
                "namespace": "gpu-operator",
                "labels": {"nfd.node.kubernetes.io/node-name": name},
            },
            "spec": {
                "features": {
                    "flags": {"kernel.loadedmodule": {"elements": {"nvidia": {}, "nvidia_peermem": {}, "ib_core": {}}}},
                    "instances": {
                        "pci.device": {
                            "elements": [pci("10de", "0302", "2330")] * count
                            + [pci("10de", "0680", "22a3")] * switches
                            + [pci("15b3", "0207", "101e")] * adapters
                        }
                    },
                }
            },
        }


def pci(vendor: str, cls: str, device: str) -> Object:
    return {"attributes": {"vendor": vendor, "class": cls, "device": device}}


def pods() -> Iterator[Object]:
    yield from pretraining()
    yield from fine_tuning()
    yield from staged_training()
    yield from serving()
    yield from (pytorchjob("llm-70b", TRAINING_NODES), pytorchjob("vlm-staged", 2))


def pytorchjob(name: str, workers: int) -> Object:
    """One whose workers meet again by themselves after one was lost."""
    elastic = {"rdzvBackend": "c10d", "minReplicas": workers, "maxReplicas": workers, "maxRestarts": 10}
    replicas = {"Worker": {"replicas": workers, "restartPolicy": "OnFailure"}}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": name, "namespace": "pretrain", "creationTimestamp": ago(hours=9)},
        "spec": {"elasticPolicy": elastic, "pytorchReplicaSpecs": replicas},
    }


def pod(namespace: str, name: str, on: str, owner: tuple[str, str, str], **spec: Any) -> Object:
    api_version, kind, owner_name = owner
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "creationTimestamp": ago(hours=9),
            "labels": {"app": owner_name},
            "ownerReferences": [
                {"apiVersion": api_version, "kind": kind, "name": owner_name, "uid": "0", "controller": True}
            ],
        },
        "spec": {"nodeName": on, **spec},
        "status": {"phase": "Running", "startTime": ago(hours=9)},
    }


def container(gpus: int, mounts: dict[str, str], *, adapters: int = 0, **more: Any) -> Object:
    limits = {"nvidia.com/gpu": str(gpus), "cpu": "90", "memory": "1700Gi"}
    if adapters:
        limits["rdma/ib"] = str(adapters)
    return {
        "name": "trainer",
        "image": "registry.example/train:2026.11",
        "resources": {"limits": limits, "requests": limits},
        "volumeMounts": [{"name": name, "mountPath": path} for name, path in mounts.items()],
        **more,
    }


def pretraining() -> Iterator[Object]:
    """The SmolLM3 set-up: every rank reads a tiered Weka filesystem that other teams fill too."""
    for rank, on in enumerate(TRAINERS[:TRAINING_NODES]):
        made = pod(
            "pretrain",
            f"llm-70b-worker-{rank}",
            on,
            ("kubeflow.org/v1", "PyTorchJob", "llm-70b"),
            containers=[
                container(
                    8,
                    {"dataset": "/fsx/dataset", "checkpoints": "/checkpoints", "shm": "/dev/shm"},  # noqa: S108
                    adapters=8,
                    args=["--data-path=/fsx/dataset/tokens-24tb", "--save=/checkpoints/llm-70b"],
                    env=[
                        {"name": "NCCL_DEBUG", "value": "WARN"},
                        {"name": "MASTER_ADDR", "value": "llm-70b-worker-0"},
                        {"name": "WANDB_API_KEY", "valueFrom": {"secretKeyRef": {"name": "wandb", "key": "key"}}},
                    ],
                    securityContext={"capabilities": {"add": ["IPC_LOCK"]}},
                )
            ],
            volumes=[
                {"name": "dataset", "persistentVolumeClaim": {"claimName": "tokens", "readOnly": True}},
                {"name": "checkpoints", "persistentVolumeClaim": {"claimName": "checkpoints"}},
                {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "256Gi"}},
            ],
        )
        made["metadata"]["labels"] |= {
            "kueue.x-k8s.io/podset": "worker",
            "training.kubeflow.org/job-name": "llm-70b",
            "training.kubeflow.org/replica-type": "worker",
            "training.kubeflow.org/replica-index": str(rank),
        }
        yield made


def fine_tuning() -> Iterator[Object]:
    """Eight GPUs and data loader workers on the 64 MiB of /dev/shm that a container gets by default."""
    yield pod(
        "tuning",
        "sft-8b-0",
        LARGE[0],
        ("batch/v1", "Job", "sft-8b"),
        containers=[container(8, {"checkpoints": "/checkpoints"}, args=["--save=/checkpoints/sft-8b"])],
        volumes=[{"name": "checkpoints", "persistentVolumeClaim": {"claimName": "sft-checkpoints"}}],
    )


def staged_training() -> Iterator[Object]:
    """Looks like pre-training and is not: the data was staged on the node's own NVMe before the run."""
    for rank, on in enumerate(LARGE[1:3]):
        made = pod(
            "pretrain",
            f"vlm-staged-worker-{rank}",
            on,
            ("kubeflow.org/v1", "PyTorchJob", "vlm-staged"),
            initContainers=[
                container(0, {"source": "/source", "scratch": "/scratch"}, args=["--dataset=/source"])
                | {"name": "stage"}
            ],
            containers=[
                container(
                    8,
                    {"scratch": "/scratch", "shm": "/dev/shm"},  # noqa: S108
                    adapters=8,
                    args=["--data-path=/scratch/dataset"],
                )
            ],
            volumes=[
                {"name": "source", "persistentVolumeClaim": {"claimName": "tokens", "readOnly": True}},
                {"name": "scratch", "persistentVolumeClaim": {"claimName": f"scratch-{rank}"}},
                {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "256Gi"}},
            ],
        )
        made["metadata"]["labels"] |= {
            "kueue.x-k8s.io/podset": "worker",
            "training.kubeflow.org/job-name": "vlm-staged",
        }
        yield made


def serving() -> Iterator[Object]:
    """One GPU each, no shared memory of their own, weights on object storage: serving, not training."""
    for place, on in enumerate(SERVERS):
        yield pod(
            "serving",
            f"chat-{place}",
            on,
            ("apps/v1", "ReplicaSet", "chat-7d9f"),
            containers=[container(1, {"weights": "/models"})],
            volumes=[{"name": "weights", "persistentVolumeClaim": {"claimName": "weights", "readOnly": True}}],
        )


def storage() -> Iterator[Object]:
    yield storage_class("weka-training", "csi.weka.io", {"filesystemName": "training", "volumeType": "dir/v1"})
    yield storage_class("blob-fuse", "blob.csi.azure.com", {"protocol": "fuse2", "skuName": "Premium_LRS"})
    yield storage_class("local-nvme", "localdisk.csi.acstor.io", {})
    yield from claimed("pretrain", "tokens", "weka-training", "csi.weka.io", "dir/v1/training/csi-volumes/tokens")
    for namespace, name in (("pretrain", "checkpoints"), ("tuning", "sft-checkpoints")):
        yield from claimed(namespace, name, "azurefile-nfs", "file.csi.azure.com", f"demo-rg#demoaccount#{name}")
    yield from claimed("serving", "weights", "blob-fuse", "blob.csi.azure.com", "demo-rg#demoaccount#weights")
    for place, on in enumerate(LARGE[1:3]):
        yield from claimed(
            "pretrain",
            f"scratch-{place}",
            "local-nvme",
            "localdisk.csi.acstor.io",
            f"containerstorage#scratch-{place}",
            on,
        )
    for on in (LARGE[0], LARGE[3]):
        # Nobody claims it yet, and still the disks of this node are in use: they are offered as local volumes.
        yield volume(f"local-{on}", "local-nvme", node_name=on) | {"status": {"phase": "Available"}}
    yield weka_cluster()


def storage_class(name: str, provisioner: str, parameters: dict[str, str]) -> Object:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": provisioner,
        "parameters": parameters,
        "reclaimPolicy": "Retain",
        "volumeBindingMode": "WaitForFirstConsumer",
    }


def claimed(
    namespace: str, name: str, storage_class_name: str, driver: str, handle: str, on: str | None = None
) -> Iterator[Object]:
    bound = f"pv-{namespace}-{name}"
    modes = ["ReadWriteOnce"] if on else ["ReadWriteMany"]
    yield {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"accessModes": modes, "storageClassName": storage_class_name, "volumeName": bound},
        "status": {"phase": "Bound"},
    }
    made = volume(bound, storage_class_name, node_name=on, csi={"driver": driver, "volumeHandle": handle})
    made["spec"]["claimRef"] = {"namespace": namespace, "name": name}
    yield made


def volume(
    name: str, storage_class_name: str, *, node_name: str | None = None, csi: dict[str, str] | None = None
) -> Object:
    spec: Object = {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"] if node_name else ["ReadWriteMany"],
        "persistentVolumeReclaimPolicy": "Retain",
        "storageClassName": storage_class_name,
    }
    spec |= {"csi": csi} if csi else {"local": {"path": "/mnt/nvme"}}
    if node_name:
        key = "topology.localdisk.csi.acstor.io/node" if csi else "kubernetes.io/hostname"
        term = {"matchExpressions": [{"key": key, "operator": "In", "values": [node_name]}]}
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [term]}}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec}


def weka_cluster() -> Object:
    """96 % of the SSD tier used, while the filesystem as a whole is at 67 %, as a plain df would say."""
    return {
        "apiVersion": "weka.weka.io/v1alpha1",
        "kind": "WekaCluster",
        "metadata": {"name": "weka-prod", "namespace": "weka"},
        "status": {
            "status": "Ready",
            "stats": {
                "clusterStatus": "OK",
                "lastUpdate": ago(minutes=1),
                "filesystem": {
                    "totalProvisionedCapacity": 393 * TB,
                    "totalUsedCapacity": 263 * TB,
                    "totalAvailableCapacity": 130 * TB,
                    "totalProvisionedSSDCapacity": 100 * TB,
                    "totalUsedSSDCapacity": 96 * TB,
                    "totalAvailableSSDCapacity": 100 * TB,
                    "hasTieredFilesystems": True,
                    "totalObsCapacity": 293 * TB,
                    "obsBucketCount": 1,
                    "activeObsBucketCount": 1,
                },
            },
        },
    }


def nic_cluster_policy() -> Object:
    config = {"resourceList": [{"resourceName": "ib", "resourcePrefix": "rdma", "selectors": {"vendors": ["15b3"]}}]}
    return {
        "apiVersion": "mellanox.com/v1alpha1",
        "kind": "NicClusterPolicy",
        "metadata": {"name": "nic-cluster-policy"},
        "spec": {"sriovDevicePlugin": {"config": json.dumps(config)}},
        "status": {"state": "ready"},
    }


def manifest(counts: dict[str, int]) -> Object:
    """What a live snapshot of this cluster would say of itself: every kind was read, also where there is none."""
    read = [record.KIND for record in records()]
    kinds = {kind.resource: {"objects": counts[kind.name]} if kind.name in counts else {} for kind in read}
    return {
        "schema": 1,
        "taken_at": ago(),
        "context": "demo",
        "server_version": "v1.33.5",
        "kinds": kinds,
        "written_by": "scripts/make_demo.py",
    }


if __name__ == "__main__":
    main()
