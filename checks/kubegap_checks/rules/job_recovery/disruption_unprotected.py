"""A pod of a training run must not stand on a node that may be taken away to save cost, unless something holds it."""

from collections.abc import Iterator

from kubegap_checks.facts.controllers import PodDisruptionBudget
from kubegap_checks.facts.node_pools import NodePool
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread, UnreadError
from kubegap_checks.inventory.karpenter import Karpenter
from kubegap_checks.inventory.training import TrainingRun, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    karpenter = Karpenter(facts)
    for run in training_runs(facts):
        try:
            exposed = list(karpenter.may_take(run))
        except UnreadError as error:
            yield from error.unread
            continue
        if exposed:
            yield _finding(run, exposed)


def _finding(run: TrainingRun, exposed: list[tuple[Pod, NodePool]]) -> Finding:
    pod, pool = exposed[0]
    large = run.devices >= threshold("training_pod_devices").value
    return Finding(
        subject=run.subject,
        says=Text(
            en=f"nothing keeps {len(exposed)} of its {len(run.pods)} pods from eviction when pool {pool.name} is "
            "consolidated",
            ko=f"노드 풀 {pool.name}에 노드 통합이 일어나면 파드 {len(run.pods)}개 중 {len(exposed)}개의 축출을 막는 "
            f"것이 없음",
        ),
        evidence={
            f"Pod[{pod.namespace}/{pod.name}].spec.nodeName": pod.node,
            f"NodePool[{pool.name}].spec.disruption.consolidationPolicy": pool.consolidation_policy,
        },
        severity=Severity.HIGH if large else Severity.LOW,
        confidence=Confidence.LIKELY.at_most(run.sign.confidence),
    )


CHECK = Check(
    module=__name__,
    title=Text(
        en="A run's nodes may be taken away to save cost",
        ko="비용 절감 때문에 학습 중인 노드가 회수될 수 있음",
    ),
    why=Text(
        en="Consolidation judges a node by CPU and memory requests and moves its pods elsewhere; one pod of a run that "
        "is moved stops all others, and what no checkpoint holds is lost.",
        ko="노드 통합은 CPU와 메모리 요청만 보고 파드를 다른 노드로 옮긴다. 학습은 파드 하나만 옮겨져도 전체가 멈추고, "
        "체크포인트 이후의 진행분을 잃는다.",
    ),
    fix=Text(
        en="Mark the run's pods as not to be disrupted, or let the node pool consolidate only nodes that are empty.",
        ko="학습 파드에 중단 금지 어노테이션을 달거나, 노드 풀이 빈 노드만 통합하게 한다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(Pod, Node, NodePool, PodDisruptionBudget),
    cites=(
        Cite(
            incident="2023-karpenter-consolidation-evicts-running-jobs",
            because=Text(
                en="consolidation evicted running jobs, which lost their work; with dozens of teams nobody could see "
                "to it that every pod is annotated",
                ko="노드 통합이 실행 중인 작업을 축출해 진행분을 잃었음. 팀이 수십 개라 모든 파드에 어노테이션이 "
                "달리도록 챙길 수 없었음",
            ),
        ),
    ),
    verify=(
        "kubectl get nodepools.karpenter.sh -o custom-columns=NAME:.metadata.name,DISRUPTION:.spec.disruption",
        "kubectl get pods -n NAMESPACE -o custom-columns=NAME:.metadata.name,ANNOTATIONS:.metadata.annotations",
        "kubectl get poddisruptionbudgets -n NAMESPACE",
    ),
    looks_like=(
        Text(en="the pod or its node is marked as not to be disrupted", ko="파드나 노드에 중단 금지 어노테이션이 있음"),
        Text(en="a disruption budget that admits no eviction", ko="축출을 허용하지 않는 PodDisruptionBudget이 있음"),
        Text(en="a pool that consolidates only empty nodes, or never", ko="빈 노드만 통합하거나 통합하지 않는 노드 풀"),
        Text(en="a pool whose budget for it is always zero", ko="통합 예산이 항상 0인 노드 풀"),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
