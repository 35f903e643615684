"""Nodes must carry the labels by which a topology-aware scheduler places runs."""

from collections.abc import Iterator, Sequence

from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.queues import ResourceFlavor
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.facts.topologies import Topology
from kubegap_checks.inventory.accelerators import offered
from kubegap_checks.inventory.node_state import settling
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    found = offered(facts)
    nodes = {one.node.name: one.node for one in found.devices if not settling(one.node, facts.read_at)}
    topologies = {topology.name: topology for topology in facts.known(Topology)}
    for flavor in facts.known(ResourceFlavor):
        topology = topologies.get(flavor.topology)
        meant = [node for node in nodes.values() if flavor.node_labels.items() <= node.labels.items()]
        if topology and meant:
            yield from _lacking(flavor, topology, meant, sure=not (found.unread or facts.unread(Node)))
    yield from found.unread


def _lacking(flavor: ResourceFlavor, topology: Topology, nodes: Sequence[Node], *, sure: bool) -> Iterator[Finding]:
    """Each node that the scheduler leaves out, or, where it leaves out all of them, the flavor."""
    out = {
        node.name: missing for node in nodes if (missing := [key for key in topology.levels if key not in node.labels])
    }
    if len(out) < len(nodes):
        yield from (_left_out(name, topology, missing) for name, missing in out.items())
    elif sure:
        yield _none_left(flavor, topology, len(nodes), next(iter(out.values())))


def _left_out(name: str, topology: Topology, missing: Sequence[str]) -> Finding:
    keys = ", ".join(missing)
    return Finding(
        subject=Subject("Node", name),
        key=topology.name,
        says=Text(
            en=f"it lacks {keys}, so no run that is placed by topology {topology.name} comes here",
            ko=f"{keys} 레이블이 없어 {topology.name} 토폴로지로 배치하는 작업이 이 노드에 오지 않음",
        ),
        evidence={f"metadata.labels.{key}": None for key in missing},
    )


def _none_left(flavor: ResourceFlavor, topology: Topology, count: int, missing: Sequence[str]) -> Finding:
    keys = ", ".join(missing)
    return Finding(
        subject=Subject("ResourceFlavor", flavor.name),
        says=Text(
            en=f"none of its {count} nodes has {keys}, which topology {topology.name} asks for: its jobs wait for ever",
            ko=f"노드 {count}대 모두 {topology.name} 토폴로지가 요구하는 {keys} 레이블이 없어 작업이 계속 대기함",
        ),
        evidence={"spec.topologyName": topology.name, f"Topology[{topology.name}].spec.levels": keys},
        severity=Severity.HIGH,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Nodes lack the labels that runs are placed by", ko="작업 배치에 쓰는 토폴로지 레이블이 없는 노드"),
    why=Text(
        en="A topology-aware scheduler sees only nodes that carry the label of every level: others stay empty, or its "
        "jobs wait while all GPUs are free.",
        ko="토폴로지 인식 스케줄러는 모든 단계의 레이블이 있는 노드만 본다. 나머지 노드는 비어 있거나, GPU가 남아도 "
        "작업이 계속 대기한다.",
    ),
    fix=Text(
        en="Run the agent that labels nodes with their place in the network, or take the level that it does not know "
        "out of the topology.",
        ko="네트워크 위치를 노드 레이블로 다는 에이전트를 실행하거나, 레이블이 없는 단계를 토폴로지에서 뺀다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(Node, ResourceSlice, ResourceFlavor, Topology),
    cites=(
        Cite(
            incident="2026-pytorch-numa-fragmentation",
            because=Text(
                en="jobs did not run while GPUs were free, since the scheduler did not know the topology that the "
                "kubelet goes by: sockets in a node there, no missing label",
                ko="스케줄러가 kubelet이 따지는 토폴로지를 몰라 GPU가 남는데도 작업이 돌지 못했음. 레이블 누락이 "
                "아니라 노드 안 소켓 문제였음",
            ),
        ),
        Cite(
            incident="2024-ai2-olmo2-cluster-burn-in",
            because=Text(
                en="what placement by topology is for: an order of nodes that did not suit the network made "
                "collectives slow; no label was missing there",
                ko="토폴로지에 맞춰 배치해야 하는 이유: 네트워크와 맞지 않는 노드 순서 때문에 집합 통신이 느렸음. "
                "레이블 누락 사례는 아님",
            ),
        ),
    ),
    verify=(
        "kubectl get topologies.kueue.x-k8s.io -o jsonpath='{.items[*].spec.levels}'",
        "kubectl get nodes --show-labels",
    ),
    looks_like=(
        Text(en="a topology that no flavor names", ko="어떤 플레이버도 쓰지 않는 토폴로지"),
        Text(en="a flavor without nodes, as in a pool at zero", ko="노드가 없는 플레이버(0대로 줄어든 풀)"),
        Text(
            en="a node that has just joined, which an agent labels later", ko="막 합류해 아직 레이블이 달리지 않은 노드"
        ),
    ),
    find=find,
    applies=lambda facts: any(flavor.topology for flavor in facts.seen(ResourceFlavor)),
)
