"""Clusters in which nothing is wrong, one for each platform: twenty GPU nodes and a run on most of them."""

from collections.abc import Callable, Iterable

from tests.whole_clusters.objects import Object, bus, condition, devices, gfd, node, training

TYPE = "node.kubernetes.io/instance-type"
H100 = "NVIDIA-H100-80GB-HBM3"
GPU, AMD_GPU, SWITCH = "10de:0302:2330", "1002:1200:74a1", "10de:0680:22a3"
IB, ETHERNET = "15b3:0207:1021", "15b3:0200:101d"
HGX = ((GPU, 8), (SWITCH, 4), (IB, 8), (ETHERNET, 2))

HEALTHY: dict[str, Callable[[], Iterable[Object]]] = {}


def healthy(cluster: Callable[[], Iterable[Object]]) -> Callable[[], Iterable[Object]]:
    HEALTHY[cluster.__name__] = cluster
    return cluster


def names(prefix: str) -> list[str]:
    return [f"{prefix}-{place:02d}" for place in range(20)]


@healthy
def eks() -> Iterable[Object]:
    labels = {
        TYPE: "p5.48xlarge",
        "karpenter.k8s.aws/instance-gpu-count": "8",
        "karpenter.k8s.aws/instance-gpu-manufacturer": "nvidia",
        "karpenter.k8s.aws/instance-gpu-name": "h100",
        "karpenter.k8s.aws/instance-local-nvme": "30400",
    }
    good = [condition(f"{what}Ready", "True") for what in ("AcceleratedHardware", "Kernel", "Networking", "Storage")]
    resources = {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32}
    for name in names("p5"):
        yield node(name, labels, resources, storage="29686813936Ki", conditions=good)
    for place in range(3):
        yield node(f"cpu-{place}", {TYPE: "m5.4xlarge"}, {})
    yield from training(names("p5")[:19], resources)


@healthy
def gke() -> Iterable[Object]:
    labels = {
        TYPE: "a3-ultragpu-8g",
        "cloud.google.com/gke-accelerator": "nvidia-h200-141gb",
        "cloud.google.com/gke-accelerator-count": "8",
        "cloud.google.com/gke-ephemeral-storage-local-ssd": "true",
    }
    networks = {f"networking.gke.io.networks/{name}": 1 for name in ("gvnic-1", *(f"rdma-{n}" for n in range(8)))}
    resources = {"nvidia.com/gpu": 8, **networks, **{f"{name}.IP": 1 for name in networks}}
    for name in names("a3u"):
        yield node(name, labels, resources, conditions=[condition("XidCriticalError"), condition("KernelDeadlock")])
    yield from training(names("a3u")[:19], resources)


@healthy
def aks() -> Iterable[Object]:
    labels = {TYPE: "Standard_ND96isr_H100_v5", "kubernetes.azure.com/accelerator": "nvidia"} | gfd(H100, 8)
    good = [condition(what) for what in ("GPUMissing", "XIDError", "IBLinkFlapping", "UnhealthyNvidiaDevicePlugin")]
    for name in names("nd"):
        yield node(name, labels, {"nvidia.com/gpu": 8, "rdma/ib": 8}, storage="28000Gi", conditions=good)
        yield bus(name, *HGX)
    yield from training(names("nd")[:19], {"nvidia.com/gpu": 8, "rdma/ib": 8})


@healthy
def oke() -> Iterable[Object]:
    labels = {TYPE: "BM.GPU.H100.8", "oci.oraclecloud.com/host.health": "HEALTHY"} | gfd(H100, 8, "ORACLE-SERVER-E5")
    good = [condition(what) for what in ("GpuCount", "GpuXid", "RdmaLink", "RdmaLinkFlapping", "RdmaWpaAuth")]
    for name in names("bm"):
        yield node(name, labels, {"nvidia.com/gpu": 8, "nvidia.com/rdma-vf": 16}, conditions=good)
        yield bus(name, (GPU, 8), (SWITCH, 4), (ETHERNET, 18))
    yield from training(names("bm")[:19], {"nvidia.com/gpu": 8, "nvidia.com/rdma-vf": 16})


@healthy
def coreweave() -> Iterable[Object]:
    labels = {TYPE: "gd-8xh100ib-i128", "node.coreweave.cloud/state": "production", "gpu.nvidia.com/class": "H100"}
    labels |= {"node.coreweave.cloud/reserved": "org", "node.coreweave.cloud/reserved-desired": "org"}
    for name in names("g"):
        yield node(name, labels, {"nvidia.com/gpu": 8, "rdma/ib": 1})
    yield from training(names("g")[:19], {"nvidia.com/gpu": 8, "rdma/ib": 1})


@healthy
def openshift() -> Iterable[Object]:
    for name in names("ocp"):
        yield node(name, gfd(H100, 8, "PowerEdge-XE9680"), {"nvidia.com/gpu": 8, "openshift.io/ibrdma": 8})
        yield bus(name, *HGX)
    yield from training(names("ocp")[:19], {"nvidia.com/gpu": 8, "openshift.io/ibrdma": 8})


@healthy
def no_row_knows_it() -> Iterable[Object]:
    for name in names("kr-gpu"):
        yield node(name, gfd(H100, 8, "SYS-821GE-TNHR"), {"nvidia.com/gpu": 8, "rdma/hca_a": 63, "rdma/hca_b": 63})
        yield bus(name, *HGX)
    yield from training(names("kr-gpu")[:19], {"nvidia.com/gpu": 8, "rdma/hca_a": 1, "rdma/hca_b": 1})


@healthy
def amd() -> Iterable[Object]:
    labels = {"feature.node.kubernetes.io/amd-gpu": "true", "amd.com/gpu.product-name": "AMD_Instinct_MI300X_OAM"}
    for name in names("mi300x"):
        yield node(name, labels, {"amd.com/gpu": 8, "rdma/hca_shared": 63})
        yield bus(name, (AMD_GPU, 8), (ETHERNET, 8))
    yield from training(names("mi300x")[:19], {"amd.com/gpu": 8, "rdma/hca_shared": 1})


@healthy
def slices() -> Iterable[Object]:
    single = gfd("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", 56, "PowerEdge-XE8545")
    mixed = gfd("NVIDIA-A100-SXM4-80GB", 8, "PowerEdge-XE8545")
    for place, name in enumerate(names("a100")):
        cut = {"nvidia.com/gpu": 56} if place % 2 else {"nvidia.com/gpu": 4, "nvidia.com/mig-1g.10gb": 28}
        yield node(name, single if place % 2 else mixed, cut)
        yield bus(name, (GPU, 8), (ETHERNET, 2))


@healthy
def time_sliced() -> Iterable[Object]:
    labels = {
        TYPE: "n1-standard-8",
        "cloud.google.com/gke-accelerator": "nvidia-tesla-t4",
        "cloud.google.com/gke-accelerator-count": "1",
        "cloud.google.com/gke-max-shared-clients-per-gpu": "4",
    }
    for name in names("t4"):
        yield node(name, labels, {"nvidia.com/gpu": 4})


@healthy
def dra() -> Iterable[Object]:
    labels = {"nvidia.com/gpu.present": "true", "feature.node.kubernetes.io/pci-10de.present": "true"}
    for name in names("dra"):
        yield node(name, labels, {})
        yield bus(name, *HGX)
        gpus = [{"type": {"string": "gpu"}, "uuid": {"string": f"GPU-{name}-{n}"}} for n in range(8)]
        yield devices(name, "gpu.nvidia.com", [gpu | {"productName": {"string": "NVIDIA H100"}} for gpu in gpus])
        yield devices(name, "dra.net", [{"dra.net/rdma": {"bool": True}}] * 8)
    yield from training(names("dra")[:19], {}, resourceClaims=[{"name": "gpus", "resourceClaimTemplateName": "gpus"}])
