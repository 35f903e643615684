"""An operator of the GPU stack must finish what it begins on a node, and never stay failed or not ready."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.operators import ClusterPolicy, NVIDIADriver
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.node_state import settling
from kubegap_checks.inventory.reports import cordoned_since, report_of
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.labels import Mark, marks
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text, moment


def find(facts: Facts) -> Iterator[Finding | Unread]:
    nodes = facts.known(Node)
    # A node that makes no sense may be the one that is being changed.
    unsure = bool(facts.unread(Node))
    at_work = unsure or any(mark.signal.under_way for node in nodes for mark in _states(node))
    for node in nodes:
        if not settling(node, facts.read_at):
            yield from _of_node(node, facts.read_at, at_work=at_work)
    # While a node fails or is being changed, the operator is not ready for that reason.
    if not unsure and not any(map(_states, nodes)):
        policies: tuple[ClusterPolicy | NVIDIADriver, ...] = (*facts.known(ClusterPolicy), *facts.known(NVIDIADriver))
        for policy in policies:
            yield from _not_ready(policy, facts.read_at)


def _states(node: Node) -> list[Mark]:
    return [mark for mark in marks(node) if mark.signal.topic == "operator"]


def _of_node(node: Node, now: datetime, *, at_work: bool) -> Iterator[Finding]:
    states = _states(node)
    first = next((mark for mark in states if mark.signal.under_way), None)
    for mark in states:
        finding = report_of(node, mark).finding()
        if mark.signal.may_last:
            yield from () if at_work else _stuck(finding, None, now)
        elif not mark.signal.under_way:
            yield finding
        elif mark is first:
            yield from _stuck(finding, _begun(node, mark), now)


def _begun(node: Node, step: Mark) -> datetime | None:
    earlier = step.signal.cordons_unless
    return cordoned_since(node) if earlier and earlier not in node.annotations else None


def _stuck(finding: Finding, since: datetime | None, now: datetime) -> Iterator[Finding]:
    """The finding where it has lasted too long; only a hint where nothing tells for how long."""
    if since is None:
        yield replace(finding, severity=Severity.LOW, confidence=Confidence.HINT)
    elif now - since > timedelta(minutes=threshold("operator_step_stuck").value):
        yield replace(finding, since=moment(since), severity=Severity.MEDIUM, confidence=Confidence.LIKELY)


def _not_ready(policy: ClusterPolicy | NVIDIADriver, now: datetime) -> Iterator[Finding]:
    if policy.state != "notReady":
        return
    states = {condition.type: condition for condition in policy.conditions}
    ready, error = states.get("Ready"), states.get("Error")
    finding = Finding(
        subject=Subject(policy.KIND.name, policy.name),
        says=Text(
            en="the operator says that not everything it should install is in place",
            ko="오퍼레이터가 설치할 구성 요소가 모두 준비되지 않았다고 보고함",
        ),
        evidence={"status.state": policy.state, "status.conditions[Error].message": error.message if error else None},
    )
    yield from _stuck(finding, ready.since if ready else None, now)


def _applies(facts: Facts) -> bool:
    return any(map(_states, facts.known(Node))) or bool(facts.known(ClusterPolicy) or facts.known(NVIDIADriver))


CHECK = Check(
    module=__name__,
    title=Text(en="An operator of the GPU stack is stuck or has failed", ko="멈췄거나 실패한 GPU 스택 오퍼레이터"),
    why=Text(
        en="A node whose driver upgrade or MIG change failed looks fine, offers no usable GPU, and is not tried again.",
        ko="드라이버 업그레이드나 MIG 변경이 실패하면 노드는 멀쩡해 보여도 GPU를 쓸 수 없고 재시도도 없다.",
    ),
    fix=Text(
        en="Read the log of the operator's pod on the node, free the GPU or driver, and set the state label back.",
        ko="노드의 오퍼레이터 파드 로그를 확인해 GPU나 드라이버를 쓰는 프로세스를 정리하고 상태 레이블을 되돌린다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.CERTAIN,
    reads=(Node, ClusterPolicy, NVIDIADriver),
    cites=(
        Cite(
            incident="2026-nvidia-mig-manager-wedge",
            because=Text(
                en="an aborted MIG change left the node's state label at pending and its operands paused, with four "
                "sound GPUs out of use and no error to see",
                ko="중단된 MIG 변경으로 상태 레이블이 pending에 머물고 구성 요소가 멈춘 채, 오류도 없이 멀쩡한 GPU "
                "4개를 쓸 수 없었음",
            ),
        ),
    ),
    verify=(
        "kubectl get nodes -L nvidia.com/mig.config.state,nvidia.com/gpu-driver-upgrade-state",
        "kubectl get clusterpolicies.nvidia.com,nvidiadrivers.nvidia.com -o wide",
    ),
    looks_like=(
        Text(en="a driver upgrade or MIG change that has just begun", ko="막 시작한 드라이버 업그레이드나 MIG 변경"),
        Text(en="an upgrade that waits for jobs to end, as it was told", ko="설정대로 작업 종료를 기다리는 업그레이드"),
        Text(en="a node that waits while another one is upgraded", ko="다른 노드의 업그레이드 순서를 기다리는 노드"),
    ),
    find=find,
    applies=_applies,
)
