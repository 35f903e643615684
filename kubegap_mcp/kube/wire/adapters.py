"""What operators show of a node's network adapters.

k8snetworkplumbingwg/sriov-network-operator:api/v1, Mellanox/nic-configuration-operator:api/v1alpha1. Left out on
purpose: serial numbers, addresses, and the interfaces themselves.
"""

from kubegap_mcp.kube.wire.meta import Top, Wire
from kubegap_mcp.kube.wire.nodes import NodeCondition


class SriovNetworkNodeStateStatus(Wire):
    sync_status: str | None = None
    last_sync_error: str | None = None


class SriovNetworkNodeState(Top):
    status: SriovNetworkNodeStateStatus | None = None


class NicDeviceStatus(Wire):
    node: str | None = None
    psid: str | None = None
    firmware_version: str | None = None
    conditions: list[NodeCondition] | None = None


class NicDevice(Top):
    status: NicDeviceStatus | None = None
