"""What keeps pods running: the operators, agents and servers of the platform, and what protects them."""

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar

from msgspec import Struct, field

from kubegap_checks.facts.pods import Container, Toleration
from kubegap_checks.facts.read import Kind, Record
from kubegap_checks.facts.selectors import Requirement, Selector
from kubegap_checks.images import parse


class Template(Struct, frozen=True, kw_only=True):
    """`spec.template`: the pods that a controller makes.

    `spread_over` holds the topology keys over which they are kept apart, by topology spread constraints or by
    anti-affinity, required or preferred. `node_terms` is the required node affinity: a node fits if all
    requirements of one term match, and where there is no term every node does.
    """

    labels: Mapping[str, str]
    containers: tuple[Container, ...] = ()
    host_network: bool = False
    priority_class: str = ""
    node_selector: Mapping[str, str] = field(default_factory=dict[str, str])
    node_terms: tuple[tuple[Requirement, ...], ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    spread_over: frozenset[str] = frozenset()


class Controller(Record, frozen=True, kw_only=True):
    """What the kinds below have in common; `kind` tells them apart where a rule takes several.

    `max_unavailable` and `max_surge` are a number or a percentage as text, "" where the API server's default holds
    or the kind has none; `strategy` is `RollingUpdate`, `OnDelete` or `Recreate`.
    """

    namespace: str
    name: str
    labels: Mapping[str, str]
    template: Template
    created: datetime | None = None
    strategy: str = ""
    max_unavailable: str = ""
    max_surge: str = ""

    @property
    def kind(self) -> str:
        return self.KIND.name

    @property
    def images(self) -> tuple[str, ...]:
        return tuple(container.image for container in self.template.containers)

    @property
    def repositories(self) -> tuple[str, ...]:
        """The images without tag and digest, by which tables know software."""
        return tuple(parse(image).repository for image in self.images)


class DaemonSet(Controller, frozen=True, kw_only=True):
    """Counts are of nodes: `desired` should run it, `ready` run it and are ready, `updated` run the newest template."""

    KIND: ClassVar[Kind] = Kind(name="DaemonSet", plural="daemonsets", group="apps", namespaced=True, page=200)

    desired: int = 0
    ready: int = 0
    updated: int = 0


class Deployment(Controller, frozen=True, kw_only=True):
    KIND: ClassVar[Kind] = Kind(name="Deployment", plural="deployments", group="apps", namespaced=True, page=200)

    replicas: int = 1
    ready: int = 0
    updated: int = 0


class StatefulSet(Controller, frozen=True, kw_only=True):
    KIND: ClassVar[Kind] = Kind(name="StatefulSet", plural="statefulsets", group="apps", namespaced=True, page=200)

    replicas: int = 1
    ready: int = 0
    updated: int = 0


class PodDisruptionBudget(Record, frozen=True, kw_only=True):
    """How many of the pods that `selector` matches may be evicted; without a selector it protects none.

    `min_available` and `max_unavailable` are a number or a percentage as text, None where not set; `allowed` is how
    many evictions the API server would admit now.
    """

    KIND: ClassVar[Kind] = Kind(
        name="PodDisruptionBudget", plural="poddisruptionbudgets", group="policy", namespaced=True
    )

    namespace: str
    name: str
    selector: Selector | None
    min_available: str | None = None
    max_unavailable: str | None = None
    allowed: int | None = None


class PriorityClass(Record, frozen=True, kw_only=True):
    """Pods without a class get the one that is `default`; `preempts` is False for preemptionPolicy `Never`."""

    KIND: ClassVar[Kind] = Kind(name="PriorityClass", plural="priorityclasses", group="scheduling.k8s.io")

    name: str
    value: int
    default: bool = False
    preempts: bool = True
    created: datetime | None = None
