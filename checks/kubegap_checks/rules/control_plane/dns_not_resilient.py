"""Cluster DNS must survive the loss of one node and the memory of a burst."""

from collections.abc import Iterator

from kubegap_checks.facts.controllers import Deployment
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text

_MIB = 1 << 20


def find(facts: Facts) -> Iterator[Finding]:
    servers = _servers(facts)
    if sum(server.replicas for server in servers) == 1 and len(facts.known(Node)) > 1:
        yield from (_alone(server) for server in servers if server.replicas)
    for server in servers:
        if server.replicas > 1 and not server.template.spread_over:
            yield _together(server)
        yield from _short_of_memory(server)


def _servers(facts: Facts) -> tuple[Deployment, ...]:
    """CoreDNS and kube-dns alike carry this label (coredns/deployment:kubernetes/coredns.yaml.sed)."""
    return tuple(
        one
        for one in facts.known(Deployment)
        if one.namespace == "kube-system" and one.template.labels.get("k8s-app") == "kube-dns"
    )


def _finding(server: Deployment, key: str, says: Text, value: int | str | None, severity: Severity) -> Finding:
    subject = Subject(server.kind, server.name, server.namespace)
    return Finding(subject=subject, key=key.rpartition(".")[2], says=says, evidence={key: value}, severity=severity)


def _alone(server: Deployment) -> Finding:
    says = Text(en="one replica answers for the whole cluster", ko="레플리카 하나가 클러스터 전체의 DNS 질의에 응답함")
    return _finding(server, "spec.replicas", says, server.replicas, Severity.MEDIUM)


def _together(server: Deployment) -> Finding:
    says = Text(
        en=f"nothing keeps its {server.replicas} replicas on different nodes",
        ko=f"레플리카 {server.replicas}개를 서로 다른 노드에 두는 설정이 없음",
    )
    return _finding(server, "spec.template.spec.topologySpreadConstraints", says, None, Severity.LOW)


def _short_of_memory(server: Deployment) -> Iterator[Finding]:
    least = threshold("coredns_memory").value
    for container in server.template.containers:
        if container.name == "coredns" and container.memory_limit and container.memory_limit < least * _MIB:
            limit = container.memory_limit // _MIB
            says = Text(
                en=f"its memory limit of {limit}Mi is under the {least:.0f}Mi of CoreDNS's own manifest",
                ko=f"메모리 limit {limit}Mi가 CoreDNS 기본 매니페스트의 {least:.0f}Mi보다 작음",
            )
            path = "spec.template.spec.containers[coredns].resources.limits.memory"
            yield _finding(server, path, says, f"{limit}Mi", Severity.LOW)


CHECK = Check(
    module=__name__,
    title=Text(en="Cluster DNS depends on one pod or one node", ko="파드 하나 또는 노드 하나에 달린 클러스터 DNS"),
    why=Text(
        en="Without DNS ranks do not find each other, data and checkpoints in object stores cannot be reached, and "
        "new pods do not start work.",
        ko="DNS가 멈추면 랭크가 서로를 찾지 못하고, 오브젝트 스토리지의 데이터와 체크포인트에 접근할 수 없으며, 새 "
        "파드도 작업을 시작하지 못한다.",
    ),
    fix=Text(
        en="Run at least two replicas on different nodes with a disruption budget, and give them memory for a burst.",
        ko="서로 다른 노드에 레플리카를 둘 이상 두고 PodDisruptionBudget을 걸며, 질의가 몰릴 때의 메모리까지 확보한다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.CERTAIN,
    reads=(Deployment, Node),
    cites=(
        Cite(
            incident="2019-zalando-coredns-memory",
            because=Text(
                en="CoreDNS pods with a limit of 100Mi were killed together, again and again, in a burst of queries: "
                "no name resolved in the cluster, and customers saw errors for over an hour",
                ko="limit이 100Mi인 CoreDNS 파드가 질의 폭주에 한꺼번에 OOM으로 거듭 죽어 클러스터에서 이름을 조회할 "
                "수 없었고, 고객은 한 시간 넘게 오류를 겪었음",
            ),
        ),
        Cite(
            incident="2018-openai-scaling-to-2500-nodes",
            because=Text(
                en="DNS replicas that nothing kept apart ended up on one machine, and lookups failed now and then",
                ko="안티 어피니티가 없던 DNS 레플리카가 한 서버에 몰려 조회가 간헐적으로 실패했음",
            ),
        ),
    ),
    verify=(
        "kubectl -n kube-system get deployments,poddisruptionbudgets -o wide",
        "kubectl -n kube-system get pods -l k8s-app=kube-dns -o wide",
    ),
    looks_like=(
        Text(en="a cluster of one node", ko="노드가 하나인 클러스터"),
        Text(en="a second DNS Deployment that is scaled to zero", ko="0으로 줄여 둔 또 다른 DNS Deployment"),
        Text(
            en="DNS that the platform runs on each node or outside of the cluster",
            ko="플랫폼이 각 노드나 클러스터 밖에서 운영하는 DNS",
        ),
    ),
    find=find,
    applies=lambda facts: any(server.replicas for server in _servers(facts)),
)
