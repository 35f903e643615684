from datetime import timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import NicClusterPolicy, NodeFeature, ResourceSlice, SliceDevice
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.ib_health.rdma_resource_missing import CHECK
from tests.checks.build import READ_AT, facts, node, node_feature, resource_slice

TYPE = "node.kubernetes.io/instance-type"
DELL = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu.machine": "PowerEdge-XE9680"}
GPUS = {"nvidia.com/gpu": 8}
AT_ZERO = node(devices=GPUS | {"rdma/rdma_shared_device_a": 0})
LACKING = node(labels=DELL, devices=GPUS)
WITH = tuple(node(f"gpu-{n}", DELL, GPUS | {"rdma/hca": 1000}) for n in range(2, 5))
P5 = node(labels={TYPE: "p5.48xlarge"}, devices=GPUS)
IB = node_feature("gpu-1", {("15b3", "0207", "1021"): 8})
HCA_A = {"rdma/hca_a": 63}
HCAS = HCA_A | {"rdma/hca_b": 63}
POOL = {"nvidia.com/ib_pool": 8}
POLICY = NicClusterPolicy(name="policy", state="ready", shared_resources=frozenset(), counted_resources=frozenset(POOL))
DRA_NODES = (
    *(node(f"gpu-{n}", devices=GPUS) for n in range(1, 5)),
    *(node_feature(f"gpu-{n}", {("15b3", "0207", "1021"): 8}) for n in range(1, 5)),
)
ADAPTER = resource_slice("gpu-1", "dra.net", SliceDevice(name="ib0", attributes={"dra.net/rdma": "true"}))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(AT_ZERO), "gap", id="the resource is advertised as 0"),
        pytest.param(
            facts(node(capacity=GPUS | {"rdma/ib": 8}, allocatable=GPUS | {"rdma/ib": 0})),
            "gap",
            id="nothing is allocatable",
        ),
        pytest.param(facts(*WITH, LACKING), "gap", id="three nodes of the same kind offer it, this one does not"),
        pytest.param(
            facts(*(node(f"gpu-{n}", DELL, GPUS | HCAS) for n in range(2, 5)), node(devices=GPUS | HCA_A, labels=DELL)),
            "gap",
            id="each adapter has a shared resource, and the second one is gone here",
        ),
        pytest.param(
            facts(*(node(f"gpu-{n}", DELL, GPUS | HCAS) for n in range(2, 5)), node(devices=GPUS | HCAS, labels=DELL)),
            "clear",
            id="each adapter has a shared resource",
        ),
        pytest.param(
            facts(*(node(f"gpu-{n}", DELL, GPUS | HCAS) for n in range(2, 4)), node(devices=GPUS | HCA_A, labels=DELL)),
            "clear",
            id="each adapter has a shared resource, and two nodes are too few to compare with",
        ),
        pytest.param(
            facts(
                *(node(f"gpu-{n}", {TYPE: "unknown-8x"}, GPUS | {"rdma/hca": 63}) for n in range(2, 5)),
                node(labels={TYPE: "unknown-8x"}, devices=GPUS),
            ),
            "gap",
            id="three nodes of the same instance type offer it, this one does not",
        ),
        pytest.param(
            facts(*DRA_NODES, *(replace(ADAPTER, name=f"s-{n}", node=f"gpu-{n}", pool=f"gpu-{n}") for n in (2, 3, 4))),
            "gap",
            id="three nodes with the same adapters on the bus offer them through DRA, this one does not",
        ),
        pytest.param(
            facts(
                *DRA_NODES, *(replace(ADAPTER, name=f"s-{n}", node=f"gpu-{n}", pool=f"gpu-{n}") for n in (1, 2, 3, 4))
            ),
            "clear",
            id="all nodes with the same adapters on the bus offer them through DRA",
        ),
        pytest.param(facts(node(devices=GPUS | POOL), IB), "gap", id="a resource that no table and no policy names"),
        pytest.param(facts(node(devices=GPUS | POOL), IB, POLICY), "clear", id="a resource that the policy names"),
        pytest.param(
            facts(node(devices=GPUS | POOL), IB, unread=(NicClusterPolicy,)),
            "unknown",
            id="a resource that the unread policy may name",
        ),
        pytest.param(
            facts(node(devices=GPUS | {"openshift.io/ibrdma": 8}), IB), "clear", id="a device of the SR-IOV operator"
        ),
        pytest.param(
            facts(replace(P5, labels={TYPE: "g6.12xlarge"})),
            "not_applicable",
            id="adapters that a machine has only where they were asked for",
        ),
        pytest.param(
            facts(replace(P5, labels={TYPE: "n1-standard-8"})), "not_applicable", id="a family that has no fabric"
        ),
        pytest.param(facts(P5), "gap", id="the instance type has adapters and nothing offers them"),
        pytest.param(facts(node(devices=GPUS), IB), "gap", id="InfiniBand adapters on the bus and nothing offers them"),
        pytest.param(
            facts(AT_ZERO, unread=(NodeFeature, ResourceSlice, NicClusterPolicy)),
            "gap",
            id="a zero is enough by itself",
        ),
        pytest.param(
            facts(node(devices=GPUS | {"rdma/rdma_shared_device_a": 63})), "clear", id="the resource is above zero"
        ),
        pytest.param(
            facts(
                replace(
                    AT_ZERO, capacity=GPUS | {"rdma/a": 0, "rdma/b": 63}, allocatable=GPUS | {"rdma/a": 0, "rdma/b": 63}
                )
            ),
            "clear",
            id="an old name at zero beside one in use",
        ),
        pytest.param(facts(replace(AT_ZERO, deleting=True)), "clear", id="the node is being deleted"),
        pytest.param(
            facts(replace(AT_ZERO, created=READ_AT - timedelta(minutes=5))), "clear", id="the node has just joined"
        ),
        pytest.param(
            facts(replace(AT_ZERO, labels={"nvidia.com/ofed-driver-upgrade-state": "pod-restart-required"})),
            "clear",
            id="the network driver is being upgraded",
        ),
        pytest.param(facts(*WITH[:2], LACKING), "clear", id="two nodes of the same kind are too few to compare with"),
        pytest.param(facts(P5, ADAPTER), "clear", id="the adapters are offered through DRA"),
        pytest.param(
            facts(replace(P5, labels={TYPE: "a3-ultragpu-8g"})), "clear", id="pods name the network in an annotation"
        ),
        pytest.param(
            facts(replace(P5, labels={TYPE: "Standard_ND96is_H100_v5"})),
            "not_applicable",
            id="the machine type is sold without a fabric",
        ),
        pytest.param(facts(node("cpu-1")), "not_applicable", id="a node without accelerators"),
        pytest.param(
            facts(node(devices=GPUS), node_feature("gpu-1", {("15b3", "0200", "101d"): 2})),
            "not_applicable",
            id="Ethernet adapters only",
        ),
        pytest.param(facts(node(devices=GPUS)), "not_applicable", id="nothing tells of adapters"),
        pytest.param(
            facts(replace(P5, capacity=None, allocatable=None)), "unknown", id="the status carries no resources"
        ),
        pytest.param(
            facts(*WITH, replace(P5, labels={TYPE: "Standard_ND96is_H100_v5"}, capacity=None, allocatable=None)),
            "clear",
            id="the status carries no resources, of a machine type that is sold without a fabric",
        ),
        pytest.param(facts(P5, unread=(ResourceSlice,)), "unknown", id="DRA is unread"),
        pytest.param(facts(*WITH, unread=(ResourceSlice,)), "unknown", id="who else has accelerators is unread"),
        pytest.param(facts(node(devices=GPUS), unread=(NodeFeature,)), "unknown", id="the bus is unread"),
    ],
)
def test_a_fabric_must_be_offered_to_pods(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_a_policy_that_is_unread_does_not_matter_to_a_resource_above_zero():
    assert CHECK.run(facts(*WITH, unread=(NicClusterPolicy,))).status == "clear"


@pytest.mark.parametrize(
    ("given", "severity", "confidence"),
    [
        pytest.param(facts(AT_ZERO), Severity.HIGH, Confidence.CERTAIN, id="a zero is certain"),
        pytest.param(facts(AT_ZERO, ADAPTER), Severity.LOW, Confidence.HINT, id="a left-over beside DRA is a hint"),
        pytest.param(facts(*WITH, LACKING), Severity.HIGH, Confidence.LIKELY, id="peers make it likely"),
        pytest.param(facts(P5), Severity.MEDIUM, Confidence.LIKELY, id="a platform that always has a resource"),
        pytest.param(
            facts(replace(P5, labels={TYPE: "Standard_ND96isr_H100_v5"})),
            Severity.LOW,
            Confidence.HINT,
            id="a platform where jobs may open the host's adapters",
        ),
    ],
)
def test_how_sure_and_how_bad_it_is_depends_on_what_proves_it(given: Facts, severity: Severity, confidence: Confidence):
    [finding] = CHECK.run(given).findings

    assert (finding.severity, finding.confidence) == (severity, confidence)


def test_an_on_premises_node_whose_selector_matched_nothing_names_the_resource():
    given = node("gpu-node-06", devices={"nvidia.com/gpu": 7, "rdma/rdma_shared_device_a": 0}, conditions=())

    [finding] = CHECK.run(facts(given)).findings

    assert finding.says.en == "rdma/rdma_shared_device_a is advertised as 0"
    assert finding.evidence["status.capacity.rdma/rdma_shared_device_a"] == 0
