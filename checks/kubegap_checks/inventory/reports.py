"""What agents report about a node in conditions, labels, annotations and taints: how bad, how sure, since when."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache

from msgspec import Struct

from kubegap_checks.facts.derived import derived, row_derived
from kubegap_checks.facts.nodes import ComputeDomain, Condition, DeviceTaint, Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread, UnreadError
from kubegap_checks.inventory.sources import pools
from kubegap_checks.model import Confidence, Finding, Seen, Severity, Subject
from kubegap_checks.signals.conditions import ConditionSignal, FalsePositive, Guard, Topic, fault_in
from kubegap_checks.signals.labels import LabelSignal, Mark, device_mark, labels, marks
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.signals.xids import XidAction, XidClass, xid_class
from kubegap_checks.text import Text, moment

_ACTIONS: Mapping[XidAction, Text] = {
    "leave_service": Text(
        en="the GPU must leave service until it is reset or repaired",
        ko="GPU를 리셋하거나 수리할 때까지 서비스에서 빼야 함",
    ),
    "restart_app": Text(en="the job ends, the GPU is fine", ko="작업은 종료되지만 GPU는 정상"),
    "informational": Text(en="informational", ko="참고용"),
    "undecided": Text(en="NVIDIA's catalogue gives no action", ko="NVIDIA 카탈로그에 조치가 없음"),
}
_WORST: Mapping[XidAction, Severity] = {
    "leave_service": Severity.CRITICAL,
    "undecided": Severity.HIGH,
    "restart_app": Severity.MEDIUM,
    "informational": Severity.LOW,
}

# The taint that the control plane sets on a cordoned node: https://kubernetes.io/docs/reference/labels-annotations-taints/
CORDON = "node.kubernetes.io/unschedulable"


class Report(Struct, frozen=True, kw_only=True):
    """One fault that an agent reports on one node.

    `key` is the condition type or the key of the mark; `under_way` says that an operator is changing the node and
    will put it back itself.
    """

    node: Node
    agent: str
    key: str
    says: Text
    evidence: Mapping[str, Seen]
    since: str | None
    severity: Severity
    confidence: Confidence
    device: str = ""
    under_way: bool = False

    def finding(self) -> Finding:
        return Finding(
            subject=Subject("Node", self.node.name),
            key=self.key,
            says=self.says,
            evidence=self.evidence,
            since=self.since,
            severity=self.severity,
            confidence=self.confidence,
        )


class Agents:
    """All that agents report in one reading of a cluster."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def reports(self, node: Node, topic: Topic) -> Iterator[Report | Unread]:
        """Each fault of this topic that holds as far as can be told; an Unread where that cannot be told."""
        if topic in _topics_on(node):
            for condition, signal in _faults(node):
                if signal.topic == topic and not signal.is_stale(condition, node.boot_id):
                    yield from self._of_condition(node, condition, signal)
            for mark in marks(node):
                if mark.signal.topic == topic:
                    yield report_of(node, mark)
        if topic in _topics_of_devices():
            yield from self._of_devices(node, topic)

    def findings(self, node: Node, topic: Topic) -> Iterator[Finding | Unread]:
        """The same as findings; that an operator is changing the node is none."""
        for report in self.reports(node, topic):
            if isinstance(report, Unread):
                yield report
            elif not report.under_way:
                yield report.finding()

    def _of_condition(self, node: Node, condition: Condition, signal: ConditionSignal) -> Iterator[Report | Unread]:
        if signal.stale_when and condition.message and not node.boot_id:
            yield _unknown_boot(node)
            return
        try:
            known = next((known for known in signal.look_alikes(condition) if not self._disproved(known, node)), None)
        except UnreadError as error:
            yield from error.unread
            return
        yield _of_condition(node, condition, signal, known, _stopped_confirming(condition, self._facts.read_at))

    def _disproved(self, known: FalsePositive, node: Node) -> bool:
        """Whether something in the cluster shows that this is not the false positive that it looks like."""
        return any(self._holds(guard, node) for guard in known.unless)

    def _holds(self, guard: Guard, node: Node) -> bool:
        match guard:
            case "compute_domain_on_node":
                return node.name in _in_compute_domains(self._facts)

    def _of_devices(self, node: Node, topic: Topic) -> Iterator[Report | Unread]:
        try:
            taints = _device_taints(self._facts).get(node.name, ())
        except UnreadError as error:
            yield from error.unread
            return
        for device, taint in taints:
            signal = device_mark(taint)
            if signal and signal.topic == topic:
                yield _of_device_taint(node, device, taint, signal)


@row_derived
def _faults(node: Node) -> tuple[tuple[Condition, ConditionSignal], ...]:
    """The conditions that say that something is wrong, each with the row that explains it."""
    return tuple((condition, signal) for condition in node.conditions if (signal := fault_in(condition)))


@row_derived
def _topics_on(node: Node) -> frozenset[Topic]:
    """Of what conditions and marks speak; of nothing on most nodes, which then are not looked at for each topic."""
    return frozenset((*(signal.topic for _, signal in _faults(node)), *(mark.signal.topic for mark in marks(node))))


@cache
def _topics_of_devices() -> frozenset[Topic]:
    return frozenset(row.topic for row in labels() if row.where == "device_taint")


@derived
def _in_compute_domains(facts: Facts) -> frozenset[str]:
    return frozenset(node for domain in facts.known(ComputeDomain) for node in domain.nodes)


@derived
def _device_taints(facts: Facts) -> Mapping[str, Sequence[tuple[str, DeviceTaint]]]:
    taints: dict[str, list[tuple[str, DeviceTaint]]] = defaultdict(list)
    for (node, _, _), pieces in pools(facts.known(ResourceSlice)).items():
        for device in (device for piece in pieces for device in piece.devices):
            taints[node] += [(device.name, taint) for taint in device.taints]
    return taints


def faults(facts: Facts, topic: Topic) -> Iterator[Finding | Unread]:
    """Every fault of the topic that an agent reports of any node, and what is in doubt."""
    agents = Agents(facts)
    for node in facts.known(Node):
        yield from agents.findings(node, topic)


def speaks_of(nodes: Iterable[Node], topic: Topic) -> bool:
    """Whether an agent reports anything of this topic, true or not."""
    return any(topic in _topics_on(node) for node in nodes)


def cordoned_since(node: Node) -> datetime | None:
    """When the node was cordoned; None where it is not, or where nothing says when."""
    return next((taint.added for taint in node.taints if taint.key == CORDON), None)


def _unknown_boot(node: Node) -> Unread:
    return Unread(
        what=Text(en=f"status.nodeInfo.bootID of node {node.name}", ko=f"노드 {node.name}의 status.nodeInfo.bootID"),
        reason="invalid",
        remedy=Text(
            en="read the whole node object, so that a report of an earlier boot can be told from one that holds",
            ko="이전 부팅의 보고인지 구분할 수 있도록 노드 객체 전체를 읽기",
        ),
    )


def _of_condition(
    node: Node, condition: Condition, signal: ConditionSignal, known: FalsePositive | None, silent_since: str | None
) -> Report:
    severity, confidence, details = _judged(signal, condition, known)
    if silent_since:
        details.append(Text(en=f"not confirmed since {silent_since}", ko=f"{silent_since} 이후 갱신되지 않음"))
        confidence = Confidence.HINT
    path = f"status.conditions[{condition.type}]"
    return Report(
        node=node,
        agent=signal.agent,
        key=condition.type,
        says=_sentence(signal, condition.type, details),
        evidence={
            f"{path}.status": condition.status,
            f"{path}.reason": condition.reason,
            f"{path}.message": condition.message,
            f"{path}.lastHeartbeatTime": moment(condition.heartbeat),
        },
        since=moment(condition.since),
        severity=severity,
        confidence=confidence,
    )


def _judged(
    signal: ConditionSignal, condition: Condition, known: FalsePositive | None
) -> tuple[Severity, Confidence, list[Text]]:
    """How bad and how sure this report is, and what a reader must know beside its title."""
    if known:
        severity = known.severity or Severity.LOW
        details = [Text(en=f"known false positive: {known.text.en}", ko=f"알려진 오탐: {known.text.ko}")]
        return severity, known.confidence, [*details, *([signal.clears] if signal.clears else [])]
    worst, details = _of_xids(signal.xids(condition))
    severity = min(signal.severity, worst, key=lambda severity: severity.rank)
    return severity, signal.confidence, [*details, *([signal.clears] if signal.clears else [])]


def _of_xids(numbers: Iterable[int]) -> tuple[Severity, list[Text]]:
    """The worst severity that these Xids allow, and what each of them means."""
    classes = [(number, xid_class(number)) for number in numbers]
    details = [said_of_xid(number, row) for number, row in classes]
    severities = [_WORST[row.action] for _, row in classes]
    return max(severities, key=lambda severity: severity.rank, default=Severity.CRITICAL), details


def said_of_xid(number: int, row: XidClass) -> Text:
    """What a Xid asks for, and its note."""
    action = _ACTIONS[row.action]
    if row.note is None:
        return Text(en=f"Xid {number}: {action.en}", ko=f"Xid {number}: {action.ko}")
    return Text(en=f"Xid {number}: {action.en} ({row.note.en})", ko=f"Xid {number}: {action.ko} ({row.note.ko})")


def _stopped_confirming(condition: Condition, now: datetime) -> str | None:
    """When an agent that used to confirm its report last did so; None while it does, or where it never does."""
    since, heartbeat = condition.since, condition.heartbeat
    if since is None or heartbeat is None or heartbeat <= since:
        return None
    limit = timedelta(minutes=threshold("agent_report_stale").value)
    return moment(heartbeat) if now - heartbeat > limit else None


def report_of(node: Node, mark: Mark) -> Report:
    """What a mark says as a report."""
    signal = mark.signal
    name = f"{'GPU' if signal.device_group == 'gpu' else signal.device_group} {mark.device}"
    added = (
        next((taint.added for taint in node.taints if taint.key == mark.key), None) if signal.where == "taint" else None
    )
    return Report(
        node=node,
        agent=signal.agent,
        key=mark.key,
        says=_sentence(signal, mark.key, [Text(en=name, ko=name)] if mark.device else []),
        evidence={f"{_PLACES[signal.where]}.{mark.key}": mark.value} | _other_side(node, signal),
        since=moment(added),
        severity=signal.severity,
        confidence=signal.confidence,
        device=mark.device,
        under_way=signal.under_way,
    )


def _of_device_taint(node: Node, device: str, taint: DeviceTaint, signal: LabelSignal) -> Report:
    worst, details = _of_xids([int(taint.value)] if signal.value_is_xid and taint.value.isdecimal() else [])
    path = f"ResourceSlice.spec.devices[{device}].taints[{taint.key}]"
    return Report(
        node=node,
        agent=signal.agent,
        key=f"{device}/{taint.key}",
        says=_sentence(signal, taint.key, [Text(en=device, ko=device), *details]),
        evidence={f"{path}.value": taint.value, f"{path}.effect": taint.effect},
        since=moment(taint.added),
        severity=min(signal.severity, worst, key=lambda severity: severity.rank),
        confidence=signal.confidence,
        device=device,
    )


_PLACES = {"label": "metadata.labels", "annotation": "metadata.annotations", "taint": "spec.taints"}


def _other_side(node: Node, signal: LabelSignal) -> dict[str, Seen]:
    """The value that a mark should equal, where that is what makes it bad."""
    key = signal.differs_from
    return {f"{_PLACES[signal.where]}.{key}": node.labels.get(key)} if key and signal.where == "label" else {}


def _sentence(signal: ConditionSignal | LabelSignal, key: str, details: Iterable[Text]) -> Text:
    parts = [signal.title, *details]
    return Text(
        en=f"{signal.agent} reports {key}: {'; '.join(part.en for part in parts)}",
        ko=f"{signal.agent}의 {key} 보고: {'; '.join(part.ko for part in parts)}",
    )
