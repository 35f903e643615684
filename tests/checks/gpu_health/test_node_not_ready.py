from datetime import timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import Condition, ResourceSlice, Taint
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.gpu_health.node_not_ready import CHECK
from tests.checks.build import JUST_NOW, LONG_AGO, READ_AT, facts, node, ready

H100 = {"nvidia.com/gpu.present": "true"}
GOOD = node(labels=H100, devices={"nvidia.com/gpu": 8})
DOWN = replace(GOOD, conditions=(ready("False"),))
CORDONED = replace(
    GOOD,
    unschedulable=True,
    taints=(Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule", added=LONG_AGO),),
)
COREWEAVE = {"node.coreweave.cloud/state": "production", "node.coreweave.cloud/reserved": "org0000"}


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(DOWN), "gap", id="the kubelet reports that it is not ready"),
        pytest.param(facts(replace(GOOD, conditions=(ready("Unknown"),))), "gap", id="the kubelet is silent"),
        pytest.param(facts(CORDONED), "gap", id="the node is cordoned"),
        pytest.param(
            facts(replace(GOOD, conditions=(ready(), Condition(type="DiskPressure", status="True")))),
            "gap",
            id="the kubelet reports pressure",
        ),
        pytest.param(
            facts(replace(GOOD, labels=H100 | COREWEAVE | {"node.coreweave.cloud/reserved-desired": "triage"})),
            "gap",
            id="the cloud is about to take the node",
        ),
        pytest.param(
            facts(replace(GOOD, labels=H100 | {"dgxc.nvidia.com/nvsentinel-state": "quarantined"})),
            "gap",
            id="an agent has quarantined the node",
        ),
        pytest.param(facts(DOWN, unread=(ResourceSlice,)), "gap", id="DRA is unread, the labels are enough"),
        pytest.param(facts(GOOD), "clear", id="a ready node"),
        pytest.param(
            facts(replace(GOOD, conditions=(ready(heartbeat=None),))), "clear", id="a ready node without a heartbeat"
        ),
        pytest.param(
            facts(replace(GOOD, labels=H100 | COREWEAVE | {"node.coreweave.cloud/reserved-desired": "org0000"})),
            "clear",
            id="the cloud keeps the node where it is",
        ),
        pytest.param(
            facts(replace(DOWN, created=READ_AT - timedelta(minutes=5))), "clear", id="the node is still starting"
        ),
        pytest.param(facts(replace(DOWN, deleting=True)), "clear", id="the node is being deleted"),
        pytest.param(
            facts(replace(GOOD, labels=H100 | {"nvidia.com/gpu-driver-upgrade-state": "upgrade-done"})),
            "clear",
            id="a driver upgrade is over",
        ),
        pytest.param(
            facts(GOOD, node("cpu-1", conditions=(ready("False"),))), "clear", id="a node without GPUs is down"
        ),
        pytest.param(facts(node("cpu-1")), "not_applicable", id="a node without accelerators"),
        pytest.param(facts(), "not_applicable", id="no node at all"),
        pytest.param(facts(replace(GOOD, conditions=())), "unknown", id="the status carries no Ready condition"),
        pytest.param(
            facts(replace(GOOD, conditions=(ready(heartbeat=READ_AT - timedelta(hours=1)),))),
            "unknown",
            id="the last heartbeat is too old to be believed",
        ),
        pytest.param(facts(GOOD, unread=(ResourceSlice,)), "unknown", id="who else has devices is unread"),
    ],
)
def test_a_gpu_node_must_be_ready_and_in_service(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_a_silent_kubelet_is_high_and_certain_and_says_since_when():
    verdict = CHECK.run(facts(replace(GOOD, conditions=(ready("Unknown", since=JUST_NOW),))))

    [finding] = verdict.findings
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (Severity.HIGH, Confidence.CERTAIN)
    assert (finding.key, finding.since) == ("Ready", "2026-11-29T11:59:00Z")
    assert finding.evidence == {"status.conditions[Ready].status": "Unknown"}


def test_a_cordon_is_low_and_says_since_when():
    other = Taint(key="nvidia.com/gpu", effect="NoSchedule", added=JUST_NOW)

    [finding] = CHECK.run(facts(replace(CORDONED, taints=(other, *CORDONED.taints)))).findings

    assert (finding.severity, finding.confidence) == (Severity.LOW, Confidence.CERTAIN)
    assert finding.since == "2026-10-30T12:00:00Z"


def test_a_cordon_without_its_taint_does_not_say_since_when():
    [finding] = CHECK.run(facts(replace(CORDONED, taints=()))).findings

    assert finding.since is None


def test_a_cordon_for_an_upgrade_says_so_and_is_only_a_hint():
    upgrading = replace(CORDONED, labels=H100 | {"nvidia.com/gpu-driver-upgrade-state": "drain-required"})

    [finding] = CHECK.run(facts(upgrading)).findings

    assert (finding.severity, finding.confidence) == (Severity.LOW, Confidence.HINT)
    assert finding.says.en == "the node is cordoned while the GPU driver is being upgraded"
    assert finding.evidence == {
        "spec.unschedulable": True,
        "metadata.nvidia.com/gpu-driver-upgrade-state": "drain-required",
    }


def test_a_coreweave_node_that_is_pending_removal_is_found_although_it_is_in_production():
    labels = COREWEAVE | {
        "node.coreweave.cloud/class": "gpu",
        "node.coreweave.cloud/type": "gd-8xh100ib-i128",
        "node.coreweave.cloud/reserved-desired": "triage",
    }
    g000001 = node("g000001", labels, {"nvidia.com/gpu": 8, "rdma/ib": 1}, conditions=(), created=None)

    verdict = CHECK.run(facts(g000001))

    [finding] = verdict.findings
    assert verdict.severity_of(finding) is Severity.HIGH
    assert finding.evidence == {
        "metadata.labels.node.coreweave.cloud/reserved-desired": "triage",
        "metadata.labels.node.coreweave.cloud/reserved": "org0000",
    }


def test_many_nodes_without_a_ready_condition_are_one_item():
    [unread] = CHECK.run(facts(*(replace(GOOD, name=f"gpu-{n}", conditions=()) for n in range(1, 41)))).unread

    assert unread.what.en == "whether the kubelet of 40 nodes (gpu-1, gpu-2, gpu-3, ...) is ready now"
