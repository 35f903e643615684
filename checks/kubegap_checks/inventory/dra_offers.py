"""What DRA drivers offer on each node, in physical devices."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from kubegap_checks.facts.nodes import ResourceSlice
from kubegap_checks.inventory.sources import pools
from kubegap_checks.signals.accelerators import DraDevices, Vendor, accelerators
from kubegap_checks.signals.fabrics import fabrics

# A device with such a taint is not given to new pods; a taint without effect only informs.
_BLOCKING = {"NoSchedule", "NoExecute"}


class Offer(Struct, frozen=True, kw_only=True):
    """What a DRA driver offers on one node, in physical devices; None where its pool is not complete."""

    physical: frozenset[str] | None
    blocked: frozenset[str]
    product: str
    driver_version: str


class Offers(Struct, frozen=True, kw_only=True):
    """What DRA drivers offer by node and vendor, and the nodes on which an unknown driver offers something."""

    by_vendor: Mapping[tuple[str, Vendor], Offer] = field(default_factory=dict[tuple[str, Vendor], Offer])
    strangers: frozenset[str] = frozenset()


def offers_by_node(slices: Iterable[ResourceSlice]) -> Offers:
    """What each node's DRA drivers offer, from the newest generation of each pool."""
    by_driver = {signal.dra.driver: signal for signal in accelerators() if signal.dra}
    others = {name for signal in by_driver.values() if signal.dra for name in signal.dra.companions}
    others |= {row.dra.driver for row in fabrics() if row.dra}
    offers: dict[tuple[str, Vendor], Offer] = {}
    strangers: set[str] = set()
    for (node, driver, _), pieces in pools(slices).items():
        signal = by_driver.get(driver)
        if signal is not None and signal.dra is not None:
            offer = _offer(pieces, signal.dra)
            known = offers.get((node, signal.vendor))
            offers[node, signal.vendor] = _joined(known, offer) if known else offer
        elif driver not in others:
            strangers.add(node)
    return Offers(by_vendor=offers, strangers=frozenset(strangers))


def _offer(pieces: Sequence[ResourceSlice], dra: DraDevices) -> Offer:
    usable: dict[str, bool] = {}
    attributes: dict[str, str] = {}
    for device in (device for piece in pieces for device in piece.devices):
        form, parent = device.attributes.get(dra.type_attribute, ""), device.attributes.get(dra.parent)
        if dra.slice.fullmatch(form) and parent:
            identity = parent
        elif dra.whole.fullmatch(form):
            identity = device.attributes.get(dra.identity) or device.name
        else:
            continue
        # One physical device may be offered in several forms; it is out of reach when all of them are.
        free = not any(taint.effect in _BLOCKING for taint in device.taints)
        usable[identity] = usable.get(identity, False) or free
        attributes = {**device.attributes, **attributes}
    complete = len(pieces) >= max(piece.slices_in_pool for piece in pieces)
    return Offer(
        physical=frozenset(usable) if complete else None,
        blocked=frozenset(identity for identity, free in usable.items() if not free),
        product=attributes.get(dra.product, ""),
        driver_version=attributes.get(dra.version, ""),
    )


def _joined(one: Offer, other: Offer) -> Offer:
    both = one.physical is not None and other.physical is not None
    return replace(
        one,
        physical=(one.physical or frozenset()) | (other.physical or frozenset()) if both else None,
        blocked=one.blocked | other.blocked,
    )
