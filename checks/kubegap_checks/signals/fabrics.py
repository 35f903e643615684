"""The high-speed networks between nodes: which resource stands for them, and whether it counts adapters."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from kubegap_checks.facts.nodes import PciDevice, SliceDevice
from kubegap_checks.signals.tables import Filled, Part, Regex, Row, read

FabricKind = Literal["infiniband", "roce", "efa", "gpudirect_tcpx"]
Transport = Literal["verbs", "libfabric"]
Counting = Literal[
    "devices",  # one unit is one adapter or virtual function
    "shared",  # one unit opens every adapter; the number says nothing
    "by_size",  # shared where NicClusterPolicy says so or it is over shared_rdma_factor times the GPUs, else devices
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PciMatch(Part):
    """An adapter on the bus, as lower-case hex; the pattern matches in full."""

    vendor: Filled
    cls: Filled | None = None
    device: Regex | None = None

    def fits(self, device: PciDevice) -> bool:
        return (
            device.vendor == self.vendor
            and self.cls in {None, device.cls}
            and (self.device is None or self.device.fullmatch(device.device) is not None)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DraAdapters(Part):
    """A DRA driver whose devices are adapters, where `attribute` is given only those with a matching value."""

    driver: Filled
    attribute: str | None = None
    value: Regex | None = None

    def counts(self, device: SliceDevice) -> bool:
        if self.attribute is None:
            return True
        value = device.attributes.get(self.attribute)
        return value is not None and (self.value is None or self.value.fullmatch(value) is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fabric(Row):
    """One way of offering a fabric. `kind` is None where the resource's name does not tell it.

    `resource` matches the extended resource in full, None where none is offered. Rows come with the most
    telling name first. `transport` is how NCCL reaches the adapters, None where a plugin of the platform does or the
    name does not tell.
    """

    name: Filled
    kind: FabricKind | None = None
    resource: Regex | None = None
    counts: Counting | None = None
    transport: Transport | None = None
    label_expected: str | None = None
    label_current: str | None = None
    label_present: str | None = None
    pci: tuple[PciMatch, ...] = ()
    dra: DraAdapters | None = None


@cache
def fabrics() -> tuple[Fabric, ...]:
    return read("fabrics.yaml", Fabric)


@lru_cache(maxsize=4096)
def fabric_of(resource: str) -> Fabric | None:
    """The fabric that an extended resource stands for; None where it stands for none that is known."""
    return next((row for row in fabrics() if row.resource and row.resource.fullmatch(resource)), None)


def shows_adapters(labels: Mapping[str, str]) -> bool:
    """Whether labels say that there are adapters, of whichever kind and use."""
    return any(labels.get(row.label_present) == "true" for row in fabrics() if row.label_present)
