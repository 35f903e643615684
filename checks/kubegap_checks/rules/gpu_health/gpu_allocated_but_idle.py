"""A pod may not hold GPUs for hours that do nothing."""

from collections.abc import Iterator

from kubegap_checks.facts.metrics import Exported, GpuActivity
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread, came
from kubegap_checks.inventory.accelerators import has_accelerators
from kubegap_checks.inventory.idle_devices import IdleRun, holders, idle_runs
from kubegap_checks.inventory.measured import unmeasured
from kubegap_checks.inventory.sources import examples
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.quantities import group
from kubegap_checks.signals.workloads import owner_kind
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    pods, unread = came(holders(facts))
    yield from unread
    for run in idle_runs(facts, pods):
        yield _finding(run)
    yield from unmeasured(facts, GpuActivity, {pod.node for pod in pods})


def _finding(run: IdleRun) -> Finding:
    owner = owner_kind(run.run.kind)
    # A notebook waits for its person and a server for requests: their owner may want that.
    computes = owner is not None and owner.training is not Confidence.HINT
    hours = f"{group(GpuActivity.KIND.plural).window_hours:g}"
    nodes = examples(run.nodes)
    return Finding(
        subject=Subject.of_run(run.run),
        says=Text(
            en=f"{run.idle} of {run.held} accelerators that its pods hold on {nodes.en} did nothing for {hours} hours",
            ko=f"{nodes.ko}의 파드가 가진 가속기 {run.held}개 중 {run.idle}개가 {hours}시간 동안 아무 일도 하지 않음",
        ),
        evidence={"metrics.gpu_busiest.idle": run.idle, "Pod.spec.containers.resources.limits": run.held},
        severity=Severity.MEDIUM if computes else Severity.LOW,
        confidence=Confidence.LIKELY if computes else Confidence.HINT,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Pods hold GPUs that do nothing", ko="파드가 쓰지 않고 붙잡고 있는 GPU"),
    why=Text(
        en="For the scheduler an idle GPU that a pod holds is as good as a busy one: others wait for it, and a job "
        "that stands still with its processes gone looks like one that runs.",
        ko="스케줄러에게는 파드가 붙잡은 유휴 GPU도 쓰는 GPU와 같다. 다른 작업은 그 GPU를 기다리고, 프로세스가 사라진 "
        "채 멈춘 작업도 도는 작업처럼 보인다.",
    ),
    fix=Text(
        en="Look into the pods' logs, end what stands still, and give notebooks and replicas without traffic a time "
        "after which they are stopped.",
        ko="파드 로그를 확인해 멈춘 작업은 종료하고, 노트북과 트래픽 없는 복제본에는 자동 중지 시간을 둔다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(GpuActivity, Exported, Node, ResourceSlice, Pod),
    cites=(
        Cite(
            incident="2024-kueue-partial-gang-deadlock",
            because=Text(
                en="jobs that waited for the rest of their pods held GPUs that were allocated and idle",
                ko="나머지 파드를 기다리는 작업이 GPU를 할당받은 채 놀렸음",
            ),
        ),
        Cite(
            incident="2022-bigscience-bloom-evaluation-deadlock",
            because=Text(
                en="the other case: utilisation stayed at 100% for hours while a run stood still, which this cannot "
                "see",
                ko="반대 경우. 학습이 멈췄는데 사용률은 몇 시간 동안 100%여서 이 점검으로는 볼 수 없음",
            ),
        ),
    ),
    verify=("nvidia-smi pmon -c 1  # on the node", "kubectl logs -n NAMESPACE POD --since=2h"),
    looks_like=(
        Text(en="pods that have run for less than the window", ko="조회 기간보다 짧게 실행된 파드"),
        Text(
            en="a pod whose init containers still fetch data, or that waits to be restarted",
            ko="init 컨테이너가 아직 데이터를 받고 있거나 재시작을 기다리는 파드",
        ),
        Text(
            en="a notebook, or a replica that waits for requests: reported as a hint of low severity",
            ko="노트북, 요청을 기다리는 복제본. 낮은 심각도의 참고로만 보고함",
        ),
        Text(
            en="a run that hangs in a collective: its GPUs show 100 percent, so it is not idle here",
            ko="집합 통신에서 멈춘 학습. GPU 사용률이 100%로 보이므로 여기서는 유휴가 아님",
        ),
        Text(
            en="a GPU whose utilisation is told as 0, as with MIG, while another of its metrics shows it busy",
            ko="MIG처럼 사용률은 0으로 나오지만 다른 활동 메트릭은 바쁜 GPU",
        ),
        Text(
            en="pods in which Slurm runs jobs, and an exporter that has just been restarted",
            ko="Slurm이 작업을 돌리는 파드, 막 재시작한 익스포터",
        ),
    ),
    find=find,
    applies=has_accelerators,
)
