"""Cluster DNS: CoreDNS or kube-dns, spread and budgeted, with the cache on each node."""

from collections.abc import Iterable, Sequence
from typing import Any

from tests.whole_clusters.objects import Object
from tests.whole_clusters.parts.site import Site
from tests.whole_clusters.parts.workloads import container, daemonset, deployment

# All of them keep this label and service name for compatibility (coredns/deployment:kubernetes/coredns.yaml.sed).
LABELS = {"k8s-app": "kube-dns"}


def coredns(image: str, on: Sequence[str], *, memory: str = "170Mi", budget: str = "", **spec: Any) -> Iterable[Object]:
    resources = {"requests": {"cpu": "100m", "memory": "70Mi"}, "limits": {"memory": memory}}
    runs = [container("coredns", image, args=["-conf", "/etc/coredns/Corefile"], resources=resources, ports=_PORTS)]
    own: Object = {"minAvailable": budget} if budget else {"maxUnavailable": 1}
    spec = {"serviceAccountName": "coredns", "dnsPolicy": "Default", **spec}
    yield from deployment(
        "coredns", "kube-system", image, on, labels=LABELS, containers=runs, port=53, budget=own, **spec
    )


_PORTS = [
    {"name": "dns", "containerPort": 53, "protocol": "UDP"},
    {"name": "dns-tcp", "containerPort": 53, "protocol": "TCP"},
    {"name": "metrics", "containerPort": 9153, "protocol": "TCP"},
]


def node_local_dns(site: Site, image: str = "registry.k8s.io/dns/k8s-dns-node-cache:1.26.4") -> Iterable[Object]:
    """kubernetes/kubernetes:cluster/addons/dns/nodelocaldns/nodelocaldns.yaml."""
    labels = {"k8s-app": "node-local-dns"}
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%"}}
    args = ["-localip", "169.254.20.10,10.100.0.10", "-conf", "/etc/Corefile", "-upstreamsvc", "kube-dns-upstream"]
    runs = [container("node-cache", image, args=args, resources={"requests": {"cpu": "25m", "memory": "5Mi"}})]
    host = {"hostNetwork": True, "dnsPolicy": "Default", "update": rolling}
    yield from daemonset("node-local-dns", "kube-system", image, site.nodes, labels=labels, containers=runs, **host)


def kube_dns(site: Site) -> Iterable[Object]:
    """GKE's own (kubernetes/kubernetes:cluster/addons/dns/kube-dns), sized by its autoscaler."""
    registry = "gke.gcr.io"
    limits = {"requests": {"cpu": "100m", "memory": "70Mi"}, "limits": {"memory": "210Mi"}}
    images = {"kubedns": "k8s-dns-kube-dns", "dnsmasq": "k8s-dns-dnsmasq-nanny", "sidecar": "k8s-dns-sidecar"}
    runs = [container(name, f"{registry}/{image}:1.24.0-gke.11", resources=limits) for name, image in images.items()]
    yield from deployment(
        "kube-dns",
        "kube-system",
        runs[0]["image"],
        site.three,
        labels=LABELS,
        containers=runs,
        port=53,
        dnsPolicy="Default",
    )
    yield from deployment(
        "kube-dns-autoscaler",
        "kube-system",
        f"{registry}/cluster-proportional-autoscaler:v1.9.0-gke.0",
        site.system[:1],
    )
