"""Controllers of the apps group, disruption budgets and priority classes -> records."""

from collections.abc import Iterable
from typing import Any, Final

from kubegap_checks.facts import controllers as facts
from kubegap_mcp.foreign.clean import Names
from kubegap_mcp.kube.gather.containers import build_container, build_tolerations
from kubegap_mcp.kube.gather.fields import key, name, portion, strings, value, when
from kubegap_mcp.kube.gather.kind import gathers, keep_name
from kubegap_mcp.kube.gather.lenient import Losses, first
from kubegap_mcp.kube.gather.selectors import node_terms, selector
from kubegap_mcp.kube.gather.workloads import known_env, known_flags
from kubegap_mcp.kube.wire import controllers as wire
from kubegap_mcp.kube.wire.meta import Meta

_CONTAINERS: Final = 200
_TERMS: Final = 500


def reduce(controller: wire.Controller, names: Names, losses: Losses) -> wire.Controller:
    meta = controller.metadata
    controller.metadata = Meta(
        name=meta.name, namespace=meta.namespace, labels=meta.labels, creation_timestamp=meta.creation_timestamp
    )
    template = controller.spec.template if controller.spec else None
    spec = (template.spec if template else None) or wire.TemplateSpec()
    for container in (*(spec.containers or ()), *(spec.init_containers or ())):
        container.env = known_env(container.env, names, losses)
        container.args = known_flags(container.command, container.args, names, losses)
        container.command = None
    return controller


def _template(told: wire.Template | None, losses: Losses) -> facts.Template:
    told = told or wire.Template()
    spec = told.spec or wire.TemplateSpec()
    affinity = spec.affinity or wire.Affinity()
    return facts.Template(
        labels=strings(told.metadata.labels if told.metadata else None, losses),
        containers=tuple(
            build_container(container, None, init=init, losses=losses)
            for init, listed in ((False, spec.containers), (True, spec.init_containers))
            for container in first(_CONTAINERS, listed, losses)
        ),
        host_network=bool(spec.host_network),
        priority_class=name(spec.priority_class_name),
        node_selector=strings(spec.node_selector, losses),
        node_terms=node_terms(affinity.node_affinity, losses),
        tolerations=build_tolerations(spec.tolerations, losses),
        spread_over=frozenset(key(term.topology_key) for term in _apart(spec, affinity, losses) if term.topology_key),
    )


def _apart(spec: wire.TemplateSpec, affinity: wire.Affinity, losses: Losses) -> Iterable[wire.PodTerm]:
    yield from first(_TERMS, spec.topology_spread_constraints, losses)
    anti = affinity.pod_anti_affinity or wire.PodAntiAffinity()
    yield from first(_TERMS, anti.required, losses)
    for preferred in first(_TERMS, anti.preferred, losses):
        if preferred.pod_affinity_term:
            yield preferred.pod_affinity_term


def _common(item: wire.Controller, losses: Losses) -> dict[str, Any]:
    """The fields that all three kinds have."""
    meta, spec = item.metadata, item.spec or wire.ControllerSpec()
    strategy = spec.strategy or spec.update_strategy or wire.Strategy()
    rolling = strategy.rolling_update or wire.RollingUpdate()
    return {
        "namespace": name(meta.namespace),
        "name": name(meta.name),
        "labels": strings(meta.labels, losses),
        "template": _template(spec.template, losses),
        "created": when(meta.creation_timestamp),
        "strategy": value(strategy.type),
        "max_unavailable": portion(rolling.max_unavailable) or "",
        "max_surge": portion(rolling.max_surge) or "",
    }


def _replicas(item: wire.Controller) -> dict[str, Any]:
    spec, status = item.spec or wire.ControllerSpec(), item.status or wire.ControllerStatus()
    return {
        "replicas": 1 if spec.replicas is None else spec.replicas,
        "ready": status.ready_replicas or 0,
        "updated": status.updated_replicas or 0,
    }


def build_daemon_set(item: wire.Controller, losses: Losses) -> facts.DaemonSet:
    status = item.status or wire.ControllerStatus()
    return facts.DaemonSet(
        **_common(item, losses),
        desired=status.desired_number_scheduled or 0,
        ready=status.number_ready or 0,
        updated=status.updated_number_scheduled or 0,
    )


def build_deployment(item: wire.Controller, losses: Losses) -> facts.Deployment:
    return facts.Deployment(**_common(item, losses), **_replicas(item))


def build_stateful_set(item: wire.Controller, losses: Losses) -> facts.StatefulSet:
    return facts.StatefulSet(**_common(item, losses), **_replicas(item))


def build_budget(item: wire.PodDisruptionBudget, losses: Losses) -> facts.PodDisruptionBudget:
    spec = item.spec or wire.PodDisruptionBudgetSpec()
    return facts.PodDisruptionBudget(
        namespace=name(item.metadata.namespace),
        name=name(item.metadata.name),
        selector=selector(spec.selector, losses),
        min_available=portion(spec.min_available),
        max_unavailable=portion(spec.max_unavailable),
        allowed=item.status.disruptions_allowed if item.status else None,
    )


def reduce_class(item: wire.PriorityClass, names: Names, losses: Losses) -> wire.PriorityClass:  # noqa: ARG001
    item.metadata = Meta(name=item.metadata.name, creation_timestamp=item.metadata.creation_timestamp)
    return item


def build_class(item: wire.PriorityClass, losses: Losses) -> facts.PriorityClass:
    if item.value is None:
        losses.add()  # the API never lets a class be without one, and zero is a value
    return facts.PriorityClass(
        name=name(item.metadata.name),
        value=item.value or 0,
        default=bool(item.global_default),
        preempts=item.preemption_policy != "Never",
        created=when(item.metadata.creation_timestamp),
    )


GATHERERS: Final = (
    gathers(facts.DaemonSet, wire.Controller, reduce, build_daemon_set),
    gathers(facts.Deployment, wire.Controller, reduce, build_deployment),
    gathers(facts.StatefulSet, wire.Controller, reduce, build_stateful_set),
    gathers(facts.PodDisruptionBudget, wire.PodDisruptionBudget, keep_name, build_budget),
    gathers(facts.PriorityClass, wire.PriorityClass, reduce_class, build_class),
)
