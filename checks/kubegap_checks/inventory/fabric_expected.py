"""How many fabric adapters a node should have.

That is told by the first of these that speaks:

1. the instance type, looked up in the table;
2. a label of a health agent that knows the nominal count;
3. the nodes like it, as for accelerators;
4. the PCI bus, where the adapters are InfiniBand or EFA. It also holds adapters for storage, so it is a hint only.

A source that could not be read is not skipped: what comes after it might say something else.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.read import Unread
from kubegap_checks.inventory.devices import Expected, Kin, kin
from kubegap_checks.inventory.node_fabric import NodeFabric
from kubegap_checks.inventory.sources import machine_type, majority, number, once
from kubegap_checks.model import Confidence
from kubegap_checks.signals.fabrics import fabrics
from kubegap_checks.signals.instance_labels import told
from kubegap_checks.text import Text


def kin_of(fabric: NodeFabric) -> Kin | None:
    """What makes two nodes alike: as for accelerators, else the same product beside the same adapters on the bus."""
    devices = fabric.accelerators
    if alike := kin(devices):
        return alike
    return (devices.vendor, devices.product, fabric.kind, str(fabric.on_bus)) if fabric.on_bus else None


def adapters_of_kin(nodes: Iterable[NodeFabric]) -> Mapping[Kin, Counter[int]]:
    """How often each number of adapters is offered among nodes that are alike."""
    counts: dict[Kin, Counter[int]] = defaultdict(Counter)
    for fabric in nodes:
        alike = kin_of(fabric)
        if alike and fabric.devices is not None:
            counts[alike][fabric.devices] += 1
    return counts


def with_expected_adapters(
    fabric: NodeFabric,
    counts: Mapping[Kin, Counter[int]],
    incomplete: tuple[Unread, ...],
) -> NodeFabric:
    """The same fabric with how many adapters there should be, by the order that the module's docstring gives."""
    if fabric.kind == "none":
        return fabric
    if nominal := _nominal(fabric.node):
        return replace(fabric, expected=nominal)
    alike = kin_of(fabric)
    if alike and incomplete:
        return replace(fabric, unread=once(fabric.unread, incomplete))
    peers = _peers(fabric, counts[alike]) if alike and alike in counts else None
    if peers or fabric.on_bus is None or fabric.devices is None or fabric.kind == "roce":
        return replace(fabric, expected=peers)
    count = fabric.on_bus
    basis = Text(en=f"{count} are on the PCI bus", ko=f"PCI 버스에는 {count}개가 있음")
    path = "NodeFeature.spec.features.instances.pci.device"
    return replace(
        fabric, expected=Expected(count=count, basis=basis, path=path, seen=count, confidence=Confidence.HINT)
    )


def _nominal(node: Node) -> Expected | None:
    known = machine_type(node)
    if known and known.nic_count:
        label = told("instance_type", node.labels)
        return Expected(
            count=known.nic_count,
            basis=Text(
                en=f"instance type {known.name} has {known.nic_count}",
                ko=f"인스턴스 유형 {known.name}의 사양은 {known.nic_count}개",
            ),
            path=f"metadata.labels.{label[0] if label else ''}",
            seen=known.name,
            confidence=Confidence.CERTAIN,
        )
    for key in (row.label_expected for row in fabrics()):
        count = number(node.labels.get(key)) if key else None
        if key and count:
            return Expected(
                count=count,
                basis=Text(en=f"label {key} says {count}", ko=f"레이블 {key} 값은 {count}"),
                path=f"metadata.labels.{key}",
                seen=count,
                confidence=Confidence.LIKELY,
            )
    return None


def _peers(fabric: NodeFabric, counts: Counter[int]) -> Expected | None:
    others = counts - Counter([] if fabric.devices is None else [fabric.devices])
    agreed = majority(sorted(others.elements()))
    if agreed is None:
        return None
    count, holders = agreed
    total = others.total()
    return Expected(
        count=max(count, fabric.devices or 0),
        basis=Text(
            en=f"{holders} of {total} nodes of the same kind have {count}",
            ko=f"같은 종류의 노드 {total}대 중 {holders}대가 {count}개를 가짐",
        ),
        path="peers.status.allocatable",
        seen=count,
        confidence=Confidence.LIKELY,
    )
