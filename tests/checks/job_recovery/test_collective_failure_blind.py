from collections.abc import Mapping
from typing import Any

import pytest

from checks import build
from kubegap_checks.facts.pods import Pod, Run
from kubegap_checks.facts.read import Record
from kubegap_checks.model import Confidence, Severity, Status, Verdict
from kubegap_checks.rules.job_recovery.collective_failure_blind import CHECK

GPUS = {"nvidia.com/gpu": 8}
TRACED = {"NCCL_DEBUG": "INFO", "MASTER_ADDR": None}


def pods(env: Mapping[str, str | None], count: int = 2, run: str = "PyTorchJob", **fields: Any) -> list[Pod]:
    trainer = build.container(limits=GPUS, env=env, **fields)
    owner = Run(kind=run, namespace="ml", name="train")
    return [
        build.pod(f"train-{rank}", resources=GPUS, containers=(trainer, build.container("sidecar")), run=owner)
        for rank in range(count)
    ]


def run(*records: Record, unread: tuple[type[Record], ...] = ()) -> Verdict:
    return CHECK.run(build.facts(*records, unread=unread))


@pytest.mark.parametrize(
    ("env", "found"),
    [
        pytest.param({"TORCH_NCCL_ASYNC_ERROR_HANDLING": "0"}, {"async_errors": Severity.HIGH}, id="no error handling"),
        pytest.param({"NCCL_ASYNC_ERROR_HANDLING": "0"}, {"async_errors": Severity.HIGH}, id="by its older name"),
        pytest.param({"TORCH_NCCL_ASYNC_ERROR_HANDLING": "1"}, {}, id="error handling"),
        pytest.param({"TORCH_NCCL_ASYNC_ERROR_HANDLING": None}, {}, id="from elsewhere"),
        pytest.param(
            {"TORCH_NCCL_ASYNC_ERROR_HANDLING": "0", "TORCH_NCCL_BLOCKING_WAIT": "1"}, {}, id="blocking wait instead"
        ),
        pytest.param(
            {"TORCH_NCCL_ASYNC_ERROR_HANDLING": "0", "TORCH_NCCL_BLOCKING_WAIT": "0"},
            {"async_errors": Severity.HIGH},
            id="and no blocking wait",
        ),
        pytest.param(
            {"TORCH_NCCL_ASYNC_ERROR_HANDLING": "0", "TORCH_NCCL_BLOCKING_WAIT": None},
            {},
            id="blocking wait from elsewhere",
        ),
        pytest.param({"TORCH_NCCL_ENABLE_MONITORING": "false"}, {"monitoring": Severity.MEDIUM}, id="no monitoring"),
        pytest.param({"TORCH_NCCL_ENABLE_MONITORING": "1"}, {}, id="monitoring"),
        pytest.param({"TORCH_NCCL_TRACE_BUFFER_SIZE": "0"}, {"recorder": Severity.LOW}, id="no recorder"),
        pytest.param({"TORCH_FR_BUFFER_SIZE": "20000"}, {}, id="a recorder"),
        pytest.param({"TORCH_NCCL_DUMP_ON_TIMEOUT": "0"}, {"dump": Severity.LOW}, id="no dump"),
    ],
)
def test_what_is_switched_off(env: Mapping[str, str | None], found: Mapping[str, Severity]) -> None:
    verdict = run(*pods({**TRACED, **env}))

    assert {finding.key: verdict.severity_of(finding) for finding in verdict.findings} == found
    assert {verdict.confidence_of(finding) for finding in verdict.findings} <= {Confidence.LIKELY}


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(pods({"MASTER_ADDR": None}), "gap", id="nothing is set"),
        pytest.param(pods(TRACED), "clear", id="NCCL_DEBUG"),
        pytest.param(pods({"MASTER_ADDR": None, "TORCH_FR_BUFFER_SIZE": "2000"}), "clear", id="a recorder"),
        pytest.param(pods({"MASTER_ADDR": None}, env_from=True), "clear", id="a whole config map beside"),
        pytest.param(pods({"MASTER_ADDR": None}, count=1), "clear", id="one pod"),
        pytest.param(pods({"NCCL_IB_HCA": "mlx5"}), "clear", id="nothing shows torch.distributed"),
        pytest.param([], "not_applicable", id="no pods"),
        pytest.param(pods({"WORLD_SIZE": "16"}, run="Job"), "gap", id="a Job"),
        pytest.param(pods({}, run="Deployment"), "not_applicable", id="one that serves"),
    ],
)
def test_a_run_that_would_leave_no_trace_is_a_hint(given: list[Record], status: Status) -> None:
    verdict = run(*given)

    assert verdict.status == status
    for finding in verdict.findings:
        assert finding.key == "silent"
        assert (finding.severity, finding.confidence) == (Severity.LOW, Confidence.HINT)


def test_a_run_is_one_finding_for_each_setting() -> None:
    verdict = run(*pods({**TRACED, "TORCH_NCCL_ASYNC_ERROR_HANDLING": "0"}))

    (finding,) = verdict.findings
    assert str(finding.subject) == "PyTorchJob/ml/train"
    assert finding.says.en == (
        "TORCH_NCCL_ASYNC_ERROR_HANDLING is 0: a rank that lost its peers waits for ever instead of ending"
    )
    assert finding.evidence == {"Pod[ml/train-0].spec.containers[trainer].env[TORCH_NCCL_ASYNC_ERROR_HANDLING]": "0"}


def test_the_names_that_stand_are_shown() -> None:
    (finding,) = run(*pods({"WORLD_SIZE": "16", "MASTER_ADDR": None})).findings

    assert finding.evidence == {"Pod[ml/train-0].spec.containers[trainer].env": "MASTER_ADDR, WORLD_SIZE"}


def test_a_pod_that_only_looks_like_training_gives_a_hint() -> None:
    verdict = run(*pods({"NCCL_DEBUG": "INFO", "TORCH_NCCL_ASYNC_ERROR_HANDLING": "0"}, run="Job"))

    assert [verdict.confidence_of(finding) for finding in verdict.findings] == [Confidence.HINT]


def test_pods_that_may_not_be_read_are_unknown() -> None:
    assert run(unread=(Pod,)).status == "unknown"
