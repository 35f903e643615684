"""Claims, volumes, classes, and the Weka clusters that report themselves."""

import msgspec

from kubegap_mcp.kube.quantity import Quantity
from kubegap_mcp.kube.wire.meta import Time, Top, Wire
from kubegap_mcp.kube.wire.pods import HostPathSource, NfsSource


class ClaimSpec(Wire):
    volume_name: str | None = None
    storage_class_name: str | None = None
    access_modes: list[str] | None = None


class Claim(Top):
    spec: ClaimSpec | None = None


class CsiVolume(Wire):
    driver: str | None = None
    volume_handle: str | None = None
    volume_attributes: dict[str, str] | None = None


class LocalVolume(Wire):
    path: str | None = None


class Reference(Wire):
    namespace: str | None = None
    name: str | None = None


class Requirement(Wire):
    key: str | None = None
    operator: str | None = None
    values: list[str] | None = None


class NodeTerm(Wire):
    match_expressions: list[Requirement] | None = None


class NodeSelector(Wire):
    node_selector_terms: list[NodeTerm] | None = None


class VolumeAffinity(Wire):
    required: NodeSelector | None = None


class VolumeSpec(Wire):
    access_modes: list[str] | None = None
    storage_class_name: str | None = None
    persistent_volume_reclaim_policy: str | None = None
    mount_options: list[str] | None = None
    claim_ref: Reference | None = None
    csi: CsiVolume | None = None
    nfs: NfsSource | None = None
    host_path: HostPathSource | None = None
    local: LocalVolume | None = None
    node_affinity: VolumeAffinity | None = None


class Volume(Top):
    spec: VolumeSpec | None = None


class StorageClass(Top):
    provisioner: str | None = None
    parameters: dict[str, str] | None = None
    reclaim_policy: str | None = None
    volume_binding_mode: str | None = None
    mount_options: list[str] | None = None


class WekaFilesystems(Wire):
    """Sums over all filesystems; the operator writes bytes, some releases as strings."""

    has_tiered_filesystems: bool | None = None
    total_provisioned_capacity: Quantity | None = None
    total_used_capacity: Quantity | None = None
    total_provisioned_ssd_capacity: Quantity | None = msgspec.field(default=None, name="totalProvisionedSSDCapacity")
    total_used_ssd_capacity: Quantity | None = msgspec.field(default=None, name="totalUsedSSDCapacity")
    total_available_ssd_capacity: Quantity | None = msgspec.field(default=None, name="totalAvailableSSDCapacity")
    obs_bucket_count: Quantity | None = None
    active_obs_bucket_count: Quantity | None = None


class WekaStats(Wire):
    last_update: Time | None = None
    filesystem: WekaFilesystems | None = None


class WekaStatus(Wire):
    stats: WekaStats | None = None


class WekaCluster(Top):
    status: WekaStatus | None = None


class FluidCache(Wire):
    cache_capacity: str | None = None


class FluidStatus(Wire):
    ufs_total: str | None = None
    cache_states: FluidCache | None = None


class FluidDataset(Top):
    status: FluidStatus | None = None
