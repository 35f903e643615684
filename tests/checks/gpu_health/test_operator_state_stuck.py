from datetime import timedelta

import pytest

from kubegap_checks.facts.nodes import Condition, Node, Taint
from kubegap_checks.facts.operators import ClusterPolicy, NVIDIADriver
from kubegap_checks.facts.read import Facts, Partial
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.gpu_health.operator_state_stuck import CHECK
from tests.checks.build import (
    JUST_NOW,
    LONG_AGO,
    READ_AT,
    cluster_policy,
    damaged,
    facts,
    node,
    nvidia_driver,
)

UPGRADE = "nvidia.com/gpu-driver-upgrade-state"
PENDING = {"nvidia.com/mig.config.state": "pending"}
EARLIER = {"nvidia.com/gpu-driver-upgrade.node-initial-state.unschedulable": "true"}
HOUR = READ_AT - timedelta(minutes=60)
LONGER = READ_AT - timedelta(minutes=61)


def upgrading(state: str, cordoned=None, name: str = "gpu-1", **fields) -> Node:
    taints = (Taint(key="other"), Taint(key="node.kubernetes.io/unschedulable", added=cordoned)) if cordoned else ()
    return node(name, {UPGRADE: state}, taints=taints, **fields)


def not_ready(since=LONGER, **fields) -> ClusterPolicy:
    conditions = (
        Condition(type="Error", status="True", reason="OperandNotReady", message="states not ready: [state-driver]"),
        Condition(type="Ready", status="False", reason="Error", since=since),
    )
    return cluster_policy(**{"state": "notReady", "conditions": conditions, **fields})


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(node(labels={"nvidia.com/mig.config.state": "failed"})), "gap", id="a failed MIG change"),
        pytest.param(facts(upgrading("upgrade-failed")), "gap", id="a failed upgrade"),
        pytest.param(facts(upgrading("drain-required", LONGER)), "gap", id="a step that takes longer than an hour"),
        pytest.param(facts(upgrading("drain-required", HOUR)), "clear", id="a step that takes an hour"),
        pytest.param(facts(upgrading("wait-for-jobs-required", LONGER)), "clear", id="an upgrade that waits for jobs"),
        pytest.param(facts(upgrading("upgrade-done", LONGER)), "not_applicable", id="an upgrade that is done"),
        pytest.param(facts(upgrading("upgrade-required")), "gap", id="a node whose turn never comes"),
        pytest.param(
            facts(upgrading("upgrade-required"), upgrading("drain-required", JUST_NOW, "gpu-2")),
            "clear",
            id="a node that waits while another one is upgraded",
        ),
        pytest.param(facts(node(labels=PENDING)), "gap", id="a MIG change, nobody knows since when"),
        pytest.param(facts(node(labels=PENDING, created=JUST_NOW)), "clear", id="the same on a node that just joined"),
        pytest.param(
            facts(node(labels={"nvidia.com/mig.config.state": "success"})),
            "not_applicable",
            id="a MIG change that worked",
        ),
        pytest.param(
            facts(node(labels={"nvidia.com/gpu.deploy.device-plugin": "paused-for-driver-upgrade"})),
            "gap",
            id="a device plugin that stays paused",
        ),
        pytest.param(facts(not_ready()), "gap", id="a policy that has not been ready for longer than an hour"),
        pytest.param(facts(not_ready(HOUR)), "clear", id="a policy that has not been ready for an hour"),
        pytest.param(facts(not_ready(state="ready")), "clear", id="a policy that is ready"),
        pytest.param(facts(not_ready(state="ignored")), "clear", id="a second policy"),
        pytest.param(
            facts(not_ready(), upgrading("wait-for-jobs-required")), "clear", id="a policy while a node is upgraded"
        ),
        pytest.param(facts(nvidia_driver(state="notReady")), "gap", id="a driver that is not ready"),
        pytest.param(facts(nvidia_driver()), "clear", id="a driver that is ready"),
        pytest.param(facts(node()), "not_applicable", id="no operator"),
        pytest.param(
            facts(node(labels={"autopilot.ibm.com/gpuhealth": "EVICT"})),
            "not_applicable",
            id="a mark of a health agent",
        ),
        pytest.param(facts(unread=(Node,)), "unknown", id="nodes unread"),
        pytest.param(facts(unread=(ClusterPolicy,)), "unknown", id="policies unread"),
        pytest.param(facts(unread=(NVIDIADriver,)), "unknown", id="drivers unread"),
        pytest.param(
            facts(upgrading("upgrade-failed"), unread=(ClusterPolicy, NVIDIADriver)), "gap", id="a node tells by itself"
        ),
    ],
)
def test_an_operator_that_does_not_finish_is_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


@pytest.mark.parametrize(
    ("given", "severity", "confidence"),
    [
        pytest.param(upgrading("upgrade-failed"), Severity.HIGH, Confidence.CERTAIN, id="failed"),
        pytest.param(upgrading("drain-required", LONG_AGO), Severity.MEDIUM, Confidence.LIKELY, id="for a month"),
        pytest.param(upgrading("drain-required"), Severity.LOW, Confidence.HINT, id="not cordoned yet"),
        pytest.param(
            upgrading("drain-required", LONG_AGO, annotations=EARLIER),
            Severity.LOW,
            Confidence.HINT,
            id="cordoned before the upgrade",
        ),
        pytest.param(
            node(labels=PENDING, taints=(Taint(key="node.kubernetes.io/unschedulable", added=LONG_AGO),)),
            Severity.LOW,
            Confidence.HINT,
            id="a MIG change, which cordons nothing",
        ),
        pytest.param(not_ready(), Severity.MEDIUM, Confidence.LIKELY, id="a policy, since when is known"),
        pytest.param(not_ready(conditions=()), Severity.LOW, Confidence.HINT, id="a policy of an old operator"),
    ],
)
def test_it_is_as_sure_as_the_time_that_is_told(given, severity: Severity, confidence: Confidence):
    [finding] = CHECK.run(facts(given)).findings
    assert (finding.severity, finding.confidence) == (severity, confidence)


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(not_ready(), id="a policy"),
        pytest.param(upgrading("upgrade-required"), id="a node that waits for its turn"),
    ],
)
def test_a_node_that_makes_no_sense_may_be_the_one_at_work(given):
    whole = facts(given)
    lost = damaged(Node)
    partly = whole.but(Node, Partial((*whole.known(Node), node("gpu-2")), (lost,)))

    assert CHECK.run(partly).status == "unknown"


def test_a_wedged_node_is_one_finding():
    labels = PENDING | {"nvidia.com/gpu.deploy.device-plugin": "paused-for-mig-change"}

    [finding] = CHECK.run(facts(node(labels=labels))).findings

    assert finding.key == "nvidia.com/mig.config.state"


def test_a_failed_change_that_left_the_plugin_paused_is_told_with_both_labels():
    labels = {
        "nvidia.com/mig.config.state": "failed",
        "nvidia.com/gpu.deploy.device-plugin": "paused-for-mig-change",
    }

    assert [finding.key for finding in CHECK.run(facts(node(labels=labels))).findings] == list(labels)


def test_a_policy_says_since_when_and_what_the_operator_said():
    [finding] = CHECK.run(facts(not_ready())).findings

    assert str(finding.subject) == "ClusterPolicy/cluster-policy"
    assert finding.since == "2026-11-29T10:59:00Z"
    assert finding.evidence == {
        "status.state": "notReady",
        "status.conditions[Error].message": "states not ready: [state-driver]",
    }


def test_a_step_says_since_when_the_node_is_cordoned():
    [finding] = CHECK.run(facts(upgrading("validation-required", LONGER))).findings

    assert finding.since == "2026-11-29T10:59:00Z"
    assert finding.says.en.endswith("the GPU driver is being upgraded")
