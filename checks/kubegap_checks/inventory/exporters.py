"""Exporters that run as DaemonSets, the nodes that they leave out, and what collects their metrics."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kubegap_checks.facts.controllers import DaemonSet, Deployment, StatefulSet
from kubegap_checks.facts.monitoring import Monitor, PodMonitor, Prometheus, PrometheusAgent, ServiceMonitor
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.placement import refused
from kubegap_checks.model import Seen, Subject
from kubegap_checks.signals.exporters import ExporterSignal, Measures, exporter
from kubegap_checks.signals.other_watchers import OtherWatcher, other_watcher


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporter:
    """One DaemonSet that publishes metrics of the nodes that it runs on."""

    daemon_set: DaemonSet
    signal: ExporterSignal

    @property
    def subject(self) -> Subject:
        return Subject("DaemonSet", self.daemon_set.name, self.daemon_set.namespace)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Nodes that none of several DaemonSets runs on, and what keeps the first of them off the first of these nodes."""

    nodes: tuple[str, ...]
    evidence: Mapping[str, Seen]


def exporters(facts: Facts, measures: Measures) -> Iterator[Exporter]:
    for daemon_set in facts.known(DaemonSet):
        signal = next(filter(None, map(exporter, daemon_set.repositories)), None)
        if signal and signal.measures == measures and signal.apart != daemon_set.name:
            yield Exporter(daemon_set=daemon_set, signal=signal)


def left_out(nodes: Iterable[Node], daemon_sets: Sequence[DaemonSet], every: Sequence[Node]) -> LeftOut | None:
    """Which of these nodes none of the DaemonSets makes a pod for; `every` is all nodes of the cluster.

    None where a DaemonSet says that it is wanted on more nodes than it seems to fit: its controller knows better.
    """
    if any(sum(not refused(one.template, node) for node in every) < one.desired for one in daemon_sets):
        return None
    missed = [node for node in nodes if all(refused(daemon_set.template, node) for daemon_set in daemon_sets)]
    if not missed:
        return None
    field, value = refused(daemon_sets[0].template, missed[0]) or ("", "")
    evidence: dict[str, Seen] = {f"Node[{missed[0].name}].{field}": value}
    return LeftOut(nodes=tuple(node.name for node in missed), evidence=evidence)


def monitors_of(facts: Facts, exporter: Exporter) -> tuple[Monitor, ...]:
    """The monitors that may be meant for this exporter: those that match its labels or bear its mark.

    A Service is not read, but bears the labels of the pods or of the DaemonSet in every chart that is known.
    """
    monitors: tuple[Monitor, ...] = (*facts.known(ServiceMonitor), *facts.known(PodMonitor))
    return tuple(monitor for monitor in monitors if _may_mean(monitor, exporter))


def _may_mean(monitor: Monitor, exporter: Exporter) -> bool:
    daemon_set, selector = exporter.daemon_set, monitor.selector
    if monitor.namespaces is not None and daemon_set.namespace not in monitor.namespaces:
        return False
    told = {monitor.name, *monitor.labels.values(), *selector.labels.values()}
    told |= {value for requirement in selector.requirements for value in requirement.values}
    return (
        any(exporter.signal.mark in word for word in told)
        or selector.matches(daemon_set.labels)
        or selector.matches(daemon_set.template.labels)
    )


def scrapers(facts: Facts) -> tuple[Prometheus | PrometheusAgent, ...]:
    """What the operator runs to collect metrics."""
    return (*facts.known(Prometheus), *facts.known(PrometheusAgent))


def takes(scraper: Prometheus | PrometheusAgent, monitor: Monitor) -> bool:
    selection = scraper.service_monitors if isinstance(monitor, ServiceMonitor) else scraper.pod_monitors
    return selection.may_take(monitor.labels, monitor.namespace, scraper.namespace)


def watched_otherwise(facts: Facts) -> OtherWatcher | None:
    """Software in the cluster that may collect or alert by a configuration that no object shows."""
    controllers = (*facts.known(DaemonSet), *facts.known(Deployment), *facts.known(StatefulSet))
    found = (other_watcher(name, one.kind) for one in controllers for name in one.repositories)
    return next((watcher for watcher in found if watcher), None)
