"""An agent of every node must not ask the API server about the whole cluster where the cluster is large."""

from collections.abc import Iterator

from kubegap_checks.facts.controllers import DaemonSet, Deployment
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.api_clients import ApiClient, api_clients
from kubegap_checks.signals.tables import Regex
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding]:
    for row in api_clients():
        for agents in facts.known(DaemonSet):
            if _runs(agents, row.image) and agents.desired > threshold(f"fan_out_{row.limit}").value:
                servers = (one for one in facts.known(Deployment) if _stands_between(one, row))
                if not any(server.replicas for server in servers):
                    yield _finding(agents, row)


def _stands_between(server: Deployment, row: ApiClient) -> bool:
    named = row.fan_out_name is not None and row.fan_out_name.fullmatch(server.name) is not None
    return named or _runs(server, row.fan_out_image)


def _runs(controller: DaemonSet | Deployment, image: Regex) -> bool:
    return any(map(image.fullmatch, controller.repositories))


def _finding(agents: DaemonSet, row: ApiClient) -> Finding:
    return Finding(
        subject=Subject(agents.kind, agents.name, agents.namespace),
        says=Text(
            en=f"{row.product} asks the API server from {agents.desired} nodes, and no {row.fan_out} stands between",
            ko=f"{row.product} 에이전트가 노드 {agents.desired}대에서 API 서버에 직접 질의하며, 중간에서 대신 질의할 "
            f"컴포넌트({row.fan_out})가 없음",
        ),
        evidence={
            "status.desiredNumberScheduled": agents.desired,
            "spec.template.spec.containers[].image": ", ".join(agents.images),
        },
    )


CHECK = Check(
    module=__name__,
    title=Text(
        en="An agent on every node can overload the API server",
        ko="모든 노드의 에이전트가 API 서버에 과부하를 줄 수 있음",
    ),
    why=Text(
        en="Each change is sent to every node, so the cost grows with the square of the cluster: after a restart of "
        "all agents the API server may not come back by itself.",
        ko="변경 하나가 모든 노드로 전송되어 비용이 클러스터 크기의 제곱으로 늘고, 에이전트가 한꺼번에 재시작하면 API "
        "서버가 스스로 회복하지 못할 수 있다.",
    ),
    fix=Text(
        en="Install the agent's own fan-out component, which watches the API once for all nodes, and roll agents out "
        "a few nodes at a time.",
        ko="API를 한 번만 watch해 모든 노드에 전달하는 중계 컴포넌트를 설치하고, 에이전트는 몇 노드씩 나눠 배포한다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(DaemonSet, Deployment),
    cites=(
        Cite(
            incident="2024-openai-telemetry-control-plane",
            because=Text(
                en="a telemetry service had every node of large clusters make API calls whose cost grew with the "
                "cluster, and the control planes went down (which software it was is not told)",
                ko="텔레메트리 서비스 때문에 대규모 클러스터의 모든 노드가 클러스터가 클수록 무거워지는 API 호출을 "
                "해 컨트롤 플레인이 멈췄음(어떤 소프트웨어였는지는 알려지지 않음)",
            ),
        ),
        Cite(
            incident="2018-openai-scaling-to-2500-nodes",
            because=Text(
                en="monitoring and logging agents asked the API servers from every node, which slowed the control "
                "plane",
                ko="모니터링과 로그 에이전트가 모든 노드에서 API 서버에 질의해 컨트롤 플레인이 느려졌음",
            ),
        ),
    ),
    verify=("kubectl get daemonsets -A -o wide", "kubectl get deployments -A -o wide"),
    looks_like=(
        Text(en="an agent that has its fan-out component", ko="중계 컴포넌트가 있는 에이전트"),
        Text(en="a cluster small enough to do without it", ko="중계 없이도 되는 작은 클러스터"),
        Text(
            en="Calico that keeps its data in an etcd of its own, which its objects do not show: hence likely only",
            ko="자체 etcd를 쓰는 Calico: 객체로는 알 수 없으므로 확신도를 낮춰 보고함",
        ),
    ),
    find=find,
    applies=lambda facts: any(_runs(agents, row.image) for agents in facts.seen(DaemonSet) for row in api_clients()),
)
