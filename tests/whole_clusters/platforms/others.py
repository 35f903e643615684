"""Healthy clusters of further kinds: other clouds and vendors, GPUs that are cut or shared or claimed."""

from collections.abc import Iterable, Mapping
from typing import Any

from tests.whole_clusters.objects import Object, condition
from tests.whole_clusters.parts import dns, storage
from tests.whole_clusters.parts.agents import node_feature_discovery, node_problem_detector, nvsentinel
from tests.whole_clusters.parts.burn_in import nccl_test
from tests.whole_clusters.parts.everywhere import everywhere
from tests.whole_clusters.parts.fabric import network_operator, nic_cluster_policy, shared_config
from tests.whole_clusters.parts.gpu_operator import dcgm_monitor, gpu_operator
from tests.whole_clusters.parts.jobs import jobset, pytorchjob, rayjob, volcano
from tests.whole_clusters.parts.nodes import AMD_GPU, ETHERNET, GPU, H100, HGX, TYPE, bus, devices, gfd, names, node
from tests.whole_clusters.parts.queueing import kueue
from tests.whole_clusters.parts.site import Site, system_nodes
from tests.whole_clusters.parts.workloads import daemonset
from tests.whole_clusters.platforms import gke

CEPH = {"driver": "rook-ceph.cephfs.csi.ceph.com", "volumeAttributes": {"clusterID": "rook-ceph", "fsName": "llm"}}


def site(prefix: str, asks: Mapping[str, int], machine: str = "", **rest: Any) -> Site:
    return Site(gpus=tuple(names(prefix)), system=tuple(names(f"{prefix}-cpu", 3)), machine=machine, asks=asks, **rest)


def around(at: Site, csi: Mapping[str, Any] = CEPH) -> Iterable[Object]:
    """What stands around the GPU nodes of all of these."""
    yield from system_nodes(at, {})
    yield from everywhere(at)
    yield from dns.coredns("registry.k8s.io/coredns/coredns:v1.12.0", at.three, memory="300Mi")
    yield from dns.node_local_dns(at)
    yield from node_problem_detector(at)
    yield storage.storage_class("fast", "rook-ceph.rbd.csi.ceph.com", default=True)
    yield storage.storage_class("shared", str(csi["driver"]), reclaim="Retain")
    for claim in ("tokens", "checkpoints"):
        yield from storage.shared(claim, at.team, {**csi, "volumeHandle": f"0001-{claim}"})
    yield nccl_test(1, at.asks, "burn-in", "registry.example.com/hpc/nccl-tests:v2.17.6")


def coreweave() -> Iterable[Object]:
    """coreweave/nccl-tests:mpi-operator, https://docs.coreweave.com/docs/products/cks."""
    at = site("g", {"nvidia.com/gpu": 8, "rdma/ib": 1}, "gd-8xh100ib-i128")
    labels = {TYPE: at.machine, "node.coreweave.cloud/state": "production", "gpu.nvidia.com/class": "H100"}
    labels |= {"node.coreweave.cloud/reserved": "org", "node.coreweave.cloud/reserved-desired": "org"}
    labels |= {"node.coreweave.cloud/class": "gpu", "node.coreweave.cloud/type": at.machine}
    for name in at.gpus:
        yield node(name, labels, at.asks)
    yield from around(at)
    yield from gpu_operator(at, driver={"enabled": False}, toolkit={"enabled": False})
    yield from kueue(at)
    yield from jobset(at)


def openshift() -> Iterable[Object]:
    at = site("ocp", {"nvidia.com/gpu": 8, "openshift.io/ibrdma": 8})
    for name in at.gpus:
        yield node(name, gfd(H100, 8, "PowerEdge-XE9680"), at.asks)
        yield bus(name, *HGX)
    yield from around(at)
    yield from nvsentinel(at)
    yield from gpu_operator(at, "nvidia-gpu-operator", operator={"use_ocp_driver_toolkit": True})
    yield from node_feature_discovery(at, "openshift-nfd")
    yield from kueue(at)
    yield from pytorchjob(at)


def no_row_knows_it() -> Iterable[Object]:
    """A cloud whose machines no table lists, and adapters of which each has its own shared resource."""
    at = site("kr-gpu", {"nvidia.com/gpu": 8, "rdma/hca_a": 1, "rdma/hca_b": 1})
    for name in at.gpus:
        yield node(name, gfd(H100, 8, "SYS-821GE-TNHR"), {"nvidia.com/gpu": 8, "rdma/hca_a": 63, "rdma/hca_b": 63})
        yield bus(name, *HGX)
    yield from around(at)
    yield from nvsentinel(at)
    yield from gpu_operator(at)
    yield from node_feature_discovery(at, "nfd")
    yield nic_cluster_policy({"rdmaSharedDevicePlugin": shared_config("hca_a", "hca_b")})
    yield from network_operator(at, "rdma-shared-dp-ds")
    yield from kueue(at)
    yield from rayjob(at)


def amd() -> Iterable[Object]:
    """ROCm/gpu-operator:docs, ROCm/k8s-device-plugin:cmd/k8s-node-labeller."""
    alerts = ("amd_gpu", "fabric", "storage", "training", "platform")
    at = site("mi300x", {"amd.com/gpu": 8, "rdma/hca_shared": 1}, alerts=alerts)
    labels = {"feature.node.kubernetes.io/amd-gpu": "true", "amd.com/gpu.product-name": "AMD_Instinct_MI300X_OAM"}
    labels |= {"amd.com/gpu.driver-version": "6.12.12", "amd.com/gpu.vram": "192G", "amd.com/gpu.mode": "gpu"}
    for name in at.gpus:
        yield node(name, labels, {"amd.com/gpu": 8, "rdma/hca_shared": 63})
        yield bus(name, (AMD_GPU, 8), (ETHERNET, 8), modules=("amdgpu", "ib_core", "mlx5_core"))
    yield from around(at)
    yield from node_feature_discovery(at, "nfd")
    for part, image in (
        ("device-plugin", "k8s-device-plugin"),
        ("node-labeller", "k8s-node-labeller"),
        ("metrics-exporter", "device-metrics-exporter"),
    ):
        labels = {"app.kubernetes.io/name": part, "app": f"default-{part}"}
        full = f"docker.io/rocm/{image}:v1.4.0"
        yield from daemonset(f"default-{part}", "kube-amd-gpu", full, at.gpus, labels=labels)
    yield dcgm_monitor("kube-amd-gpu", "default-metrics-exporter")
    yield from volcano(at)


def slices() -> Iterable[Object]:
    """GPUs that are cut, for many small jobs: no run, and no fabric."""
    at = site("a100", {})
    single = gfd("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", 56, "PowerEdge-XE8545")
    mixed = gfd("NVIDIA-A100-SXM4-80GB", 8, "PowerEdge-XE8545")
    for place, name in enumerate(at.gpus):
        cut = {"nvidia.com/gpu": 56} if place % 2 else {"nvidia.com/gpu": 4, "nvidia.com/mig-1g.10gb": 28}
        yield node(name, single if place % 2 else mixed, cut)
        yield bus(name, (GPU, 8), (ETHERNET, 2))
    yield from around(at)
    yield from nvsentinel(at)
    yield from gpu_operator(at, mig={"strategy": "mixed"})
    yield from node_feature_discovery(at, "nfd")


def time_sliced() -> Iterable[Object]:
    """Small GPUs that four share."""
    at = site("t4", {}, "n1-standard-8")
    labels = {
        TYPE: at.machine,
        "cloud.google.com/gke-accelerator": "nvidia-tesla-t4",
        "cloud.google.com/gke-accelerator-count": "1",
        "cloud.google.com/gke-max-shared-clients-per-gpu": "4",
    }
    for name in at.gpus:
        yield node(name, labels, {"nvidia.com/gpu": 4}, conditions=[condition("XidCriticalError", reason="NoXid")])
    yield from around(at)
    yield from gke.device_plugin(at, "small")


def dra() -> Iterable[Object]:
    """Devices that are claimed: kubernetes-sigs/dra-driver-nvidia-gpu, kubernetes-sigs/dranet."""
    at = site("dra", {})
    labels = {"nvidia.com/gpu.present": "true", "feature.node.kubernetes.io/pci-10de.present": "true"}
    for name in at.gpus:
        yield node(name, labels, {})
        yield bus(name, *HGX)
        gpus = [{"type": {"string": "gpu"}, "uuid": {"string": f"GPU-{name}-{n}"}} for n in range(8)]
        about = {"productName": {"string": "NVIDIA H100"}, "driverVersion": {"version": "580.95.5"}}
        yield devices(name, "gpu.nvidia.com", [gpu | about for gpu in gpus])
        yield devices(name, "dra.net", [{"dra.net/rdma": {"bool": True}}] * 8)
    yield from around(at)
    yield from node_feature_discovery(at, "nfd")
    # The driver of the devices takes the device plugin's place; the rest of the operator stays.
    yield from gpu_operator(at, devicePlugin={"enabled": False}, migManager={"enabled": False})
    yield from nvsentinel(at)
    image = "nvcr.io/nvidia/k8s-dra-driver-gpu:v25.8.0"
    yield from daemonset("nvidia-dra-driver-gpu-kubelet-plugin", "nvidia-dra-driver-gpu", image, at.gpus)
    yield from daemonset("dranet", "kube-system", "registry.k8s.io/networking/dranet:v1.0.0", at.gpus)
    yield from kueue(at)
    yield from jobset(at, resourceClaims=[{"name": "gpus", "resourceClaimTemplateName": "gpus"}])
