"""The object of a run over several pods must not restart a failed pod alone, unless the processes can meet again."""

from collections.abc import Iterator

from kubegap_checks.facts.jobs import RunObject
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread, UnreadError
from kubegap_checks.inventory.run_objects import RUN_OBJECTS, RunObjects, meets_again
from kubegap_checks.inventory.training import TrainingRun, complete_runs, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.signals.restarts import restarts_alone
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    objects = RunObjects(facts)
    for run in complete_runs(facts):
        if not _waits_for_each_other(run) or any(meets_again(pod) for pod in run.pods):
            continue
        try:
            made = objects.of(run)
        except UnreadError as error:
            yield from error.unread
            continue
        if made:
            yield from _judge(run, made)


def _waits_for_each_other(run: TrainingRun) -> bool:
    """Pods of which only the size says that they train may be workers that know nothing of each other."""
    return len(run.pods) > 1 and run.sign.confidence is not Confidence.HINT


def _judge(run: TrainingRun, made: RunObject) -> Iterator[Finding]:
    alone = {path: value for path, value in made.on_failure.items() if restarts_alone(made.kind, path, value)}
    if made.elastic or made.pods == 1 or not alone:
        return
    path, value = next(iter(alone.items()))
    large = made.pods > threshold("regroup_pods").value
    yield Finding(
        subject=run.subject,
        says=Text(
            en=f"restarts a failed pod alone while the other {made.pods - 1} wait for it ({path}: {value})",
            ko=f"실패한 파드만 따로 재시작하고 나머지 {made.pods - 1}개는 기다림({path}: {value})",
        ),
        evidence={f"{made.kind}[{made.namespace}/{made.name}].{path}": value for path, value in alone.items()},
        severity=Severity.HIGH if large else None,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A run restarts one pod at a time", ko="학습이 파드를 하나씩만 재시작함"),
    why=Text(
        en="A static process group cannot take in a new member. A pod that comes back alone waits for peers that still "
        "wait for the lost one: the run hangs with all pods Running, or restarts without end.",
        ko="정적 프로세스 그룹은 새 구성원을 받지 못한다. 혼자 다시 뜬 파드는 나머지를, 나머지는 잃어버린 파드를 "
        "기다려, 모두 Running인 채로 멈추거나 재시작만 되풀이한다.",
    ),
    fix=Text(
        en="Have the controller restart all pods of the run together, or launch with an elastic rendezvous.",
        ko="컨트롤러가 모든 파드를 함께 재시작하게 하거나, 엘라스틱 랑데부로 학습을 띄운다.",
    ),
    # Where nothing switches PyTorch's watchdog off, it ends the others too, and a small run mostly meets again
    # (https://pytorch.org/docs/stable/torch_nccl_environment_variables.html, TORCH_NCCL_ASYNC_ERROR_HANDLING).
    severity=Severity.LOW,
    confidence=Confidence.LIKELY,
    reads=(Pod, *RUN_OBJECTS),
    cites=(
        Cite(
            incident="2024-kubeflow-pytorchjob-onfailure-cannot-regroup",
            because=Text(
                en="PyTorchJobs with OnFailure and more than 100 pods never came back after one failed",
                ko="파드가 100개를 넘는 OnFailure PyTorchJob은 하나가 실패한 뒤 한 번도 되살아나지 못했음",
            ),
        ),
        Cite(
            incident="2021-kubeflow-pytorchjob-lost-worker-hang",
            because=Text(
                en="a worker was made again under its name and could not join; all others stood still, Running",
                ko="같은 이름으로 다시 뜬 워커가 합류하지 못했고, 나머지는 Running인 채로 멈췄음",
            ),
        ),
    ),
    verify=(
        "kubectl get pytorchjobs,jobsets,jobs.batch,leaderworkersets,jobs.batch.volcano.sh -n NAMESPACE -o yaml",
        "kubectl get pods -n NAMESPACE -o wide",
    ),
    looks_like=(
        Text(en="torchrun with an elastic rendezvous (c10d, etcd)", ko="엘라스틱 랑데부(c10d, etcd)를 쓰는 torchrun"),
        Text(
            en="a JobSet whose Jobs give up at once, so that the set restarts",
            ko="Job이 바로 포기해 JobSet 전체가 재시작함",
        ),
        Text(en="an MPIJob, whose launcher starts all ranks again", ko="런처가 모든 랭크를 다시 띄우는 MPIJob"),
        Text(
            en="Ray, whose trainer restarts its workers itself: not seen here",
            ko="워커 재시작이 여기서 보이지 않는 Ray",
        ),
        Text(en="Slurm in pods: its jobs are not seen here", ko="파드 안의 Slurm: 작업은 여기서 보이지 않음"),
        Text(en="workers of a Job that do not talk to each other", ko="서로 통신하지 않는 Job의 워커"),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
