"""The pods of a run must be placed all together or not at all."""

from collections.abc import Iterator
from datetime import timedelta

from kubegap_checks.facts.jobs import PodGroup
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread, UnreadError
from kubegap_checks.inventory.gangs import GANG_KINDS, Gangs, needs_all
from kubegap_checks.inventory.training import TrainingRun, complete_runs, devices, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text, moment


def find(facts: Facts) -> Iterator[Finding | Unread]:
    gangs = Gangs(facts)
    for run in complete_runs(facts):
        # Pods of which only the size says that they train may know nothing of each other.
        if len(run.pods) == 1 or run.sign.confidence is Confidence.HINT or not needs_all(run):
            continue
        waiting = [pod for pod in run.pods if _waits_long(pod, facts)]
        if waiting and any(pod.node for pod in run.pods):
            yield _partial(run, waiting)
            continue
        try:
            yield from (_too_small(run, group, count) for group, count in gangs.too_small(run))
            if gangs.none_holds(run):
                yield _one_by_one(run)
        except UnreadError as error:
            yield from error.unread


def _waits_long(pod: Pod, facts: Facts) -> bool:
    wait = timedelta(minutes=threshold("pod_wait_grace").value)
    return not pod.node and pod.unplaced_since is not None and facts.read_at - pod.unplaced_since >= wait


def _partial(run: TrainingRun, waiting: list[Pod]) -> Finding:
    placed, first = [pod for pod in run.pods if pod.node], waiting[0]
    held = sum(devices(pod) for pod in placed)
    return Finding(
        subject=run.subject,
        key="partial",
        says=Text(
            en=f"{len(placed)} of {len(run.pods)} pods are placed and hold {held} devices; {len(waiting)} find no node",
            ko=f"파드 {len(run.pods)}개 중 {len(placed)}개만 배치되어 가속기 {held}개를 잡고 있고, "
            f"{len(waiting)}개는 들어갈 노드가 없음",
        ),
        evidence={f"Pod[{first.namespace}/{first.name}].status.conditions[PodScheduled].message": first.unplaced},
        since=moment(first.unplaced_since),
        severity=Severity.HIGH,
        confidence=run.sign.confidence,
    )


def _too_small(run: TrainingRun, group: PodGroup, count: int) -> Finding:
    path = f"{group.KIND.name}.{group.KIND.group}[{group.namespace}/{group.name}].spec.minMember"
    return Finding(
        subject=run.subject,
        key="too_small",
        says=Text(
            en=f"its pod group {group.name} starts with {group.least} of its {count} pods",
            ko=f"파드 그룹({group.name})이 파드 {count}개 중 {group.least}개만으로 시작함",
        ),
        evidence={path: group.least},
        severity=Severity.MEDIUM,
    )


def _one_by_one(run: TrainingRun) -> Finding:
    first = run.pods[0]
    return Finding(
        subject=run.subject,
        key="one_by_one",
        says=Text(
            en=f"its {len(run.pods)} pods are placed one by one: no queue or scheduler takes them as a whole",
            ko=f"파드 {len(run.pods)}개를 한 묶음으로 배치하는 큐나 스케줄러가 없어 하나씩 배치됨",
        ),
        evidence={f"Pod[{first.namespace}/{first.name}].spec.schedulerName": first.scheduler},
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A run can start with part of its pods", ko="학습이 일부 파드만으로 시작될 수 있음"),
    why=Text(
        en="Two runs that each get some of the last GPUs wait for the rest for ever, and hold what the other needs.",
        ko="두 작업이 남은 GPU를 조금씩 나눠 잡으면, 서로 상대가 쥔 GPU를 끝없이 기다리며 놀린다.",
    ),
    fix=Text(
        en="Let a queue or a gang scheduler take the run as a whole, with a minimum of all of its pods.",
        ko="큐나 갱 스케줄러가 전체 파드를 최소 수로 삼아 한 묶음으로 배치하게 한다.",
    ),
    severity=Severity.LOW,
    confidence=Confidence.LIKELY,
    reads=(Pod, *GANG_KINDS),
    cites=(
        Cite(
            incident="2024-kueue-partial-gang-deadlock",
            because=Text(
                en="jobs started with part of their pods and waited for ever, even with queues and gang schedulers",
                ko="큐와 갱 스케줄러가 있는데도 작업이 일부 파드만으로 시작해 끝없이 기다렸음",
            ),
        ),
    ),
    verify=("kubectl get pods -n NAMESPACE -o wide", "kubectl get podgroups.scheduling.volcano.sh -A"),
    looks_like=(
        Text(
            en="a run that was placed minutes ago, while nodes are added", ko="노드를 늘리는 중이라 몇 분째 배치 중임"
        ),
        Text(en="an elastic run that begins with fewer pods", ko="더 적은 파드로도 시작하는 엘라스틱 학습"),
        Text(en="Ray, which adds workers by itself", ko="스스로 워커를 늘리는 Ray"),
        Text(en="a scheduler of its own, which labels do not describe", ko="레이블만으로는 알 수 없는 별도 스케줄러"),
        Text(en="workers that do not talk to each other; Slurm in pods", ko="서로 통신하지 않는 워커, 파드 안의 Slurm"),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
