"""Two racks of GB200 NVL72 whose nodes share memory over NVLink: compute domains, claimed channels, a JobSet.

Sources: kubernetes-sigs/dra-driver-nvidia-gpu:api/nvidia.com/resource/v1beta1, coreweave/nccl-tests:mpi-operator,
NVIDIA/k8s-device-plugin:internal/lm/imex.go.
"""

from collections.abc import Iterable

from tests.whole_clusters.objects import Object, thing, uid
from tests.whole_clusters.parts.agents import node_feature_discovery
from tests.whole_clusters.parts.gpu_operator import gpu_operator
from tests.whole_clusters.parts.jobs import jobset
from tests.whole_clusters.parts.nodes import IB, TYPE, bus, devices, gfd, names, node
from tests.whole_clusters.parts.queueing import kueue
from tests.whole_clusters.parts.site import Site
from tests.whole_clusters.parts.workloads import daemonset
from tests.whole_clusters.platforms.others import around

RACK, RUN = 18, 16  # nodes in a rack, and those of them that the run takes
NODES = tuple(names("gb", 2 * RACK))
SITE = Site(
    gpus=NODES,
    system=tuple(names("gb-cpu", 3)),
    machine="gb200-4x",
    asks={"nvidia.com/gpu": 4, "rdma/ib": 1},
    topology=("ds.coreweave.com/nvlink.domain",),
    idle=frozenset(name for place, name in enumerate(NODES) if place % RACK >= RUN),
)


def nvl72() -> Iterable[Object]:
    for place, name in enumerate(SITE.gpus):
        yield from tray(name, place // RACK)
    yield from around(SITE)
    yield from node_feature_discovery(SITE, "nfd")
    yield from gpu_operator(SITE, driver={"enabled": False}, toolkit={"enabled": False})
    image = "nvcr.io/nvidia/k8s-dra-driver-gpu:v25.8.0"
    plugin = "nvidia-dra-driver-gpu-kubelet-plugin"
    yield from daemonset(plugin, "nvidia-dra-driver-gpu", image, SITE.gpus)
    for rack in (0, 1):
        yield domain(rack)
    yield from kueue(SITE)
    channel = {"name": "compute-domain-channel", "resourceClaimTemplateName": "llm-rack"}
    yield from jobset(SITE, resourceClaims=[channel])


def tray(name: str, rack: int) -> Iterable[Object]:
    labels = {TYPE: SITE.machine, "node.coreweave.cloud/state": "production", "node.coreweave.cloud/class": "gpu"}
    labels |= gfd("NVIDIA-GB200", 4, "GB200 NVL") | {
        "nvidia.com/gpu.family": "blackwell",
        "nvidia.com/gpu.memory": "189471",
    }
    labels |= {"nvidia.com/gpu.compute.major": "10", "ds.coreweave.com/nvlink.domain": f"rack-{rack}"}
    labels |= {"nvidia.com/gpu.clique": f"{uid('fabric', str(rack))}.32766", "kubernetes.io/arch": "arm64"}
    labels |= {"resource.nvidia.com/computeDomain": uid("domain", str(rack))}
    yield node(name, labels, {"nvidia.com/gpu": 4, "rdma/ib": 1})
    yield bus(name, ("10de:0302:2941", 4), (IB, 4))
    channels = [{"type": {"string": "channel"}, "id": {"int": 0}}]
    yield devices(name, "compute-domain.nvidia.com", channels)


def domain(rack: int) -> Object:
    members = [name for place, name in enumerate(SITE.gpus) if place // RACK == rack and name in SITE.trains_on]
    channel = {"resourceClaimTemplate": {"name": "llm-rack"}, "allocationMode": "Single"}
    clique = f"{uid('fabric', str(rack))}.32766"
    nodes = [
        {"name": name, "ipAddress": f"10.1.{rack}.{place}", "cliqueID": clique, "index": place, "status": "Ready"}
        for place, name in enumerate(members)
    ]
    spec = {"numNodes": len(members), "channel": channel}
    status = {"status": "Ready", "nodes": nodes}
    return thing("resource.nvidia.com/v1beta1/ComputeDomain", f"rack-{rack}", SITE.team, spec=spec, status=status)
