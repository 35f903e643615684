"""Imbue's cluster while it was brought up, had it been run by Kubernetes: 2024-imbue-70b-cluster-bring-up.

Of the post (https://imbue.com/research/70b-infrastructure/) as the library tells it: 511 Dell hosts with 4,088 H100,
each with eight 400G adapters into three tiers of InfiniBand, whose top tier was not one network; about a tenth of the
hosts of no use: mostly they did not boot, others had GPUs and PCIe cables to be seated again, ports that flapped, or no
kernel module for GPUDirect RDMA; a newer driver told wrong temperatures and was taken back; no yes-or-no check stood
before the work, and no burn-in of all ports was done yet. The published checks (imbue-ai/cluster-health:health_checks)
look for Xid errors and limited PCIe width in the kernel's log, and name driver, kernel and OS; which driver the newer
one was, and how many hosts had which fault, is told nowhere. What is not told is healthy here.
"""

from collections.abc import Iterable

from tests.whole_clusters.objects import Object, ago, condition
from tests.whole_clusters.parts import dns, storage
from tests.whole_clusters.parts.agents import node_feature_discovery, node_problem_detector, nvsentinel_monitors
from tests.whole_clusters.parts.everywhere import around_any_run
from tests.whole_clusters.parts.fabric import network_operator, nic_cluster_policy
from tests.whole_clusters.parts.gpu_operator import gpu_operator
from tests.whole_clusters.parts.jobs import pytorchjob
from tests.whole_clusters.parts.nodes import ETHERNET, GPU, H100, IB, MODULES, SWITCH, bus, gfd, node
from tests.whole_clusters.parts.queueing import kueue
from tests.whole_clusters.parts.site import Site, system_nodes
from tests.whole_clusters.platforms.on_prem import WATCHES
from tests.whole_clusters.platforms.others import CEPH

HOSTS = 511
HOST = {"osImage": "Ubuntu 22.04.3 LTS", "kernelVersion": "6.5.0-1007-nvidia"}
DRIVER, NEWER = "535.129.03", "545.23.08"
FAULTS = (
    ["silent"] * 20 + ["gpu"] * 6 + ["xid"] * 5 + ["pcie"] * 5 + ["flaps"] * 8 + ["no_peermem"] * 4 + ["adapter"] * 3
)
NO_PLACE = {"silent", "gpu", "xid", "adapter"}  # too few devices for a trainer; nothing keeps one off the others
TOLD = {"xid": "SysLogsXIDError", "pcie": "GpuPcieWatch", "flaps": "InfiniBandDegradationCheck"}


def fault_of(place: int) -> str:
    """Every tenth host has one."""
    return FAULTS[place // 10] if place % 10 == 7 else ""


NAMES = tuple(f"host-{place:03d}" for place in range(HOSTS))
SITE = Site(
    gpus=NAMES,
    system=tuple(f"infra-{place}" for place in range(6)),
    zones=("hall-1", "hall-2", "hall-3"),
    asks={"nvidia.com/gpu": 8, "nvidia.com/hostdev": 8},
    topology=tuple(f"fabric.topograph.run/tier-{tier}" for tier in (2, 1, 0)),
    driver=DRIVER,
    run="llm-70b",
    idle=frozenset(name for place, name in enumerate(NAMES) if fault_of(place) in NO_PLACE),
)
PLUGIN = {"resourcePrefix": "nvidia.com", "resourceName": "hostdev", "selectors": {"vendors": ["15b3"], "isRdma": True}}


def imbue() -> Iterable[Object]:
    for place, name in enumerate(NAMES):
        yield from host(place, name, fault_of(place))
    yield from system_nodes(SITE, {"node-role.kubernetes.io/infra": ""})
    yield from around_any_run(SITE)
    yield from gpu_operator(SITE, driver={"enabled": False}, migManager={"enabled": False})
    yield from node_feature_discovery(SITE, "nfd")
    yield nic_cluster_policy({"sriovDevicePlugin": {"resourceList": [PLUGIN]}})
    yield from network_operator(SITE, "sriov-device-plugin", on_host=True)
    yield from node_problem_detector(SITE)
    yield from nvsentinel_monitors(SITE)
    yield from dns.coredns("registry.k8s.io/coredns/coredns:v1.12.0", SITE.three, memory="512Mi")
    yield from dns.node_local_dns(SITE)
    yield from kueue(SITE)
    yield storage.storage_class("fast", "rook-ceph.rbd.csi.ceph.com", default=True)
    yield storage.storage_class("shared", str(CEPH["driver"]), reclaim="Retain")
    for claim in ("tokens", "checkpoints"):
        yield from storage.shared(claim, SITE.team, {**CEPH, "volumeHandle": f"0001-{claim}"})
    yield from pytorchjob(SITE)


def host(place: int, name: str, fault: str) -> Iterable[Object]:
    gpus = 7 if fault == "gpu" else 8
    adapters = {"adapter": 7}.get(fault, 8) if place != ALL_DOWN else 0
    labels = gfd(H100, gpus, "PowerEdge-XE9680", NEWER if place % 9 == 0 else DRIVER) | near(place)
    labels |= {"feature.node.kubernetes.io/kernel-version.full": HOST["kernelVersion"]}
    # Written where GPU Operator is told to add its NodeFeatureRules.
    labels |= {} if fault == "no_peermem" else {"nvidia.com/peermem.capable": "true"}
    offered: dict[str, int | str] = {"nvidia.com/gpu": gpus, "nvidia.com/hostdev": adapters}
    made = node(name, labels, offered, conditions=conditions(fault), zone="hall-1", info=HOST)
    if fault == "xid":  # the device plugin takes a GPU with such an error out, and keeps it out
        made["status"]["allocatable"]["nvidia.com/gpu"] = "7"
    if fault == "silent":
        fall_silent(made)
    yield made
    modules = tuple(module for module in MODULES if fault != "no_peermem" or module != "nvidia_peermem")
    # Of the GPUs that are missing some have fallen off the bus, others are there and no driver speaks to them.
    there = 8 if fault != "gpu" or place % 20 == 7 else 7
    yield bus(name, (GPU, there), (SWITCH, 4), (IB, 8), (ETHERNET, 2), modules=modules)


ALL_DOWN = 507  # the last host with a fault in its adapters offers none of them


def near(place: int) -> dict[str, str]:
    """Two halves that meet nowhere: a leaf of 32 hosts, a spine of eight leaves, and a core for each spine."""
    half = place * 2 // HOSTS
    values = (f"core-{half}", f"spine-{half}", f"leaf-{place // 32:02d}")
    return dict(zip(SITE.topology, values, strict=True))


def conditions(fault: str) -> list[Object]:
    made = [condition(kind, "False", f"{kind}IsHealthy") for kind in WATCHES]
    made.append(condition("KernelDeadlock", "False", "KernelHasNoDeadlock"))
    for item in made:
        if item["type"] == TOLD.get(fault):
            item |= {"status": "True", "reason": f"{item['type']}IsNotHealthy", "lastTransitionTime": ago(days=3)}
            item["message"] = "ErrorCode:79 GPU:0 Recommended Action=RESTART_BM" if fault == "xid" else ""
    return made


def fall_silent(made: Object) -> None:
    """Booted once, and not since: kubernetes/kubernetes:pkg/controller/nodelifecycle."""
    for item in made["status"]["conditions"]:
        item |= {"status": "Unknown", "reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status."}
        item |= {"lastHeartbeatTime": ago(days=4), "lastTransitionTime": ago(days=4)}
    keys = [{"key": "node.kubernetes.io/unreachable", "effect": effect} for effect in ("NoSchedule", "NoExecute")]
    made["spec"]["taints"] = [key | {"timeAdded": ago(days=4)} for key in keys]
