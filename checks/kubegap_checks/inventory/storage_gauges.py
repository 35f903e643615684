"""What the exporter of a storage tells of the volume that a run mounts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from kubegap_checks.facts.metrics import Measured
from kubegap_checks.facts.pods import PodVolume
from kubegap_checks.inventory.backing import Backing
from kubegap_checks.signals.storage_drivers import Gauge, StorageDriver, Tells, storage_drivers

M = TypeVar("M", bound=Measured)


@dataclass(frozen=True, slots=True)
class Told(Generic[M]):
    """Rows of the volume, or of its filesystem; `whole` where they are of all that the storage holds, of others too."""

    rows: Sequence[M]
    whole: bool


def gauges(backing: Backing, tells: Tells) -> tuple[Gauge, ...]:
    """Which quantities could tell it."""
    row = _driver(backing)
    return tuple(gauge for gauge in row.gauges if gauge.tells == tells) if row else ()


def told(backing: Backing, mounted: PodVolume, tells: Tells, rows: Iterable[M]) -> Told[M]:
    """What they do tell: of the volume, if there is such a row, else of the whole storage."""
    seen = tuple(rows)
    whole: list[M] = []
    for gauge in gauges(backing, tells):
        of_quantity = [row for row in seen if row.quantity == gauge.quantity]
        if not gauge.label:
            whole += of_quantity
        elif own := [row for row in of_quantity if row.labels.get(gauge.label) in _names(gauge, backing, mounted)]:
            return Told(own, whole=False)
    return Told(whole, whole=True)


def _names(gauge: Gauge, backing: Backing, mounted: PodVolume) -> set[str]:
    volume = backing.volume
    if gauge.names == "filesystem":
        return {volume.filesystem} - {""} if volume else set()
    return {volume.name if volume else mounted.name}


def _driver(backing: Backing) -> StorageDriver | None:
    """Its row; a mount of the node's that is known to be of a product has none of its own."""
    return backing.driver or next((row for row in storage_drivers() if row.product == backing.product), None)
