"""SriovNetworkNodeState and NicDevice -> records."""

from typing import Final

from kubegap_checks.facts import adapters as facts
from kubegap_mcp.foreign.clean import sentence
from kubegap_mcp.kube.gather.conditions import said
from kubegap_mcp.kube.gather.fields import name, value
from kubegap_mcp.kube.gather.kind import gathers, keep_name
from kubegap_mcp.kube.gather.lenient import Losses
from kubegap_mcp.kube.wire import adapters as wire

# Mellanox/nic-configuration-operator:pkg/consts/consts.go
_UPDATES: Final = frozenset({"FirmwareUpdateInProgress", "ConfigUpdateInProgress"})


def build_state(state: wire.SriovNetworkNodeState, losses: Losses) -> facts.SriovNetworkNodeState:  # noqa: ARG001
    status = state.status or wire.SriovNetworkNodeStateStatus()
    return facts.SriovNetworkNodeState(
        namespace=name(state.metadata.namespace),
        name=name(state.metadata.name),
        sync_status=value(status.sync_status),
        last_error=sentence(status.last_sync_error or ""),
    )


def build_device(device: wire.NicDevice, losses: Losses) -> facts.NicDevice:
    status = device.status or wire.NicDeviceStatus()
    conditions = said(status.conditions, losses)
    return facts.NicDevice(
        namespace=value(device.metadata.namespace),
        name=name(device.metadata.name),
        node=value(status.node),  # as one text for all adapters of a node
        board=value(status.psid).lower(),
        firmware=value(status.firmware_version),
        updating=any(one.type in _UPDATES and one.status == "True" for one in conditions),
    )


GATHERERS: Final = (
    gathers(facts.SriovNetworkNodeState, wire.SriovNetworkNodeState, keep_name, build_state),
    gathers(facts.NicDevice, wire.NicDevice, keep_name, build_device),
)
