"""Google Kubernetes Engine: A3 Ultra with GPUDirect RDMA, GKE's own drivers and DCGM, Managed Lustre, a JobSet.

Sources: GoogleCloudPlatform/container-engine-accelerators, https://cloud.google.com/ai-hypercomputer/docs/workloads,
GoogleCloudPlatform/lustre-csi-driver:deploy, GoogleCloudPlatform/cluster-health-scanner.
"""

from collections.abc import Iterable

from tests.whole_clusters.objects import Object, condition, thing, uid
from tests.whole_clusters.parts import admission, dns, storage
from tests.whole_clusters.parts.admission import PODS, hook, rule, webhooks
from tests.whole_clusters.parts.agents import node_problem_detector
from tests.whole_clusters.parts.burn_in import cron_job
from tests.whole_clusters.parts.everywhere import everywhere
from tests.whole_clusters.parts.fabric import gke_rdma
from tests.whole_clusters.parts.gpu_operator import dcgm_monitor
from tests.whole_clusters.parts.jobs import jobset
from tests.whole_clusters.parts.nodes import TYPE, node
from tests.whole_clusters.parts.queueing import kueue
from tests.whole_clusters.parts.serving import leader_worker_set
from tests.whole_clusters.parts.site import Site, system_nodes
from tests.whole_clusters.parts.training import STAY
from tests.whole_clusters.parts.workloads import container, daemonset, deployment

COS = {
    "osImage": "Container-Optimized OS from Google",
    "kernelVersion": "6.6.105+",
    "kubeletVersion": "v1.33.5-gke.1308000",
}
COS |= {"containerRuntimeVersion": "containerd://2.0.6"}
NETWORKS = {f"networking.gke.io.networks/{name}": 1 for name in ("gvnic-1", *(f"rdma-{n}" for n in range(8)))}
LUSTRE = {"driver": "lustre.csi.storage.gke.io", "volumeAttributes": {"ip": "10.90.0.5", "filesystem": "llm"}}
NODES = tuple(f"gke-train-a3u-6f1c2d3e-{place:04d}" for place in range(20))
SERVES, SPARE = NODES[17:19], NODES[19:]
SITE = Site(
    gpus=NODES,
    idle=frozenset((*SERVES, *SPARE)),
    system=tuple(f"gke-train-default-9a8b7c6d-{place:04d}" for place in range(3)),
    zones=("us-east5-a", "us-east5-b", "us-east5-c"),
    machine="a3-ultragpu-8g",
    asks={"nvidia.com/gpu": 8},
    topology=(
        "cloud.google.com/gce-topology-block",
        "cloud.google.com/gce-topology-subblock",
        "cloud.google.com/gce-topology-host",
    ),
)


def gke() -> Iterable[Object]:
    yield from gpu_nodes()
    pool = {
        TYPE: "n2-standard-16",
        "cloud.google.com/gke-nodepool": "default",
        "cloud.google.com/gke-os-distribution": "cos",
    }
    yield from system_nodes(SITE, pool)
    yield from everywhere(SITE)
    yield from add_ons()
    yield from gke_rdma(SITE)
    yield from node_problem_detector(SITE)
    yield from dns.kube_dns(SITE)
    yield from dns.node_local_dns(SITE, "gke.gcr.io/k8s-dns-node-cache:1.25.0-gke.9")
    yield from webhook_configurations()
    yield from kueue(SITE)
    yield from volumes()
    interfaces = ", ".join(f'{{"interfaceName":"eth{n + 2}","network":"rdma-{n}"}}' for n in range(8))
    told = f'[{{"interfaceName":"eth0","network":"default"}}, {interfaces}]'
    multi = {"networking.gke.io/default-interface": "eth0", "networking.gke.io/interfaces": told}
    yield from jobset(SITE, {**STAY, **multi})
    yield from leader_worker_set(SITE, SERVES, multi)
    yield from cron_job(
        "nccl-healthcheck", "burn-in", "us-docker.pkg.dev/gce-ai-infra/health-check/health-runner:v1.5.0"
    )


def gpu_nodes() -> Iterable[Object]:
    labels = {TYPE: "a3-ultragpu-8g", "cloud.google.com/gke-accelerator": "nvidia-h200-141gb"}
    google = {
        "gke-accelerator-count": "8",
        "gke-ephemeral-storage-local-ssd": "true",
        "gke-nodepool": "a3u",
        "gke-gpu": "true",
    }
    google |= {
        "gke-gpu-driver-version": "latest",
        "gke-os-distribution": "cos",
        "machine-family": "a3",
        "gke-boot-disk": "hyperdisk-balanced",
    }
    labels |= {f"cloud.google.com/{key}": value for key, value in google.items()}
    # GoogleCloudPlatform/cluster-health-scanner writes what its last run on the node said.
    labels |= {"aiinfra/nccl-healthcheck-result": "pass", "aiinfra/gpu-healthcheck-result": "pass"}
    resources: dict[str, int | str] = {**SITE.asks, **NETWORKS, **{f"{name}.IP": 1 for name in NETWORKS}}
    kinds = {
        "XidCriticalError": "NoXid",
        "KernelDeadlock": "KernelHasNoDeadlock",
        "ReadonlyFilesystem": "FilesystemIsNotReadOnly",
    }
    kinds |= {
        "FrequentKubeletRestart": "NoFrequentKubeletRestart",
        "FrequentContainerdRestart": "NoFrequentContainerdRestart",
    }
    conditions = [condition(kind, "False", reason) for kind, reason in kinds.items()]
    driver = {f"cloud.google.com/cuda.driver-version.{part}": value for part, value in DRIVER.items()}
    taints = [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]
    for place, name in enumerate(SITE.gpus):
        near = dict(
            zip(SITE.topology, (uid("block"), uid("subblock", str(place // 16)), uid("host", name)), strict=True)
        )
        made = node(
            name,
            labels | near,
            resources,
            storage="11800Gi",
            conditions=conditions,
            zone="us-east5-a",
            taints=taints,
            info=COS,
        )
        made["metadata"]["annotations"] |= driver
        yield made


DRIVER = {"full": "580.95.05", "major": "580", "minor": "95", "revision": "05"}


def add_ons() -> Iterable[Object]:
    """Google runs these itself (kube-system, gmp-system, gke-managed-system)."""
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%"}}
    for name in ("netd", "fluentbit-gke", "gke-metrics-agent", "pdcsi-node", "lustre-csi-node", "anetd"):
        image = f"gke.gcr.io/{name}:v1.22.0-gke.5"
        yield from daemonset(
            name, "kube-system", image, SITE.nodes, labels={"k8s-app": name}, update=rolling, hostNetwork=True
        )
    yield from device_plugin(SITE, "large")
    for name in ("konnectivity-agent", "metrics-server-v1.33.0", "event-exporter-gke", "l7-default-backend"):
        yield from deployment(name, "kube-system", f"gke.gcr.io/{name}:v1.33.0-gke.2", SITE.two)
    yield from deployment(
        "gmp-operator", "gmp-system", "gke.gcr.io/prometheus-engine/operator:v0.17.0-gke.0", SITE.two, port=10250
    )
    yield from daemonset(
        "collector", "gmp-system", "gke.gcr.io/prometheus-engine/prometheus:v2.53.5-gmp.1-gke.2", SITE.nodes
    )


def device_plugin(site: Site, size: str) -> Iterable[Object]:
    """GKE's own drivers and DCGM on nodes of this size (GoogleCloudPlatform/container-engine-accelerators)."""
    plugin = "nvidia-gpu-device-plugin"
    first = [container("nvidia-driver-installer", "gke.gcr.io/nvidia-driver-installer:v1.0.0-gke.40")]
    runs = [container(plugin, f"gke.gcr.io/{plugin}:v1.0.0-gke.40", securityContext={"privileged": True})]
    name = f"{plugin}-{size}-cos"
    labels = {"k8s-app": plugin, "name": plugin}
    yield from daemonset(
        name, "kube-system", runs[0]["image"], site.gpus, labels=labels, containers=runs, initContainers=first
    )
    exporter = "gke.gcr.io/dcgm-exporter:4.4.1-4.6.0-gke.1"
    dcgm = {"app.kubernetes.io/name": "gke-managed-dcgm-exporter"}
    yield from daemonset("dcgm-exporter", "gke-managed-system", exporter, site.gpus, labels=dcgm)
    # Scraped by the team's own Prometheus too: https://github.com/NVIDIA/dcgm-exporter service-monitor.yaml
    own = "nvcr.io/nvidia/k8s/dcgm-exporter:4.4.1-4.6.0-distroless"
    yield from daemonset("nvidia-dcgm-exporter", "monitoring", own, site.gpus)
    yield dcgm_monitor("monitoring")


def webhook_configurations() -> Iterable[Object]:
    """GKE's own, at an address of its control plane; GMP's, before its own objects only."""
    at = "https://localhost:5443/webhook"
    for name in ("pod-ready", "neg-annotation", "warden-mutating"):
        asked = PODS if name == "pod-ready" else rule("", ["services", "pods"], ("CREATE", "UPDATE"))
        seconds = 30 if name == "warden-mutating" else 1
        own = hook(f"{name}.common-webhooks.networking.gke.io", asked, url=at, seconds=seconds)
        yield webhooks("Mutating", f"{name}.config.common-webhooks.networking.gke.io", own)
    monitored = rule("monitoring.googleapis.com", ["podmonitorings"], ("CREATE", "UPDATE"))
    name = "default.podmonitorings.gmp-operator.gmp-system.monitoring.googleapis.com"
    defaulted = hook(name, monitored, to="gmp-system/gmp-operator", policy="Fail")
    yield webhooks("Mutating", "gmp-operator.gmp-system.monitoring.googleapis.com", defaulted)
    yield from admission.jobset(SITE)


def volumes() -> Iterable[Object]:
    yield storage.storage_class("premium-rwo", "pd.csi.storage.gke.io", default=True, parameters={"type": "pd-ssd"})
    yield storage.storage_class("fast", "pd.csi.storage.gke.io", parameters={"type": "hyperdisk-balanced"})
    parameters = {"perUnitStorageThroughput": "1000", "network": "train", "filesystem": "llm"}
    zone = [{"matchLabelExpressions": [{"key": "topology.gke.io/zone", "values": ["us-east5-a"]}]}]
    yield storage.storage_class(
        "shared", "lustre.csi.storage.gke.io", reclaim="Retain", parameters=parameters, allowedTopologies=zone
    )
    yield storage.csi_driver("lustre.csi.storage.gke.io")
    for claim in ("tokens", "checkpoints"):
        yield from storage.shared(claim, SITE.team, LUSTRE | {"volumeHandle": f"proj/us-east5-a/{claim}"})
    budget = {
        "unhealthyPodEvictionPolicy": "AlwaysAllow",
        "minAvailable": 1,
        "selector": {"matchLabels": {"k8s-app": "konnectivity"}},
    }
    yield thing(
        "policy/v1/PodDisruptionBudget", "konnectivity", "kube-system", spec=budget, status={"disruptionsAllowed": 1}
    )
