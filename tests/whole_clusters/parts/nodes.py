"""Nodes with all the fields of the recorded ones, and what discovery agents write about them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.whole_clusters.objects import Object, ago, condition, uid

_PAGE = Path(__file__).parents[2] / "recorded" / "kube-apiserver-1.36" / "nodes-page-1.json"
RECORDED = json.dumps(json.loads(_PAGE.read_text())["body"]["items"][0])
# A hundred labels that say which instructions the processor has, as the recorded nodes carry them.
PROCESSOR = {key: value for key, value in json.loads(RECORDED)["metadata"]["labels"].items() if "cpu-cpuid" in key}

TYPE = "node.kubernetes.io/instance-type"
H100 = "NVIDIA-H100-80GB-HBM3"
GPU, AMD_GPU, SWITCH = "10de:0302:2330", "1002:1200:74a1", "10de:0680:22a3"
IB, ETHERNET, EFA = "15b3:0207:1021", "15b3:0200:101d", "1d0f:0200:efa1"
HGX = ((GPU, 8), (SWITCH, 4), (IB, 8), (ETHERNET, 2))
# NFD:source/kernel/modules.go lists /proc/modules; these are loaded where GPUDirect RDMA works.
MODULES = ("nvidia", "nvidia_uvm", "nvidia_modeset", "nvidia_peermem", "gdrdrv", "ib_core", "ib_uverbs", "mlx5_core")

UBUNTU = {"osImage": "Ubuntu 22.04.5 LTS", "kernelVersion": "5.15.0-1063-nvidia"}


def names(prefix: str, count: int = 20) -> list[str]:
    return [f"{prefix}-{place:02d}" for place in range(count)]


def node(
    name: str,
    labels: Mapping[str, str],
    resources: Mapping[str, int | str],
    *,
    storage: str = "1800Gi",
    conditions: Sequence[Object] = (),
    zone: str = "",
    taints: Sequence[Object] = (),
    info: Mapping[str, str] = UBUNTU,
    **annotations: str,
) -> Object:
    """The recorded node with another name, other devices and an agent's conditions."""
    made: Object = {"apiVersion": "v1", "kind": "Node"} | json.loads(RECORDED)
    offered = {"cpu": "192", "memory": "2113409848Ki", "pods": "110", "ephemeral-storage": storage}
    offered |= {"hugepages-2Mi": "0", "hugepages-1Gi": "0"}
    offered |= {resource: str(count) for resource, count in resources.items()}
    place = {"topology.kubernetes.io/zone": zone, "topology.kubernetes.io/region": zone.rstrip("abc123-")}
    common = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
    made["metadata"] |= {
        "name": name,
        "uid": uid("Node", name),
        "creationTimestamp": ago(days=20),
        "annotations": {"node.alpha.kubernetes.io/ttl": "0", **annotations},
        "labels": PROCESSOR | common | (place if zone else {}) | dict(labels),
    }
    made["spec"] = {"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24"], "providerID": f"cloud://{name}"}
    made["spec"] |= {"taints": list(taints)} if taints else {}
    made["status"]["conditions"] = [*_kubelet(), *map(dict, conditions)]
    made["status"] |= {"capacity": offered, "allocatable": dict(offered)}
    made["status"]["addresses"][1] = {"type": "Hostname", "address": name}
    made["status"]["nodeInfo"] |= {"bootID": uid("boot", name), "machineID": uid("machine", name).replace("-", "")}
    made["status"]["nodeInfo"] |= dict(info)
    return made


def _kubelet() -> list[Object]:
    enough = {"Memory": "KubeletHasSufficientMemory", "Disk": "KubeletHasNoDiskPressure"}
    enough["PID"] = "KubeletHasSufficientPID"
    pressures = [condition(f"{what}Pressure", "False", reason) for what, reason in enough.items()]
    return [*pressures, condition("Ready", "True", "KubeletReady")]


def gfd(product: str, count: int, machine: str = "", driver: str = "580.95.05") -> dict[str, str]:
    """What GPU Operator, GPU Feature Discovery and NFD write on a node (NVIDIA/k8s-device-plugin:internal/lm)."""
    major, minor, revision = driver.split(".")
    told = {"gpu.present": "true", "gpu.product": product, "gpu.count": str(count), "gpu.replicas": "1"}
    told |= {"mig.strategy": "single", "mig.capable": "true", "gpu-driver-upgrade-state": "upgrade-done"}
    told |= {"mig.config": "all-disabled", "mig.config.state": "success", "gpu.sharing-strategy": "none"}
    told |= {"gpu.compute.major": "9", "gpu.compute.minor": "0", "gpu.family": "hopper", "gpu.memory": "81559"}
    told |= {"cuda.driver-version.full": driver, "cuda.driver-version.major": major, "cuda.driver-version.minor": minor}
    told |= {"cuda.driver-version.revision": revision, "cuda.runtime-version.full": "13.0", "gpu.mode": "compute"}
    told |= {f"gpu.deploy.{operand}": "true" for operand in _OPERANDS}
    told |= {"gfd.timestamp": "1795953000"} | ({"gpu.machine": machine} if machine else {})
    host = {"kernel-version.full": UBUNTU["kernelVersion"], "system-os_release.ID": "ubuntu"}
    host |= {"system-os_release.VERSION_ID": "22.04", "memory-numa": "true", "rdma.available": "true"}
    host |= {"pci-10de.present": "true", "pci-15b3.present": "true", "rdma.capable": "true"}
    return {f"feature.node.kubernetes.io/{k}": v for k, v in host.items()} | {
        f"nvidia.com/{k}": v for k, v in told.items()
    }


# NVIDIA/gpu-operator:controllers/state_manager.go
_OPERANDS = ("driver", "container-toolkit", "device-plugin", "gpu-feature-discovery", "dcgm", "dcgm-exporter")
_OPERANDS += ("node-status-exporter", "operator-validator", "mig-manager")


def bus(name: str, *devices: tuple[str, int], modules: Sequence[str] = MODULES, namespace: str = "nfd") -> Object:
    """A NodeFeature; a device is `vendor:class:id`."""
    elements = [
        {"attributes": dict(zip(("vendor", "class", "device"), device.split(":"), strict=True))}
        for device, count in devices
        for _ in range(count)
    ]
    labels = {"nfd.node.kubernetes.io/node-name": name}
    loaded = {"kernel.loadedmodule": {"elements": {module: {} for module in modules}}}
    return {
        "apiVersion": "nfd.k8s-sigs.io/v1alpha1",
        "kind": "NodeFeature",
        "metadata": {"name": name, "namespace": namespace, "uid": uid("NodeFeature", name), "labels": labels},
        "spec": {"features": {"flags": loaded, "instances": {"pci.device": {"elements": elements}}}},
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
