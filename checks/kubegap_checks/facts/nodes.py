"""Nodes as the API server shows them, and what discovery agents wrote about their devices."""

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar, NamedTuple

from msgspec import Struct

from kubegap_checks.facts.read import Kind, Record
from kubegap_checks.facts.upgrades import UpgradePolicy


class Condition(Struct, frozen=True, kw_only=True):
    """`status.conditions[]` of a node; times are None where the agent does not write them."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    since: datetime | None = None  # lastTransitionTime
    heartbeat: datetime | None = None  # lastHeartbeatTime


class Taint(Struct, frozen=True, kw_only=True):
    key: str
    value: str = ""
    effect: str = ""
    added: datetime | None = None


class Node(Record, frozen=True, kw_only=True):
    """A node of any kind.

    `capacity` and `allocatable` hold memory, ephemeral storage (bytes), hugepages and every extended resource
    (whole units). None means that the node's status does not carry the map, or carries a quantity that
    cannot be read: then no count of this node is known.
    """

    KIND: ClassVar[Kind] = Kind(name="Node", plural="nodes")

    name: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False
    created: datetime | None = None
    deleting: bool = False
    capacity: Mapping[str, int] | None = None
    allocatable: Mapping[str, int] | None = None
    conditions: tuple[Condition, ...] = ()
    boot_id: str = ""
    kernel: str = ""
    os_image: str = ""
    kubelet: str = ""
    runtime: str = ""

    def condition(self, kind: str) -> Condition | None:
        for condition in self.conditions:
            if condition.type == kind:
                return condition
        return None

    @property
    def ready(self) -> bool:
        """Whether it says that it is; not where it says nothing."""
        condition = self.condition("Ready")
        return condition is not None and condition.status == "True"


class PciDevice(NamedTuple):
    """One device on the bus, as lower-case hex: class `0302` is a 3D controller, `0207` an InfiniBand adapter.

    A tuple, since devices of all nodes are counted: its hash is a tenth of a dataclass's.
    """

    vendor: str
    cls: str
    device: str = ""


class NodeFeature(Record, frozen=True, kw_only=True):
    """What Node Feature Discovery saw on a node: every PCI device and loaded kernel module.

    `pci` is None where the object does not list PCI devices at all. Several objects may speak of one node.
    """

    KIND: ClassVar[Kind] = Kind(
        name="NodeFeature",
        plural="nodefeatures",
        group="nfd.k8s-sigs.io",
        versions=("v1alpha1",),
        namespaced=True,
        page=50,
    )

    node: str
    pci: tuple[PciDevice, ...] | None = None
    modules: frozenset[str] | None = None


class DeviceTaint(Struct, frozen=True, kw_only=True):
    key: str
    value: str = ""
    effect: str = ""
    added: datetime | None = None


class SliceDevice(Struct, frozen=True, kw_only=True):
    """One device of a ResourceSlice; `attributes` are flattened to strings, booleans as `true`/`false`."""

    name: str
    attributes: Mapping[str, str]
    taints: tuple[DeviceTaint, ...] = ()


class ResourceSlice(Record, frozen=True, kw_only=True):
    """Devices that a DRA driver offers; `node` is empty where they do not belong to one node."""

    KIND: ClassVar[Kind] = Kind(
        name="ResourceSlice",
        plural="resourceslices",
        group="resource.k8s.io",
        versions=("v1", "v1beta2", "v1beta1"),
        page=100,
    )

    name: str
    driver: str
    node: str
    pool: str
    generation: int
    slices_in_pool: int
    devices: tuple[SliceDevice, ...]


class ComputeDomain(Record, frozen=True, kw_only=True):
    """A multi-node NVLink domain of NVIDIA's DRA driver, and the nodes that its status lists."""

    KIND: ClassVar[Kind] = Kind(
        name="ComputeDomain",
        plural="computedomains",
        group="resource.nvidia.com",
        versions=("v1beta1",),
        namespaced=True,
    )

    namespace: str
    name: str
    status: str
    num_nodes: int
    nodes: tuple[str, ...]


class AppliedState(Struct, frozen=True, kw_only=True):
    """One part of what NVIDIA's Network Operator sets up, such as `state-OFED`.

    `state` is `ready`, `notReady`, `error` or, where it is not asked for, `ignore`.
    """

    name: str
    state: str
    message: str = ""


class NicClusterPolicy(Record, frozen=True, kw_only=True):
    """NVIDIA Network Operator's policy: which resource names are shared (one unit mounts every HCA) or counted.

    Both sets hold full resource names: `rdma/ib`, `nvidia.com/hostdev`. `state` is that of all `parts` together;
    the state of a second policy is `ignore`.
    """

    KIND: ClassVar[Kind] = Kind(
        name="NicClusterPolicy",
        plural="nicclusterpolicies",
        group="mellanox.com",
        versions=("v1alpha1",),
    )

    name: str
    state: str
    shared_resources: frozenset[str]
    counted_resources: frozenset[str]
    driver_upgrade: UpgradePolicy | None = None  # of the network driver, which has no limit on unavailable nodes
    reason: str = ""
    parts: tuple[AppliedState, ...] = ()
