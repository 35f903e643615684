import json
from typing import Any

import pytest

from kubegap_checks.facts.jobs import (
    CoschedulingPodGroup,
    Job,
    JobSet,
    KueueWorkload,
    LeaderWorkerSet,
    PodGroup,
    PyTorchJob,
    RunObject,
    VolcanoJob,
    VolcanoPodGroup,
)
from kubegap_checks.facts.read import Record
from kubegap_mcp.kube.gather.registry import gatherers

GATHERERS = gatherers()


def one(record: type[Record], spec: dict[str, Any] | None, **meta: Any) -> Any:
    body = json.dumps({"metadata": {"name": "o", "namespace": "ns", **meta}, "spec": spec}).encode()
    page = GATHERERS[record].objects([body])
    (row,) = page.rows
    assert not page.invalid
    return row


def replicated(*jobs: tuple[str, int, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"name": name, "replicas": replicas, "template": {"spec": spec}} for name, replicas, spec in jobs]


LIMIT = "spec.replicatedJobs[w].template.spec.backoffLimit"
TASK = "spec.tasks[w]"
FAIL = {"rules": [{"action": "FailJob"}]}


@pytest.mark.parametrize(
    ("record", "spec", "pods", "on_failure"),
    [
        pytest.param(Job, {"parallelism": 4, "backoffLimit": 0}, 4, {"spec.backoffLimit": "0"}, id="a Job"),
        pytest.param(Job, {}, 1, {"spec.backoffLimit": "6"}, id="a Job by default"),
        pytest.param(Job, {"podFailurePolicy": FAIL}, 1, {}, id="a Job that fails as a whole"),
        pytest.param(
            Job,
            {"podFailurePolicy": {"rules": [{"action": "Ignore"}]}},
            1,
            {"spec.backoffLimit": "6"},
            id="another policy",
        ),
        pytest.param(
            PyTorchJob,
            {"pytorchReplicaSpecs": {"Master": {}, "Worker": {"replicas": 3, "restartPolicy": "Never"}}},
            4,
            {
                "spec.pytorchReplicaSpecs[Master].restartPolicy": "OnFailure",
                "spec.pytorchReplicaSpecs[Worker].restartPolicy": "Never",
            },
            id="a PyTorchJob",
        ),
        pytest.param(
            JobSet,
            {"replicatedJobs": replicated(("w", 2, {"parallelism": 4, "backoffLimit": 0}))},
            8,
            {LIMIT: "0"},
            id="a JobSet",
        ),
        pytest.param(JobSet, {"replicatedJobs": replicated(("w", 1, {}))}, 1, {LIMIT: "6"}, id="a JobSet by default"),
        pytest.param(
            JobSet,
            {
                "replicatedJobs": replicated(("w", 2, {"podFailurePolicy": FAIL})),
                "failurePolicy": {"rules": [{"action": "FailJobSet"}, {"action": "RestartJob"}]},
            },
            2,
            {"spec.failurePolicy.rules[0].action": "FailJobSet", "spec.failurePolicy.rules[1].action": "RestartJob"},
            id="a JobSet of two Jobs with rules",
        ),
        pytest.param(
            JobSet,
            {
                "replicatedJobs": replicated(("w", 1, {"parallelism": 2, "backoffLimit": 0})),
                "failurePolicy": {"rules": [{"action": "RestartJob"}]},
            },
            2,
            {LIMIT: "0"},
            id="a JobSet of one Job, which is all of it",
        ),
        pytest.param(
            JobSet,
            {"replicatedJobs": replicated(("w", 1, {})), "failurePolicy": {"restartStrategy": "InPlaceRestart"}},
            1,
            {},
            id="a JobSet that restarts all in place",
        ),
        pytest.param(
            LeaderWorkerSet,
            {"leaderWorkerTemplate": {"size": 4, "restartPolicy": "None"}},
            4,
            {"spec.leaderWorkerTemplate.restartPolicy": "None"},
            id="a LeaderWorkerSet",
        ),
        pytest.param(
            LeaderWorkerSet,
            {},
            1,
            {"spec.leaderWorkerTemplate.restartPolicy": "RecreateGroupOnPodRestart"},
            id="a LeaderWorkerSet by default",
        ),
        pytest.param(
            VolcanoJob,
            {
                "tasks": [{"name": "w", "replicas": 4}],
                "policies": [{"events": ["PodFailed", "TaskCompleted"], "action": "RestartJob"}],
            },
            4,
            {"spec.policies[PodFailed].action": "RestartJob"},
            id="a Job of Volcano with policies",
        ),
        pytest.param(
            VolcanoJob,
            {"tasks": [{"name": "w", "replicas": 4, "policies": [{"event": "*", "action": "RestartPod"}]}]},
            4,
            {f"{TASK}.policies[*].action": "RestartPod"},
            id="a Job of Volcano with policies of a task",
        ),
        pytest.param(
            VolcanoJob,
            {"tasks": [{"name": "w", "replicas": 4, "template": {"spec": {"restartPolicy": "OnFailure"}}}]},
            4,
            {f"{TASK}.template.spec.restartPolicy": "OnFailure"},
            id="a Job of Volcano without policies",
        ),
        pytest.param(
            VolcanoJob,
            {"tasks": [{"name": "w"}], "policies": [{"event": "TaskCompleted", "action": "CompleteJob"}]},
            0,
            {f"{TASK}.template.spec.restartPolicy": "Always"},
            id="a Job of Volcano with policies for the end only",
        ),
    ],
)
def test_what_happens_when_a_pod_fails(
    record: type[RunObject], spec: dict[str, Any], pods: int, on_failure: dict[str, str]
) -> None:
    row = one(record, spec)

    assert (row.namespace, row.name, row.pods, row.on_failure) == ("ns", "o", pods, on_failure)
    assert not row.elastic
    assert row.owner is None


@pytest.mark.parametrize("record", [Job, PyTorchJob, JobSet, LeaderWorkerSet, VolcanoJob])
def test_an_object_without_a_spec_makes_sense(record: type[RunObject]) -> None:
    assert one(record, None).name == "o"


def test_an_elastic_policy_is_seen_even_when_it_is_empty() -> None:
    assert one(PyTorchJob, {"elasticPolicy": {}}).elastic


@pytest.mark.parametrize("record", [JobSet, KueueWorkload])
def test_the_controller_above_is_named(record: type[Record]) -> None:
    owners = [{"kind": "Other", "name": "x"}, {"kind": "TrainJob", "name": "llm", "controller": True}]

    assert one(record, {}, ownerReferences=owners).owner == ("TrainJob", "llm")
    assert one(record, {}, ownerReferences=owners[:1]).owner is None


@pytest.mark.parametrize("record", [VolcanoPodGroup, CoschedulingPodGroup])
def test_a_pod_group_says_how_many_it_takes(record: type[PodGroup]) -> None:
    assert one(record, {"minMember": 8}) == record(namespace="ns", name="o", least=8)
    assert one(record, None).least == 0


def test_a_kind_is_called_as_in_the_run_of_a_pod() -> None:
    assert one(Job, {}).kind == "Job"
    assert one(VolcanoJob, {}).kind == "Job.batch.volcano.sh"
