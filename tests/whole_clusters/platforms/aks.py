"""Azure Kubernetes Service: ND H100 v5 with InfiniBand, Network Operator, Azure Managed Lustre, a PyTorchJob.

Sources: Azure/aks-rdma-infiniband:configs, Azure/AgentBaker:e2e/validators.go,
MicrosoftDocs/azure-aks-docs:articles/aks.
"""

from collections.abc import Iterable

from tests.whole_clusters.objects import Object, condition
from tests.whole_clusters.parts import admission, dns, storage
from tests.whole_clusters.parts.admission import hook, rule, webhooks
from tests.whole_clusters.parts.agents import node_feature_discovery
from tests.whole_clusters.parts.burn_in import nccl_test
from tests.whole_clusters.parts.everywhere import everywhere
from tests.whole_clusters.parts.fabric import AKS_CONFIG, network_operator, nic_cluster_policy
from tests.whole_clusters.parts.gpu_operator import gpu_operator, operand
from tests.whole_clusters.parts.jobs import pytorchjob
from tests.whole_clusters.parts.nodes import H100, HGX, TYPE, bus, gfd, node
from tests.whole_clusters.parts.queueing import kueue
from tests.whole_clusters.parts.site import Site, system_nodes
from tests.whole_clusters.parts.workloads import daemonset, deployment

MCR = "mcr.microsoft.com/oss/v2/kubernetes"
UBUNTU = {"osImage": "Ubuntu 22.04.5 LTS", "kernelVersion": "5.15.0-1098-azure", "kubeletVersion": "v1.33.5"}
UBUNTU |= {"containerRuntimeVersion": "containerd://1.7.29-1"}
LUSTRE = {"driver": "azurelustre.csi.azure.com", "volumeAttributes": {"mgs-ip-address": "10.30.0.4"}}
# Azure/AgentBaker:e2e/validators.go; the others are AKS's general ones (articles/aks/node-problem-detector.md).
GOOD = {"GPUMissing": "NoGPUMissing", "XIDError": "XIDErrorIsNotPresent", "IBLinkFlapping": "NoIBLinkFlapping"}
GOOD |= {"UnhealthyNvidiaDevicePlugin": "HealthyNvidiaDevicePlugin", "KernelDeadlock": "KernelHasNoDeadlock"}
GOOD |= {"UnhealthyNvidiaDCGMServices": "HealthyNvidiaDCGMServices", "ReadonlyFilesystem": "FilesystemIsNotReadOnly"}
GOOD |= {"KubeletProblem": "KubeletIsUp", "ContainerRuntimeProblem": "ContainerRuntimeIsUp"}
GOOD |= {"VMEventScheduled": "NoVMEventScheduled", "FrequentKubeletRestart": "NoFrequentKubeletRestart"}
SITE = Site(
    gpus=tuple(f"aks-ndh100-29411376-vmss{place:06d}" for place in range(20)),
    system=tuple(f"aks-system-29411376-vmss{place:06d}" for place in range(5)),
    zones=("westus3-1", "westus3-2", "westus3-3"),
    machine="Standard_ND96isr_H100_v5",
    asks={"nvidia.com/gpu": 8, "rdma/ib": 8},
    kueue="v1beta2",
)


def aks() -> Iterable[Object]:
    yield from gpu_nodes()
    mode = {TYPE: "Standard_D16s_v5", "kubernetes.azure.com/mode": "system", "kubernetes.azure.com/agentpool": "system"}
    yield from system_nodes(SITE, mode)
    yield from everywhere(SITE)
    yield from add_ons()
    # The image brings no driver; GPU Operator does, and the reloader loads peermem again after OFED's driver.
    yield from gpu_operator(SITE, migManager={"enabled": False})
    yield from operand(
        "nvidia-peermem-reloader", "mcr.microsoft.com/azurelinux/base/core:3.0.20251030", SITE.gpus, "gpu-operator"
    )
    yield from node_feature_discovery(SITE, "network-operator")
    yield nic_cluster_policy({"sriovDevicePlugin": AKS_CONFIG})
    yield from network_operator(SITE, "sriov-device-plugin")
    yield from webhook_configurations()
    yield from kueue(SITE)
    yield from volumes()
    yield from pytorchjob(SITE)
    yield nccl_test(1, SITE.asks, "burn-in", "ghcr.io/azure/aks-rdma-infiniband/nccl-tests:v1.0.0")


def gpu_nodes() -> Iterable[Object]:
    labels = {TYPE: "Standard_ND96isr_H100_v5", "kubernetes.azure.com/accelerator": "nvidia"} | gfd(H100, 8)
    azure = {"agentpool": "ndh100", "mode": "user", "os-sku": "Ubuntu", "scalesetpriority": "regular"}
    azure |= {"node-image-version": "AKSUbuntu-2204gen2containerd-202511.07.0"}
    labels |= {f"kubernetes.azure.com/{key}": value for key, value in azure.items()}
    labels |= {"feature.node.kubernetes.io/kernel-version.full": UBUNTU["kernelVersion"]}
    conditions = [condition(kind, "False", reason) for kind, reason in GOOD.items()]
    for name in SITE.gpus:
        zone = {"topology.kubernetes.io/zone": "westus3-1", "topology.kubernetes.io/region": "westus3"}
        yield node(name, labels | zone, SITE.asks, storage="28000Gi", conditions=conditions, info=UBUNTU)
        yield bus(name, *HGX, namespace="network-operator")


def add_ons() -> Iterable[Object]:
    for name in (
        "azure-cns",
        "kube-proxy",
        "cloud-node-manager",
        "csi-azuredisk-node",
        "csi-azurelustre-node",
        "ama-metrics-node",
    ):
        yield from daemonset(name, "kube-system", f"{MCR}/{name}:v1.33.5", SITE.nodes, hostNetwork=True)
    for name in ("metrics-server", "konnectivity-agent", "coredns-autoscaler", "csi-azurelustre-controller"):
        yield from deployment(name, "kube-system", f"{MCR}/{name}:v1.33.5", SITE.two)
    yield from dns.coredns(f"{MCR}/coredns:v1.12.1-4", SITE.system, memory="500Mi", budget="1")
    yield from deployment(
        "azure-wi-webhook-controller-manager",
        "kube-system",
        f"{MCR}/workload-identity:v1.5.1",
        SITE.two,
        port=9443,
        serves="azure-wi-webhook-webhook-service",
    )


def webhook_configurations() -> Iterable[Object]:
    """AKS's own guard its node pools and system pods, at an address outside of the cluster."""
    at = "https://test-dns-0a1b.hcp.westus3.azmk8s.io:443/aks-node"
    nodes = rule("", ["nodes"], ("CREATE", "UPDATE"))
    yield webhooks("Mutating", "aks-node-mutating-webhook", hook("aks-node-mutating-webhook.azmk8s.io", nodes, url=at))
    yield webhooks(
        "Validating", "aks-node-validating-webhook", hook("aks-node-validating-webhook.azmk8s.io", nodes, url=at)
    )
    own = {"matchExpressions": [{"key": "control-plane", "operator": "Exists"}]}
    system = hook("aks-webhook-admission-controller.azmk8s.io", admission.PODS, url=at, apart=own)
    yield webhooks("Mutating", "aks-webhook-admission-controller", system)
    marked = {"matchLabels": {"azure.workload.identity/use": "true"}}
    to = "kube-system/azure-wi-webhook-webhook-service"
    identity = hook("mutation.azure-workload-identity.io", admission.PODS, to=to, policy="Fail", objectSelector=marked)
    yield webhooks("Mutating", "azure-wi-webhook-mutating-webhook-configuration", identity)
    yield from admission.cert_manager()
    image = "quay.io/jetstack/cert-manager-webhook:v1.19.1"
    yield from deployment("cert-manager-webhook", "cert-manager", image, SITE.two, port=10250)
    yield admission.certificate("training-operator-webhook", "kubeflow")


def volumes() -> Iterable[Object]:
    yield storage.storage_class(
        "managed-csi", "disk.csi.azure.com", default=True, parameters={"skuname": "StandardSSD_LRS"}
    )
    yield storage.storage_class("fast", "disk.csi.azure.com", parameters={"skuname": "PremiumV2_LRS"})
    sku = {"sku-name": "AMLFS-Durable-Premium-500", "zone": "1"}
    yield storage.storage_class("shared", "azurelustre.csi.azure.com", reclaim="Retain", parameters=sku)
    yield storage.csi_driver("azurelustre.csi.azure.com")
    for claim in ("tokens", "checkpoints"):
        yield from storage.shared(
            claim, SITE.team, LUSTRE | {"volumeHandle": f"{claim}#lustrefs#"}, mountOptions=["flock"]
        )
