"""A run of several pods must not switch off what notices, ends or records a failed collective."""

from collections.abc import Iterator

from kubegap_checks.facts.pods import Container, Pod
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.training import RENDEZVOUS, TrainingRun, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.signals.collectives import blinders, tellers
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding]:
    for run in training_runs(facts):
        found: dict[str, Finding] = {}
        for pod, container in run.workers:
            for finding in (*_off(run, pod, container), *_silent(run, pod, container)):
                found.setdefault(finding.key, finding)
        yield from found.values()


def _off(run: TrainingRun, pod: Pod, container: Container) -> Iterator[Finding]:
    for row in blinders():
        name = row.seen_in(container.env)
        if name is None:
            continue
        value = container.env[name]
        yield Finding(
            subject=run.subject,
            key=row.id,
            says=Text(en=f"{name} is {value}: {row.means.en}", ko=f"{name}={value}: {row.means.ko}"),
            evidence={f"{_at(pod, container)}.env[{name}]": value},
            severity=row.severity,
            confidence=Confidence.LIKELY.at_most(run.sign.confidence),
        )


def _silent(run: TrainingRun, pod: Pod, container: Container) -> Iterator[Finding]:
    """Nothing is set, in a container of torch.distributed whose whole environment stands in the pod."""
    if len(run.pods) == 1 or container.env_from or not any(name in container.env for name in RENDEZVOUS):
        return
    if any(row.env.fullmatch(name) for row in tellers() for name in container.env):
        return
    yield Finding(
        subject=run.subject,
        key="silent",
        says=Text(
            en="neither NCCL_DEBUG nor a flight recorder is set: with older PyTorch a hang leaves no trace",
            ko="NCCL_DEBUG도 플라이트 레코더도 설정되지 않아, 이전 PyTorch에서는 멈춰도 흔적이 남지 않음",
        ),
        evidence={f"{_at(pod, container)}.env": ", ".join(sorted(container.env))},
        severity=Severity.LOW,
        confidence=Confidence.HINT,
    )


def _at(pod: Pod, container: Container) -> str:
    return f"Pod[{pod.namespace}/{pod.name}].spec.containers[{container.name}]"


CHECK = Check(
    module=__name__,
    title=Text(en="A failed collective would go unnoticed", ko="집합 통신 장애를 알아채지 못함"),
    why=Text(
        en="When one rank dies the others wait in a collective. Without a watchdog nothing ends them, and without a "
        "record nobody can tell which rank was missing.",
        ko="랭크 하나가 죽으면 나머지는 집합 통신에서 기다린다. 워치독이 없으면 대기가 끝나지 않고, 기록이 없으면 "
        "어느 랭크가 빠졌는지 알 수 없다.",
    ),
    fix=Text(
        en="Leave asynchronous error handling and monitoring on, and record collectives with a dump on each timeout.",
        ko="비동기 오류 처리와 모니터링을 켜 두고, 집합 통신을 기록해 타임아웃마다 덤프를 남긴다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(Pod,),
    cites=(
        Cite(
            incident="2022-bigscience-bloom-crash-without-exit",
            because=Text(
                en="NCCL's asynchronous error handling was off, so one rank's crash left the job running, on Slurm",
                ko="Slurm 사례. NCCL 비동기 오류 처리가 꺼져 있어 랭크 하나가 죽어도 작업이 끝나지 않았음",
            ),
        ),
        Cite(
            incident="2024-meta-llama3-405b-interruptions",
            because=Text(
                en="419 stops in 54 days, some of them stalls without an error: the team recorded collectives at all "
                "times, since after the incident it is too late",
                ko="54일간 419번 중단됐고 오류 없는 멈춤도 있었음. 사후에는 늦으므로 집합 통신을 늘 기록해 두었음",
            ),
        ),
    ),
    verify=("kubectl get pod -n NAMESPACE POD -o jsonpath='{.spec.containers[*].env}'",),
    looks_like=(
        Text(en="the variable comes from a config map or secret", ko="변수를 ConfigMap이나 Secret에서 가져옴"),
        Text(en="blocking wait is on instead of asynchronous handling", ko="비동기 처리 대신 blocking wait을 켬"),
        Text(en="the launcher sets it in its own code: a hint only", ko="런처 코드 안에서 설정함(참고로만 표시)"),
        Text(en="a run of one pod", ko="파드가 하나뿐인 작업"),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
