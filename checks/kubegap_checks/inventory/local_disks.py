"""The NVMe inside each accelerator node: how much there is, how much the node offers, and who uses it otherwise."""

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from kubegap_checks.facts.derived import derived
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, UnreadError
from kubegap_checks.facts.storage import StorageClass, Volume
from kubegap_checks.inventory.sources import machine_type
from kubegap_checks.signals.accelerators import accelerators, is_accelerator
from kubegap_checks.signals.host_paths import host_path
from kubegap_checks.signals.instance_labels import told
from kubegap_checks.signals.nvme_users import nvme_user
from kubegap_checks.signals.storage_drivers import storage_driver
from kubegap_checks.signals.thresholds import threshold

_STORAGE = "ephemeral-storage"


class LocalDisks(Struct, frozen=True, kw_only=True):
    """One node's NVMe in decimal gigabytes, and what says so.

    `offered` is the node's ephemeral storage in bytes, None where its status does not carry it. `raw_block` says
    that the disks are handed out as block devices.
    """

    node: Node
    gigabytes: int
    path: str
    seen: str
    offered: int | None
    offered_path: str
    raw_block: bool = False

    @property
    def percent(self) -> float:
        """What is offered of as much as there is; 0 where the status does not carry it."""
        return 100 * (self.offered or 0) / (self.gigabytes * 10**9)

    @property
    def offered_gib(self) -> float:
        return (self.offered or 0) / 2**30


def local_disks(facts: Facts) -> Iterator[LocalDisks]:
    """Each accelerator node that can be seen and is said to have NVMe of a known size, by a label or its type."""
    for node in facts.seen(Node):
        if has_accelerators(node) and (disks := _disks_of(node)):
            yield disks


@derived
def has_local_disks(facts: Facts) -> bool:
    """Whether any accelerator node is known to have local disks, by what says so or by what uses them.

    Of an ordinary machine that is in no table no object tells its disks: of such a node nothing is said.
    """
    nodes = [node for node in facts.seen(Node) if has_accelerators(node)]
    if not nodes or any(map(_says_disks, nodes)):
        return bool(nodes)
    used = nodes_with_local_volumes(facts)
    return any(holds_local_disks(node, used) for node in nodes)


def offers_local_disks(node: Node) -> bool:
    """Whether a label says that the NVMe is what the node offers as ephemeral storage."""
    return told("local_nvme_is_ephemeral_storage", node.labels) is not None


def looks_unused(disks: LocalDisks) -> bool:
    """Whether the node's ephemeral storage is too small to lie on the disks; others may use them all the same."""
    if disks.offered is None or offers_local_disks(disks.node):
        return False
    return disks.percent < threshold("local_nvme_ratio_hint").value


def nodes_with_local_volumes(facts: Facts) -> frozenset[str]:
    """Names and host names of the nodes whose local disks back a volume or a pod's host path; needs all of both."""
    volumes = (volume for volume in facts.known(Volume) if _is_node_local(volume))
    pods = (pod for pod in facts.known(Pod) if any(_on_local_disk(volume.path) for volume in pod.volumes))
    return frozenset(name for volume in volumes for name in _pinned_to(volume)) | {pod.node for pod in pods}


def waits_for_pods(facts: Facts) -> Callable[[Node], bool | None]:
    """Whether a node's disks may just not be asked for yet; None where classes could not be read.

    So it is where a class's driver makes volumes of whole disks on demand and no accelerator pod is on the node.
    """
    busy = {pod.node for pod in facts.known(Pod)}
    try:
        drivers = [storage_driver(storage_class.provisioner) for storage_class in facts.known(StorageClass)]
    except UnreadError:
        return lambda node: False if node.name in busy else None
    on_demand = any(driver is not None and driver.takes_disks for driver in drivers)
    return lambda node: on_demand and node.name not in busy


def holds_local_disks(node: Node, names: frozenset[str]) -> bool:
    """Whether something on the node uses its disks although its ephemeral storage does not show it."""
    return bool({node.name, node.labels.get("kubernetes.io/hostname", "")} & names) or nvme_user(node) is not None


def _disks_of(node: Node) -> LocalDisks | None:
    machine = machine_type(node)
    if label := told("local_nvme_gb", node.labels):
        (key, seen), size = label, int(label[1])
    elif machine and machine.local_nvme_gb:
        key, seen = told("instance_type", node.labels) or ("", machine.name)
        size = machine.local_nvme_gb
    else:
        return None
    offered = _offered(node)
    place = next(iter(offered), "allocatable")
    return LocalDisks(
        node=node,
        gigabytes=size,
        path=f"metadata.labels.{key}",
        seen=seen,
        offered=offered.get(place),
        offered_path=f"status.{place}.{_STORAGE}",
        raw_block=told("local_nvme_is_raw_block", node.labels) is not None,
    )


def _says_disks(node: Node) -> bool:
    """Whether its disks are told, or what it offers can hardly be anything else."""
    machine, offered = machine_type(node), _offered(node)
    return (
        told("local_nvme_gb", node.labels) is not None
        or offers_local_disks(node)
        or (machine is not None and machine.local_nvme_gb is not None)
        or max(offered.values(), default=0) >= threshold("local_disks_offered").value * 10**9
    )


def _offered(node: Node) -> Mapping[str, int]:
    """The node's ephemeral storage in bytes, by the place of its status that says so; the better place first."""
    places = {"allocatable": node.allocatable, "capacity": node.capacity}
    return {place: found[_STORAGE] for place, found in places.items() if found and _STORAGE in found}


def has_accelerators(node: Node) -> bool:
    known = machine_type(node)
    return (
        (known is not None and known.gpus is not None)
        or any(map(is_accelerator, {**(node.capacity or {}), **(node.allocatable or {})}))
        or any(match.key_in(node.labels) for row in accelerators() for match in row.present)
    )


def _is_node_local(volume: Volume) -> bool:
    driver = storage_driver(volume.driver)
    return (
        bool(volume.local_path)
        or _on_local_disk(volume.host_path)
        or (driver is not None and driver.tier == "node_local")
    )


def _on_local_disk(path: str) -> bool:
    row = host_path(path) if path else None
    return row is not None and row.medium == "node_local"


def _pinned_to(volume: Volume) -> set[str]:
    """Every name that may be a node's: drivers pin a volume by their own topology keys, or only by an attribute."""
    by_affinity = {value for term in volume.node_affinity for values in term.values() for value in values}
    return by_affinity | {*volume.attributes.values(), *volume.annotations.values()}
