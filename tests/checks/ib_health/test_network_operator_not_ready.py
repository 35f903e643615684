from datetime import timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.adapters import SriovNetworkNodeState
from kubegap_checks.facts.nodes import AppliedState, NicClusterPolicy, Node
from kubegap_checks.facts.read import Facts, Partial
from kubegap_checks.model import Confidence, Severity, Status
from kubegap_checks.rules.ib_health.network_operator_not_ready import CHECK
from tests.checks.build import READ_AT, damaged, facts, nic_cluster_policy, node, node_state, ready

LABELS = {"feature.node.kubernetes.io/pci-15b3.present": "true"}
NODE = node(labels=LABELS)
OFED = AppliedState(name="state-OFED", state="notReady")
PLUGIN = AppliedState(name="state-SRIOV-device-plugin", state="ready")
POLICY = nic_cluster_policy(state="notReady", parts=(OFED, PLUGIN))
FAILED = node_state("gpu-1", sync_status="Failed", last_error="e")
UPGRADE = {"nvidia.com/ofed-driver-upgrade-state": "pod-restart-required"}


def beside(other: Node) -> Facts:
    return facts(POLICY, NODE, replace(other, name="gpu-2"))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(POLICY, NODE), "gap", id="not ready"),
        pytest.param(facts(replace(POLICY, state="error"), NODE), "gap", id="an error"),
        pytest.param(facts(replace(POLICY, state="ready"), NODE), "clear", id="ready"),
        pytest.param(facts(replace(POLICY, state="ignore"), NODE), "clear", id="a second policy"),
        pytest.param(facts(POLICY, replace(NODE, labels={})), "clear", id="no node with adapters"),
        pytest.param(
            facts(POLICY, replace(NODE, labels=dict.fromkeys(LABELS, "false"))), "clear", id="a node that says no"
        ),
        pytest.param(beside(NODE), "gap", id="beside a node at rest"),
        pytest.param(beside(node(created=READ_AT - timedelta(minutes=5))), "gap", id="a new node without adapters"),
        pytest.param(beside(replace(NODE, created=READ_AT - timedelta(minutes=5))), "clear", id="a node that joins"),
        pytest.param(beside(replace(NODE, unschedulable=True)), "clear", id="a node that is cordoned"),
        pytest.param(beside(replace(NODE, labels=LABELS | UPGRADE)), "clear", id="a node that is upgraded"),
        pytest.param(beside(replace(NODE, conditions=(ready("Unknown"),))), "clear", id="a node that is silent"),
        pytest.param(beside(replace(NODE, conditions=())), "gap", id="a node that does not say"),
        pytest.param(facts(FAILED, NODE), "gap", id="virtual functions failed"),
        pytest.param(facts(replace(FAILED, sync_status="Succeeded"), NODE), "clear", id="they succeeded"),
        pytest.param(facts(replace(FAILED, sync_status="InProgress"), NODE), "clear", id="they are in progress"),
        pytest.param(facts(FAILED), "clear", id="their node has gone"),
        pytest.param(facts(FAILED, replace(NODE, name="gpu-2")), "clear", id="another node"),
        pytest.param(facts(FAILED, replace(NODE, unschedulable=True)), "clear", id="their node is worked on"),
        pytest.param(facts(node_state(), unread=(Node,)), "clear", id="they succeeded, on whichever node"),
        pytest.param(facts(NODE), "not_applicable", id="no operator"),
        pytest.param(facts(POLICY, NODE, unread=(NicClusterPolicy,)), "unknown", id="the policy is unread"),
        pytest.param(facts(FAILED, NODE, unread=(NicClusterPolicy,)), "gap", id="a state is enough by itself"),
        pytest.param(
            facts(replace(POLICY, state="ready"), FAILED, NODE, unread=(SriovNetworkNodeState,)),
            "unknown",
            id="the states are unread",
        ),
        pytest.param(facts(POLICY, NODE, unread=(Node,)), "unknown", id="nodes are unread"),
        pytest.param(
            facts(POLICY, NODE).but(Node, Partial((NODE,), (damaged(Node),))),
            "unknown",
            id="a node of which nothing can be made may be worked on",
        ),
    ],
)
def test_status(given: Facts, status: Status) -> None:
    assert CHECK.run(given).status == status


def test_a_policy_names_the_parts_that_are_not_ready() -> None:
    failing = replace(OFED, message="precompiled image was not found")
    broken = AppliedState(name="state-nic-feature-discovery", state="error")
    verdict = CHECK.run(facts(replace(POLICY, parts=(failing, PLUGIN, broken)), NODE))

    (finding,) = verdict.findings
    assert str(finding.subject) == "NicClusterPolicy/nic-cluster-policy"
    assert finding.says.en == "the policy is notReady: state-OFED, state-nic-feature-discovery"
    assert finding.evidence == {
        "status.state": "notReady",
        "status.reason": None,
        "status.appliedStates[state-OFED].state": "notReady",
        "status.appliedStates[state-OFED].message": "precompiled image was not found",
        "status.appliedStates[state-nic-feature-discovery].state": "error",
    }
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (Severity.MEDIUM, Confidence.LIKELY)


@pytest.mark.parametrize(("reason", "told"), [("r", "r"), ("", "error")])
def test_without_parts_its_reason_is_told(reason: str, told: str) -> None:
    (finding,) = CHECK.run(facts(nic_cluster_policy(state="error", reason=reason), NODE)).findings

    assert finding.says.en == f"the policy is error: {told}"
    assert finding.evidence["status.reason"] == (reason or None)


@pytest.mark.parametrize(("error", "told"), [("e", "e"), ("", "no error is given")])
def test_a_node_tells_the_error(error: str, told: str) -> None:
    verdict = CHECK.run(facts(replace(FAILED, last_error=error), NODE))

    (finding,) = verdict.findings
    assert str(finding.subject) == "Node/gpu-1"
    assert finding.says.en == f"its virtual functions could not be set up: {told}"
    assert (error or "오류 메시지 없음") in finding.says.ko
    assert verdict.confidence_of(finding) is Confidence.CERTAIN
