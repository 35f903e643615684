from datetime import timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import NicClusterPolicy, NodeFeature, ResourceSlice, SliceDevice
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.ib_health.nic_count_below_expected import CHECK
from tests.checks.build import READ_AT, facts, node, node_feature, resource_slice

TYPE = "node.kubernetes.io/instance-type"
P5, AZURE = {TYPE: "p5.48xlarge"}, {TYPE: "Standard_ND96isr_H100_v5"}
DELL = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu.machine": "PowerEdge-XE9680"}
IB_PORT, IB_FUNCTION, ETHERNET = ("15b3", "0207", "1021"), ("15b3", "0207", "101e"), ("15b3", "0200", "101d")
GPUS = {"nvidia.com/gpu": 8}
SHORT = node(labels=P5, devices=GPUS | {"vpc.amazonaws.com/efa": 31})
RDMA = SliceDevice(name="ib0", attributes={"dra.net/rdma": "true"})


GVNIC = {"networking.gke.io.networks/gvnic-1": 1}


def rdma_networks(count: int) -> dict[str, int]:
    return {f"networking.gke.io.networks/rdma-{n}": 1 for n in range(count)}


def policy(*, shared: str = "", counted: str = "") -> NicClusterPolicy:
    return NicClusterPolicy(
        name="nic-cluster-policy",
        state="ready",
        shared_resources=frozenset({shared} - {""}),
        counted_resources=frozenset({counted} - {""}),
    )


def alike(resource: str, count: int) -> Facts:
    """Four nodes that offer eight units of the resource, and one like them that offers `count`."""
    others = (node(f"gpu-{n}", DELL, GPUS | {resource: 8}) for n in range(2, 6))
    return facts(*others, node(labels=DELL, devices=GPUS | {resource: count}))


def dranet(*devices: SliceDevice) -> Facts:
    return facts(node(labels=AZURE, devices=GPUS), resource_slice("gpu-1", "dra.net", *devices))


def unlabelled(*adapters: int) -> Facts:
    """Nodes with the same product, of which nothing tells the machine."""
    product = {"nvidia.com/gpu.product": DELL["nvidia.com/gpu.product"]}
    return facts(*(node(f"gpu-{n}", product, GPUS | {"rdma/hca": count}) for n, count in enumerate(adapters, start=1)))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(SHORT), "gap", id="31 of the 32 EFA devices that the instance type has"),
        pytest.param(
            facts(node(labels=AZURE, devices=GPUS | {"rdma/ib": 7}), policy(counted="rdma/ib")),
            "gap",
            id="seven of eight, counted as the policy says",
        ),
        pytest.param(
            facts(node(labels=AZURE, devices=GPUS | {"rdma/ib": 8}, allocatable=GPUS | {"rdma/ib": 7})),
            "gap",
            id="seven of eight are allocatable",
        ),
        pytest.param(
            facts(node(labels={TYPE: "a3-ultragpu-8g"}, devices=GPUS | GVNIC | rdma_networks(7))),
            "gap",
            id="seven of eight RDMA networks beside an ordinary one",
        ),
        pytest.param(
            facts(node(labels={TYPE: "a3-ultragpu-8g"}, devices=GPUS | GVNIC | rdma_networks(8))),
            "clear",
            id="eight RDMA networks beside an ordinary one",
        ),
        pytest.param(alike("rdma/hca", 7), "gap", id="seven where four nodes of the same kind have eight"),
        pytest.param(
            facts(
                node(
                    labels=DELL | {"nvsentinel.dgxc.nvidia.com/nic.count.expected": "8"}, devices=GPUS | {"rdma/hca": 7}
                )
            ),
            "gap",
            id="seven of the eight that a health agent's label says",
        ),
        pytest.param(dranet(*(replace(RDMA, name=f"ib{n}") for n in range(7))), "gap", id="seven of eight through DRA"),
        pytest.param(
            facts(node(labels=AZURE, devices=GPUS | {"rdma/shared_ib": 63}), node_feature("gpu-1", {IB_FUNCTION: 7})),
            "gap",
            id="seven of eight on the bus behind a shared resource",
        ),
        pytest.param(
            facts(node(devices=GPUS | {"rdma/ib": 7}), node_feature("gpu-1", {IB_PORT: 8})),
            "gap",
            id="seven offered and eight on the bus",
        ),
        pytest.param(
            facts(node(labels=P5, devices=GPUS | {"vpc.amazonaws.com/efa": 32})), "clear", id="all 32 EFA devices"
        ),
        pytest.param(
            facts(node(labels=P5, capacity=GPUS, allocatable=GPUS | {"vpc.amazonaws.com/efa": 32})),
            "clear",
            id="all 32, named by allocatable only",
        ),
        pytest.param(alike("rdma/hca", 8), "clear", id="as many as four nodes of the same kind"),
        pytest.param(dranet(*(replace(RDMA, name=f"ib{n}") for n in range(8))), "clear", id="all eight through DRA"),
        pytest.param(
            facts(
                node(devices=GPUS | {"rdma/ib": 8}), node_feature("gpu-1", {IB_PORT: 8, IB_FUNCTION: 16, ETHERNET: 2})
            ),
            "clear",
            id="virtual functions and Ethernet adapters do not count",
        ),
        pytest.param(facts(replace(SHORT, deleting=True)), "clear", id="the node is being deleted"),
        pytest.param(
            facts(replace(SHORT, created=READ_AT - timedelta(minutes=5))),
            "clear",
            id="the node has just joined",
        ),
        pytest.param(
            facts(replace(SHORT, labels=P5 | {"network.nvidia.com/operator.nic-configuration.wait": "true"})),
            "clear",
            id="an operator is configuring the adapters",
        ),
        pytest.param(
            facts(node(labels=AZURE, devices=GPUS | {"rdma/shared_ib": 7})),
            "not_applicable",
            id="a resource shared by name",
        ),
        pytest.param(
            facts(*(alike("rdma/hca", 7).known(type(SHORT))), policy(shared="rdma/hca")),
            "not_applicable",
            id="a resource that the policy says is shared",
        ),
        pytest.param(alike("rdma/hca", 63), "clear", id="a resource too large to count adapters"),
        pytest.param(alike("rdma/hca", 1), "clear", id="one unit for eight GPUs"),
        pytest.param(
            facts(node(labels={TYPE: "gd-8xh100ib-i128"}, devices=GPUS | {"rdma/ib": 1})),
            "not_applicable",
            id="a platform whose resource is shared",
        ),
        pytest.param(
            facts(node("gpu-node-06", devices={"nvidia.com/gpu": 7, "rdma/rdma_shared_device_a": 0})),
            "not_applicable",
            id="a shared resource at zero",
        ),
        pytest.param(facts(node("cpu-1")), "not_applicable", id="a node without accelerators"),
        pytest.param(
            facts(node(labels={TYPE: "Standard_ND96is_H100_v5"}, devices=GPUS)),
            "not_applicable",
            id="a machine type that is sold without a fabric",
        ),
        pytest.param(
            facts(node(devices=GPUS | {"rdma/hca": 7})), "unknown", id="nothing tells how many there should be"
        ),
        pytest.param(facts(node(devices=GPUS)), "not_applicable", id="nothing tells of any"),
        pytest.param(unlabelled(8, 8, 8, 8), "clear", id="as many as all nodes with the same product"),
        pytest.param(unlabelled(7, 8, 8, 8, 8), "unknown", id="less than the others with the same product"),
        pytest.param(
            facts(node(labels=DELL, devices=GPUS | {"rdma/ib": 7}), unread=(NicClusterPolicy,)),
            "unknown",
            id="what a unit is would stand in the unread policy",
        ),
        pytest.param(
            facts(node(labels=AZURE, devices=GPUS | {"rdma/shared_ib": 63}), unread=(NodeFeature,)),
            "unknown",
            id="only the unread bus could tell",
        ),
        pytest.param(facts(node(labels=AZURE, devices=GPUS), unread=(ResourceSlice,)), "unknown", id="DRA is unread"),
    ],
)
def test_a_node_must_have_all_its_adapters(given: Facts, status: str):
    assert CHECK.run(given).status == status


ALL_THERE = node("gpu-2", P5, GPUS | {"vpc.amazonaws.com/efa": 32})


@pytest.mark.parametrize(
    ("given", "doubts"),
    [
        pytest.param(
            facts(ALL_THERE, node(labels=AZURE, devices=GPUS | {"rdma/shared_ib": 63}), unread=(NodeFeature,)),
            ["nodefeatures.nfd.k8s-sigs.io"],
            id="the bus, which counts what is behind a shared resource",
        ),
        pytest.param(
            facts(ALL_THERE, node(devices=GPUS | {"rdma/hca": 7}), unread=(NodeFeature,)),
            ["nodefeatures.nfd.k8s-sigs.io"],
            id="the bus, which says how many there should be",
        ),
        pytest.param(
            facts(ALL_THERE, unread=(ResourceSlice,)),
            ["resourceslices.resource.k8s.io"],
            id="DRA, which may show more nodes with accelerators",
        ),
        pytest.param(
            facts(ALL_THERE, node(devices=GPUS | {"rdma/hca": 7})),
            ["whether all fabric adapters of node gpu-1 are there"],
            id="nothing, and nothing tells how many there should be",
        ),
    ],
)
def test_a_node_that_can_be_counted_hides_no_doubt(given: Facts, doubts: list[str]):
    verdict = CHECK.run(given)

    assert verdict.status == "unknown"
    assert [unread.what.en for unread in verdict.unread] == doubts


@pytest.mark.parametrize(
    ("given", "confidence"),
    [
        pytest.param(facts(SHORT), Confidence.CERTAIN, id="the node offers its adapters one by one"),
        pytest.param(
            facts(node(labels=AZURE, devices=GPUS | {"rdma/shared_ib": 63}), node_feature("gpu-1", {IB_FUNCTION: 7})),
            Confidence.LIKELY,
            id="only the bus shows them",
        ),
    ],
)
def test_what_a_machine_lacks_is_high_and_as_sure_as_the_count(given: Facts, confidence: Confidence):
    [finding] = CHECK.run(given).findings

    assert (finding.severity, finding.confidence) == (Severity.HIGH, confidence)


def test_the_bus_alone_is_a_hint_of_low_severity():
    given = facts(node(devices=GPUS | {"rdma/ib": 7}), node_feature("gpu-1", {IB_PORT: 8}))

    [finding] = CHECK.run(given).findings

    assert (finding.severity, finding.confidence) == (Severity.LOW, Confidence.HINT)


def test_a_missing_efa_device_names_both_counts_and_where_they_stand():
    [finding] = CHECK.run(facts(SHORT)).findings

    assert finding.says.en == "31 of 32 fabric adapters are there, instance type p5.48xlarge has 32"
    assert finding.evidence == {
        "status.allocatable.vpc.amazonaws.com/efa": 31,
        f"metadata.labels.{TYPE}": "p5.48xlarge",
    }


def test_networks_of_gke_count_one_adapter_each():
    networks = {f"networking.gke.io.networks/rdma-{n}": 1 for n in range(7)}
    given = facts(node(labels={TYPE: "a3-ultragpu-8g"}, devices=GPUS | networks))

    [finding] = CHECK.run(given).findings

    assert finding.says.en.startswith("7 of 8 fabric adapters")
