"""Storage drivers: what lies behind a volume, and whether its data can leave the fast tier."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from kubegap_checks.signals.tables import Filled, Part, Regex, Row, Words, read

Medium = Literal["shared_fs", "nfs", "object_fuse", "block", "node_local", "cache"]
Tier = Literal[
    "object_backed",  # every read may come from an object store
    "may_tier",  # it can, and objects alone do not say whether it does
    "no_tier",
    "cache_layer",  # a cache in front of another store
    "node_local",
]
Shown = Literal[
    "lazy_linked",  # linked to an object store, files come on first access
    "tiered",
    "object_backed",
    "cache_of_remote",
    "no_tier",  # this volume is the untiered kind of a driver that can tier
    "node_cache",  # a cache on the node stands in front; what lies behind is as without it
    "kept_on_delete",  # the data outlives the volume
]
Where = Literal["class_parameter", "volume_attribute", "claim_annotation", "volume_handle", "mount_option"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence(Part):
    """A value in an object that shows what a volume is; all patterns match in full.

    A mount option is one string, matched by `key`; a volume handle has no key. A value that matches
    `not_value` shows nothing.
    """

    where: Where
    shows: Shown
    key: Regex | None = None
    value: Regex | None = None
    not_value: Regex | None = None

    def seen_in(self, values: Mapping[str, str]) -> tuple[str, str] | None:
        """The first key and value that show it. For a volume handle and for mount options the keys are ignored."""
        for key, value in values.items():
            if self.where in {"class_parameter", "volume_attribute", "claim_annotation"} and not (
                self.key and self.key.fullmatch(key)
            ):
                continue
            if self.where == "mount_option" and not (self.key and self.key.fullmatch(value)):
                continue
            if self.value and not self.value.fullmatch(value):
                continue
            if self.not_value and self.not_value.fullmatch(value):
                continue
            return key, value
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves(Part):
    """What names the node that a volume was made on: an attribute; and the one it is on later: an annotation."""

    made_on: Filled
    now_on: Filled


Tells = Literal[
    "fetches",  # what is read from the object store behind it, bytes per second
    "read_latency",
    "fill",  # percent of what is full before the filesystem is
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gauge(Part):
    """A quantity (quantities.yaml) in which the storage's own exporter tells of its volumes.

    `label` is the label of the series that names the volume, or its filesystem, as `names` says; "" where the quantity
    is of the whole storage cluster.
    """

    tells: Tells
    quantity: Filled
    label: str = ""
    names: Literal["filesystem", "volume"] = "filesystem"


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageDriver(Row):
    """One CSI driver or provisioner; `name` matches in full and knows prefixed names.

    `keep_attributes` are the volume attributes and class parameters that are safe to keep as they are;
    `hash_attributes` matter by being there, while their values name buckets, hosts or accounts. The group `fs`
    of `filesystem`, matched against the volume handle, is a name that may be shown, as is what stands before it;
    any other handle may only be shown as a hash. The group `id` of `identity` is the part of such a handle that
    all volumes of one filesystem share. `takes_disks` says that a driver on the node makes volumes of its whole disks
    when a pod asks for one, so that unused disks show nowhere before that. `unset_cache` is what an object store's
    mount does where no evidence shows a cache; None where the documentation does not tell. `on_delete` is what
    deleting a volume which the driver made does: a whole filesystem goes, or the data stays; None where just its own
    data goes. `moves` belongs to a driver that makes a volume anew, and empty, on the node that its pod moves to.
    `size` is what the kubelet's size of a volume means where it is no limit of its own: `nominal`, any number, or
    `all_tiers`, the object store behind the fast tier included.
    """

    name: Regex
    product: Filled
    medium: Medium
    tier: Tier
    visible: tuple[Evidence, ...] = ()
    prove: Words | None = None
    filesystem: Regex | None = None
    identity: Regex | None = None
    keep_attributes: tuple[Filled, ...] = ()
    hash_attributes: tuple[Filled, ...] = ()
    takes_disks: bool = False
    unset_cache: Literal["none", "node"] | None = None
    on_delete: Literal["filesystem", "kept"] | None = None
    moves: Moves | None = None
    gauges: tuple[Gauge, ...] = ()
    size: Literal["nominal", "all_tiers"] | None = None

    def __post_init__(self) -> None:
        if self.filesystem is not None and "fs" not in self.filesystem.groupindex:
            raise ValueError("filesystem has no group fs")
        if self.identity is not None and "id" not in self.identity.groupindex:
            raise ValueError("identity has no group id")
        if self.tier in {"may_tier", "cache_layer"} and self.prove is None:
            raise ValueError("prove must say how to see the state of a tier that objects do not show")
        for evidence in self.visible:
            if (evidence.where == "volume_handle") != (evidence.key is None):
                raise ValueError("visible: every place but a volume handle needs a key")

    def filesystem_in(self, handle: str) -> str | None:
        """The name of the filesystem in a volume handle; None where the handle holds none that may be shown."""
        match = self.filesystem.fullmatch(handle) if self.filesystem else None
        return match["fs"] if match else None

    def identity_in(self, handle: str) -> str:
        """The part of a volume handle that all volumes of one filesystem share. Hash it before showing it."""
        match = self.identity.fullmatch(handle) if self.identity else None
        return match["id"] if match else self.filesystem_in(handle) or handle


@cache
def storage_drivers() -> tuple[StorageDriver, ...]:
    return read("storage_drivers.yaml", StorageDriver)


@lru_cache(maxsize=1024)
def storage_driver(name: str) -> StorageDriver | None:
    """The row of a driver, however it is prefixed; None for one that is not in the table.

    Volumes without a driver go by their in-tree plugin: `kubernetes.io/nfs`, `kubernetes.io/no-provisioner` for local.
    """
    return next((row for row in storage_drivers() if row.name.fullmatch(name)), None)
