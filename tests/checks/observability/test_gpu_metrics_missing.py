from datetime import timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.nodes import Condition, Node, ResourceSlice, Taint
from kubegap_checks.facts.pods import Toleration
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.observability.gpu_metrics_missing import CHECK
from tests.checks.build import READ_AT, container, daemon_set, facts, node, ready, template

H100 = {"nvidia.com/gpu.present": "true"}
GPU = Taint(key="nvidia.com/gpu", value="true", effect="NoSchedule")
TOLERATES = (Toleration(key="nvidia.com/gpu", operator="Exists", effect="NoSchedule"),)
DCGM = container("exporter", image="nvcr.io/nvidia/k8s/dcgm-exporter:4.4.1-4.6.0-distroless")
AMD = container("exporter", image="docker.io/rocm/device-metrics-exporter:v1.4.0")
OPEN = node("gpu-1", H100, {"nvidia.com/gpu": 8})
TAINTED = replace(OPEN, taints=(GPU,))
# As the chart of dcgm-exporter installs it: NVIDIA/dcgm-exporter#731.
EXPORTER = daemon_set("dcgm-exporter", "monitoring", desired=0, ready=0, updated=0, template=template(DCGM))
RUNS = daemon_set(
    "nvidia-dcgm-exporter", "gpu-operator", desired=1, ready=1, template=template(DCGM, tolerations=TOLERATES)
)
DOWN = replace(RUNS, ready=0)


def tainted(**fields) -> Node:
    return replace(TAINTED, **fields)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(TAINTED, EXPORTER), "gap", id="the exporter does not tolerate the GPU taint"),
        pytest.param(facts(OPEN, replace(TAINTED, name="gpu-2"), EXPORTER), "gap", id="one node of two is left out"),
        pytest.param(facts(TAINTED, DOWN), "gap", id="no pod of the exporter is ready"),
        pytest.param(facts(TAINTED, EXPORTER, unread=(ResourceSlice,)), "gap", id="DRA is unread"),
        pytest.param(facts(OPEN, replace(EXPORTER, ready=1)), "clear", id="a node without a taint"),
        pytest.param(
            facts(TAINTED, replace(EXPORTER, desired=1, ready=1)), "clear", id="its own count covers the node"
        ),
        pytest.param(facts(TAINTED, RUNS), "clear", id="the exporter tolerates the taint"),
        pytest.param(
            facts(TAINTED, replace(OPEN, name="gpu-2"), replace(RUNS, desired=2)), "clear", id="some pods are ready"
        ),
        pytest.param(facts(TAINTED, EXPORTER, RUNS), "clear", id="a second exporter covers the node"),
        pytest.param(
            facts(TAINTED, daemon_set(template=template(container()))), "not_applicable", id="no known exporter"
        ),
        pytest.param(
            facts(TAINTED, replace(EXPORTER, template=template(AMD))), "clear", id="an exporter of another vendor"
        ),
        pytest.param(facts(tainted(unschedulable=True), EXPORTER), "clear", id="the node is cordoned"),
        pytest.param(
            facts(tainted(created=READ_AT - timedelta(minutes=2)), EXPORTER), "clear", id="the node has just joined"
        ),
        pytest.param(
            facts(tainted(taints=(GPU, Taint(key="amd-gpu-unhealthy", effect="NoSchedule"))), EXPORTER),
            "clear",
            id="the node is quarantined",
        ),
        pytest.param(
            facts(tainted(labels=H100 | {"nvidia.com/gpu-driver-upgrade-state": "drain-required"}), EXPORTER),
            "clear",
            id="the driver is being upgraded",
        ),
        pytest.param(
            facts(tainted(labels=H100 | {"nvidia.com/gpu.workload.config": "vm-passthrough"}), EXPORTER),
            "clear",
            id="the GPUs belong to virtual machines",
        ),
        pytest.param(
            facts(
                tainted(conditions=(ready(), Condition(type="UnhealthyNvidiaDCGMServices", status="False"))), EXPORTER
            ),
            "clear",
            id="the node's own services publish the metrics",
        ),
        pytest.param(
            facts(tainted(conditions=(ready("False"),)), DOWN), "clear", id="no node is ready that should have a pod"
        ),
        pytest.param(
            facts(tainted(taints=(replace(GPU, key="x"),)), EXPORTER, replace(DOWN, desired=0)), "gap", id="none of two"
        ),
        pytest.param(facts(OPEN, EXPORTER), "clear", id="no pod is wanted, whatever the reason"),
        pytest.param(
            facts(TAINTED, EXPORTER, replace(RUNS, template=template(AMD, tolerations=TOLERATES))),
            "gap",
            id="what covers the node is an exporter of another vendor",
        ),
        pytest.param(facts(tainted(conditions=()), DOWN), "clear", id="nothing says that the node is ready"),
        pytest.param(
            facts(tainted(taints=(replace(GPU, key="x"),)), DOWN), "clear", id="it is down, and wanted elsewhere"
        ),
        pytest.param(facts(node("cpu-1"), EXPORTER), "not_applicable", id="no accelerators"),
        pytest.param(facts(TAINTED, EXPORTER, unread=(DaemonSet,)), "unknown", id="DaemonSets are unread"),
        pytest.param(facts(TAINTED, EXPORTER, unread=(Node,)), "unknown", id="nodes are unread"),
        pytest.param(facts(TAINTED, RUNS, unread=(ResourceSlice,)), "unknown", id="who else has GPUs is unread"),
    ],
)
def test_an_exporter_must_run_on_every_gpu_node(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_the_daemon_set_that_leaves_nodes_out_is_named_with_the_first_of_them():
    verdict = CHECK.run(facts(OPEN, replace(TAINTED, name="gpu-2"), replace(EXPORTER, desired=1, ready=1)))

    [finding] = verdict.findings
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (Severity.MEDIUM, Confidence.LIKELY)
    assert str(finding.subject) == "DaemonSet/monitoring/dcgm-exporter"
    assert finding.says.en == "DCGM exporter does not run on node gpu-2 of 2 with the GPUs that it measures"
    assert finding.evidence == {
        "status.desiredNumberScheduled": 1,
        "Node[gpu-2].spec.taints.nvidia.com/gpu": "NoSchedule",
    }


def test_of_several_exporters_the_one_on_most_nodes_is_to_be_changed():
    smaller = replace(EXPORTER, name="a", desired=1, ready=1)
    spread = [replace(OPEN, name=name) for name in ("gpu-2", "gpu-3")]

    [finding] = CHECK.run(facts(TAINTED, *spread, smaller, replace(EXPORTER, name="b", desired=2, ready=2))).findings

    assert finding.subject.name == "b"


def test_an_exporter_without_a_ready_pod_says_how_many_there_should_be():
    [finding] = CHECK.run(facts(TAINTED, DOWN)).findings

    assert (finding.key, finding.says.en) == ("not ready", "of 1 wanted pods of DCGM exporter none is ready")
    assert finding.evidence == {"status.numberReady": 0, "status.desiredNumberScheduled": 1}


def test_an_exporter_that_fits_no_node_is_not_also_said_to_be_down():
    assert [finding.key for finding in CHECK.run(facts(TAINTED, EXPORTER)).findings] == ["left out"]
