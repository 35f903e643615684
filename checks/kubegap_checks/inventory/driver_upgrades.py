"""How operators are told to replace the drivers of running nodes, and how many nodes that takes at once."""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from kubegap_checks.facts.nodes import NicClusterPolicy
from kubegap_checks.facts.operators import ClusterPolicy, NVIDIADriver
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.facts.upgrades import UpgradePolicy
from kubegap_checks.inventory.sources import once, read_or_unread
from kubegap_checks.model import Subject

# What holds where nothing is said: NVIDIA/k8s-operator-libs:api/upgrade/v1alpha1/upgrade_spec.go. For the network
# driver only the first limit exists: Mellanox/network-operator:api/v1alpha1/nicclusterpolicy_types.go.
_PARALLEL, _UNAVAILABLE, _NO_LIMIT = 1, "25%", "100%"


class DriverUpgrade(Struct, frozen=True, kw_only=True):
    """One object's word on it; `path` is the field."""

    subject: Subject
    path: str
    policy: UpgradePolicy

    @property
    def max_unavailable(self) -> str:
        return self.policy.max_unavailable or _UNAVAILABLE

    def at_once(self, nodes: int) -> int:
        """How many of so many nodes it upgrades together: both limits hold, and 0 in parallel is no limit."""
        told = self.policy.max_parallel
        parallel = _PARALLEL if told is None else told or nodes
        return min(parallel, _part(self.max_unavailable, nodes), nodes)


def driver_upgrades(facts: Facts) -> tuple[tuple[DriverUpgrade, ...], tuple[Unread, ...]]:
    """All that could be read, and what could not."""
    policies, no_policies = read_or_unread(facts, ClusterPolicy)
    drivers, no_drivers = read_or_unread(facts, NVIDIADriver)
    nics, no_nics = read_or_unread(facts, NicClusterPolicy)
    found = (*_of_policies(policies), *_of_drivers(drivers), *_of_nics(nics))
    return found, once(no_policies, no_drivers, no_nics)


def _of_policies(policies: tuple[ClusterPolicy, ...]) -> Iterator[DriverUpgrade]:
    """But for those whose driver comes with the node's image."""
    for policy in policies:
        driver, upgrade = policy.operands.get("driver"), policy.driver.upgrade
        if upgrade and driver and driver.enabled is not False:
            subject = Subject("ClusterPolicy", policy.name)
            yield DriverUpgrade(subject=subject, path="spec.driver.upgradePolicy", policy=upgrade)


def _of_drivers(drivers: tuple[NVIDIADriver, ...]) -> Iterator[DriverUpgrade]:
    for one in drivers:
        if one.driver.upgrade:
            subject = Subject("NVIDIADriver", one.name)
            yield DriverUpgrade(subject=subject, path="spec.upgradePolicy", policy=one.driver.upgrade)


def _of_nics(nics: tuple[NicClusterPolicy, ...]) -> Iterator[DriverUpgrade]:
    for nic in nics:
        if nic.driver_upgrade:
            policy = replace(nic.driver_upgrade, max_unavailable=_NO_LIMIT)
            subject = Subject("NicClusterPolicy", nic.name)
            yield DriverUpgrade(subject=subject, path="spec.ofedDriver.upgradePolicy", policy=policy)


def _part(share: str, nodes: int) -> int:
    """A number, or a percentage of the nodes rounded up; what is neither is taken for none."""
    number = share.removesuffix("%")
    if not number.isdecimal():
        return 0
    return -(-int(number) * nodes // 100) if share.endswith("%") else int(number)
