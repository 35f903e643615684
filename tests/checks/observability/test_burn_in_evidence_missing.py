from datetime import timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Partial
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.observability.burn_in_evidence_missing import CHECK
from tests.checks.build import READ_AT, damaged, facts, node

H100 = {"nvidia.com/gpu.present": "true"}
NCCL, RUN = "oke.oraclecloud.com/active-health-checks-nccl-tests", "-last-run"
DIAG = "autopilot.ibm.com/dcgm.level.3"
RECENT = {NCCL: "pass", NCCL + RUN: "2026-11-20T14-30-00Z"}
OLD = {NCCL: "pass", NCCL + RUN: "2026-08-31T14-30-00Z"}


def gpu(name: str, labels: dict[str, str] | None = None, **fields) -> Node:
    return replace(node(name, H100 | (labels or {}), {"nvidia.com/gpu": 8}), **fields)


TESTED, BARE = gpu("gpu-1", RECENT), gpu("gpu-2")


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(TESTED, BARE), "gap", id="one node of two was never tested"),
        pytest.param(facts(gpu("gpu-1", OLD)), "gap", id="the last test is more than 90 days old"),
        pytest.param(facts(gpu("gpu-1", {DIAG: "ERR_2026-08-01_02.30.14UTC"})), "gap", id="an old test of Autopilot"),
        pytest.param(facts(TESTED, BARE, unread=(ResourceSlice,)), "gap", id="DRA is unread"),
        pytest.param(facts(TESTED), "clear", id="tested last week"),
        pytest.param(facts(gpu("gpu-1", OLD | {DIAG: "PASS_2026-11-23_02.30.14UTC"})), "clear", id="a newer test"),
        pytest.param(facts(gpu("gpu-1", {NCCL + RUN: "2026-09-01T00-00-00Z"})), "clear", id="tested within 90 days"),
        pytest.param(
            facts(gpu("gpu-1", OLD | {"aiinfra/nccl-healthcheck-result": "pass"})), "clear", id="one tells no day"
        ),
        pytest.param(facts(gpu("gpu-1", {NCCL + RUN: "2026-99-99T0"})), "clear", id="no day of the calendar"),
        pytest.param(facts(gpu("gpu-1", {DIAG: "TESTING"})), "clear", id="a test that is running"),
        pytest.param(facts(TESTED, replace(BARE, unschedulable=True)), "clear", id="the node is cordoned"),
        pytest.param(
            facts(TESTED, replace(BARE, created=READ_AT - timedelta(minutes=1))), "clear", id="it has just joined"
        ),
        pytest.param(
            facts(TESTED, gpu("gpu-2", {"nvidia.com/gpu.workload.config": "vm-passthrough"})),
            "clear",
            id="its GPUs belong to virtual machines",
        ),
        pytest.param(facts(TESTED, node("cpu-1")), "clear", id="a node without GPUs"),
        pytest.param(facts(BARE), "not_applicable", id="nothing shows how nodes are tested"),
        pytest.param(facts(gpu("gpu-1", {NCCL: "pass"})), "not_applicable", id="a label that is no test's day"),
        pytest.param(
            facts().but(Node, Partial((BARE,), (damaged(Node),))),
            "unknown",
            id="a node that made no sense may be one that was tested",
        ),
        pytest.param(facts(TESTED, BARE, unread=(Node,)), "unknown", id="nodes are unread"),
        pytest.param(facts(TESTED, unread=(ResourceSlice,)), "unknown", id="who else has GPUs is unread"),
    ],
)
def test_every_gpu_node_must_have_been_tested(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_ninety_days_are_not_more_than_ninety():
    midnight = READ_AT.replace(hour=0)

    assert CHECK.run(facts(gpu("gpu-1", {NCCL + RUN: "2026-08-31T23-00-00Z"}), read_at=midnight)).status == "clear"


def test_a_node_without_a_result_says_whose_the_others_carry():
    verdict = CHECK.run(facts(TESTED, BARE))

    [finding] = verdict.findings
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (Severity.LOW, Confidence.LIKELY)
    assert (str(finding.subject), finding.evidence) == (
        "Node/gpu-2",
        {"metadata.creationTimestamp": "2026-10-30T12:00:00Z"},
    )
    assert finding.says.en.endswith("while other GPU nodes carry those of OCI active health checks")


def test_of_old_results_the_newest_is_shown():
    [finding] = CHECK.run(facts(gpu("gpu-1", OLD | {DIAG: "PASS_2026-08-01_02.30.14UTC"}))).findings

    assert finding.says.en == "OCI active health checks tested it last on 2026-08-31"
    assert finding.evidence == {f"metadata.labels.{NCCL + RUN}": "2026-08-31T14-30-00Z"}
