"""The fabric of one node: the resources that stand for it, and the adapters that can be counted."""

from functools import cache, lru_cache
from typing import Literal

from msgspec import Struct

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.read import Unread
from kubegap_checks.inventory.devices import Devices, Expected
from kubegap_checks.inventory.sources import number, once
from kubegap_checks.signals.fabrics import Counting, FabricKind, fabrics

Counts = Literal["devices", "shared"]
ShownKind = FabricKind | Literal["none", "unknown"]


class Resource(Struct, frozen=True, kw_only=True):
    """An extended resource that stands for a fabric. `counts` is None where it cannot be told what a unit is.

    `by_name` is what its name alone says of that.
    """

    name: str
    kind: FabricKind | None
    by_name: Counting | None
    capacity: int | None
    allocatable: int | None
    counts: Counts | None

    @property
    def named(self) -> "Resource":
        """The same without its counts: what nodes that offer it have in common."""
        return _named(self.name, self.kind, self.by_name)

    @property
    def offered(self) -> int:
        """What is there, whichever of the two maps carries it."""
        return max(self.capacity or 0, self.allocatable or 0)

    @property
    def usable(self) -> int:
        if self.capacity is None or self.allocatable is None:
            return self.offered
        return min(self.capacity, self.allocatable)


@lru_cache(maxsize=4096)
def _named(name: str, kind: FabricKind | None, by_name: Counting | None) -> Resource:
    return Resource(name=name, kind=kind, by_name=by_name, capacity=None, allocatable=None, counts=None)


class NodeFabric(Struct, frozen=True, kw_only=True):
    """The fabric of one node; `accelerators` are those of its first vendor, which make it like other nodes.

    `devices` is None where the node does not offer its adapters one by one; `on_bus` is None where the bus was not
    listed or shows none. `unread` and, for what only the bus tells, `no_bus` are what could not be read and might
    have told a field that is None or unknown; `unnamed` is what might have told that a resource stands for a fabric.
    """

    node: Node
    accelerators: Devices
    kind: ShownKind = "unknown"
    resources: tuple[Resource, ...] = ()
    devices: int | None = None
    by_dra: int | None = None
    on_bus: int | None = None
    expected: Expected | None = None
    path: str = ""
    unread: tuple[Unread, ...] = ()
    no_bus: tuple[Unread, ...] = ()
    unnamed: tuple[Unread, ...] = ()

    @property
    def has_status(self) -> bool:
        return self.node.capacity is not None or self.node.allocatable is not None

    @property
    def is_offered(self) -> bool:
        """Whether a pod can ask for the fabric on this node."""
        return bool(self.by_dra) or any(row.usable for row in self.resources)

    @property
    def seen(self) -> tuple[int, str] | None:
        """The adapters that can be counted, and where; None where none can.

        The bus is a count only beside another source that says how many there should be.
        """
        if self.devices is not None:
            return self.devices, self.path
        if self.unread or self.expected is None:
            return None
        for key in _current():
            count = number(self.node.labels.get(key))
            if count is not None:
                return count, f"metadata.labels.{key}"
        if self.on_bus is not None:
            return self.on_bus, "NodeFeature.spec.features.instances.pci.device"
        return None

    @property
    def wanting(self) -> tuple[Unread, ...]:
        """What could not be read and might have told how many adapters are there or should be."""
        if self.seen is None:
            return once(self.unread, self.no_bus if self.expected else ())
        return once(self.unread, self.no_bus) if self.expected is None else ()


@cache
def _current() -> tuple[str, ...]:
    """The labels of agents that count the adapters that are there now."""
    return tuple(row.label_current for row in fabrics() if row.label_current)
