"""Volumes, claims, classes, and the shared filesystems that report themselves."""

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar

from kubegap_checks.facts.read import Kind, Record


class Claim(Record, frozen=True, kw_only=True):
    """A PersistentVolumeClaim; `storage_class` is None where the field is absent and "" where it is empty."""

    KIND: ClassVar[Kind] = Kind(
        name="PersistentVolumeClaim",
        plural="persistentvolumeclaims",
        namespaced=True,
        workload=True,
    )

    namespace: str
    name: str
    volume: str = ""
    storage_class: str | None = None
    access_modes: tuple[str, ...] = ()
    annotations: Mapping[str, str]


class Volume(Record, frozen=True, kw_only=True):
    """A PersistentVolume.

    `driver` is the CSI driver, else the provisioner that the volume's annotation names, else "".
    `filesystem` identifies what lies behind it: two volumes of one shared filesystem have the same value. Parts
    that name hosts, buckets or accounts are short hashes. `handle` is a hash of the whole CSI volume handle, to tell
    whether two volumes have the same one. Its nominal capacity is left out on purpose: shared
    and object drivers ignore it.
    """

    KIND: ClassVar[Kind] = Kind(name="PersistentVolume", plural="persistentvolumes")

    name: str
    driver: str = ""
    filesystem: str = ""
    handle: str = ""
    attributes: Mapping[str, str]
    mount_options: tuple[str, ...] = ()
    access_modes: tuple[str, ...] = ()
    storage_class: str = ""
    reclaim_policy: str = ""
    claim_namespace: str = ""
    claim_name: str = ""
    local_path: str = ""
    host_path: str = ""
    nfs: bool = False
    # required node affinity: terms of which one must hold, each as label key -> the values that satisfy it
    node_affinity: tuple[Mapping[str, tuple[str, ...]], ...] = ()
    annotations: Mapping[str, str]


class StorageClass(Record, frozen=True, kw_only=True):
    """A StorageClass; a volume may name one that does not exist. Parameter values are JSON-unquoted."""

    KIND: ClassVar[Kind] = Kind(name="StorageClass", plural="storageclasses", group="storage.k8s.io")

    name: str
    provisioner: str
    parameters: Mapping[str, str]
    reclaim_policy: str = "Delete"
    binding_mode: str = "Immediate"
    mount_options: tuple[str, ...] = ()


class WekaCluster(Record, frozen=True, kw_only=True):
    """What weka-operator last read of a Weka cluster, summed over its filesystems; sizes in bytes.

    The fields are `omitempty`: None may mean zero, false or never collected. `ssd_available` is a budget, not
    free space.
    """

    KIND: ClassVar[Kind] = Kind(
        name="WekaCluster",
        plural="wekaclusters",
        group="weka.weka.io",
        versions=("v1alpha1",),
        namespaced=True,
    )

    namespace: str
    name: str
    stats_updated: datetime | None = None
    has_tiered_filesystems: bool | None = None
    ssd_provisioned: int | None = None
    ssd_used: int | None = None
    ssd_available: int | None = None
    total_provisioned: int | None = None
    total_used: int | None = None
    buckets: int | None = None
    buckets_up: int | None = None


class FluidDataset(Record, frozen=True, kw_only=True):
    """A dataset behind a cache that Fluid runs: its size, and how much of it can be cached; in bytes.

    None where Fluid has not counted yet. What is cached now is left out: Fluid counts it wrong for some of its
    runtimes and after its workers were scaled (fluid-cloudnative/fluid#539, #623).
    """

    KIND: ClassVar[Kind] = Kind(
        name="Dataset",
        plural="datasets",
        group="data.fluid.io",
        versions=("v1alpha1",),
        namespaced=True,
        workload=True,
    )

    namespace: str
    name: str
    total: int | None = None
    capacity: int | None = None
