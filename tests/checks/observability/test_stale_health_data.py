from datetime import timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import Condition, Node, ResourceSlice
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.observability.stale_health_data import CHECK
from tests.checks.build import JUST_NOW, LONG_AGO, READ_AT, facts, node, ready

H100 = {"nvidia.com/gpu.present": "true"}
YESTERDAY = READ_AT - timedelta(days=1)


def written(kind: str = "KernelDeadlock", heartbeat=YESTERDAY, status: str = "False") -> Condition:
    return Condition(type=kind, status=status, since=LONG_AGO, heartbeat=heartbeat)


def having(*conditions: Condition, first: Condition | None = None, **fields) -> Node:
    return node("gpu-1", H100, {"nvidia.com/gpu": 8}, conditions=(first or ready(), *conditions), **fields)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(having(written())), "gap", id="node-problem-detector fell silent a day ago"),
        pytest.param(facts(having(written("GpuXid"))), "gap", id="conditions outlive OCI's detector"),
        pytest.param(
            facts(having(written("AcceleratedHardwareReady", status="True"))), "gap", id="EKS's agent fell silent"
        ),
        pytest.param(
            facts(having(written(heartbeat=READ_AT - timedelta(minutes=31)))), "gap", id="silent for six periods"
        ),
        pytest.param(facts(having(written()), unread=(ResourceSlice,)), "gap", id="DRA is unread"),
        pytest.param(
            facts(having(written(heartbeat=READ_AT - timedelta(minutes=30)))), "clear", id="just still confirmed"
        ),
        pytest.param(facts(having(written(heartbeat=None))), "clear", id="no time of a confirmation"),
        pytest.param(facts(having(written("GpuMemWatch"))), "clear", id="an agent that writes on a change only"),
        pytest.param(facts(having(written("XidCriticalError"))), "clear", id="one that confirms faults only"),
        pytest.param(facts(having(written("TeamsOwn"))), "clear", id="a condition that no table knows"),
        pytest.param(facts(having(written("MemoryPressure"))), "clear", id="the kubelet's own"),
        pytest.param(facts(having(written(), first=ready("Unknown"))), "clear", id="the kubelet is silent too"),
        pytest.param(
            facts(having(written(), first=ready(heartbeat=YESTERDAY))), "clear", id="the kubelet was last heard then"
        ),
        pytest.param(
            facts(replace(having(written()), conditions=(written(),))), "clear", id="nothing says that it is ready"
        ),
        pytest.param(
            facts(having(written(), created=READ_AT - timedelta(minutes=1))), "clear", id="the node has just joined"
        ),
        pytest.param(facts(node("cpu-1", conditions=(ready(), written()))), "not_applicable", id="no accelerators"),
        pytest.param(facts(having(written()), unread=(Node,)), "unknown", id="nodes are unread"),
        pytest.param(facts(having(), unread=(ResourceSlice,)), "unknown", id="who else has GPUs is unread"),
    ],
)
def test_an_agent_must_confirm_what_it_wrote(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_the_agent_is_named_once_with_the_last_time_it_was_heard():
    conditions = (written(), written("ReadonlyFilesystem", YESTERDAY + timedelta(hours=1)))

    verdict = CHECK.run(facts(having(*conditions)))

    [finding] = verdict.findings
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (Severity.MEDIUM, Confidence.LIKELY)
    assert (str(finding.subject), finding.key) == ("Node/gpu-1", "node-problem-detector")
    assert finding.since == "2026-11-28T13:00:00Z"
    assert finding.evidence == {"status.conditions[ReadonlyFilesystem].lastHeartbeatTime": "2026-11-28T13:00:00Z"}
    assert finding.says.en.endswith("(KernelDeadlock, ReadonlyFilesystem)")


def test_a_condition_that_a_living_agent_left_behind_is_a_hint():
    verdict = CHECK.run(facts(having(written(), written("ReadonlyFilesystem", JUST_NOW))))

    [finding] = verdict.findings
    assert (finding.severity, finding.confidence) == (Severity.LOW, Confidence.HINT)


def test_a_node_with_two_vendors_is_judged_once():
    both = node("gpu-1", H100, {"nvidia.com/gpu": 1, "amd.com/gpu": 1}, conditions=(ready(), written()))

    assert len(CHECK.run(facts(both)).findings) == 1
