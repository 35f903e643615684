"""What watches nodes: NFD, node_exporter, node-problem-detector, the platforms' agents, NVSentinel."""

from collections.abc import Iterable
from typing import Any

from tests.whole_clusters.objects import Object, thing
from tests.whole_clusters.parts.site import Site
from tests.whole_clusters.parts.workloads import container, daemonset, deployment

# prometheus-operator/kube-prometheus:manifests/nodeExporter-daemonset.yaml; the collectors that a GPU cluster adds
# (mountstats for NFS, none for InfiniBand, which is on by default).
_EXPORTER = ["--path.sysfs=/host/sys", "--path.rootfs=/host/root", "--path.procfs=/host/root/proc"]
_EXPORTER += ["--no-collector.wifi", "--collector.mountstats", "--web.listen-address=[$(HOST_IP)]:9100"]


def node_feature_discovery(site: Site, namespace: str = "node-feature-discovery") -> Iterable[Object]:
    """kubernetes-sigs/node-feature-discovery:deployment/helm; a memory limit as its chart has it."""
    image = "registry.k8s.io/nfd/node-feature-discovery:v0.18.3"
    limits = {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "4Gi"}}
    master = [container("master", image, command=["nfd-master"], resources=limits)]
    role = {"app.kubernetes.io/name": "node-feature-discovery", "role": "master"}
    yield from deployment("nfd-master", namespace, image, site.system[:1], labels=role, containers=master)
    gc = role | {"role": "gc"}
    yield from deployment("nfd-gc", namespace, image, site.system[:1], labels=gc)
    worker = role | {"role": "worker"}
    yield from daemonset("nfd-worker", namespace, image, site.nodes, labels=worker)


def node_exporter(site: Site, namespace: str = "monitoring") -> Iterable[Object]:
    image = "quay.io/prometheus/node-exporter:v1.10.2"
    labels = {"app.kubernetes.io/name": "node-exporter", "app.kubernetes.io/component": "exporter"}
    ports = [{"name": "metrics", "containerPort": 9100, "hostPort": 9100, "protocol": "TCP"}]
    runs = [container("node-exporter", image, args=_EXPORTER, ports=ports)]
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%"}}
    host = {"hostNetwork": True, "hostPID": True}
    yield from daemonset(
        "node-exporter", namespace, image, site.nodes, labels=labels, containers=runs, update=rolling, **host
    )
    spec = {"endpoints": [{"port": "metrics", "interval": "15s"}], "selector": {"matchLabels": labels}}
    yield thing("monitoring.coreos.com/v1/ServiceMonitor", "node-exporter", namespace, labels=labels, spec=spec)


def node_problem_detector(site: Site, namespace: str = "kube-system", **rest: Any) -> Iterable[Object]:
    """kubernetes/node-problem-detector:deployment/node-problem-detector.yaml."""
    image = "registry.k8s.io/node-problem-detector/node-problem-detector:v1.34.0"
    config = "--config.system-log-monitor=/config/kernel-monitor.json,/config/readonly-monitor.json"
    command = ["/node-problem-detector", "--logtostderr", config]
    runs = [container("node-problem-detector", image, command=command, securityContext={"privileged": True})]
    labels = {"app": "node-problem-detector"}
    yield from daemonset("node-problem-detector", namespace, image, site.nodes, labels=labels, containers=runs, **rest)


def eks_node_monitoring_agent(site: Site) -> Iterable[Object]:
    """aws/eks-node-monitoring-agent:charts/eks-node-monitoring-agent."""
    registry = "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks"
    name, image = "eks-node-monitoring-agent", f"{registry}/eks-node-monitoring-agent:v1.7.0-eksbuild.1"
    labels = {"app.kubernetes.io/name": name, "app.kubernetes.io/instance": name}
    yield from daemonset(name, "kube-system", image, site.nodes, labels=labels, hostNetwork=True, hostPID=True)
    server = labels | {"app.kubernetes.io/name": "dcgm-server"}
    yield from daemonset("dcgm-server", "kube-system", image, site.gpus, labels=server, hostNetwork=True)


def nvsentinel(site: Site) -> Iterable[Object]:
    """NVIDIA/NVSentinel:distros/kubernetes/nvsentinel/charts."""
    yield from nvsentinel_monitors(site)
    for name in ("fault-quarantine", "node-drainer", "fault-remediation", "labeler"):
        yield from deployment(name, "nvsentinel", f"ghcr.io/nvidia/nvsentinel/{name}:v0.6.0", site.system[:1])


def nvsentinel_monitors(site: Site) -> Iterable[Object]:
    """What only tells; without the rest nothing keeps work off a node that was told of."""
    for name, image in (
        ("gpu-health-monitor-dcgm-4.x", "gpu-health-monitor"),
        ("syslog-health-monitor-regular", "syslog-health-monitor"),
        ("platform-connectors", "platform-connectors"),
    ):
        labels = {"app.kubernetes.io/name": image, "app.kubernetes.io/instance": "nvsentinel"}
        full = f"ghcr.io/nvidia/nvsentinel/{image}:v0.6.0"
        yield from daemonset(name, "nvsentinel", full, site.gpus, labels=labels)
