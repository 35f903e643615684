import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import Node, ResourceSlice, Taint
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Severity
from kubegap_checks.rules.control_plane.workloads_on_control_plane import CHECK
from tests.checks.build import facts, node, pod

ROLE = {"node-role.kubernetes.io/control-plane": ""}
GPUS = {"nvidia.com/gpu": 8}
MASTER = node("master-1", ROLE)
WITH_GPUS = node("master-1", ROLE, GPUS)
WORKER = node("gpu-1", devices=GPUS)
RUN = pod(node="master-1")


def tainted(effect: str) -> Node:
    return replace(WITH_GPUS, taints=(Taint(key="node-role.kubernetes.io/control-plane", effect=effect),))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(WITH_GPUS, WORKER, RUN), "gap", id="training runs on it"),
        pytest.param(facts(WITH_GPUS, WORKER), "gap", id="it offers GPUs"),
        pytest.param(facts(MASTER, WORKER), "gap", id="ordinary pods may come"),
        pytest.param(facts(node("m", {"node-role.kubernetes.io/master": ""}), WORKER), "gap", id="the old label"),
        pytest.param(facts(tainted("PreferNoSchedule"), WORKER), "gap", id="a taint that only asks"),
        pytest.param(facts(tainted("NoSchedule"), WORKER), "clear", id="tainted"),
        pytest.param(facts(tainted("NoExecute"), WORKER), "clear", id="tainted against all"),
        pytest.param(facts(replace(WITH_GPUS, unschedulable=True), WORKER), "clear", id="cordoned"),
        pytest.param(facts(WITH_GPUS, replace(WITH_GPUS, name="master-2")), "clear", id="there are no workers"),
        pytest.param(facts(WORKER), "not_applicable", id="a managed control plane"),
        pytest.param(facts(unread=(Node,)), "unknown", id="nodes unread"),
        pytest.param(facts(MASTER, WORKER, unread=(Pod,)), "unknown", id="pods unread"),
        pytest.param(facts(MASTER, WORKER, unread=(ResourceSlice,)), "unknown", id="DRA unread"),
    ],
)
def test_the_control_plane_must_be_kept_apart(given: Facts, status: str):
    assert CHECK.run(given).status == status


@pytest.mark.parametrize(
    ("given", "severity", "says"),
    [
        pytest.param(
            facts(WITH_GPUS, WORKER, RUN),
            Severity.HIGH,
            "PyTorchJob ml/train runs GPU pods here, beside the API server",
            id="training",
        ),
        pytest.param(
            facts(WITH_GPUS, WORKER, pod(node="gpu-1")),
            Severity.MEDIUM,
            "it offers GPUs, and no taint keeps training away",
            id="GPUs",
        ),
        pytest.param(facts(MASTER, WORKER), Severity.LOW, "no taint keeps ordinary pods away", id="neither"),
    ],
)
def test_how_bad_it_is_depends_on_what_may_run_there(given: Facts, severity: Severity, says: str):
    [finding] = CHECK.run(given).findings

    assert (finding.severity, finding.says.en, str(finding.subject)) == (severity, says, "Node/master-1")


def test_a_node_without_taints_says_so():
    [finding] = CHECK.run(facts(WITH_GPUS, WORKER)).findings

    assert finding.evidence == {"spec.taints": None}


def test_the_taints_that_do_not_help_are_shown():
    [finding] = CHECK.run(facts(tainted("PreferNoSchedule"), WORKER)).findings

    assert finding.evidence == {"spec.taints": "node-role.kubernetes.io/control-plane"}
