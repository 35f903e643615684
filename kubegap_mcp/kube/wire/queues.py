"""Kueue's queues and flavors, and NodeResourceTopology."""

from kubegap_mcp.kube.quantity import Quantity
from kubegap_mcp.kube.wire.meta import Top, Wire


class Present(Wire):
    """A part of which only the presence matters."""


class ResourceQuota(Wire):
    name: str | None = None
    nominal_quota: Quantity | None = None


class FlavorQuotas(Wire):
    name: str | None = None
    resources: list[ResourceQuota] | None = None


class ResourceGroup(Wire):
    flavors: list[FlavorQuotas] | None = None


class ChecksStrategy(Wire):
    admission_checks: list[Present] | None = None


class ClusterQueueSpec(Wire):
    cohort: str | None = None  # v1beta1
    cohort_name: str | None = None  # v1beta2
    resource_groups: list[ResourceGroup] | None = None
    admission_checks: list[str] | None = None  # v1beta1
    admission_checks_strategy: ChecksStrategy | None = None
    stop_policy: str | None = None


class ClusterQueue(Top):
    spec: ClusterQueueSpec | None = None


class ResourceFlavorSpec(Wire):
    node_labels: dict[str, str] | None = None
    topology_name: str | None = None


class ResourceFlavor(Top):
    spec: ResourceFlavorSpec | None = None


class ZoneResource(Wire):
    name: str | None = None
    available: Quantity | None = None


class Zone(Wire):
    name: str | None = None
    type: str | None = None
    resources: list[ZoneResource] | None = None


class ZoneAttribute(Wire):
    name: str | None = None
    value: str | None = None


class NodeResourceTopology(Top):
    topology_policies: list[str] | None = None
    attributes: list[ZoneAttribute] | None = None
    zones: list[Zone] | None = None
