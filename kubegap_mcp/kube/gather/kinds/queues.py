"""Kueue's queues and flavors, and the NUMA zones of nodes -> records."""

from collections.abc import Iterator, Mapping
from typing import Final

from kubegap_checks.facts import queues as facts
from kubegap_mcp.kube.gather.fields import extended, name, strings
from kubegap_mcp.kube.gather.kind import gathers, keep_name
from kubegap_mcp.kube.gather.lenient import Losses, first, whole
from kubegap_mcp.kube.wire import queues as wire

_MOST: Final = 500
# k8stopologyawareschedwg/noderesourcetopology-api:pkg/apis/topology/v1alpha2: the policies that are no longer written,
# and kubernetes-sigs/scheduler-plugins:pkg/noderesourcetopology/nodeconfig for the attribute that took their place.
_SINGLE: Final = frozenset({"SingleNUMANodeContainerLevel", "SingleNUMANodePodLevel"})
_ATTRIBUTE: Final = ("topologyManagerPolicy", "single-numa-node")
_ZONE: Final = "Node"


def build_queue(queue: wire.ClusterQueue, losses: Losses) -> facts.ClusterQueue:
    spec = queue.spec or wire.ClusterQueueSpec()
    strategy = spec.admission_checks_strategy or wire.ChecksStrategy()
    return facts.ClusterQueue(
        name=name(queue.metadata.name),
        cohort=name(spec.cohort_name or spec.cohort),
        quotas=tuple(_quotas(spec, losses)),
        checked=bool(spec.admission_checks or strategy.admission_checks),
        stopped=(spec.stop_policy or "None") != "None",
    )


def _quotas(spec: wire.ClusterQueueSpec, losses: Losses) -> Iterator[facts.Quota]:
    for group in first(_MOST, spec.resource_groups, losses):
        for flavor in whole(_MOST, group.flavors, ("name",), losses):
            asked = whole(_MOST, flavor.resources, ("name",), losses)
            nominal = extended(((resource.name or "", resource.nominal_quota) for resource in asked), losses)
            for resource, units in nominal.items():
                yield facts.Quota(flavor=name(flavor.name), resource=resource, nominal=units)


def build_flavor(flavor: wire.ResourceFlavor, losses: Losses) -> facts.ResourceFlavor:
    spec = flavor.spec or wire.ResourceFlavorSpec()
    return facts.ResourceFlavor(
        name=name(flavor.metadata.name),
        node_labels=strings(spec.node_labels, losses),
        topology=name(spec.topology_name),
    )


def build_topology(topology: wire.NodeResourceTopology, losses: Losses) -> facts.NodeResourceTopology:
    attributes = {(item.name, item.value) for item in first(_MOST, topology.attributes, losses)}
    return facts.NodeResourceTopology(
        name=name(topology.metadata.name),
        single=_ATTRIBUTE in attributes or bool(_SINGLE & set(topology.topology_policies or ())),
        zones=tuple(
            facts.NumaZone(name=name(zone.name), available=_available(zone, losses))
            for zone in first(_MOST, topology.zones, losses)
            if zone.type == _ZONE
        ),
    )


def _available(zone: wire.Zone, losses: Losses) -> Mapping[str, int]:
    offered = whole(_MOST, zone.resources, ("name",), losses)
    return extended(((resource.name or "", resource.available) for resource in offered), losses)


GATHERERS: Final = (
    gathers(facts.ClusterQueue, wire.ClusterQueue, keep_name, build_queue),
    gathers(facts.ResourceFlavor, wire.ResourceFlavor, keep_name, build_flavor),
    gathers(facts.NodeResourceTopology, wire.NodeResourceTopology, keep_name, build_topology),
)
