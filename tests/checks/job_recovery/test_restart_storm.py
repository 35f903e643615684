from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from checks import build
from kubegap_checks.facts.pods import Container, Ending, Pod, Run
from kubegap_checks.facts.read import Record
from kubegap_checks.model import Confidence, Severity, Status, Verdict
from kubegap_checks.rules.job_recovery.restart_storm import CHECK

GPUS = {"nvidia.com/gpu": 8}
AN_HOUR_AGO = build.READ_AT - timedelta(hours=1)
ERROR = Ending(reason="Error", code=1, at=AN_HOUR_AGO)
OOM = Ending(reason="OOMKilled", code=137, at=AN_HOUR_AGO)


def worker(**fields: Any) -> Container:
    return build.container(limits=GPUS, **fields)


def pod(*containers: Container, **fields: Any) -> Pod:
    return build.pod(resources=GPUS, containers=containers, **fields)


def run(*records: Record, unread: tuple[type[Record], ...] = ()) -> Verdict:
    return CHECK.run(build.facts(*records, unread=unread))


@pytest.mark.parametrize(
    ("containers", "severity"),
    [
        pytest.param([worker(waiting="CrashLoopBackOff", restarts=2, ended=ERROR)], Severity.HIGH, id="backs off"),
        pytest.param([worker(waiting="ContainerCreating", restarts=2, ended=ERROR)], None, id="only starts"),
        pytest.param([worker(restarts=1, ended=OOM)], Severity.MEDIUM, id="out of memory"),
        pytest.param([worker(restarts=1, ended=ERROR)], None, id="one error"),
        pytest.param([worker(restarts=5, ended=ERROR)], Severity.MEDIUM, id="five restarts"),
        pytest.param([worker(restarts=4, ended=ERROR)], None, id="four restarts"),
        pytest.param(
            [worker(restarts=5, ended=replace(ERROR, at=build.READ_AT - timedelta(hours=24)))], None, id="a day ago"
        ),
        pytest.param(
            [worker(restarts=1, ended=replace(OOM, at=build.READ_AT - timedelta(hours=24)))], None, id="OOM a day ago"
        ),
        pytest.param([worker(restarts=5, ended=replace(ERROR, at=None))], None, id="nobody knows when"),
        pytest.param([worker(restarts=5)], None, id="nobody knows how"),
        pytest.param(
            [worker(), build.container("sidecar", waiting="CrashLoopBackOff", restarts=9)], None, id="only a sidecar"
        ),
        pytest.param(
            [worker(), build.container("stage", init=True, waiting="CrashLoopBackOff", restarts=9)],
            Severity.HIGH,
            id="an init container",
        ),
    ],
)
def test_what_a_container_says_of_its_restarts(containers: list[Container], severity: Severity | None) -> None:
    verdict = run(pod(*containers))

    assert [verdict.severity_of(finding) for finding in verdict.findings] == ([severity] if severity else [])
    assert verdict.status == ("gap" if severity else "clear")


def test_a_run_is_one_finding_that_tells_the_worst() -> None:
    restarting = pod(worker(restarts=7, ended=ERROR), name="train-0")
    backing_off = pod(worker(waiting="CrashLoopBackOff", restarts=9, ended=OOM), name="train-1")

    verdict = run(restarting, backing_off)

    (finding,) = verdict.findings
    assert str(finding.subject) == "PyTorchJob/ml/train"
    assert finding.says.en == "container trainer of pod train-1 is in CrashLoopBackOff after 9 restarts"
    assert finding.since == "2026-11-29T11:00:00Z"
    at = "Pod[ml/train-1].status.containerStatuses[trainer]"
    assert finding.evidence == {
        f"{at}.restartCount": 9,
        f"{at}.state.waiting.reason": "CrashLoopBackOff",
        f"{at}.lastState.terminated.reason": "OOMKilled",
        f"{at}.lastState.terminated.exitCode": 137,
    }


@pytest.mark.parametrize(
    ("container", "at"),
    [
        pytest.param(worker(ended=OOM), "containerStatuses[trainer].lastState", id="it runs again"),
        pytest.param(worker(ended=replace(OOM, now=True)), "containerStatuses[trainer].state", id="it ended for good"),
        pytest.param(
            build.container("stage", init=True, ended=OOM), "initContainerStatuses[stage].lastState", id="one for init"
        ),
    ],
)
def test_the_evidence_stands_where_it_says(container: Container, at: str) -> None:
    (finding,) = run(pod(worker(), container)).findings

    assert finding.evidence[f"Pod[ml/train-0].status.{at}.terminated.reason"] == "OOMKilled"


def test_what_is_not_there_is_not_shown() -> None:
    (finding,) = run(pod(worker(waiting="CrashLoopBackOff", restarts=2))).findings

    assert list(finding.evidence.values()) == [2, "CrashLoopBackOff"]
    assert finding.since is None


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        pytest.param("PyTorchJob", "gap", id="a PyTorchJob"),
        pytest.param("Deployment", "not_applicable", id="one that serves"),
    ],
)
def test_only_training_is_looked_at(kind: str, status: Status) -> None:
    looping = pod(worker(waiting="CrashLoopBackOff"), run=Run(kind=kind, namespace="ml", name="work"))

    assert run(looping).status == status


def test_a_pod_that_only_looks_like_training_gives_a_hint() -> None:
    verdict = run(pod(worker(waiting="CrashLoopBackOff"), run=Run(kind="Job", namespace="ml", name="work")))

    assert [verdict.confidence_of(finding) for finding in verdict.findings] == [Confidence.HINT]


def test_pods_that_may_not_be_read_are_unknown() -> None:
    assert run(unread=(Pod,)).status == "unknown"
