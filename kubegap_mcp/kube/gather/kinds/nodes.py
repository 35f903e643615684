"""Nodes -> records."""

from functools import lru_cache
from typing import Final

from kubegap_checks.facts import nodes as facts
from kubegap_checks.signals.accelerators import accelerators
from kubegap_checks.signals.labels import labels as label_signals
from kubegap_checks.signals.nvme_users import nvme_users
from kubegap_mcp.foreign.clean import Names
from kubegap_mcp.kube.gather.conditions import build_conditions
from kubegap_mcp.kube.gather.fields import kept, key, name, quantities, strings, value, when
from kubegap_mcp.kube.gather.kind import gathers
from kubegap_mcp.kube.gather.lenient import Losses, whole
from kubegap_mcp.kube.wire import nodes as wire
from kubegap_mcp.kube.wire.meta import Meta

# A hundred labels a node that say which instructions its processor has.
_NOISE: Final = "feature.node.kubernetes.io/cpu-"

# Beside the annotations that the signal tables name: what rules about quarantined nodes and
# network devices that are being set up look at.
_ANNOTATIONS: Final = (
    "nvsentinel.dgxc.nvidia.com/",  # why and since when a node is held back
    "quarantine",  # the same, without a domain: NVIDIA/NVSentinel:fault-quarantine/pkg/common/common.go
    "sriovnetwork.openshift.io/",  # virtual functions being set up: k8snetworkplumbingwg/sriov-network-operator
    "nvidia.com/gpu-driver-upgrade",  # a node in the middle of a driver upgrade: NVIDIA/k8s-operator-libs:pkg/upgrade
    "nvidia.com/ofed-driver-upgrade",
    "karpenter.sh/do-not-disrupt",  # a node that has to stay: kubernetes-sigs/karpenter:pkg/apis/v1/labels.go
    "cloud.google.com/cuda.driver-version.",  # GKE's device plugin: GoogleCloudPlatform/container-engine-accelerators
)

_TAINTS: Final = 200


@lru_cache(maxsize=4096)
def _keeps_annotation(text: str) -> bool:
    if text.startswith(_ANNOTATIONS):
        return True
    if any(signal.where == "annotation" and signal.key.fullmatch(text) for signal in label_signals()):
        return True
    if any(user.where == "annotation" and user.key.fullmatch(text) for user in nvme_users()):
        return True
    versions = (version for row in accelerators() for version in row.driver)
    return any(version.where == "annotation" and text in version.keys for version in versions)


def _keeps_label(text: str) -> bool:
    return not text.startswith(_NOISE)


def reduce(node: wire.Node, names: Names, losses: Losses) -> wire.Node:  # noqa: ARG001 (what every kind's reduce takes)
    meta = node.metadata
    node.metadata = Meta(
        name=meta.name,
        labels=kept(meta.labels, _keeps_label),
        annotations=kept(meta.annotations, _keeps_annotation),
        creation_timestamp=meta.creation_timestamp,
        deletion_timestamp=meta.deletion_timestamp,
    )
    return node


def build(node: wire.Node, losses: Losses) -> facts.Node:
    meta, spec, status = node.metadata, node.spec or wire.NodeSpec(), node.status or wire.NodeStatus()
    info = status.node_info or wire.NodeInfo()
    return facts.Node(
        name=name(meta.name),
        labels=strings(meta.labels, losses),
        annotations=strings(meta.annotations, losses),
        taints=tuple(
            facts.Taint(
                key=key(taint.key or ""),
                value=value(taint.value),
                effect=value(taint.effect),
                added=when(taint.time_added),
            )
            for taint in whole(_TAINTS, spec.taints, ("key", "effect"), losses)
        ),
        unschedulable=bool(spec.unschedulable),
        created=when(meta.creation_timestamp),
        deleting=meta.deletion_timestamp is not None,
        capacity=quantities(status.capacity),
        allocatable=quantities(status.allocatable),
        conditions=build_conditions(status.conditions, losses),
        boot_id=value(info.boot_id),
        kernel=value(info.kernel_version),
        os_image=value(info.os_image),
        kubelet=value(info.kubelet_version),
        runtime=value(info.container_runtime_version),
    )


GATHERERS: Final = (gathers(facts.Node, wire.Node, reduce, build),)
