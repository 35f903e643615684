"""Network adapters as the operators that configure them show them."""

from typing import ClassVar

from kubegap_checks.facts.read import Kind, Record


class SriovNetworkNodeState(Record, frozen=True, kw_only=True):
    """What the SR-IOV network operator did on the node of the same name.

    `sync_status` is `Succeeded`, `InProgress` or `Failed`; `last_error` may be an old one.
    """

    KIND: ClassVar[Kind] = Kind(
        name="SriovNetworkNodeState",
        plural="sriovnetworknodestates",
        group="sriovnetwork.openshift.io",
        namespaced=True,
        page=100,
    )

    namespace: str
    name: str
    sync_status: str
    last_error: str = ""


class NicDevice(Record, frozen=True, kw_only=True):
    """One adapter of a node, of NVIDIA's NIC configuration operator.

    `board` is the PSID: boards that share it take the same firmware. `updating` says that its firmware or its
    settings are being changed.
    """

    KIND: ClassVar[Kind] = Kind(
        name="NicDevice",
        plural="nicdevices",
        group="configuration.net.nvidia.com",
        versions=("v1alpha1",),
        namespaced=True,
    )

    namespace: str
    name: str
    node: str
    board: str
    firmware: str
    updating: bool = False
