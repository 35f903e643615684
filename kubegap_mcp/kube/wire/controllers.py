"""Controllers of the apps group, disruption budgets and priority classes."""

import msgspec

from kubegap_mcp.kube.wire.meta import Top, Wire
from kubegap_mcp.kube.wire.pods import Container, Toleration
from kubegap_mcp.kube.wire.selectors import LabelSelector, NodeAffinity

Portion = int | str  # IntOrString: a number, or a percentage


class PodTerm(Wire):
    topology_key: str | None = None


class PreferredPodTerm(Wire):
    pod_affinity_term: PodTerm | None = None


class PodAntiAffinity(Wire):
    required: list[PodTerm] | None = msgspec.field(default=None, name="requiredDuringSchedulingIgnoredDuringExecution")
    preferred: list[PreferredPodTerm] | None = msgspec.field(
        default=None, name="preferredDuringSchedulingIgnoredDuringExecution"
    )


class Affinity(Wire):
    node_affinity: NodeAffinity | None = None
    pod_anti_affinity: PodAntiAffinity | None = None


class TemplateMeta(Wire):
    labels: dict[str, str] | None = None


class TemplateSpec(Wire):
    containers: list[Container] | None = None
    init_containers: list[Container] | None = None
    host_network: bool | None = None
    priority_class_name: str | None = None
    node_selector: dict[str, str] | None = None
    tolerations: list[Toleration] | None = None
    affinity: Affinity | None = None
    topology_spread_constraints: list[PodTerm] | None = None


class Template(Wire):
    metadata: TemplateMeta | None = None
    spec: TemplateSpec | None = None


class RollingUpdate(Wire):
    max_unavailable: Portion | None = None
    max_surge: Portion | None = None


class Strategy(Wire):
    type: str | None = None
    rolling_update: RollingUpdate | None = None


class ControllerSpec(Wire):
    replicas: int | None = None
    template: Template | None = None
    strategy: Strategy | None = None  # of a Deployment
    update_strategy: Strategy | None = None  # of the other two


class ControllerStatus(Wire):
    desired_number_scheduled: int | None = None
    number_ready: int | None = None
    updated_number_scheduled: int | None = None
    ready_replicas: int | None = None
    updated_replicas: int | None = None


class Controller(Top):
    """A DaemonSet, a Deployment or a StatefulSet."""

    spec: ControllerSpec | None = None
    status: ControllerStatus | None = None


class PodDisruptionBudgetSpec(Wire):
    selector: LabelSelector | None = None
    min_available: Portion | None = None
    max_unavailable: Portion | None = None


class PodDisruptionBudgetStatus(Wire):
    disruptions_allowed: int | None = None


class PodDisruptionBudget(Top):
    spec: PodDisruptionBudgetSpec | None = None
    status: PodDisruptionBudgetStatus | None = None


class PriorityClass(Top):
    value: int | None = None
    global_default: bool | None = None
    preemption_policy: str | None = None
