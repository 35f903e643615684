"""Whether long training may start on a node, and everything that a list of accelerator nodes shows of one."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Literal

from msgspec import Struct

from kubegap_checks.facts.derived import derived
from kubegap_checks.facts.nodes import ComputeDomain, NicClusterPolicy, Node, NodeFeature, ResourceSlice
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Record, Unread
from kubegap_checks.inventory.accelerators import inventory
from kubegap_checks.inventory.devices import Devices
from kubegap_checks.inventory.fabric import node_fabrics
from kubegap_checks.inventory.fabric_lacks import Lack, lacks
from kubegap_checks.inventory.node_fabric import NodeFabric, ShownKind
from kubegap_checks.inventory.node_state import last_seen_stale, not_ready_text, settling, zone_of
from kubegap_checks.inventory.reports import Agents, Report
from kubegap_checks.inventory.sources import read_or_unread
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.signals.conditions import Topic
from kubegap_checks.signals.instance_labels import told
from kubegap_checks.text import Text, moment

READS: tuple[type[Record], ...] = (Node, NodeFeature, ResourceSlice, ComputeDomain, NicClusterPolicy, Pod)

_TOPICS: tuple[Topic, ...] = ("gpu_health", "ib_health", "node", "operator")


class Readiness(Struct, frozen=True, kw_only=True):
    """`reasons` says what speaks against the node, or what cannot be known; a ready node has none."""

    verdict: Literal["ready", "not_ready", "unknown"]
    reasons: tuple[Text, ...] = ()


class Gpus(Struct, frozen=True, kw_only=True):
    """Counts of physical devices; None is not known."""

    expected: int | None
    capacity: int | None
    allocatable: int | None
    requested: int | None


class FabricSummary(Struct, frozen=True, kw_only=True):
    kind: ShownKind
    devices: int | None
    expected: int | None


class GpuNode(Struct, frozen=True, kw_only=True):
    """One node with accelerators, of whatever vendor."""

    name: str
    verdict: Literal["ready", "not_ready", "unknown"]
    reasons: tuple[Text, ...]
    product: str | None
    instance_type: str | None
    gpus: Gpus
    driver: str | None
    fabric: FabricSummary
    zone: str | None
    topology: str | None


@derived
def gpu_nodes(facts: Facts) -> tuple[GpuNode, ...]:
    """All nodes that are known to have accelerators; UnreadError where nodes themselves could not be read.

    Without another kind the fields that rest on it are None, and the verdict of a node that needs it is unknown.
    """
    found = inventory(facts)
    agents = Agents(facts)
    pods, no_pods = read_or_unread(facts, Pod)
    on_node: dict[str, list[Pod]] = defaultdict(list)
    for pod in pods:
        on_node[pod.node].append(pod)
    devices: dict[str, list[Devices]] = defaultdict(list)
    for one in found.devices:
        devices[one.node.name].append(one)
    fabrics = node_fabrics(facts)
    lacking = {fabric.node.name: lack for fabric, lack in lacks(fabrics)}
    return tuple(
        _shown(
            fabric,
            lacking.get(fabric.node.name),
            devices[fabric.node.name],
            [report for topic in _TOPICS for report in agents.reports(fabric.node, topic)],
            None if no_pods else on_node[fabric.node.name],
            facts.read_at,
        )
        for fabric in fabrics.nodes
    )


def readiness(
    devices: Sequence[Devices],
    fabric: NodeFabric,
    lack: Lack | tuple[Unread, ...] | None,
    reported: Iterable[Report | Unread],
    now: datetime,
) -> Readiness:
    """Ready and reporting, in service, every device and the fabric offered and usable, and no agent reports a fault.

    A busy node is ready, and so is one that no agent watches. Reports of low severity do not count, and a known
    false positive only leaves the question open. A fabric that jobs may still open on the host is no hindrance.
    """
    against = [*_out_of_service(fabric.node)]
    open_questions = [*_not_believed(fabric.node, now)]
    for one in devices:
        against += _devices_against(one)
        open_questions += _devices_unknown(one)
    against += _fabric_against(fabric, lack)
    open_questions += _fabric_unknown(fabric, lack)
    for report in reported:
        if isinstance(report, Unread):
            open_questions.append(_could_not_read(report))
        elif report.confidence is Confidence.HINT:
            open_questions.append(report.says)
        elif report.under_way or report.severity is not Severity.LOW:
            against.append(report.says)
    if against and not fabric.node.deleting and settling(fabric.node, now):
        against.append(Text(en="the node has just joined", ko="노드가 막 합류함"))
    if against:
        return Readiness(verdict="not_ready", reasons=_distinct(against))
    if open_questions:
        return Readiness(verdict="unknown", reasons=_distinct(open_questions))
    return Readiness(verdict="ready")


def _out_of_service(node: Node) -> Iterator[Text]:
    if (condition := node.condition("Ready")) and (text := not_ready_text(condition)):
        yield text
    if node.deleting:
        yield Text(en="the node is being deleted", ko="노드를 삭제하는 중임")
    if node.unschedulable:
        yield Text(en="the node is cordoned", ko="노드가 cordon됨")


def _not_believed(node: Node, now: datetime) -> Iterator[Text]:
    if node.condition("Ready") is None:
        yield Text(en="its status carries no Ready condition", ko="status에 Ready 컨디션이 없음")
    if heartbeat := last_seen_stale(node, now):
        yield Text(
            en=f"it last reported being ready at {moment(heartbeat)}",
            ko=f"마지막으로 Ready를 보고한 시각이 {moment(heartbeat)}",
        )


def _devices_against(devices: Devices) -> Iterator[Text]:
    name, expected = devices.signal.name, devices.expected
    if devices.capacity == 0:
        yield devices.idle or Text(en=f"no {name} is offered", ko=f"제공되는 {name} 없음")
    elif devices.short and expected and devices.present:
        count, _ = devices.present
        yield Text(
            en=f"{count} of {expected.count} {name}s are there, {expected.basis.en}",
            ko=f"{name} {expected.count}개 중 {count}개만 있음, {expected.basis.ko}",
        )
    whole = {f"{name}s": (devices.capacity, devices.allocatable)}
    for what, (capacity, allocatable) in (devices.units if devices.sliced else whole).items():
        if capacity and allocatable is not None and allocatable < capacity:
            yield Text(
                en=f"{allocatable} of {capacity} {what} are allocatable",
                ko=f"{what if devices.sliced else name} {capacity}개 중 {allocatable}개만 할당 가능",
            )


def _devices_unknown(devices: Devices) -> Iterator[Text]:
    for unread in devices.unread:
        yield _could_not_read(unread)
    if reason := devices.uncounted:
        yield Text(
            en=f"its physical {devices.signal.name}s cannot be counted: {reason.en}",
            ko=f"물리 {devices.signal.name} 수를 셀 수 없음: {reason.ko}",
        )
    elif not devices.unread and devices.expected is None:
        yield Text(
            en="nothing tells how many devices it should have: no known instance type, label, PCI list or peers",
            ko="있어야 할 디바이스 수를 알 수 없음: 알려진 인스턴스 유형, 레이블, PCI 목록, 같은 종류의 노드가 없음",
        )
    if devices.capacity is not None and devices.allocatable is None:
        yield Text(en="its status carries no allocatable count", ko="status에 allocatable 개수가 없음")


def _fabric_against(fabric: NodeFabric, lack: Lack | tuple[Unread, ...] | None) -> Iterator[Text]:
    expected, seen = fabric.expected, fabric.seen
    if isinstance(lack, Lack) and lack.confidence is not Confidence.HINT:
        yield lack.text
    if expected and seen and expected.confidence is not Confidence.HINT and seen[0] < expected.count:
        yield Text(
            en=f"{seen[0]} of {expected.count} fabric adapters are there, {expected.basis.en}",
            ko=f"패브릭 어댑터 {expected.count}개 중 {seen[0]}개만 있음, {expected.basis.ko}",
        )


def _fabric_unknown(fabric: NodeFabric, lack: Lack | tuple[Unread, ...] | None) -> Iterator[Text]:
    for unread in lack if isinstance(lack, tuple) else ():
        yield _could_not_read(unread)
    if fabric.expected is None or fabric.seen is None:
        for unread in fabric.unread:
            yield _could_not_read(unread)
    if fabric.expected and fabric.seen is None:
        for unread in fabric.no_bus:
            yield _could_not_read(unread)


def _could_not_read(unread: Unread) -> Text:
    return Text(en=f"{unread.what.en} could not be read", ko=f"읽지 못함: {unread.what.ko}")


def _shown(
    fabric: NodeFabric,
    lack: Lack | tuple[Unread, ...] | None,
    devices: Sequence[Devices],
    reported: Sequence[Report | Unread],
    pods: Sequence[Pod] | None,
    now: datetime,
) -> GpuNode:
    node = fabric.node
    ready = readiness(devices, fabric, lack, reported, now)
    return GpuNode(
        name=node.name,
        verdict=ready.verdict,
        reasons=ready.reasons,
        product=" + ".join(dict.fromkeys(one.product for one in devices if one.product)) or None,
        instance_type=_value(told("instance_type", node.labels)),
        gpus=Gpus(
            expected=_sum(one.expected.count if one.expected else None for one in devices),
            capacity=_sum(one.capacity for one in devices),
            allocatable=_sum(one.allocatable for one in devices),
            requested=None if pods is None else _sum(_requested(one, pods) for one in devices),
        ),
        driver=" + ".join(dict.fromkeys(one.driver for one in devices if one.driver)) or None,
        fabric=FabricSummary(
            kind=fabric.kind,
            devices=fabric.devices,
            expected=fabric.expected.count if fabric.expected else None,
        ),
        zone=zone_of(node),
        topology=_value(told("topology", node.labels)),
    )


def _requested(devices: Devices, pods: Sequence[Pod]) -> int | None:
    """The devices that pods on the node hold; None where they hold shares, slices or claims."""
    if devices.by_dra:
        return None if any(pod.device_claims for pod in pods) else 0
    if devices.sliced or devices.shares > 1 or devices.capacity is None:
        return None
    return sum(_whole_of(devices, pod.resources) for pod in pods)


def _whole_of(devices: Devices, resources: Mapping[str, int]) -> int:
    return max((count for name, count in resources.items() if devices.signal.whole.fullmatch(name)), default=0)


def _sum(counts: Iterable[int | None]) -> int | None:
    known = list(counts)
    return None if None in known else sum(count for count in known if count is not None)


def _value(label: tuple[str, str] | None) -> str | None:
    return label[1] if label else None


def _distinct(texts: Iterable[Text]) -> tuple[Text, ...]:
    return tuple(dict.fromkeys(texts))
