"""What a health agent wrote on a GPU node must be confirmed as often as the agent is known to do."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from kubegap_checks.facts.nodes import Condition, Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import has_accelerators, offered
from kubegap_checks.inventory.node_state import last_seen_stale, settling
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.health_agents import HealthAgent, writer_of
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text, moment


def find(facts: Facts) -> Iterator[Finding | Unread]:
    found = offered(facts)
    nodes = {devices.node.name: devices.node for devices in found.devices}
    for node in nodes.values():
        if _reports(node, facts.read_at):
            for agent, written in _written(node):
                yield from _of_agent(node, agent, written, facts.read_at)
    yield from found.unread


def _reports(node: Node, now: datetime) -> bool:
    """Whether the node itself is in touch: what is silent on one that is not says nothing of the agent."""
    return node.ready and not last_seen_stale(node, now) and not settling(node, now)


def _written(node: Node) -> Iterable[tuple[HealthAgent, list[Condition]]]:
    """The conditions of each agent that confirms what it wrote."""
    written: dict[str, tuple[HealthAgent, list[Condition]]] = {}
    for condition in node.conditions:
        agent = writer_of(condition.type)
        if agent and agent.refreshes is not None:
            written.setdefault(agent.agent, (agent, []))[1].append(condition)
    return written.values()


def _of_agent(node: Node, agent: HealthAgent, written: list[Condition], now: datetime) -> Iterator[Finding]:
    limit = now - timedelta(minutes=threshold("agent_report_stale").value)
    stale = sorted((one.heartbeat, one.type) for one in written if one.heartbeat and one.heartbeat < limit)
    if stale:
        yield _silent(node, agent, stale, all_of=len(stale) == len(written))


def _silent(node: Node, agent: HealthAgent, stale: list[tuple[datetime, str]], *, all_of: bool) -> Finding:
    """Where others of the agent's conditions are fresh, the agent lives and has left these behind."""
    last, kind = stale[-1]
    names = ", ".join(sorted(name for _, name in stale)[:3])
    return Finding(
        subject=Subject("Node", node.name),
        key=agent.agent,
        says=Text(
            en=f"{agent.agent} confirms what it wrote every {agent.refreshes} minutes, and did so last at "
            f"{moment(last)} ({names})",
            ko=f"{agent.agent} 에이전트는 {agent.refreshes}분마다 컨디션을 갱신하는데 마지막 갱신이 "
            f"{moment(last)}임({names})",
        ),
        evidence={f"status.conditions[{kind}].lastHeartbeatTime": moment(last)},
        since=moment(last),
        severity=None if all_of else Severity.LOW,
        confidence=None if all_of else Confidence.HINT,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Health data of a GPU node is out of date", ko="갱신이 끊긴 GPU 노드 헬스 데이터"),
    why=Text(
        en="A condition stays as it was when its agent stops, so a node that says it is healthy may have been broken "
        "since, and nothing marks the report as old.",
        ko="에이전트가 멈춰도 컨디션은 마지막 값으로 남는다. 정상이라고 적힌 노드가 그 뒤에 고장 났을 수 있는데, "
        "오래된 보고라는 표시는 어디에도 없다.",
    ),
    fix=Text(
        en="Bring the health agent back on the node, or remove the conditions that an agent left behind when it was "
        "taken off.",
        ko="노드의 헬스 에이전트를 되살리고, 이미 제거한 에이전트가 남긴 컨디션이면 지운다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(Node, ResourceSlice),
    cites=(
        Cite(
            incident="2023-nvidia-dcgm-exporter-blind-spots",
            because=Text(
                en="the values of an exporter stood still while it seemed to run, so GPU alerts were wrong both ways; "
                "there it was metrics, here node conditions",
                ko="익스포터가 멀쩡해 보이는 채로 값이 멈춰, GPU 알림이 잘못 울리거나 울려야 할 때 울리지 않았음. "
                "노드 컨디션이 아니라 메트릭 사례",
            ),
        ),
        Cite(
            incident="2021-nvidia-gpu-unhealthy-forever",
            because=Text(
                en="a report of health outlived its cause until somebody restarted what had written it",
                ko="헬스 보고가 원인이 사라진 뒤에도, 보고를 남긴 프로세스를 재시작할 때까지 그대로 남았음",
            ),
        ),
    ),
    verify=(
        "kubectl get node NODE -o json | jq '.status.conditions[] | [.type, .lastHeartbeatTime]'",
        "kubectl get pods -A -o wide --field-selector spec.nodeName=NODE",
    ),
    looks_like=(
        Text(en="a node whose kubelet is silent as well", ko="kubelet도 보고를 멈춘 노드"),
        Text(
            en="an agent that writes only when something changes, or whose period no source gives",
            ko="변화가 있을 때만 기록하거나 갱신 주기를 알 수 없는 에이전트",
        ),
        Text(
            en="conditions left over beside others that the same agent keeps fresh, reported as a hint only",
            ko="같은 에이전트의 다른 컨디션은 갱신되는데 남아 있는 옛 컨디션, 참고로만 보고함",
        ),
    ),
    find=find,
    applies=has_accelerators,
)
