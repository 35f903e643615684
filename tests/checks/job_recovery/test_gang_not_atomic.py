from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from checks import build
from kubegap_checks.facts.jobs import CoschedulingPodGroup, KueueWorkload, PodGroup, VolcanoPodGroup
from kubegap_checks.facts.pods import Container, Pod, Run
from kubegap_checks.facts.read import Facts, Partial, Record
from kubegap_checks.inventory.gangs import GANG_KINDS
from kubegap_checks.model import Confidence, Severity, Status, Verdict
from kubegap_checks.rules.job_recovery.gang_not_atomic import CHECK

GPUS = {"nvidia.com/gpu": 8}
VOLCANO = {"scheduling.k8s.io/group-name": "pg"}
COSCHEDULING = {"scheduling.x-k8s.io/pod-group": "pg"}
A_WHILE_AGO = build.READ_AT - timedelta(minutes=15)
NO_NODE = "0/12 nodes are available: 12 Insufficient nvidia.com/gpu."


def pods(kind: str = "PyTorchJob", count: int = 4, worker: Container | None = None, **fields: Any) -> list[Pod]:
    owner = Run(kind=kind, namespace="ml", name="train")
    trainer = worker or build.container(limits=GPUS, env={"MASTER_ADDR": None})
    return [
        build.pod(f"train-{rank}", resources=GPUS, run=owner, containers=(trainer,), **fields) for rank in range(count)
    ]


def partly(given: list[Pod], **fields: Any) -> list[Pod]:
    """The last pod finds no node."""
    lost = {"node": "", "phase": "Pending", "unplaced_since": A_WHILE_AGO, "unplaced": NO_NODE} | fields
    return [*given[:-1], replace(given[-1], **lost)]


def of(records: Iterable[Record]) -> Facts:
    return build.facts(*records)


def group(least: int) -> PodGroup:
    return VolcanoPodGroup(namespace="ml", name="pg", least=least)


def found(verdict: Verdict) -> list[str]:
    return [finding.key for finding in verdict.findings]


IN_VOLCANO = pods(annotations=VOLCANO, scheduler="volcano")
QUEUED = KueueWorkload(namespace="ml", name="pytorchjob-train-0a1b2", owner=("PyTorchJob", "train"))


@pytest.mark.parametrize(
    ("given", "key"),
    [
        pytest.param(of(partly(pods())), "partial", id="one finds no node"),
        pytest.param(of([*partly(IN_VOLCANO), group(4)]), "partial", id="in spite of a gang scheduler"),
        pytest.param(
            of(partly(pods(), unplaced_since=A_WHILE_AGO + timedelta(seconds=1))), "one_by_one", id="not for long"
        ),
        pytest.param(of(partly(pods(), unplaced_since=None)), "one_by_one", id="not looked at by the scheduler"),
        pytest.param(of(partly(pods(), node="gpu-9")), "one_by_one", id="placed since"),
        pytest.param(of(pods(node="", unplaced_since=A_WHILE_AGO)), "one_by_one", id="none is placed"),
        pytest.param(of([*IN_VOLCANO, group(4)]), None, id="a minimum of all"),
        pytest.param(of([*IN_VOLCANO, group(5)]), None, id="a minimum of more, of which some ask for no GPU"),
        pytest.param(of([*IN_VOLCANO, group(3)]), "too_small", id="a minimum of fewer"),
        pytest.param(of([*IN_VOLCANO, group(0)]), None, id="a minimum that is not told"),
        pytest.param(of(IN_VOLCANO), None, id="a group that no list holds"),
        pytest.param(
            of(
                [
                    *pods(labels=COSCHEDULING, scheduler="gangs"),
                    CoschedulingPodGroup(namespace="ml", name="pg", least=1),
                ]
            ),
            "too_small",
            id="a minimum of one, by the coscheduling plugin",
        ),
        pytest.param(
            of([*pods(labels=COSCHEDULING, scheduler="gangs"), replace(group(1), name="pg")]),
            None,
            id="a group of another scheduler",
        ),
        pytest.param(of([*IN_VOLCANO, replace(group(1), namespace="other")]), None, id="a group of another namespace"),
        pytest.param(of(pods()), "one_by_one", id="no gang"),
        pytest.param(of(pods(scheduler="default-scheduler")), "one_by_one", id="no gang, told by name"),
        pytest.param(of(pods(scheduler="kai-scheduler")), None, id="a scheduler of its own"),
        pytest.param(of(pods(scheduling_group="pg")), None, id="Kubernetes' own gang scheduling"),
        pytest.param(of(pods(labels={"kueue.x-k8s.io/podset": "main"})), None, id="pods that Kueue let in"),
        pytest.param(of([*pods(), QUEUED]), None, id="a run that Kueue let in"),
        pytest.param(of([*pods(), replace(QUEUED, namespace="other")]), "one_by_one", id="one of another namespace"),
        pytest.param(of([*pods(), replace(QUEUED, owner=("Job", "other"))]), "one_by_one", id="another run"),
        pytest.param(of([*pods(), replace(QUEUED, owner=None)]), "one_by_one", id="a Workload of nobody"),
        pytest.param(of(partly(pods("RayCluster"))), None, id="Ray"),
        pytest.param(of(partly(pods("NodeSet"))), None, id="Slurm in pods"),
        pytest.param(of(partly(pods("Job", worker=build.container(limits=GPUS)))), None, id="workers of their own"),
        pytest.param(of(pods(count=1)), None, id="one pod"),
        pytest.param(
            of(partly(pods(worker=build.container(limits=GPUS, env={"PET_NNODES": "2:4"})))),
            None,
            id="a range of nodes",
        ),
        pytest.param(
            of(partly(pods(worker=build.container(limits=GPUS, flags={"--nnodes": "2:4"})))),
            None,
            id="a range by a flag",
        ),
        pytest.param(
            of(partly(pods(worker=build.container(limits=GPUS, env={"PET_NNODES": "4:4"})))),
            "partial",
            id="a range of one number",
        ),
        pytest.param(
            of(partly(pods(worker=build.container(limits=GPUS, flags={"--nnodes": "4"})))), "partial", id="a number"
        ),
        pytest.param(
            of(partly(pods(worker=build.container(limits=GPUS, env={"PET_NNODES": None})))),
            "partial",
            id="from elsewhere",
        ),
        pytest.param(
            of(partly(pods(worker=build.container(limits=GPUS, env={"NCCL_IB_HCA": "mlx5_0:1"})))),
            "partial",
            id="a variable that only looks like a range",
        ),
    ],
)
def test_which_runs_can_start_with_part_of_their_pods(given: Facts, key: str | None) -> None:
    assert found(CHECK.run(given)) == ([key] if key else [])


def test_pods_that_serve_are_not_looked_at() -> None:
    assert CHECK.run(of(pods("Deployment", worker=build.container(limits=GPUS)))).status == "not_applicable"


@pytest.mark.parametrize(
    ("given", "severity", "confidence", "says", "evidence"),
    [
        pytest.param(
            of(partly(pods())),
            Severity.HIGH,
            Confidence.CERTAIN,
            "3 of 4 pods are placed and hold 24 devices; 1 find no node",
            {"Pod[ml/train-3].status.conditions[PodScheduled].message": NO_NODE},
            id="partial",
        ),
        pytest.param(
            of(partly(pods("JobSet"))),
            Severity.HIGH,
            Confidence.LIKELY,
            "3 of 4 pods are placed and hold 24 devices; 1 find no node",
            {"Pod[ml/train-3].status.conditions[PodScheduled].message": NO_NODE},
            id="partial, of what is likely to train",
        ),
        pytest.param(
            of([*IN_VOLCANO, group(3)]),
            Severity.MEDIUM,
            Confidence.LIKELY,
            "its pod group pg starts with 3 of its 4 pods",
            {"PodGroup.scheduling.volcano.sh[ml/pg].spec.minMember": 3},
            id="too small",
        ),
        pytest.param(
            of(pods()),
            Severity.LOW,
            Confidence.LIKELY,
            "its 4 pods are placed one by one: no queue or scheduler takes them as a whole",
            {"Pod[ml/train-0].spec.schedulerName": ""},
            id="one by one",
        ),
    ],
)
def test_what_a_finding_tells(
    given: Facts, severity: Severity, confidence: Confidence, says: str, evidence: dict[str, object]
) -> None:
    verdict = CHECK.run(given)

    (finding,) = verdict.findings
    assert finding.subject.name == "train"
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (severity, confidence)
    assert (finding.says.en, finding.evidence) == (says, evidence)


def test_a_stall_says_since_when() -> None:
    (finding,) = CHECK.run(of(partly(pods()))).findings

    assert finding.since == "2026-11-29T11:45:00Z"


@pytest.mark.parametrize(
    ("records", "lost", "status"),
    [
        pytest.param(pods(), Pod, "unknown", id="the pods"),
        pytest.param(pods(), KueueWorkload, "unknown", id="Kueue's Workloads, which may hold the run"),
        pytest.param(pods(), VolcanoPodGroup, "gap", id="groups that no pod names"),
        pytest.param([*IN_VOLCANO, group(3)], VolcanoPodGroup, "unknown", id="the group that the pods name"),
        pytest.param([*IN_VOLCANO, group(3)], KueueWorkload, "gap", id="Workloads beside a group"),
        *(pytest.param(partly(pods()), lost, "gap", id=f"{lost.__name__} beside a stall") for lost in GANG_KINDS),
    ],
)
def test_a_read_that_lacks_is_unknown_where_it_is_needed(
    records: list[Record], lost: type[Record], status: Status
) -> None:
    assert CHECK.run(build.facts(*records, unread=(lost,))).status == status


def test_a_pod_that_was_not_seen_may_be_the_one_that_is_held() -> None:
    partial = Partial(tuple(pods()), (build.forbidden(Pod),))

    assert CHECK.run(build.facts().but(Pod, partial)).status == "unknown"


def test_one_run_that_cannot_be_judged_hides_no_other() -> None:
    stalled = [replace(pod, run=Run(kind="JobSet", namespace="ml", name="b")) for pod in partly(pods())]

    verdict = CHECK.run(build.facts(*pods(), *stalled, unread=(KueueWorkload,)))

    assert [str(finding.subject) for finding in verdict.findings] == ["JobSet/ml/b"]
    assert verdict.unread
