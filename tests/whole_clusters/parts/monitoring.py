"""Prometheus Operator's objects: what is scraped, and rules that would have told of what has hurt runs."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.whole_clusters.objects import Object, reached, thing
from tests.whole_clusters.parts.agents import node_exporter
from tests.whole_clusters.parts.site import Site
from tests.whole_clusters.parts.workloads import container, deployment, statefulset

GROUP = "monitoring.coreos.com/v1"


def prometheus(site: Site, namespace: str = "monitoring", name: str = "k8s", **spec: Any) -> Iterable[Object]:
    """prometheus-operator/kube-prometheus:manifests/prometheus-prometheus.yaml, with storage and two replicas."""
    labels = {"app.kubernetes.io/name": "prometheus", "app.kubernetes.io/instance": name}
    image = "quay.io/prometheus/prometheus:v3.7.3"
    room = {
        "storageClassName": "fast",
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "500Gi"}},
    }
    selectors: Object = {}
    for what in ("serviceMonitor", "podMonitor", "rule", "probe", "scrapeConfig"):
        selectors |= {f"{what}Selector": {}, f"{what}NamespaceSelector": {}}
    alerting = {
        "alertmanagers": [{"namespace": namespace, "name": "alertmanager-main", "port": "web", "apiVersion": "v2"}]
    }
    wanted = {
        "replicas": 2,
        "retention": "30d",
        "retentionSize": "450GB",
        "image": image,
        "version": "3.7.3",
        **selectors,
    }
    wanted |= {"storage": {"volumeClaimTemplate": {"spec": room}}, "alerting": alerting, **spec}
    conditions = [reached("Available"), reached("Reconciled")]
    status = {"replicas": 2, "availableReplicas": 2, "updatedReplicas": 2, "unavailableReplicas": 0}
    status |= {"paused": False, "conditions": conditions}
    yield thing(f"{GROUP}/Prometheus", name, namespace, labels=labels, spec=wanted, status=status)
    runs = [container("prometheus", image, resources={"requests": {"memory": "16Gi"}, "limits": {"memory": "32Gi"}})]
    yield from statefulset(f"prometheus-{name}", namespace, image, site.two, labels, containers=runs)
    routes = {"app.kubernetes.io/name": "alertmanager", "app.kubernetes.io/instance": "main"}
    alert = {"replicas": 3, "image": "quay.io/prometheus/alertmanager:v0.29.0", "version": "0.29.0"}
    counts = {"replicas": 3, "availableReplicas": 3, "updatedReplicas": 3, "conditions": conditions}
    yield thing(f"{GROUP}/Alertmanager", "main", namespace, labels=routes, spec=alert, status=counts)
    yield from statefulset("alertmanager-main", namespace, alert["image"], site.three, routes)
    operator = "quay.io/prometheus-operator/prometheus-operator:v0.86.2"
    yield from deployment("prometheus-operator", namespace, operator, site.system[:1], port=8443)
    state = "registry.k8s.io/kube-state-metrics/kube-state-metrics:v2.17.0"
    yield from deployment("kube-state-metrics", namespace, state, site.system[:1])


def monitors(namespace: str = "monitoring") -> Iterable[Object]:
    """kube-prometheus's own, beside those of the exporters."""
    for name, port, selector in (
        ("kube-state-metrics", "https-main", {"app.kubernetes.io/name": "kube-state-metrics"}),
        ("kubelet", "https-metrics", {"app.kubernetes.io/name": "kubelet"}),
        ("coredns", "metrics", {"k8s-app": "kube-dns"}),
        ("kube-apiserver", "https", {"component": "apiserver", "provider": "kubernetes"}),
    ):
        spec = {"endpoints": [{"port": port, "interval": "30s"}], "selector": {"matchLabels": selector}}
        spec["namespaceSelector"] = {"any": True}
        yield thing(f"{GROUP}/ServiceMonitor", name, namespace, spec=spec)


def training_monitor(team: str, selector: Mapping[str, str]) -> Object:
    """The trainers themselves publish their throughput."""
    spec = {
        "selector": {"matchLabels": dict(selector)},
        "podMetricsEndpoints": [{"port": "metrics", "interval": "15s"}],
    }
    return thing(f"{GROUP}/PodMonitor", "trainers", team, spec=spec)


RULES: dict[str, list[dict[str, str]]] = yaml.safe_load((Path(__file__).parent / "alerts.yaml").read_text())


def rules(site: Site, namespace: str = "monitoring", labels: Mapping[str, str] | None = None) -> Iterable[Object]:
    for group in site.alerts:
        made = [
            {"alert": row["alert"], "expr": row["expr"], "for": "5m", "labels": {"severity": row["severity"]}}
            for row in RULES[group]
        ]
        spec = {"groups": [{"name": group, "interval": "30s", "rules": made}]}
        marks = {"prometheus": "k8s", "role": "alert-rules"} | dict(labels or {})
        yield thing(f"{GROUP}/PrometheusRule", f"{group}-rules", namespace, labels=marks, spec=spec)


def observed(site: Site, selector: Mapping[str, str], namespace: str = "monitoring") -> Iterable[Object]:
    """Everything above."""
    yield from prometheus(site, namespace)
    yield from monitors(namespace)
    yield from rules(site, namespace)
    yield from node_exporter(site, namespace)
    yield training_monitor(site.team, selector)
