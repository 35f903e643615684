"""Which pods reach the fabric between nodes, and on which nodes a pod must ask for it to do so."""

from collections.abc import Iterable, Mapping

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.nodes import NicClusterPolicy, Node, NodeFeature, ResourceSlice
from kubegap_checks.facts.pods import Container, Pod
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.fabric import node_fabrics
from kubegap_checks.inventory.node_fabric import NodeFabric
from kubegap_checks.signals.accelerators import is_accelerator
from kubegap_checks.signals.fabric_access import Place, gives_access
from kubegap_checks.signals.fabrics import fabric_of

_DRA = "DRA adapters"


def asks_for_fabric(pod: Pod) -> bool:
    """Whether it asks for adapters; a resource that no table knows, and a claimed device, may be one."""
    return pod.device_claims > 0 or any("/" in name and not is_accelerator(name) for name in pod.resources)


def has_other_way(pod: Pod) -> bool:
    """Whether it reaches the fabric without asking, or says that its traffic takes another way."""
    return (
        any(gives_access("annotation", key, value) for key, value in pod.annotations.items())
        or any(gives_access("host_path", volume.path) for volume in pod.volumes)
        or any(container.privileged or _sets("env", container) for container in pod.containers)
    )


def switches_off(container: Container) -> bool:
    """Whether its settings keep it off any fabric; whether somebody means that, nothing tells."""
    return _sets("env_off", container)


def must_be_asked_for(facts: Facts) -> Mapping[str, NodeFabric]:
    """The nodes that offer a fabric which no pod gets unasked; UnreadError where that cannot be told."""
    if any(map(_gives_to_all, facts.known(DaemonSet))):
        return {}
    given = {
        feature.node
        for feature in facts.known(NodeFeature)
        if any(gives_access("node_module", module) for module in feature.modules or ())
    }
    facts.known(NicClusterPolicy)  # these two name the adapters of some nodes
    facts.known(ResourceSlice)
    return {
        fabric.node.name: fabric
        for fabric in node_fabrics(facts).nodes
        if fabric.node.name not in given and offer_of(fabric)
    }


def offer_of(fabric: NodeFabric) -> str | None:
    """What a pod asks for to reach this node's adapters: a resource, or what stands for all of DRA."""
    for row in fabric.resources:
        signal = fabric_of(row.name)
        if row.usable and (row.kind or (signal and signal.transport) or fabric.kind == "infiniband"):
            return row.name
    return _DRA if fabric.by_dra else None


def share_memory(nodes: Iterable[Node]) -> bool:
    """Whether the nodes are of one NVLink domain, so that their pods need no adapter between them."""
    first, *others = nodes
    domains = {key: value for key, value in first.labels.items() if gives_access("node_label", key)}
    return any(all(node.labels.get(key) == value for node in others) for key, value in domains.items())


def _gives_to_all(agent: DaemonSet) -> bool:
    return any(
        gives_access("agent_image", container.image) or _sets("agent_env", container)
        for container in agent.template.containers
    )


def _sets(place: Place, container: Container) -> bool:
    return any(gives_access(place, name, value) for name, value in container.env.items())
