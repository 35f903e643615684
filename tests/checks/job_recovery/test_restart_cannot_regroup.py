from collections.abc import Iterable, Mapping

import pytest
from msgspec.structs import replace

from checks import build
from kubegap_checks.facts.jobs import Job, JobSet, LeaderWorkerSet, PyTorchJob, RunObject, VolcanoJob
from kubegap_checks.facts.pods import Container, Pod, Run
from kubegap_checks.facts.read import Facts, Partial, Record
from kubegap_checks.inventory.run_objects import RUN_OBJECTS
from kubegap_checks.model import Confidence, Severity, Status, Verdict
from kubegap_checks.rules.job_recovery.restart_cannot_regroup import CHECK

GPUS = {"nvidia.com/gpu": 8}
MEETS = {"MASTER_ADDR": None}
POLICY = "spec.pytorchReplicaSpecs[Worker].restartPolicy"
LIMIT = "spec.replicatedJobs[worker].template.spec.backoffLimit"


def pods(kind: str = "PyTorchJob", count: int = 2, worker: Container | None = None) -> list[Pod]:
    trainer = worker or build.container(limits=GPUS, env=MEETS)
    owner = Run(kind=kind, namespace="ml", name="train")
    return [build.pod(f"train-{rank}", resources=GPUS, run=owner, containers=(trainer,)) for rank in range(count)]


def made(kind: type[RunObject], on_failure: Mapping[str, str], **fields: object) -> RunObject:
    return build.run_object(kind, on_failure=on_failure, **fields)


def of(records: Iterable[Record]) -> Facts:
    return build.facts(*records)


def run(*records: Record, unread: tuple[type[Record], ...] = ()) -> Verdict:
    return CHECK.run(build.facts(*records, unread=unread))


ONE_BY_ONE = made(PyTorchJob, {POLICY: "OnFailure"})


@pytest.mark.parametrize(
    ("kind", "record", "field", "alone", "together"),
    [
        pytest.param("PyTorchJob", PyTorchJob, POLICY, "OnFailure", "Never", id="a PyTorchJob"),
        pytest.param("PyTorchJob", PyTorchJob, POLICY, "ExitCode", "Never", id="by the exit code"),
        pytest.param("PyTorchJob", PyTorchJob, POLICY, "Always", "Never", id="in any case"),
        pytest.param("JobSet", JobSet, LIMIT, "6", "0", id="the Jobs of a JobSet"),
        pytest.param(
            "JobSet",
            JobSet,
            "spec.failurePolicy.rules[0].action",
            "RestartJob",
            "RestartJobSet",
            id="a rule of a JobSet",
        ),
        pytest.param("Job", Job, "spec.backoffLimit", "10", "0", id="a Job"),
        pytest.param(
            "LeaderWorkerSet",
            LeaderWorkerSet,
            "spec.leaderWorkerTemplate.restartPolicy",
            "None",
            "RecreateGroupOnPodRestart",
            id="a LeaderWorkerSet",
        ),
        pytest.param(
            "Job.batch.volcano.sh",
            VolcanoJob,
            "spec.policies[PodFailed].action",
            "RestartPod",
            "RestartJob",
            id="a policy of Volcano",
        ),
        pytest.param(
            "Job.batch.volcano.sh",
            VolcanoJob,
            "spec.tasks[worker].template.spec.restartPolicy",
            "OnFailure",
            "Never",
            id="no policy of Volcano",
        ),
    ],
)
def test_what_restarts_a_pod_alone(kind: str, record: type[RunObject], field: str, alone: str, together: str) -> None:
    verdict = run(*pods(kind), made(record, {field: alone}))

    (finding,) = verdict.findings
    assert str(finding.subject) == f"{kind}/ml/train"
    assert finding.evidence == {f"{kind}[ml/train].{field}": alone}
    assert run(*pods(kind), made(record, {field: together})).status == "clear"


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(of([*pods(), ONE_BY_ONE]), "gap", id="one by one"),
        pytest.param(of([*pods(count=1), ONE_BY_ONE]), "clear", id="one pod is seen"),
        pytest.param(of([*pods(), replace(ONE_BY_ONE, pods=1)]), "clear", id="copies of one pod"),
        pytest.param(of([*pods(), replace(ONE_BY_ONE, elastic=True)]), "clear", id="an elastic policy"),
        pytest.param(
            of([*pods(worker=build.container(limits=GPUS, env={"PET_RDZV_BACKEND": "c10d"})), ONE_BY_ONE]),
            "clear",
            id="an elastic rendezvous of the environment",
        ),
        pytest.param(
            of([*pods(worker=build.container(limits=GPUS, flags={"--rdzv_backend": "etcd-v2"})), ONE_BY_ONE]),
            "clear",
            id="an elastic rendezvous of the command line",
        ),
        pytest.param(
            of([*pods(worker=build.container(limits=GPUS, flags={"--rdzv_backend": "static"})), ONE_BY_ONE]),
            "gap",
            id="a static rendezvous",
        ),
        pytest.param(
            of([*pods(worker=build.container(limits=GPUS, env={"PET_RDZV_BACKEND": None})), ONE_BY_ONE]),
            "gap",
            id="a rendezvous from elsewhere",
        ),
        pytest.param(of(pods()), "unknown", id="no such object"),
        pytest.param(of([*pods(), replace(ONE_BY_ONE, namespace="other")]), "unknown", id="one of another namespace"),
        pytest.param(of(pods("RayCluster")), "clear", id="Ray"),
        pytest.param(of(pods("MPIJob")), "clear", id="an MPIJob"),
        pytest.param(of(pods("NodeSet")), "clear", id="Slurm in pods"),
        pytest.param(
            of(pods("Deployment", worker=build.container(limits=GPUS))), "not_applicable", id="pods that serve"
        ),
        pytest.param(
            of([*pods("Job", worker=build.container(limits=GPUS)), made(Job, {"spec.backoffLimit": "6"})]),
            "clear",
            id="workers that know nothing of each other",
        ),
    ],
)
def test_only_pods_that_wait_for_each_other_are_a_gap(given: Facts, status: Status) -> None:
    assert CHECK.run(given).status == status


@pytest.mark.parametrize(
    ("count", "severity"),
    [pytest.param(100, Severity.LOW, id="100 pods"), pytest.param(101, Severity.HIGH, id="101")],
)
def test_a_large_run_is_worse(count: int, severity: Severity) -> None:
    verdict = run(*pods(), replace(ONE_BY_ONE, pods=count))

    (finding,) = verdict.findings
    assert verdict.severity_of(finding) == severity
    assert verdict.confidence_of(finding) == Confidence.LIKELY
    assert finding.says.en == (
        f"restarts a failed pod alone while the other {count - 1} wait for it ({POLICY}: OnFailure)"
    )


def test_all_fields_that_say_it_are_shown() -> None:
    master = POLICY.replace("Worker", "Master")

    (finding,) = run(*pods(), made(PyTorchJob, {master: "Always", POLICY: "OnFailure"})).findings

    assert list(finding.evidence.values()) == ["Always", "OnFailure"]


@pytest.mark.parametrize("lost", [Pod, *RUN_OBJECTS])
def test_a_read_that_lacks_is_unknown_where_it_is_needed(lost: type[Record]) -> None:
    status = "unknown" if lost in {Pod, PyTorchJob} else "gap"

    assert run(*pods(), ONE_BY_ONE, unread=(lost,)).status == status


def test_a_pod_that_was_not_seen_may_be_the_one_that_shows_an_elastic_launch() -> None:
    partial = Partial(tuple(pods()), (build.forbidden(Pod),))

    assert CHECK.run(build.facts(ONE_BY_ONE).but(Pod, partial)).status == "unknown"


def test_one_run_whose_object_is_not_to_be_seen_hides_no_other() -> None:
    gone = [replace(pod, run=Run(kind="JobSet", namespace="ml", name="a")) for pod in pods()]

    verdict = run(*gone, *pods(), ONE_BY_ONE)

    assert [str(finding.subject) for finding in verdict.findings] == ["PyTorchJob/ml/train"]
    assert [item.what.en for item in verdict.unread] == ["the object JobSet/ml/a"]
