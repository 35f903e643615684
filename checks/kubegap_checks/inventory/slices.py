"""The physical devices behind slices and shares, where something tells how many they are."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from kubegap_checks.inventory.devices import Devices, Kin, kin
from kubegap_checks.inventory.sources import number
from kubegap_checks.inventory.units import stands_for, units_of


def with_devices_behind(found: Sequence[Devices]) -> tuple[Devices, ...]:
    """The same devices with the number of those that are cut or shared, where something tells it."""
    most: dict[Kin | None, int] = defaultdict(int)
    for one in found:
        most[kin(one)] = max(most[kin(one)], *(units for units in _only_units(one).values()), 0)
    return tuple(
        replace(one, behind=_behind(one, most[kin(one)])) if one.sliced and not one.doubt else one for one in found
    )


def _behind(devices: Devices, most: int) -> tuple[int, str] | None:
    """The driver's count beside slices; else all devices, where the units divide evenly and no node alike has more."""
    resources, labels = devices.node.capacity or {}, devices.node.labels
    if any(units_of(devices.signal.sliced, resources)):
        for label in (count.label for count in devices.signal.count):
            if (seen := number(labels.get(label))) is not None:
                return seen, f"metadata.labels.{label}"
    for name, units in _only_units(devices).items():
        if devices.expected and units >= most and units % devices.expected.count == 0:
            return devices.expected.count, f"status.capacity.{name}"
    return None


def _only_units(devices: Devices) -> Mapping[str, int]:
    """The one resource that the node offers of this vendor; nothing where it offers several."""
    resources = devices.node.capacity or {}
    offered = {name: units for name, units in resources.items() if units and stands_for(devices.signal, name)}
    return offered if len(offered) == 1 else {}
