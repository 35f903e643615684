from typing import Any

import pytest

from kubegap_checks.facts.nodes import Node, ResourceSlice, SliceDevice
from kubegap_checks.facts.pods import Pod, Run
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.driver_drift.run_on_mixed_drivers import CHECK
from tests.checks.build import container, facts, node, pod, resource_slice
from tests.checks.driver_drift.fleet import DRIVER, alike, with_labels

NEW, OLD = {DRIVER: "580.95.05"}, {DRIVER: "570.172.08"}
NODES = alike(2, NEW)
[ODD] = alike(1, OLD, first=9)
WHOLE = {"nvidia.com/gpu": 8}


def run(*on: str, **fields: Any) -> tuple[Pod, ...]:
    """A pod of the run on each of these nodes, with all of its GPUs."""
    worker = container(limits=WHOLE)
    return tuple(
        pod(f"train-{rank}", node=name, resources=WHOLE, containers=(worker,), **fields) for rank, name in enumerate(on)
    )


SERVING = Run(kind="Deployment", namespace="ml", name="serve")
# Nodes of one machine type whose product only their DRA driver tells.
CLAIMED = tuple(
    node(name, {"node.kubernetes.io/instance-type": "bm", "nvidia.com/gpu.present": "true"} | driver)
    for name, driver in (("gpu-0", NEW), ("gpu-9", OLD))
)
PRODUCTS = tuple(
    resource_slice(name, "gpu.nvidia.com", SliceDevice(name="gpu", attributes={"type": "gpu", "productName": product}))
    for name, product in (("gpu-0", "NVIDIA H100"), ("gpu-9", "NVIDIA H200"))
)
SPREAD = ("gpu-0", "gpu-1", "gpu-9")


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(*NODES, ODD, *run(*SPREAD)), "gap", id="one of its three nodes has another driver"),
        pytest.param(facts(*NODES, ODD, *run("gpu-0", "gpu-1")), "clear", id="it does not use that node"),
        pytest.param(facts(*NODES, *alike(1, NEW, first=9), *run(*SPREAD)), "clear", id="all the same"),
        pytest.param(
            facts(*NODES, *alike(1, {DRIVER: "580.95.5"}, first=9), *run(*SPREAD)), "clear", id="in another spelling"
        ),
        pytest.param(facts(*NODES, *alike(1, first=9), *run(*SPREAD)), "clear", id="one node does not tell"),
        pytest.param(
            facts(*NODES, with_labels(ODD, {"nvidia.com/gpu.machine": "ThinkSystem-SR675"}), *run(*SPREAD)),
            "clear",
            id="the other node is another machine",
        ),
        pytest.param(
            facts(*NODES, with_labels(ODD, {"cloud.google.com/gke-nodepool": "b"}), *run(*SPREAD)),
            "gap",
            id="the other node is in another pool",
        ),
        pytest.param(
            facts(node("gpu-0", NEW, WHOLE), node("gpu-9", OLD, WHOLE), *run("gpu-0", "gpu-9")),
            "clear",
            id="too little is known to call the nodes alike",
        ),
        pytest.param(facts(*NODES, *run(*SPREAD)), "clear", id="a node that is gone"),
        pytest.param(facts(*NODES, ODD, *run(*SPREAD, run=SERVING)), "not_applicable", id="serving"),
        pytest.param(facts(*NODES, ODD), "not_applicable", id="no run"),
        pytest.param(facts(*NODES, ODD, *run(*SPREAD), unread=(ResourceSlice,)), "gap", id="DRA is unread"),
        pytest.param(
            facts(*NODES, *run("gpu-0"), unread=(ResourceSlice,)), "unknown", id="DRA is unread, nothing found"
        ),
        pytest.param(facts(*CLAIMED, *PRODUCTS, *run("gpu-0", "gpu-9")), "clear", id="DRA tells another product"),
        pytest.param(
            facts(*CLAIMED, *run("gpu-0", "gpu-9"), unread=(ResourceSlice,)), "unknown", id="unread DRA might tell it"
        ),
        pytest.param(facts(*run(*SPREAD), unread=(Node,)), "unknown", id="nodes are unread"),
        pytest.param(facts(*NODES, ODD, unread=(Pod,)), "unknown", id="pods are unread"),
    ],
)
def test_a_run_must_not_span_different_drivers(given: Facts, status: str):
    assert CHECK.run(given).status == status


@pytest.mark.parametrize(
    ("odd", "severity"),
    [
        pytest.param(OLD, Severity.HIGH, id="another branch"),
        pytest.param({DRIVER: "580.65.06"}, Severity.MEDIUM, id="another release of the branch"),
    ],
)
def test_another_branch_is_worse_than_another_release(odd: dict[str, str], severity: Severity):
    [finding] = CHECK.run(facts(*NODES, *alike(1, odd, first=9), *run(*SPREAD))).findings

    assert (finding.severity, finding.confidence) == (severity, Confidence.CERTAIN)


def test_a_run_that_only_looks_like_training_is_a_hint():
    given = facts(*NODES, ODD, *run(*SPREAD, run=Run(kind="Job", namespace="ml", name="train")))

    [finding] = CHECK.run(given).findings

    assert finding.confidence is Confidence.HINT


def test_a_finding_counts_nodes_and_names_one_of_each():
    [finding] = CHECK.run(facts(*NODES, ODD, *run(*SPREAD))).findings

    assert str(finding.subject) == "PyTorchJob/ml/train"
    assert finding.says.en == "its nodes have driver 580.95.05 (2 nodes), driver 570.172.08 (1 nodes)"
    assert finding.evidence == {
        f"Node[gpu-9].metadata.labels.{DRIVER}": "570.172.08",
        f"Node[gpu-0].metadata.labels.{DRIVER}": "580.95.05",
    }
