"""The Prometheus Operator's objects for tests, with quiet defaults: everything is scraped and every rule evaluated."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from kubegap_checks.facts.monitoring import PodMonitor, Prometheus, PrometheusRule, Selection, ServiceMonitor
from kubegap_checks.facts.selectors import Selector

EVERYTHING = Selector(labels={})


def prometheus(name: str = "k8s", namespace: str = "monitoring", **fields: Any) -> Prometheus:
    """One that takes every monitor and every rule of all namespaces."""
    every = Selection(objects=EVERYTHING, namespaces=EVERYTHING)
    made = Prometheus(namespace=namespace, name=name, service_monitors=every, pod_monitors=every, rules=every)
    return replace(made, **fields)


def alert_rules(*words: str, name: str = "rules", namespace: str = "monitoring", **fields: Any) -> PrometheusRule:
    """Thirty alerts, with these known words among their expressions."""
    made = PrometheusRule(namespace=namespace, name=name, labels={}, alerts=30, alerted=frozenset(words))
    return replace(made, **fields)


def service_monitor(
    selector: Mapping[str, str], name: str = "monitor", namespace: str = "monitoring", **fields: Any
) -> ServiceMonitor:
    """One that looks for Services with these labels in all namespaces."""
    made = ServiceMonitor(namespace=namespace, name=name, labels={}, selector=Selector(labels=selector))
    return replace(made, **fields)


def pod_monitor(
    selector: Mapping[str, str], name: str = "monitor", namespace: str = "monitoring", **fields: Any
) -> PodMonitor:
    """One that looks for pods with these labels in all namespaces."""
    made = PodMonitor(namespace=namespace, name=name, labels={}, selector=Selector(labels=selector))
    return replace(made, **fields)
