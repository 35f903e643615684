"""Nodes, what discovery agents say of their devices, and the policies of their networks."""

import msgspec

from kubegap_mcp.kube.quantity import Quantity
from kubegap_mcp.kube.wire.meta import Time, Top, Wire
from kubegap_mcp.kube.wire.upgrades import UpgradePolicy


class Taint(Wire):
    key: str | None = None
    value: str | None = None
    effect: str | None = None
    time_added: Time | None = None


class NodeSpec(Wire):
    taints: list[Taint] | None = None
    unschedulable: bool | None = None


class NodeCondition(Wire):
    type: str | None = None
    status: str | None = None
    reason: str | None = None
    message: str | None = None
    last_transition_time: Time | None = None
    last_heartbeat_time: Time | None = None


class NodeInfo(Wire):
    boot_id: str | None = msgspec.field(default=None, name="bootID")
    kernel_version: str | None = None
    os_image: str | None = None
    kubelet_version: str | None = None
    container_runtime_version: str | None = None


class NodeStatus(Wire):
    capacity: dict[str, Quantity] | None = None
    allocatable: dict[str, Quantity] | None = None
    conditions: list[NodeCondition] | None = None
    node_info: NodeInfo | None = None


class Node(Top):
    spec: NodeSpec | None = None
    status: NodeStatus | None = None


class PciAttributes(Wire):
    cls: str | None = msgspec.field(default=None, name="class")
    vendor: str | None = None
    device: str | None = None


class PciElement(Wire):
    attributes: PciAttributes | None = None


class PciDevices(Wire):
    elements: list[PciElement] | None = None


class Nothing(Wire):
    """An object of which only the presence matters."""


class Flags(Wire):
    elements: dict[str, Nothing | None] | None = None


class Instances(Wire):
    pci: PciDevices | None = msgspec.field(default=None, name="pci.device")


class FeatureFlags(Wire):
    modules: Flags | None = msgspec.field(default=None, name="kernel.loadedmodule")


class Features(Wire):
    flags: FeatureFlags | None = None
    instances: Instances | None = None


class NodeFeatureSpec(Wire):
    features: Features | None = None


class NodeFeature(Top):
    spec: NodeFeatureSpec | None = None


class Attribute(Wire):
    string: str | None = None
    int_: int | None = msgspec.field(default=None, name="int")
    bool_: bool | None = msgspec.field(default=None, name="bool")
    version: str | None = None


class BasicDevice(Wire):
    """The form of v1beta1, which later versions flatten into the device."""

    attributes: dict[str, Attribute] | None = None
    taints: list[Taint] | None = None


class Device(Wire):
    name: str | None = None
    attributes: dict[str, Attribute] | None = None
    taints: list[Taint] | None = None
    basic: BasicDevice | None = None


class Pool(Wire):
    name: str | None = None
    generation: int | None = None
    resource_slice_count: int | None = None


class ResourceSliceSpec(Wire):
    driver: str | None = None
    node_name: str | None = None
    pool: Pool | None = None
    devices: list[Device] | None = None


class ResourceSlice(Top):
    spec: ResourceSliceSpec | None = None


class ComputeDomainSpec(Wire):
    num_nodes: int | None = None


class ComputeDomainNode(Wire):
    name: str | None = None


class ComputeDomainStatus(Wire):
    status: str | None = None
    nodes: list[ComputeDomainNode] | None = None


class ComputeDomain(Top):
    spec: ComputeDomainSpec | None = None
    status: ComputeDomainStatus | None = None


class DevicePlugin(Wire):
    config: str | None = None


class OfedDriver(Wire):
    upgrade_policy: UpgradePolicy | None = None


class NicClusterPolicySpec(Wire):
    ofed_driver: OfedDriver | None = None
    rdma_shared_device_plugin: DevicePlugin | None = None
    sriov_device_plugin: DevicePlugin | None = None


class AppliedState(Wire):
    name: str | None = None
    state: str | None = None
    message: str | None = None


class NicClusterPolicyStatus(Wire):
    state: str | None = None
    reason: str | None = None
    applied_states: list[AppliedState] | None = None


class NicClusterPolicy(Top):
    spec: NicClusterPolicySpec | None = None
    status: NicClusterPolicyStatus | None = None
