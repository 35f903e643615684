"""A training run must not restart again and again: each restart repeats what ended the last one."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from kubegap_checks.facts.pods import Container, Pod
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.training import TrainingRun, training_runs, workers
from kubegap_checks.model import Check, Cite, Confidence, Finding, Seen, Severity
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text, moment

# What the kubelet writes: kubernetes/kubernetes:pkg/kubelet/kuberuntime
_BACK_OFF, _OUT_OF_MEMORY = "CrashLoopBackOff", "OOMKilled"


def find(facts: Facts) -> Iterator[Finding]:
    for run in training_runs(facts):
        found = [
            (pod, container, *trouble)
            for pod in run.pods
            for container in _all_that_hold_the_run_up(pod)
            if (trouble := _trouble(container, facts.read_at))
        ]
        if found:
            yield _finding(run, *max(found, key=lambda trouble: trouble[2].rank))


def _all_that_hold_the_run_up(pod: Pod) -> Iterator[Container]:
    yield from (container for container in pod.containers if container.init)
    yield from workers(pod)


def _trouble(container: Container, now: datetime) -> tuple[Severity, Text] | None:
    """The worst of a container; how often it restarted is told where it ended lately, as a count never goes back."""
    ended, restarts = container.ended, container.restarts
    lately = bool(ended and ended.at and now - ended.at < timedelta(hours=threshold("restart_recent").value))
    if container.waiting == _BACK_OFF:
        says = Text(
            en=f"is in {_BACK_OFF} after {restarts} restarts", ko=f"{restarts}번 재시작한 뒤 {_BACK_OFF} 상태임"
        )
        return Severity.HIGH, says
    if ended and ended.reason == _OUT_OF_MEMORY and lately:
        says = Text(en="was killed for lack of memory", ko="메모리 부족으로 종료됨(OOMKilled)")
        return Severity.MEDIUM, says
    if restarts >= threshold("restart_storm").value and lately:
        says = Text(en=f"has restarted {restarts} times", ko=f"{restarts}번 재시작함")
        return Severity.MEDIUM, says
    return None


def _finding(run: TrainingRun, pod: Pod, container: Container, severity: Severity, says: Text) -> Finding:
    statuses = "initContainerStatuses" if container.init else "containerStatuses"
    at = f"Pod[{pod.namespace}/{pod.name}].status.{statuses}[{container.name}]"
    ended = container.ended
    state = "state" if ended and ended.now else "lastState"
    evidence: dict[str, Seen] = {
        f"{at}.restartCount": container.restarts,
        f"{at}.state.waiting.reason": container.waiting,
        f"{at}.{state}.terminated.reason": ended.reason if ended else None,
        f"{at}.{state}.terminated.exitCode": ended.code if ended else None,
    }
    return Finding(
        subject=run.subject,
        says=Text(
            en=f"container {container.name} of pod {pod.name} {says.en}",
            ko=f"파드 {pod.name}의 컨테이너 {container.name}: {says.ko}",
        ),
        evidence={path: seen for path, seen in evidence.items() if seen not in {"", None}},
        since=moment(ended.at) if ended else None,
        severity=severity,
        confidence=run.sign.confidence,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A run restarts again and again", ko="학습이 재시작을 되풀이함"),
    why=Text(
        en="A restart on the same node with the same settings repeats the failure, holds the GPUs of all other pods, "
        "and each round loses what the last checkpoint does not hold.",
        ko="같은 노드에서 같은 설정으로 재시작하면 같은 장애가 되풀이된다. 그동안 다른 파드의 GPU는 놀고, "
        "매번 마지막 체크포인트 이후의 진행분을 잃는다.",
    ),
    fix=Text(
        en="Stop the run, read the container's last log, and start again without the node or setting at fault.",
        ko="학습을 멈추고 컨테이너의 마지막 종료 로그를 확인한 뒤, 문제의 노드나 설정을 빼고 다시 시작한다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.CERTAIN,
    reads=(Pod,),
    cites=(
        Cite(
            incident="2024-meta-rsc-large-job-reliability",
            because=Text(
                en="one job on 1,024 GPUs was requeued 35 times and drove out others 548 times, under Slurm",
                ko="Slurm 사례. GPU 1,024개 작업 하나가 35번 다시 큐에 들어가며 다른 작업을 548번 밀어냈음",
            ),
        ),
        Cite(
            incident="2021-bigscience-13b-bad-node-requeued",
            because=Text(
                en="after a GPU's memory error the next job came up on the same node and died at once, under Slurm",
                ko="Slurm 사례. GPU 메모리 오류 뒤 다음 작업이 같은 노드에 떠서 바로 죽었음",
            ),
        ),
    ),
    verify=(
        "kubectl get pods -n NAMESPACE",
        "kubectl logs -n NAMESPACE POD -c CONTAINER --previous --tail=100",
    ),
    looks_like=(
        Text(en="a few restarts long ago, in a pod that runs since", ko="오래전 몇 번 재시작한 뒤로는 잘 돌고 있음"),
        Text(en="only a sidecar restarts", ko="사이드카만 재시작함"),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
