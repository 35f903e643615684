"""A device plugin must select the nodes that have its devices."""

from collections.abc import Iterator, Sequence

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.nodes import NicClusterPolicy, Node, NodeFeature, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import inventory
from kubegap_checks.inventory.fabric import node_fabrics
from kubegap_checks.inventory.placement import asked_labels, selects
from kubegap_checks.inventory.sources import examples
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.device_agents import DeviceAgent, device_agents
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    for row in device_agents():
        agents = _agents(facts, row)
        if not agents or any(one.desired for one in agents):
            continue
        without, unread = _without(facts, row)
        yield from unread
        for one in agents:
            if without and not any(selects(one.template, node) for node in facts.known(Node)):
                yield _finding(one, row, without)


def _agents(facts: Facts, row: DeviceAgent) -> Sequence[DaemonSet]:
    return [one for one in facts.known(DaemonSet) if any(map(row.image.fullmatch, one.repositories))]


def _without(facts: Facts, row: DeviceAgent) -> tuple[list[Node], tuple[Unread, ...]]:
    """The nodes that have such devices and offer none, and what could not be read and might have told one."""
    if row.fabric:
        fabrics = node_fabrics(facts)
        nodes = [one.node for one in fabrics.nodes if one.kind == row.fabric and one.has_status and not one.is_offered]
        return nodes, fabrics.unread
    found = inventory(facts)
    return [one.node for one in found.devices if one.vendor == row.vendor and one.capacity == 0], found.unread


def _finding(agents: DaemonSet, row: DeviceAgent, without: list[Node]) -> Finding:
    labels = ", ".join(asked_labels(agents.template))
    nodes = examples(node.name for node in without)
    return Finding(
        subject=Subject(agents.kind, agents.name, agents.namespace),
        says=Text(
            en=f"no node matches the selector of the {row.product} ({labels}), while {nodes.en} with its devices "
            f"offer none",
            ko=f"{row.product}의 선택 조건({labels})에 맞는 노드가 없고, 해당 디바이스가 있는 {nodes.ko}에서는 "
            f"아무것도 제공되지 않음",
        ),
        evidence={"status.desiredNumberScheduled": 0, "spec.template.spec node labels": labels},
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A device plugin selects no node", ko="맞는 노드가 하나도 없는 디바이스 플러그인"),
    why=Text(
        en="Nothing fails: the DaemonSet counts as complete with no pod, and the devices stay invisible to the "
        "scheduler.",
        ko="파드가 없어도 DaemonSet은 정상으로 보이므로 오류가 드러나지 않고, 디바이스는 스케줄러에 보이지 않는다.",
    ),
    fix=Text(
        en="Make the selector and the labels agree: run what writes the labels, or correct the node selector or "
        "affinity.",
        ko="레이블을 쓰는 컴포넌트를 실행하거나 nodeSelector와 affinity를 고쳐 선택 조건과 레이블을 맞춘다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.CERTAIN,
    reads=(Node, NodeFeature, ResourceSlice, NicClusterPolicy, DaemonSet),
    cites=(
        Cite(
            incident="2023-nvidia-nfd-oom-label-loss",
            because=Text(
                en="when the labels that place the GPU stack were lost or written in another form, drivers and "
                "device plugins left live nodes",
                ko="GPU 스택을 배치할 노드를 정하는 레이블이 사라지거나 형식이 바뀌자 운영 중인 노드에서 드라이버와 "
                "디바이스 플러그인이 내려갔음",
            ),
        ),
        Cite(
            incident="2023-reddit-pi-day-outage",
            because=Text(
                en="an upgrade removed the node label that chose route reflectors, so that the selector found nothing "
                "(of network routes, not of devices)",
                ko="업그레이드로 라우트 리플렉터를 고르던 노드 레이블이 사라져 선택 조건에 맞는 노드가 "
                "없어졌음(디바이스가 아니라 네트워크 경로)",
            ),
        ),
    ),
    verify=("kubectl get daemonsets -A -o wide", "kubectl get nodes --show-labels"),
    looks_like=(
        Text(en="a plugin of several variants, one of which runs", ko="여러 변형 중 하나가 실행 중인 플러그인"),
        Text(
            en="devices that something else offers, or a cluster that has none",
            ko="다른 것이 제공하는 디바이스, 또는 그런 디바이스가 없는 클러스터",
        ),
        Text(
            en="nodes that match and keep the plugin out by a taint",
            ko="조건은 맞지만 테인트로 플러그인을 막는 노드",
        ),
    ),
    find=find,
    applies=lambda facts: any(_agents(facts, row) for row in device_agents()),
)
