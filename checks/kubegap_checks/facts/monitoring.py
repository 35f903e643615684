"""What the Prometheus Operator is told to scrape and to alert on."""

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct

from kubegap_checks.facts.read import Kind, Record
from kubegap_checks.facts.selectors import Selector

_GROUP = "monitoring.coreos.com"
# Every namespace has this label with its own name: kubernetes.io/docs/reference/labels-annotations-taints.
_OWN_NAME = "kubernetes.io/metadata.name"


class PrometheusRule(Record, frozen=True, kw_only=True):
    """Rules that a Prometheus evaluates: `alerts` is how many of them alert, the others only record.

    `alerted` and `recorded` are the words of their expressions that signals/alert_words.yaml knows, each expression
    searched as a whole.
    """

    KIND: ClassVar[Kind] = Kind(
        name="PrometheusRule", plural="prometheusrules", group=_GROUP, namespaced=True, page=100
    )

    namespace: str
    name: str
    labels: Mapping[str, str]
    alerts: int
    alerted: frozenset[str] = frozenset()
    recorded: frozenset[str] = frozenset()


class Monitor(Record, frozen=True, kw_only=True):
    """What the two kinds below have in common.

    `selector` picks Services or pods; `namespaces` are those that it looks in, None for all of them.
    """

    namespace: str
    name: str
    labels: Mapping[str, str]
    selector: Selector
    namespaces: frozenset[str] | None = None

    @property
    def kind(self) -> str:
        return self.KIND.name


class ServiceMonitor(Monitor, frozen=True, kw_only=True):
    KIND: ClassVar[Kind] = Kind(name="ServiceMonitor", plural="servicemonitors", group=_GROUP, namespaced=True)


class PodMonitor(Monitor, frozen=True, kw_only=True):
    KIND: ClassVar[Kind] = Kind(name="PodMonitor", plural="podmonitors", group=_GROUP, namespaced=True)


class Selection(Struct, frozen=True, kw_only=True):
    """Which objects of a kind a Prometheus takes: without `objects` none, without `namespaces` those beside it.

    prometheus-operator/prometheus-operator:pkg/apis/monitoring/v1/prometheus_types.go
    """

    objects: Selector | None = None
    namespaces: Selector | None = None

    def may_take(self, labels: Mapping[str, str], namespace: str, beside: str) -> bool:
        """False only where it certainly does not: labels of namespaces are not read, but for the name of each."""
        if self.objects is None or not self.objects.matches(labels):
            return False
        if self.namespaces is None:
            return namespace == beside
        asked = {*self.namespaces.labels, *(requirement.key for requirement in self.namespaces.requirements)}
        return asked != {_OWN_NAME} or self.namespaces.matches({_OWN_NAME: namespace})


class Prometheus(Record, frozen=True, kw_only=True):
    """One that the operator runs; `scrapes_more` says that it is also told what to scrape in another way.

    That is a Secret with scrape configurations, ScrapeConfig objects, or a configuration that someone writes by hand.
    """

    KIND: ClassVar[Kind] = Kind(name="Prometheus", plural="prometheuses", group=_GROUP, namespaced=True)

    namespace: str
    name: str
    service_monitors: Selection
    pod_monitors: Selection
    rules: Selection
    scrapes_more: bool = False


class PrometheusAgent(Record, frozen=True, kw_only=True):
    """One that scrapes, stores nothing and evaluates no rules."""

    KIND: ClassVar[Kind] = Kind(
        name="PrometheusAgent", plural="prometheusagents", group=_GROUP, versions=("v1alpha1",), namespaced=True
    )

    namespace: str
    name: str
    service_monitors: Selection
    pod_monitors: Selection
    scrapes_more: bool = False


class ThanosRuler(Record, frozen=True, kw_only=True):
    """What evaluates rules beside Prometheus."""

    KIND: ClassVar[Kind] = Kind(name="ThanosRuler", plural="thanosrulers", group=_GROUP, namespaced=True)

    namespace: str
    name: str
    rules: Selection
