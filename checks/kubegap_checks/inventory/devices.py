"""One vendor's accelerators on one node, and what makes two nodes alike."""

from collections.abc import Mapping

from msgspec import Struct

from kubegap_checks.facts.derived import row_derived
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.read import Unread
from kubegap_checks.inventory.units import stands_for
from kubegap_checks.model import Confidence, Seen
from kubegap_checks.signals.accelerators import Accelerator, Vendor
from kubegap_checks.signals.instance_labels import told
from kubegap_checks.text import Text


class Expected(Struct, frozen=True, kw_only=True):
    """How many devices there should be, what tells so, and how sure that is."""

    count: int
    basis: Text
    path: str
    seen: Seen
    confidence: Confidence


class Devices(Struct, frozen=True, kw_only=True):
    """One vendor's accelerators on one node.

    `confirmed` is the PCI bus where it bears out what something else says, or tells how many are left on it. `sliced`
    says why what the node offers is not whole devices: then there is nothing to compare. `shares` is how many units
    stand for one device. `idle` says why the node is meant to offer none. `agent` is what a health agent counts, and
    where it says so; `behind` the same for the devices that are cut or shared. `blocked` names the devices that a taint
    keeps from pods. `doubt` says why a count is not known although everything was read; `unread` is what could not be
    read and might have told it.
    """

    node: Node
    signal: Accelerator
    product: str
    machine: str
    driver: str
    expected: Expected | None = None
    confirmed: Expected | None = None
    capacity: int | None = None
    allocatable: int | None = None
    path: str
    sliced: Text | None = None
    idle: Text | None = None
    agent: tuple[int, str] | None = None
    behind: tuple[int, str] | None = None
    doubt: Text | None = None
    by_dra: bool = False
    blocked: tuple[str, ...] = ()
    shares: int = 1
    unread: tuple[Unread, ...] = ()

    @property
    def vendor(self) -> Vendor:
        return self.signal.vendor

    @property
    def present(self) -> tuple[int, str] | None:
        """The devices that are there and where that is seen: the least that the node or an agent counts."""
        offered = (self.capacity, self.path) if self.capacity is not None else None
        counts = (count for count in (offered, self.agent, self.behind) if count)
        return min(counts, key=lambda count: count[0], default=None)

    @property
    def short(self) -> int:
        """How many devices fewer than expected are there; 0 where either number is not known."""
        if self.expected is None or self.present is None:
            return 0
        return max(0, self.expected.count - self.present[0])

    @property
    def uncounted(self) -> Text | None:
        """Why nothing tells whether all physical devices are there, although everything was read."""
        return self.doubt or (self.sliced if self.behind is None else None)

    @property
    def units(self) -> Mapping[str, tuple[int | None, int | None]]:
        """Capacity and allocatable of each resource of this vendor, whatever its units are."""
        capacity, allocatable = self.node.capacity or {}, self.node.allocatable or {}
        names = [name for name in {**capacity, **allocatable} if stands_for(self.signal, name)]
        return {name: (capacity.get(name), allocatable.get(name)) for name in names}


Kin = tuple[Vendor, str, str, str]


def kin(devices: Devices) -> Kin | None:
    """What makes two nodes alike; None where too little is known to say so."""
    kind = _instance_type(devices.node)
    alike = (devices.vendor, devices.product, kind, devices.machine)
    return alike if kind or (devices.product and devices.machine) else None


def lookalike(devices: Devices) -> Kin | None:
    """The same product where nothing tells the machine: alike only where all nodes of it offer the same."""
    return (devices.vendor, devices.product, "", "") if devices.product and kin(devices) is None else None


@row_derived
def _instance_type(node: Node) -> str:
    label = told("instance_type", node.labels)
    return label[1] if label else ""
