import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import Condition, NodeFeature, ResourceSlice
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.ib_health.link_fault_reported import CHECK
from tests.checks.build import JUST_NOW, LONG_AGO, facts, node, node_feature, ready

H100 = {"nvidia.com/gpu.present": "true"}
FLAPPING = Condition(
    type="IBLinkFlapping",
    status="True",
    reason="IBLinkFlapping",
    message="check_ib_link_flapping: IB link flapping detected. FaultCode: NHC2005",
    since=LONG_AGO,
    heartbeat=JUST_NOW,
)
FABRIC = node(labels=H100, devices={"nvidia.com/gpu": 8, "rdma/ib": 8})


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(replace(FABRIC, conditions=(ready(), FLAPPING))), "gap", id="a link flaps"),
        pytest.param(
            facts(node(conditions=(FLAPPING,), capacity=None)), "gap", id="on a node of which little else is known"
        ),
        pytest.param(
            facts(replace(FABRIC, labels=H100 | {"network.nvidia.com/operator.mofed.wait": "true"})),
            "gap",
            id="the driver of the adapters is not ready",
        ),
        pytest.param(
            facts(replace(FABRIC, conditions=(FLAPPING,)), unread=(NodeFeature, ResourceSlice)),
            "gap",
            id="the condition is enough while the bus and DRA are unread",
        ),
        pytest.param(facts(FABRIC), "clear", id="no agent reports a fault"),
        pytest.param(
            facts(replace(FABRIC, conditions=(replace(FLAPPING, status="False"),))),
            "clear",
            id="the agent finds no fault",
        ),
        pytest.param(
            facts(replace(FABRIC, conditions=(replace(FLAPPING, status="Unknown"),))),
            "clear",
            id="the agent cannot tell",
        ),
        pytest.param(
            facts(replace(FABRIC, conditions=(replace(FLAPPING, type="GPUMissing"),))),
            "clear",
            id="a fault of another topic",
        ),
        pytest.param(facts(node("cpu-1")), "not_applicable", id="a node without accelerators"),
        pytest.param(
            facts(node(labels={"node.kubernetes.io/instance-type": "Standard_NC40ads_H100_v5"})),
            "not_applicable",
            id="a machine type that is sold without a fabric",
        ),
        pytest.param(
            facts(node(labels=H100), node_feature("gpu-1", {("10de", "0302", "2330"): 8})),
            "not_applicable",
            id="a bus without adapters",
        ),
        pytest.param(facts(node(labels=H100)), "not_applicable", id="nothing tells whether there are adapters"),
        pytest.param(
            facts(node(labels=H100), node_feature("gpu-1", {}), unread=(ResourceSlice,)), "unknown", id="DRA is unread"
        ),
        pytest.param(facts(node(labels=H100), unread=(NodeFeature,)), "unknown", id="the bus is unread"),
    ],
)
def test_a_reported_link_fault_is_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_an_aks_node_with_a_flapping_link_gives_one_finding():
    gpu_missing = replace(FLAPPING, type="GPUMissing", reason="GPUMissing")
    aks = node(
        "aks-ndh100-00000000-vmss000000",
        {"node.kubernetes.io/instance-type": "Standard_ND96isr_H100_v5"},
        conditions=(gpu_missing, FLAPPING),
        capacity=None,
        allocatable=None,
    )

    [finding] = CHECK.run(facts(aks)).findings

    assert (finding.key, finding.severity, finding.confidence) == ("IBLinkFlapping", Severity.HIGH, Confidence.LIKELY)
    assert finding.says.en.startswith("AKS node-problem-detector reports IBLinkFlapping")
