"""Oracle Kubernetes Engine: BM.GPU.H100.8 over RoCE with virtual functions, OCI's own checks, an MPIJob.

Sources: oracle-quickstart/oci-hpc-oke:docs, manifests, terraform/files.
"""

from collections.abc import Iterable

from tests.whole_clusters.objects import Object, condition, thing
from tests.whole_clusters.parts import admission, dns, storage
from tests.whole_clusters.parts.agents import node_feature_discovery
from tests.whole_clusters.parts.burn_in import cron_job, nccl_test
from tests.whole_clusters.parts.everywhere import everywhere
from tests.whole_clusters.parts.fabric import network_operator, nic_cluster_policy, sriov
from tests.whole_clusters.parts.gpu_operator import gpu_operator
from tests.whole_clusters.parts.jobs import mpijob
from tests.whole_clusters.parts.nodes import ETHERNET, GPU, H100, SWITCH, TYPE, bus, gfd, node
from tests.whole_clusters.parts.queueing import kueue
from tests.whole_clusters.parts.site import Site, system_nodes
from tests.whole_clusters.parts.training import STAY
from tests.whole_clusters.parts.workloads import daemonset, deployment

OCIR = "iad.ocir.io/hpc_limited_availability"
UBUNTU = {"osImage": "Ubuntu 22.04.5 LTS", "kernelVersion": "6.8.0-1034-oracle", "kubeletVersion": "v1.33.1"}
UBUNTU |= {"containerRuntimeVersion": "cri-o://1.33.3"}
LUSTRE = {"driver": "lustre.csi.oraclecloud.com", "fsType": "lustre", "volumeAttributes": {"setupLnet": "true"}}
# docs/running-gpu-rdma-healthchecks-with-node-problem-detector.md: False is healthy.
CHECKS = (
    "GpuCount",
    "GpuEcc",
    "GpuRowRemap",
    "GpuBus",
    "GpuPcie",
    "GpuFabricMgr",
    "GpuXid",
    "NvlinkSpeed",
    "DcgmiHealth",
)
CHECKS += ("RdmaLink", "RdmaLinkFlapping", "RdmaWpaAuth", "RdmaRttcc", "IpAddress", "OcaVersion", "CpuProfile")
CHECKS += ("NodeHasPcieErrors",)
SITE = Site(
    gpus=tuple(f"10.140.32.{place + 10}" for place in range(20)),
    system=tuple(f"10.140.0.{place + 10}" for place in range(3)),
    zones=("US-ASHBURN-AD-1", "US-ASHBURN-AD-2", "US-ASHBURN-AD-3"),
    machine="BM.GPU.H100.8",
    asks={"nvidia.com/gpu": 8, "nvidia.com/rdma-vf": 16},
    topology=tuple(f"oci.oraclecloud.com/rdma.{block}_id" for block in ("hpc_island", "network_block", "local_block")),
)


def oke() -> Iterable[Object]:
    yield from gpu_nodes()
    yield from system_nodes(SITE, {TYPE: "VM.Standard.E5.Flex", "oci.oraclecloud.com/fault-domain": "FAULT-DOMAIN-1"})
    yield from everywhere(SITE)
    yield from add_ons()
    # The image brings driver and DOCA; the operator runs the rest.
    yield from gpu_operator(SITE, driver={"enabled": False}, migManager={"enabled": False})
    yield from node_feature_discovery(SITE, "network-operator")
    yield nic_cluster_policy({})
    yield from network_operator(SITE, "multus", on_host=True)
    yield from sriov(SITE, "rdma-vf", 1)
    yield from webhook_configurations()
    yield from kueue(SITE)
    yield from volumes()
    networks = {"k8s.v1.cni.cncf.io/networks": ",".join(["rdma-vf"] * 16)}
    nccl = {
        "NCCL_IB_HCA": "mlx5",
        "NCCL_IB_TC": "41",
        "NCCL_IB_SL": "0",
        "NCCL_IB_TIMEOUT": "22",
        "NCCL_IB_GID_INDEX": "3",
    }
    yield from mpijob(SITE, {**STAY, **networks}, env=nccl | {"NCCL_SOCKET_IFNAME": "eth0"})
    applier = "active-health-checks-nccl-tests-applier"
    yield from cron_job(applier, "monitoring", f"{OCIR}/kubectl:v1.33.1", schedule="0 * * * *")
    image = f"{OCIR}/nccl-tests:cuda-13.3.0-ubuntu-24.04-nccl-2.30.4-071626.0"
    yield nccl_test(1, SITE.asks, "monitoring", image, "active-health-checks-nccl-tests-1795921200")


def gpu_nodes() -> Iterable[Object]:
    labels = {TYPE: "BM.GPU.H100.8", "nvidia.com/gpu": "true"} | gfd(H100, 8, "ORACLE-SERVER-E5")
    host = {
        "health": "HEALTHY",
        "lifecycle_state": "OCCUPIED",
        "has_impacted_components": "false",
        "platform": "GPU_H100",
    }
    labels |= {f"oci.oraclecloud.com/host.{key}": value for key, value in host.items()}
    for test in ("nccl-tests", "dcgm-diag", "gpu-fryer"):
        done = f"oke.oraclecloud.com/active-health-checks-{test}"
        labels |= {done: "pass", f"{done}-last-run": "2026-11-28T14-30-00Z"}
    labels |= {"feature.node.kubernetes.io/network-sriov.capable": "true", "topology.kubernetes.io/region": "iad"}
    labels |= {"feature.node.kubernetes.io/kernel-version.full": UBUNTU["kernelVersion"]}
    conditions = [condition(kind, "False", f"{kind}HasNoIssues") for kind in CHECKS]
    for place, name in enumerate(SITE.gpus):
        near = dict(zip(SITE.topology, ("7xmztgv4ksq", "4m2k6t5zfha", f"b{place // 8}lqz5ysnxa"), strict=True))
        near |= {
            "topology.kubernetes.io/zone": "US-ASHBURN-AD-1",
            "oci.oraclecloud.com/rdma.host_id": f"h{place:02d}d2k6t5zfh",
        }
        yield node(name, labels | near, SITE.asks, storage="29000Gi", conditions=conditions, info=UBUNTU)
        yield bus(name, (GPU, 8), (SWITCH, 4), (ETHERNET, 18), namespace="network-operator")


def add_ons() -> Iterable[Object]:
    for name in ("proxymux-client", "kube-proxy", "csi-oci-node", "vcn-native-ip-cni"):
        yield from daemonset(name, "kube-system", f"{OCIR}/{name}:v1.33.1", SITE.nodes, hostNetwork=True)
    monitor = "gpu-rdma-node-problem-detector-nvidia"
    yield from daemonset(
        monitor, "monitoring", f"{OCIR}/oke-npd:v1.35.1", SITE.gpus, labels={"app": "node-problem-detector"}
    )
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%"}}
    utils = f"{OCIR}/oci-hpc-oke-utils:v1.3.0"
    yield from daemonset("oci-hpc-oke-utils-labeler", "kube-system", utils, SITE.gpus, update=rolling)
    yield from deployment("oci-hpc-oke-utils-controller", "kube-system", utils, SITE.two)
    yield from dns.coredns(f"{OCIR}/coredns:1.12.1", SITE.three, memory="300Mi")
    image = f"{OCIR}/cluster-proportional-autoscaler:v1.9.0"
    yield from deployment("kube-dns-autoscaler", "kube-system", image, SITE.system[:1])
    yield from deployment("mpi-operator", "mpi-operator", "mpioperator/mpi-operator:0.6.0", SITE.two)


def webhook_configurations() -> Iterable[Object]:
    yield from admission.cert_manager()
    image = "quay.io/jetstack/cert-manager-webhook:v1.19.1"
    yield from deployment("cert-manager-webhook", "cert-manager", image, SITE.two, port=10250)
    yield admission.certificate("kueue-webhook-server-cert", "kueue-system", 320)
    injected = admission.rule("", ["pods"])
    to = "network-operator/network-resources-injector-service"
    vf = admission.hook("network-resources-injector-config.k8s.io", injected, to=to, apart=admission.NOT_SYSTEM)
    yield admission.webhooks("Mutating", "network-resources-injector-config", vf)
    image = "nvcr.io/nvidia/mellanox/network-resources-injector:network-operator-v25.10.0"
    name = "network-resources-injector"
    yield from deployment(name, "network-operator", image, SITE.two, port=8443, serves=f"{name}-service")


def volumes() -> Iterable[Object]:
    yield storage.storage_class("oci-bv", "blockvolume.csi.oraclecloud.com", default=True)
    yield storage.storage_class("fast", "blockvolume.csi.oraclecloud.com", parameters={"vpusPerGB": "20"})
    tier = {"performanceTier": "MBPS_PER_TB_1000", "availabilityDomain": "AD-1"}
    yield storage.storage_class("shared", "lustre.csi.oraclecloud.com", reclaim="Retain", parameters=tier)
    yield storage.csi_driver("lustre.csi.oraclecloud.com")
    for claim in ("tokens", "checkpoints"):
        yield from storage.shared(claim, SITE.team, LUSTRE | {"volumeHandle": f"10.140.60.5@tcp:/{claim}"})
    yield thing(
        "k8s.cni.cncf.io/v1/NetworkAttachmentDefinition", "rdma-vf", SITE.team, spec={"config": '{"type":"sriov"}'}
    )
