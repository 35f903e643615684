import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import ComputeDomain, Condition, Node, ResourceSlice
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence
from kubegap_checks.rules.gpu_health.quarantine_overridden import CHECK
from tests.checks.build import JUST_NOW, LONG_AGO, facts, node, ready

BY_HAND = {"quarantinedNodeUncordonedManually": "True"}
XID = Condition(
    type="SysLogsXIDError",
    status="True",
    reason="SysLogsXIDErrorIsNotHealthy",
    message="ErrorCode:79 GPU has fallen off the bus",
    since=LONG_AGO,
    heartbeat=JUST_NOW,
)
IMEX = Condition(type="GpuNvlinkWatch", status="True", message="ErrorCode:DCGM_FR_IMEX_UNHEALTHY", since=LONG_AGO)


def put_back(*conditions: Condition, annotations=BY_HAND, **fields) -> Node:
    return node(annotations=annotations, conditions=(ready(), *conditions), **fields)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(put_back(XID)), "gap", id="put back while the fault is reported"),
        pytest.param(
            facts(put_back(Condition(type="InfiniBandStateCheck", status="True"))), "gap", id="a fault of an adapter"
        ),
        pytest.param(
            facts(put_back(XID, annotations={"quarantinedNodeUntaintedManually": "True"})), "gap", id="a removed taint"
        ),
        pytest.param(facts(put_back(replace(XID, status="False"))), "clear", id="the fault is gone"),
        pytest.param(facts(put_back(XID, unschedulable=True)), "clear", id="cordoned again"),
        pytest.param(
            facts(put_back(replace(XID, message="ErrorCode:94"))), "clear", id="an Xid that leaves the GPU fine"
        ),
        pytest.param(facts(put_back(replace(XID, heartbeat=LONG_AGO, since=JUST_NOW))), "gap", id="never confirmed"),
        pytest.param(facts(put_back(IMEX)), "clear", id="a known false positive"),
        pytest.param(facts(put_back(XID, annotations={})), "not_applicable", id="a fault on a node nobody put back"),
        pytest.param(
            facts(put_back(XID, annotations={"quarantineHealthEventIsCordoned": "True"})),
            "not_applicable",
            id="a node that is held back",
        ),
        pytest.param(
            facts(put_back(), put_back(XID, name="gpu-2", annotations={})), "clear", id="a fault on another node"
        ),
        pytest.param(
            facts(
                put_back(),
                put_back(XID, name="gpu-2", annotations={"quarantineHealthEventIsCordoned": "True"}),
            ),
            "clear",
            id="another node is held back",
        ),
        pytest.param(facts(unread=(Node,)), "unknown", id="nodes unread"),
        pytest.param(facts(put_back(IMEX), unread=(ComputeDomain,)), "unknown", id="ComputeDomains unread"),
        pytest.param(facts(put_back(), unread=(ResourceSlice,)), "unknown", id="device taints unread"),
    ],
)
def test_a_node_that_returned_with_its_fault_is_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_a_report_that_its_agent_stopped_confirming_is_not_believed():
    silent = replace(XID, heartbeat=LONG_AGO.replace(month=11, day=1))
    assert CHECK.run(facts(put_back(silent))).status == "clear"


def test_it_names_the_hand_and_the_fault():
    [finding] = CHECK.run(facts(put_back(XID))).findings

    assert finding.says.en.startswith("someone put the node back into service against the quarantine, while NVSentinel")
    assert finding.evidence["metadata.annotations.quarantinedNodeUncordonedManually"] == "True"
    assert finding.evidence["status.conditions[SysLogsXIDError].status"] == "True"
    assert (finding.key, finding.since, finding.confidence) == (
        "SysLogsXIDError",
        "2026-10-30T12:00:00Z",
        Confidence.LIKELY,
    )


def test_two_faults_are_two_findings():
    both = put_back(XID, Condition(type="GPUMissing", status="True"))
    assert [finding.key for finding in CHECK.run(facts(both)).findings] == ["SysLogsXIDError", "GPUMissing"]
