"""NicClusterPolicy -> which network resources are shared or counted, and which of its parts are in place."""

from typing import Final, TypeVar

import msgspec

from kubegap_checks.facts import nodes as facts
from kubegap_mcp.foreign.clean import sentence
from kubegap_mcp.kube.gather.fields import key, name, value
from kubegap_mcp.kube.gather.kind import gathers, keep_name
from kubegap_mcp.kube.gather.lenient import Losses, first
from kubegap_mcp.kube.gather.upgrades import build_upgrade
from kubegap_mcp.kube.wire import nodes as wire
from kubegap_mcp.kube.wire.meta import Wire

# Mellanox/k8s-rdma-shared-dev-plugin:pkg/resources/resources_manager.go, rdmaHcaResourcePrefix
_SHARED_PREFIX: Final = "rdma"
# The operator leaves the SR-IOV plugin its own default (Mellanox/network-operator:manifests/state-sriov-device-plugin),
# which is this one: k8snetworkplumbingwg/sriov-network-device-plugin:README.md
_COUNTED_PREFIX: Final = "intel.com"
_MOST: Final = 500

C = TypeVar("C", bound=Wire)


class _Resource(Wire):
    resource_name: str | None = None
    resource_prefix: str | None = None


class _SharedConfig(Wire):
    config_list: list[_Resource] | None = None


class _CountedConfig(Wire):
    resource_list: list[_Resource] | None = None


def build(policy: wire.NicClusterPolicy, losses: Losses) -> facts.NicClusterPolicy:
    spec, status = policy.spec or wire.NicClusterPolicySpec(), policy.status or wire.NicClusterPolicyStatus()
    shared = _config(spec.rdma_shared_device_plugin, _SharedConfig, losses)
    counted = _config(spec.sriov_device_plugin, _CountedConfig, losses)
    driver = spec.ofed_driver or wire.OfedDriver()
    return facts.NicClusterPolicy(
        name=name(policy.metadata.name),
        state=value(status.state),
        shared_resources=_names(shared.config_list if shared else None, _SHARED_PREFIX, losses),
        counted_resources=_names(counted.resource_list if counted else None, _COUNTED_PREFIX, losses),
        driver_upgrade=build_upgrade(driver.upgrade_policy) if driver.upgrade_policy else None,
        reason=sentence(status.reason or ""),
        parts=tuple(
            facts.AppliedState(name=name(part.name), state=value(part.state), message=sentence(part.message or ""))
            for part in first(_MOST, status.applied_states, losses)
        ),
    )


def _config(plugin: wire.DevicePlugin | None, as_: type[C], losses: Losses) -> C | None:
    """The JSON inside the string; what is no JSON is lost, since it may name any resource."""
    if plugin is None or not plugin.config:
        return None
    try:
        return msgspec.json.decode(plugin.config, type=as_)
    except (msgspec.DecodeError, RecursionError):
        losses.add()
        return None


def _names(resources: list[_Resource] | None, prefix: str, losses: Losses) -> frozenset[str]:
    return frozenset(
        key(f"{resource.resource_prefix or prefix}/{resource.resource_name}")
        for resource in first(_MOST, resources, losses)
        if resource.resource_name
    )


GATHERERS: Final = (gathers(facts.NicClusterPolicy, wire.NicClusterPolicy, keep_name, build),)
