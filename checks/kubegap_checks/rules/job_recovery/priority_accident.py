"""Pods of no special importance must not outrank a training run and evict it."""

from collections.abc import Iterator, Sequence

from kubegap_checks.facts.controllers import PriorityClass
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.priorities import Ranked, default_class, ranked_runs
from kubegap_checks.inventory.training import training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    classes = facts.known(PriorityClass)
    runs, unread = ranked_runs(facts)
    default = default_class(classes)
    if default is None:
        preempting = {row.name for row in classes if row.preempts}
        above = [other for other in runs if other.pod.priority_class in preempting]
        yield from (finding for ranked in runs for finding in _without_a_class(ranked, above))
    elif default.preempts:
        yield from _outranked_by_default(default, [ranked for ranked in runs if ranked.priority < default.value])
    yield from unread


def _outranked_by_default(default: PriorityClass, below: Sequence[Ranked]) -> Iterator[Finding]:
    if not below:
        return
    first = below[0]
    yield Finding(
        subject=Subject(default.KIND.name, default.name),
        says=Text(
            en=f"gives every pod without a class {default.value}, above {first.run.subject} ({first.priority}) "
            f"and {len(below) - 1} other runs, and may evict them",
            ko=f"PriorityClass가 없는 모든 파드의 우선순위({default.value})가 {first.run.subject}({first.priority}) "
            f"외 학습 {len(below) - 1}개보다 높아 이들을 축출할 수 있음",
        ),
        evidence={f"PriorityClass[{default.name}].value": default.value, first.path: first.priority},
        confidence=Confidence.LIKELY.at_most(first.run.sign.confidence),
    )


def _without_a_class(ranked: Ranked, others: Sequence[Ranked]) -> Iterator[Finding]:
    above = [other for other in others if other.priority > ranked.priority]
    if ranked.pod.priority_class or not above or ranked.run.devices < threshold("training_pod_devices").value:
        return
    other = above[0]
    yield Finding(
        subject=ranked.run.subject,
        says=Text(
            en=f"has no priority class, while {other.run.subject} has {other.pod.priority_class} and may evict it",
            ko=f"PriorityClass가 없어, {other.pod.priority_class} 클래스인 {other.run.subject}에 밀려 축출될 수 있음",
        ),
        evidence={ranked.path: ranked.priority, other.path: other.priority},
        severity=Severity.LOW,
        confidence=Confidence.HINT,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Ordinary pods may evict a training run", ko="일반 파드가 학습을 축출할 수 있음"),
    why=Text(
        en="To make room for a pod the scheduler ends those of lower priority; one pod that it takes stops all GPUs.",
        ko="스케줄러는 자리가 없으면 우선순위가 낮은 파드를 종료시킨다. 파드 하나만 빼앗겨도 학습의 모든 GPU가 멈춘다.",
    ),
    fix=Text(
        en="Give training runs a priority class above the default, and let the default class preempt nothing.",
        ko="학습에 기본값보다 높은 PriorityClass를 주고, 기본 클래스는 아무것도 축출하지 않게 한다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(Pod, PriorityClass),
    cites=(
        Cite(
            incident="2019-grafana-labs-pod-priorities",
            because=Text(
                en="a half-finished rollout of priorities left production at zero, and it was evicted in a cascade; "
                "services there, no training",
                ko="우선순위를 일부만 적용해 0에 머문 운영 파드가 연쇄적으로 축출됐음. 학습이 아니라 서비스 사례",
            ),
        ),
        Cite(
            incident="2024-meta-rsc-large-job-reliability",
            because=Text(
                en="a job that was requeued 35 times drove out others 548 times by preemption, under Slurm",
                ko="Slurm 사례. 35번 다시 큐에 들어간 작업이 선점으로 다른 작업을 548번 밀어냈음",
            ),
        ),
    ),
    verify=(
        "kubectl get priorityclasses",
        "kubectl get pods -A -o custom-columns=NS:.metadata.namespace,POD:.metadata.name,PRIORITY:.spec.priority",
    ),
    looks_like=(
        Text(en="a default class that preempts nothing", ko="아무것도 축출하지 않는 기본 클래스"),
        Text(en="a run that is meant to give way, below zero", ko="0보다 낮게 두어 양보하도록 한 학습"),
        Text(en="small experiments below a large run", ko="큰 학습보다 낮은 작은 실험"),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
