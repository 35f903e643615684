"""Objects of the Prometheus Operator: prometheus-operator/prometheus-operator:pkg/apis/monitoring."""

from kubegap_mcp.kube.wire.meta import Top, Wire
from kubegap_mcp.kube.wire.selectors import LabelSelector


class AlertingRule(Wire):
    alert: str | None = None  # a recording rule has `record` instead
    expr: int | str | None = None  # IntOrString


class RuleGroup(Wire):
    rules: list[AlertingRule] | None = None


class PrometheusRuleSpec(Wire):
    groups: list[RuleGroup] | None = None


class PrometheusRule(Top):
    spec: PrometheusRuleSpec | None = None


class Namespaces(Wire):
    any: bool | None = None
    match_names: list[str] | None = None


class MonitorSpec(Wire):
    selector: LabelSelector | None = None
    namespace_selector: Namespaces | None = None


class Monitor(Top):
    spec: MonitorSpec | None = None


class SecretKey(Wire):
    """That there is one; what it is called is left out."""


class PrometheusSpec(Wire):
    service_monitor_selector: LabelSelector | None = None
    service_monitor_namespace_selector: LabelSelector | None = None
    pod_monitor_selector: LabelSelector | None = None
    pod_monitor_namespace_selector: LabelSelector | None = None
    probe_selector: LabelSelector | None = None
    scrape_config_selector: LabelSelector | None = None
    rule_selector: LabelSelector | None = None
    rule_namespace_selector: LabelSelector | None = None
    additional_scrape_configs: SecretKey | None = None


class Prometheus(Top):
    """A Prometheus, a PrometheusAgent or a ThanosRuler."""

    spec: PrometheusSpec | None = None
