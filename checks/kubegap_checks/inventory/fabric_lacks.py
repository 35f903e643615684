"""Nodes with a fabric that pods cannot ask for, and how that is known."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from kubegap_checks.facts.read import Unread
from kubegap_checks.inventory.devices import Kin, kin
from kubegap_checks.inventory.fabric import Fabrics
from kubegap_checks.inventory.fabric_expected import kin_of
from kubegap_checks.inventory.node_fabric import NodeFabric, Resource
from kubegap_checks.inventory.sources import machine_type, majority
from kubegap_checks.model import Confidence, Seen, Severity
from kubegap_checks.signals.fabrics import Counting
from kubegap_checks.text import Text

_MAY_BE_SHARED: frozenset[Counting | None] = frozenset({"shared", "by_size"})


class Lack(Struct, frozen=True, kw_only=True):
    """What a node with a fabric fails to offer, how that is known, and how sure and how bad it is."""

    key: str
    text: Text
    evidence: Mapping[str, Seen]
    severity: Severity
    confidence: Confidence


def lacks(found: Fabrics) -> Iterator[tuple[NodeFabric, Lack | tuple[Unread, ...]]]:
    """Each node whose fabric pods cannot ask for, or what could not be read to tell."""
    offering: dict[Kin, _Offering] = defaultdict(_Offering)
    for fabric in found.nodes:
        if (alike := kin_of(fabric)) is not None and fabric.has_status:
            offering[alike].add(fabric)
    for fabric in found.nodes:
        alike = kin_of(fabric)
        of_kin = offering[alike] if alike else _Offering()
        usable = {row.name for row in fabric.resources if row.usable}
        if usable:
            # Not by the bus alone: what it makes alike would be missed in silence where it could not be read.
            if (
                kin(fabric.accelerators)
                and not of_kin.names <= usable
                and (lack := _lack_of_one(usable, of_kin.without(fabric)))
            ):
                yield fabric, found.damaged or lack
        elif lacking := _lack(fabric, of_kin.without(fabric), found.damaged):
            yield fabric, lacking


@dataclass(frozen=True, slots=True)
class _Offering:
    """How many nodes that are alike offer a fabric or none, and how many offer each resource."""

    fabric: Counter[bool] = field(default_factory=Counter[bool])
    resources: Counter[Resource] = field(default_factory=Counter[Resource])
    names: set[str] = field(default_factory=set[str])

    def add(self, fabric: NodeFabric) -> None:
        self.fabric[fabric.is_offered] += 1
        for resource in _named(fabric):
            self.resources[resource] += 1
            self.names.add(resource.name)

    def without(self, fabric: NodeFabric) -> "_Offering":
        if not fabric.has_status:
            return self
        return _Offering(self.fabric - Counter([fabric.is_offered]), self.resources - Counter(_named(fabric)))


def _named(fabric: NodeFabric) -> list[Resource]:
    """The resources that pods can ask for, without their counts."""
    return [row.named for row in fabric.resources if row.usable]


def _lack_of_one(usable: Collection[str], others: _Offering) -> Lack | None:
    """A resource that the nodes alike offer beside others, as where each adapter has a shared one of its own."""
    total = others.fabric.total()
    for resource, holders in sorted(others.resources.items(), key=lambda item: item[0].name):
        if resource.name in usable or resource.by_name not in _MAY_BE_SHARED:
            continue
        if majority(Counter({1: holders, 0: total - holders})) == (1, holders):
            return _unlike_peers(resource.name, resource.name, holders, total)
    return None


def _lack(fabric: NodeFabric, others: _Offering, damaged: tuple[Unread, ...]) -> Lack | tuple[Unread, ...] | None:
    known = machine_type(fabric.node)
    if known and (known.is_sold_without_fabric or known.nic_resource == "none"):
        return None
    if not fabric.has_status or fabric.unnamed:
        return fabric.unnamed or None
    if fabric.resources:
        return _at_zero(fabric.resources, by_dra=bool(fabric.by_dra))
    if fabric.unread or fabric.by_dra or damaged:  # damaged: what most of the nodes alike offer is not known
        return fabric.unread or (None if fabric.by_dra else damaged)
    holders = others.fabric[True]
    if majority(Counter({1: holders, 0: others.fabric[False]})) == (1, holders):
        name = next((resource.name for resource, _ in others.resources.most_common(1)), "")
        return _unlike_peers("peers", name, holders, others.fabric.total())
    return _not_offered(fabric)


def _unlike_peers(key: str, name: str, holders: int, others: int) -> Lack:
    """`name` is the resource that the others offer, empty where they offer adapters through DRA."""
    what = Text(en=name or "adapters through DRA", ko=name or "DRA 어댑터")
    return Lack(
        key=key,
        text=Text(
            en=f"{holders} of {others} nodes of the same kind offer {what.en}, this one does not",
            ko=f"같은 종류의 노드 {others}대 중 {holders}대가 제공하는 리소스가 이 노드에는 없음: {what.ko}",
        ),
        evidence={"peers.offering": holders, f"status.allocatable[{name or 'fabric'}]": None},
        severity=Severity.HIGH,
        confidence=Confidence.LIKELY,
    )


def _at_zero(resources: Sequence[Resource], *, by_dra: bool) -> Lack:
    """A resource that no pod can get; where the adapters are offered through DRA as well, it is a left-over."""
    gone = max(resources, key=lambda row: row.offered)
    text = Text(en=f"{gone.name} is advertised as 0", ko=f"{gone.name} 값이 0으로 보고됨")
    if gone.offered:
        text = Text(
            en=f"none of {gone.offered} {gone.name} is allocatable",
            ko=f"{gone.name} {gone.offered}개 중 할당 가능한 것이 없음",
        )
    return Lack(
        key=gone.name,
        text=text,
        evidence={f"status.capacity.{gone.name}": gone.capacity, f"status.allocatable.{gone.name}": gone.allocatable},
        severity=Severity.LOW if by_dra else Severity.HIGH,
        confidence=Confidence.HINT if by_dra else Confidence.CERTAIN,
    )


def _not_offered(fabric: NodeFabric) -> Lack | tuple[Unread, ...] | None:
    """Adapters are there and no resource is; jobs may still open them on the host, so this is not certain."""
    expected, known = fabric.expected, machine_type(fabric.node)
    if expected is None and fabric.kind not in {"infiniband", "efa"}:
        return fabric.no_bus or None
    always = known is not None and known.nic_resource in {"devices", "shared"}
    basis = expected.basis if expected else Text(en=f"its fabric is {fabric.kind}", ko=f"패브릭 종류는 {fabric.kind}")
    return Lack(
        key="resource",
        text=Text(
            en=f"no resource offers its fabric adapters, {basis.en}",
            ko=f"패브릭 어댑터를 제공하는 리소스가 없음, {basis.ko}",
        ),
        evidence={"status.allocatable[fabric]": None, **({expected.path: expected.seen} if expected else {})},
        severity=Severity.MEDIUM if always else Severity.LOW,
        confidence=Confidence.LIKELY if always else Confidence.HINT,
    )
