"""Objects of the Prometheus Operator -> records."""

from collections.abc import Iterable
from typing import Final

from kubegap_checks.facts import monitoring as facts
from kubegap_checks.facts.selectors import Selector
from kubegap_checks.signals.alert_words import known_words
from kubegap_mcp.foreign.clean import Names
from kubegap_mcp.kube.gather.fields import name, strings, texts
from kubegap_mcp.kube.gather.kind import gathers, keep_name
from kubegap_mcp.kube.gather.lenient import Losses, first
from kubegap_mcp.kube.gather.selectors import selector
from kubegap_mcp.kube.wire import monitoring as wire
from kubegap_mcp.kube.wire.meta import Meta
from kubegap_mcp.kube.wire.selectors import LabelSelector

_GROUPS: Final = 2000
_RULES: Final = 5000  # of one group
# etcd takes no object larger than 1.5 MB, so that no expression is longer.
_EXPRESSION: Final = 2_000_000


def _name_and_labels(meta: Meta) -> Meta:
    return Meta(name=meta.name, namespace=meta.namespace, labels=meta.labels)


def reduce_rule(item: wire.PrometheusRule, names: Names, losses: Losses) -> wire.PrometheusRule:  # noqa: ARG001
    """Of an expression only the words that the table knows stay: it may name hosts."""
    item.metadata = _name_and_labels(item.metadata)
    for rule in _rules(item, losses):
        rule.expr = " ".join(sorted(_words(rule, losses))) or None
        rule.alert = "alert" if rule.alert else None
    return item


def _rules(item: wire.PrometheusRule, losses: Losses) -> Iterable[wire.AlertingRule]:
    for group in first(_GROUPS, item.spec.groups if item.spec else None, losses):
        yield from first(_RULES, group.rules, losses)


def _words(rule: wire.AlertingRule, losses: Losses) -> frozenset[str]:
    text = str(rule.expr or "")
    if len(text) > _EXPRESSION:
        losses.add()
    return known_words(text[:_EXPRESSION])


def build_rule(item: wire.PrometheusRule, losses: Losses) -> facts.PrometheusRule:
    rules = tuple(_rules(item, losses))
    alerting = [rule for rule in rules if rule.alert]
    recording = [rule for rule in rules if not rule.alert]
    return facts.PrometheusRule(
        namespace=name(item.metadata.namespace),
        name=name(item.metadata.name),
        labels=strings(item.metadata.labels, losses),
        alerts=len(alerting),
        alerted=frozenset[str]().union(*(_words(rule, losses) for rule in alerting)),
        recorded=frozenset[str]().union(*(_words(rule, losses) for rule in recording)),
    )


def reduce_monitor(item: wire.Monitor, names: Names, losses: Losses) -> wire.Monitor:  # noqa: ARG001
    item.metadata = _name_and_labels(item.metadata)
    return item


def _namespaces(item: wire.Monitor, losses: Losses) -> frozenset[str] | None:
    told = (item.spec.namespace_selector if item.spec else None) or wire.Namespaces()
    if told.any:
        return None
    return frozenset(texts(told.match_names, losses) or (name(item.metadata.namespace),))


def _picked(item: wire.Monitor, losses: Losses) -> Selector:
    return selector(item.spec.selector if item.spec else None, losses) or Selector(labels={})


def build_service_monitor(item: wire.Monitor, losses: Losses) -> facts.ServiceMonitor:
    return facts.ServiceMonitor(
        namespace=name(item.metadata.namespace),
        name=name(item.metadata.name),
        labels=strings(item.metadata.labels, losses),
        selector=_picked(item, losses),
        namespaces=_namespaces(item, losses),
    )


def build_pod_monitor(item: wire.Monitor, losses: Losses) -> facts.PodMonitor:
    return facts.PodMonitor(
        namespace=name(item.metadata.namespace),
        name=name(item.metadata.name),
        labels=strings(item.metadata.labels, losses),
        selector=_picked(item, losses),
        namespaces=_namespaces(item, losses),
    )


def _selection(objects: LabelSelector | None, namespaces: LabelSelector | None, losses: Losses) -> facts.Selection:
    return facts.Selection(objects=selector(objects, losses), namespaces=selector(namespaces, losses))


def _service_monitors(spec: wire.PrometheusSpec, losses: Losses) -> facts.Selection:
    return _selection(spec.service_monitor_selector, spec.service_monitor_namespace_selector, losses)


def _pod_monitors(spec: wire.PrometheusSpec, losses: Losses) -> facts.Selection:
    return _selection(spec.pod_monitor_selector, spec.pod_monitor_namespace_selector, losses)


def _alert_rules(spec: wire.PrometheusSpec, losses: Losses) -> facts.Selection:
    return _selection(spec.rule_selector, spec.rule_namespace_selector, losses)


def _scrapes_more(spec: wire.PrometheusSpec) -> bool:
    """Without any selector the operator leaves the whole configuration to a person."""
    selectors = (spec.service_monitor_selector, spec.pod_monitor_selector, spec.probe_selector)
    more = spec.additional_scrape_configs is not None or spec.scrape_config_selector is not None
    return more or not any(selector is not None for selector in selectors)


def build_prometheus(item: wire.Prometheus, losses: Losses) -> facts.Prometheus:
    spec = item.spec or wire.PrometheusSpec()
    return facts.Prometheus(
        namespace=name(item.metadata.namespace),
        name=name(item.metadata.name),
        service_monitors=_service_monitors(spec, losses),
        pod_monitors=_pod_monitors(spec, losses),
        rules=_alert_rules(spec, losses),
        scrapes_more=_scrapes_more(spec),
    )


def build_agent(item: wire.Prometheus, losses: Losses) -> facts.PrometheusAgent:
    spec = item.spec or wire.PrometheusSpec()
    return facts.PrometheusAgent(
        namespace=name(item.metadata.namespace),
        name=name(item.metadata.name),
        service_monitors=_service_monitors(spec, losses),
        pod_monitors=_pod_monitors(spec, losses),
        scrapes_more=_scrapes_more(spec),
    )


def build_ruler(item: wire.Prometheus, losses: Losses) -> facts.ThanosRuler:
    return facts.ThanosRuler(
        namespace=name(item.metadata.namespace),
        name=name(item.metadata.name),
        rules=_alert_rules(item.spec or wire.PrometheusSpec(), losses),
    )


GATHERERS: Final = (
    gathers(facts.PrometheusRule, wire.PrometheusRule, reduce_rule, build_rule),
    gathers(facts.ServiceMonitor, wire.Monitor, reduce_monitor, build_service_monitor),
    gathers(facts.PodMonitor, wire.Monitor, reduce_monitor, build_pod_monitor),
    gathers(facts.Prometheus, wire.Prometheus, keep_name, build_prometheus),
    gathers(facts.PrometheusAgent, wire.Prometheus, keep_name, build_agent),
    gathers(facts.ThanosRuler, wire.Prometheus, keep_name, build_ruler),
)
