import pytest
from msgspec.structs import replace

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.nodes import Node, ResourceSlice, Taint
from kubegap_checks.facts.read import Facts, Partial
from kubegap_checks.rules.observability.node_metrics_missing import CHECK
from tests.checks.build import container, daemon_set, damaged, facts, node, template

H100 = {"nvidia.com/gpu.present": "true"}
OPEN = node("gpu-1", H100, {"nvidia.com/gpu": 8})
TAINTED = replace(OPEN, name="gpu-2", taints=(Taint(key="nvidia.com/gpu", effect="NoSchedule"),))
CPU = node("cpu-1")
IMAGE = container(image="quay.io/prometheus/node-exporter:v1.10.2")
DAMAGED = Partial((TAINTED,), (damaged(Node),))
EXPORTER = daemon_set("node-exporter", "monitoring", desired=1, ready=1, template=template(IMAGE))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(CPU, TAINTED, EXPORTER), "gap", id="it does not tolerate the GPU taint"),
        pytest.param(facts(CPU, TAINTED, EXPORTER, unread=(ResourceSlice,)), "gap", id="DRA is unread"),
        pytest.param(facts(CPU, OPEN, EXPORTER), "clear", id="no taint"),
        pytest.param(facts(TAINTED, EXPORTER), "clear", id="its own count says that it is there"),
        pytest.param(facts(CPU, replace(TAINTED, unschedulable=True), EXPORTER), "clear", id="the node is cordoned"),
        pytest.param(
            facts(CPU, TAINTED, daemon_set(template=template(container()))), "not_applicable", id="no known exporter"
        ),
        pytest.param(
            facts(CPU, TAINTED).but(Node, DAMAGED), "unknown", id="no exporter, and a node that makes no sense"
        ),
        pytest.param(facts(CPU, EXPORTER), "not_applicable", id="no accelerators"),
        pytest.param(facts(CPU, TAINTED, EXPORTER, unread=(DaemonSet,)), "unknown", id="DaemonSets are unread"),
        pytest.param(facts(CPU, TAINTED, EXPORTER, unread=(Node,)), "unknown", id="nodes are unread"),
        pytest.param(facts(CPU, OPEN, EXPORTER, unread=(ResourceSlice,)), "unknown", id="who has GPUs is unread"),
    ],
)
def test_an_exporter_of_node_metrics_must_run_on_gpu_nodes(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_the_exporter_on_most_nodes_is_to_be_changed():
    smaller = replace(EXPORTER, name="a")
    larger = replace(EXPORTER, name="b", desired=2)

    [finding] = CHECK.run(facts(CPU, OPEN, TAINTED, smaller, larger)).findings

    assert str(finding.subject) == "DaemonSet/monitoring/b"
    assert finding.says.en == "node_exporter does not run on node gpu-2 of 2 with GPUs"
    assert finding.evidence == {
        "status.desiredNumberScheduled": 2,
        "Node[gpu-2].spec.taints.nvidia.com/gpu": "NoSchedule",
    }


def test_a_node_with_two_vendors_counts_once():
    both = replace(TAINTED, capacity={"nvidia.com/gpu": 1, "amd.com/gpu": 1})

    [finding] = CHECK.run(facts(CPU, both, EXPORTER)).findings

    assert finding.says.en == "node_exporter does not run on node gpu-2 of 1 with GPUs"
