"""Who else has volumes on the filesystem behind a pod's volume."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property

from kubegap_checks.facts.read import Facts
from kubegap_checks.facts.storage import Volume
from kubegap_checks.inventory.backing import Backing
from kubegap_checks.inventory.training import Use
from kubegap_checks.signals.host_paths import host_path
from kubegap_checks.signals.storage_drivers import storage_driver

# What identifies a filesystem: its driver and its hashed identity, or the mount point that nodes share.
Filesystem = tuple[str, str]


class Neighbours:
    """The namespaces whose claims are bound to volumes of each shared filesystem; needs all volumes."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def of(self, use: Use, backing: Backing) -> frozenset[str]:
        """Empty where the volume is no part of a shared filesystem that can be told from others."""
        if use.volume.form == "host_path":
            which = _of_path(use.volume.path)
        else:
            which = _of_volume(backing.volume) if backing.volume else None
        return frozenset(self._namespaces.get(which, ()))

    @cached_property
    def _namespaces(self) -> Mapping[Filesystem | None, set[str]]:
        found: dict[Filesystem | None, set[str]] = defaultdict(set)
        for volume in self._facts.known(Volume):
            which = _of_volume(volume)
            if which:
                found[which] |= {volume.claim_namespace} - {""}
        return found


def _of_volume(volume: Volume) -> Filesystem | None:
    if volume.host_path:
        return _of_path(volume.host_path)
    row = storage_driver(volume.driver)
    shared = volume.nfs or (row is not None and row.medium in {"shared_fs", "nfs"})
    return (volume.driver, volume.filesystem) if shared and volume.filesystem else None


def _of_path(path: str) -> Filesystem | None:
    row = host_path(path)
    return ("host path", row.prefix) if row else None
