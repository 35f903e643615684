from datetime import timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.nodes import Condition, Node, ResourceSlice, Taint
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.observability.health_agent_missing import CHECK
from tests.checks.build import READ_AT, container, daemon_set, facts, node, ready, template

H100 = {"nvidia.com/gpu.present": "true"}
BARE = node("gpu-1", H100, {"nvidia.com/gpu": 8})
SEEN = replace(BARE, name="gpu-2", conditions=(ready(), Condition(type="KernelDeadlock", status="False")))
DETECTOR = daemon_set("npd", template=template(container(image="registry.k8s.io/npd/node-problem-detector:v1.34.0")))
OTHER = daemon_set("a", template=template(container()))
GPU = Taint(key="nvidia.com/gpu", effect="NoSchedule")


def bare(**fields) -> Node:
    return replace(BARE, **fields)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(BARE, SEEN), "gap", id="another GPU node has an agent"),
        pytest.param(facts(BARE), "clear", id="no GPU node shows one"),
        pytest.param(
            facts(bare(taints=(GPU,)), bare(name="gpu-2"), DETECTOR),
            "gap",
            id="the agent does not tolerate the GPU taint",
        ),
        pytest.param(facts(BARE, SEEN, replace(DETECTOR, desired=0)), "gap", id="the agent is wanted nowhere"),
        pytest.param(
            facts(bare(conditions=(ready(), Condition(type="DiskPressure", status="False"))), SEEN),
            "gap",
            id="the kubelet's own conditions are no agent's",
        ),
        pytest.param(facts(BARE, SEEN, unread=(ResourceSlice,)), "gap", id="DRA is unread"),
        pytest.param(facts(SEEN), "clear", id="an agent writes a condition"),
        pytest.param(
            facts(BARE, SEEN, OTHER, DETECTOR),
            "clear",
            id="an agent runs and has nothing to say",
        ),
        pytest.param(facts(BARE, SEEN, OTHER), "gap", id="what runs is no agent"),
        pytest.param(
            facts(SEEN, bare(labels=H100 | {"autopilot.ibm.com/gpuhealth": "PASS"})),
            "clear",
            id="an agent writes a label",
        ),
        pytest.param(
            facts(SEEN, bare(annotations={"quarantineHealthEventIsCordoned": "False"})), "clear", id="or an annotation"
        ),
        pytest.param(
            facts(SEEN, bare(labels=H100 | {"node.coreweave.cloud/state": "production"})),
            "clear",
            id="the platform watches",
        ),
        pytest.param(facts(bare(unschedulable=True), SEEN), "clear", id="the node is cordoned"),
        pytest.param(facts(bare(created=READ_AT - timedelta(minutes=1)), SEEN), "clear", id="it has just joined"),
        pytest.param(
            facts(bare(labels=H100 | {"nvidia.com/gpu.workload.config": "vm-passthrough"}), SEEN),
            "clear",
            id="its GPUs belong to virtual machines",
        ),
        pytest.param(facts(SEEN, node("cpu-1")), "clear", id="a node without GPUs has none"),
        pytest.param(facts(node("cpu-1")), "not_applicable", id="no accelerators"),
        pytest.param(facts(BARE, SEEN, unread=(DaemonSet,)), "unknown", id="DaemonSets are unread"),
        pytest.param(facts(BARE, SEEN, unread=(Node,)), "unknown", id="nodes are unread"),
        pytest.param(facts(SEEN, unread=(ResourceSlice,)), "unknown", id="who else has GPUs is unread"),
    ],
)
def test_every_gpu_node_must_be_watched(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_beside_nodes_that_are_watched_it_counts():
    verdict = CHECK.run(facts(BARE, SEEN))

    [finding] = verdict.findings
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (Severity.MEDIUM, Confidence.LIKELY)
    assert str(finding.subject) == "Node/gpu-1"
    assert finding.says.en == "no health agent watches it, while node-problem-detector watches other GPU nodes"
    assert finding.evidence == {"status.conditions": "Ready"}
