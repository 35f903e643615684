"""Amazon EKS: Karpenter's p5 nodes with the instance store as RAID 0, EFA, FSx for Lustre, a TrainJob.

Sources: aws/karpenter-provider-aws:website/content/en/docs/reference/instance-types.md, aws/eks-charts:stable,
aws/eks-node-monitoring-agent:charts, https://docs.aws.amazon.com/eks/latest/userguide.
"""

from collections.abc import Iterable

from tests.whole_clusters.objects import Object, condition, reached, thing
from tests.whole_clusters.parts import admission, dns, storage
from tests.whole_clusters.parts.admission import hook, rule, webhooks
from tests.whole_clusters.parts.agents import eks_node_monitoring_agent, node_feature_discovery
from tests.whole_clusters.parts.burn_in import nccl_test
from tests.whole_clusters.parts.everywhere import everywhere
from tests.whole_clusters.parts.gpu_operator import gpu_operator
from tests.whole_clusters.parts.jobs import trainjob
from tests.whole_clusters.parts.nodes import EFA, GPU, SWITCH, TYPE, bus, names, node
from tests.whole_clusters.parts.queueing import kueue
from tests.whole_clusters.parts.site import Site, system_nodes
from tests.whole_clusters.parts.training import STAY
from tests.whole_clusters.parts.workloads import container, daemonset, deployment

AL2023 = {"osImage": "Amazon Linux 2023.9.20251117", "kernelVersion": "6.12.55-74.119.amzn2023.x86_64"}
AL2023 |= {"kubeletVersion": "v1.33.5-eks-113cf36", "containerRuntimeVersion": "containerd://2.1.4"}
REGISTRY = "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks"
FSX = {
    "driver": "fsx.csi.aws.com",
    "volumeAttributes": {"dnsname": "fs-0a1b.fsx.us-west-2.amazonaws.com", "mountname": "abcd"},
}
ADDONS = ["AcceleratedHardware", "ContainerRuntime", "Kernel", "Networking", "Storage"]
SITE = Site(
    gpus=tuple(names("p5")),
    system=tuple(names("m6i", 4)),
    zones=("us-west-2a", "us-west-2b", "us-west-2c"),
    machine="p5.48xlarge",
    asks={"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32},
    topology=tuple(f"topology.k8s.aws/network-node-layer-{layer}" for layer in (1, 2, 3)),
)


def eks() -> Iterable[Object]:
    yield from gpu_nodes(SITE, "29686813936Ki")
    marks = {
        TYPE: "m6i.4xlarge",
        "eks.amazonaws.com/nodegroup": "system",
        "eks.amazonaws.com/capacityType": "ON_DEMAND",
    }
    yield from system_nodes(SITE, marks)
    yield from everywhere(SITE)
    yield from add_ons(SITE)
    yield from preloaded(SITE)
    yield from gpu_operator(SITE, driver={"enabled": False}, toolkit={"enabled": False})
    yield from node_feature_discovery(SITE)
    yield from eks_node_monitoring_agent(SITE)
    yield from karpenter(SITE, instanceStorePolicy="RAID0")
    yield from dns.coredns(f"{REGISTRY}/coredns:v1.12.4-eksbuild.1", SITE.system)
    yield from dns.node_local_dns(SITE)
    yield from webhook_configurations()
    yield from kueue(SITE)
    yield from volumes()
    yield from trainjob(SITE, {**STAY, "karpenter.sh/do-not-disrupt": "true"}, hostIPC=False)
    yield nccl_test(1, SITE.asks, "burn-in", "public.ecr.aws/hpc-cloud/nccl-tests:cuda12.8.1-efa1.43.2-ofiv1.16.3")


def gpu_nodes(site: Site, storage: str) -> Iterable[Object]:
    karpenter = {
        "instance-category": "p",
        "instance-family": "p5",
        "instance-gpu-count": "8",
        "instance-size": "48xlarge",
    }
    karpenter |= {"instance-gpu-manufacturer": "nvidia", "instance-gpu-name": "h100", "instance-gpu-memory": "81559"}
    karpenter |= {
        "instance-local-nvme": "30400",
        "instance-network-bandwidth": "3200000",
        "instance-hypervisor": "nitro",
    }
    labels = {TYPE: "p5.48xlarge", "karpenter.sh/nodepool": "training", "karpenter.sh/capacity-type": "reserved"}
    labels |= {f"karpenter.k8s.aws/{key}": value for key, value in karpenter.items()}
    labels |= {
        "karpenter.sh/registered": "true",
        "karpenter.sh/initialized": "true",
        "topology.k8s.aws/zone-id": "usw2-az2",
    }
    good = [condition(f"{what}Ready", "True", f"{what}IsReady") for what in ADDONS]
    taints = [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]
    for place, name in enumerate(site.gpus):
        layers = ("nn-0c1e2a3b4d5f60718", f"nn-1{place // 10}", f"nn-2{place // 4}")
        near = dict(zip(site.topology, layers, strict=True))
        asked: dict[str, int | str] = {**site.asks, "hugepages-2Mi": "42Gi"}
        yield node(
            name,
            labels | near,
            asked,
            storage=storage,
            conditions=good,
            zone="us-west-2b",
            taints=taints,
            info=AL2023,
        )
        yield bus(name, (GPU, 8), (SWITCH, 4), (EFA, 32), modules=("nvidia", "efa", "ib_core", "gdrdrv", "lustre"))


def add_ons(site: Site) -> Iterable[Object]:
    for name, image, label in (
        ("aws-node", f"{REGISTRY.removesuffix('/eks')}/amazon-k8s-cni:v1.20.4-eksbuild.2", "k8s-app"),
        ("kube-proxy", f"{REGISTRY}/kube-proxy:v1.33.5-minimal-eksbuild.2", "k8s-app"),
        ("ebs-csi-node", f"{REGISTRY}/aws-ebs-csi-driver:v1.53.0", "app"),
        ("fsx-csi-node", f"{REGISTRY}/aws-fsx-csi-driver:v1.7.0", "app"),
    ):
        rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%"}}
        yield from daemonset(
            name, "kube-system", image, site.nodes, labels={label: name}, update=rolling, hostNetwork=True
        )
    efa = "aws-efa-k8s-device-plugin"
    plugin = [container(efa, f"{REGISTRY}/{efa}:v0.5.20", securityContext={"privileged": True})]
    labels = {"name": efa}
    yield from daemonset(
        efa, "kube-system", plugin[0]["image"], site.gpus, labels=labels, containers=plugin, hostNetwork=True
    )
    for name in ("ebs-csi-controller", "fsx-csi-controller", "aws-load-balancer-controller"):
        port = 9443 if "balancer" in name else 0
        image = f"{REGISTRY}/{name}:v2.14.1"
        yield from deployment(
            name, "kube-system", image, site.two, port=port, serves="aws-load-balancer-webhook-service"
        )


def preloaded(site: Site) -> Iterable[Object]:
    """Each node keeps the dataset on its own disks, the spare too, so that a replacement can start at once."""
    disks = {"name": "nvme", "hostPath": {"path": "/mnt/k8s-disks/0/dataset", "type": "DirectoryOrCreate"}}
    copies = [container("s5cmd", "registry.example.com/data/s5cmd:v2.3.0")]
    yield from daemonset(
        "dataset-preload", site.team, copies[0]["image"], site.gpus, containers=copies, volumes=[disks]
    )


def karpenter(site: Site, **disks: str) -> Iterable[Object]:
    """Only what is empty goes, one at a time, and never in working hours: kubernetes-sigs/karpenter:pkg/apis/v1."""
    image = "public.ecr.aws/karpenter/controller:1.8.2"
    yield from deployment("karpenter", "kube-system", image, site.two)
    budgets = [{"nodes": "1", "reasons": ["Empty"]}, {"nodes": "0", "reasons": ["Drifted", "Underutilized"]}]
    disruption = {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "24h", "budgets": budgets}
    wanted = [{"key": TYPE, "operator": "In", "values": ["p5.48xlarge"]}]
    wanted += [{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["reserved"]}]
    spec: Object = {
        "expireAfter": "Never",
        "requirements": wanted,
        "taints": [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}],
    }
    spec |= {"nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "p5"}}
    limits = {"limits": {"nvidia.com/gpu": str(8 * len(site.gpus))}, "weight": 10}
    status = {
        "conditions": [reached("Ready"), reached("NodeClassReady")],
        "resources": {"nvidia.com/gpu": str(8 * len(site.gpus))},
    }
    pool = {"disruption": disruption, "template": {"metadata": {}, "spec": spec}, **limits}
    yield thing("karpenter.sh/v1/NodePool", "training", spec=pool, status=status)
    image_of = {"amiFamily": "AL2023", "amiSelectorTerms": [{"alias": "al2023@v20251120"}], **disks}
    yield thing("karpenter.k8s.aws/v1/EC2NodeClass", "p5", spec=image_of, status={"conditions": [reached("Ready")]})
    for name in site.gpus:
        status = {
            "nodeName": name,
            "conditions": [reached(kind) for kind in ("Launched", "Registered", "Initialized", "Ready")],
        }
        yield thing("karpenter.sh/v1/NodeClaim", f"training-{name}", spec=spec, status=status)


def webhook_configurations() -> Iterable[Object]:
    """EKS's own are behind an address of its control plane, and let pods through where they cannot be reached."""
    pods = rule("", ["pods"])
    at = "https://127.0.0.1:23443/mutate"
    yield webhooks("Mutating", "pod-identity-webhook", hook("iam-for-pods.amazonaws.com", pods, url=at))
    at = "https://127.0.0.1:9442/mutate-v1-pod"
    yield webhooks("Mutating", "vpc-resource-mutating-webhook", hook("mpod.vpc.k8s.aws", pods, url=at))
    balancer = rule("elbv2.k8s.aws", ["targetgroupbindings"], ("CREATE", "UPDATE"), "v1beta1")
    to = "kube-system/aws-load-balancer-webhook-service"
    bound = hook("mtargetgroupbinding.elbv2.k8s.aws", balancer, to=to, policy="Fail")
    yield webhooks("Mutating", "aws-load-balancer-webhook", bound)
    yield from admission.prometheus_rules()
    yield from admission.jobset(SITE)
    for kind in ("ebs", "fsx"):
        yield storage.csi_driver(f"{kind}.csi.aws.com", attachRequired=kind == "ebs")


def volumes() -> Iterable[Object]:
    yield storage.storage_class("gp3", "ebs.csi.aws.com", default=True, parameters={"type": "gp3", "encrypted": "true"})
    yield storage.storage_class("fast", "ebs.csi.aws.com", parameters={"type": "io2"})
    parameters = {"deploymentType": "PERSISTENT_2", "perUnitStorageThroughput": "1000", "efaEnabled": "true"}
    yield storage.storage_class("shared", "fsx.csi.aws.com", reclaim="Retain", parameters=parameters)
    for claim in ("tokens", "checkpoints"):
        handle = {"volumeHandle": f"fs-{claim}", "fsType": "lustre"}
        yield from storage.shared(claim, SITE.team, FSX | handle, mountOptions=["flock"])
