"""How an operator replaces drivers: NVIDIA/k8s-operator-libs:api/upgrade, Mellanox/network-operator:api/v1alpha1."""

from kubegap_mcp.kube.wire.meta import Wire


class DrainSpec(Wire):
    enable: bool | None = None
    force: bool | None = None
    timeout_seconds: int | None = None


class PodDeletion(Wire):
    force: bool | None = None
    timeout_seconds: int | None = None


class WaitForCompletion(Wire):
    pod_selector: str | None = None
    timeout_seconds: int | None = None


class UpgradePolicy(Wire):
    auto_upgrade: bool | None = None
    max_parallel_upgrades: int | None = None
    max_unavailable: int | str | None = None
    drain: DrainSpec | None = None
    pod_deletion: PodDeletion | None = None
    wait_for_completion: WaitForCompletion | None = None
