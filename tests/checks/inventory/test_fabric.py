import pytest

from kubegap_checks.facts.nodes import NicClusterPolicy, SliceDevice
from kubegap_checks.inventory.fabric import node_fabrics
from kubegap_checks.inventory.node_fabric import NodeFabric
from tests.checks.build import facts, node, node_feature, resource_slice

TYPE = "node.kubernetes.io/instance-type"
GPUS = {"nvidia.com/gpu": 8}
INFINIBAND, ETHERNET, EFA = ("15b3", "0207", "1021"), ("15b3", "0200", "101d"), ("1d0f", "0200", "efa2")
SHARED = NicClusterPolicy(
    name="policy", state="ready", shared_resources=frozenset({"rdma/ib"}), counted_resources=frozenset()
)
COUNTED = NicClusterPolicy(
    name="policy", state="ready", shared_resources=frozenset(), counted_resources=frozenset({"rdma/ib"})
)


def fabric_of(labels: dict[str, str], devices: dict[str, int], *others, **unread) -> NodeFabric:
    [fabric] = node_fabrics(facts(node(labels=labels, devices=GPUS | devices), *others, **unread)).nodes
    return fabric


@pytest.mark.parametrize(
    ("labels", "devices", "others", "kind", "count", "expected"),
    [
        pytest.param({TYPE: "p5.48xlarge"}, {"vpc.amazonaws.com/efa": 32}, (), "efa", 32, 32, id="EFA"),
        pytest.param({TYPE: "Standard_ND96isr_H100_v5"}, {"rdma/ib": 8}, (), "infiniband", 8, 8, id="AKS, counted"),
        pytest.param(
            {TYPE: "Standard_ND96isr_H100_v5"}, {"rdma/shared_ib": 63}, (), "infiniband", None, 8, id="AKS, shared"
        ),
        pytest.param({TYPE: "gd-8xh100ib-i128"}, {"rdma/ib": 1}, (), "infiniband", None, 8, id="CoreWeave"),
        pytest.param({TYPE: "BM.GPU.H100.8"}, {"nvidia.com/rdma-vf": 16}, (), "roce", 16, 16, id="OKE"),
        pytest.param(
            {TYPE: "a3-ultragpu-8g"},
            {f"networking.gke.io.networks/rdma-{n}": 1 for n in range(8)},
            (),
            "roce",
            8,
            8,
            id="GKE networks",
        ),
        pytest.param({TYPE: "a3-ultragpu-8g"}, {}, (), "roce", None, 8, id="GKE, annotations only"),
        pytest.param(
            {TYPE: "a3-megagpu-8g"},
            {f"networking.gke.io.networks/vpc{n}": 1 for n in range(8)},
            (),
            "gpudirect_tcpx",
            8,
            None,
            id="GPUDirect",
        ),
        pytest.param({TYPE: "g6.12xlarge"}, {}, (), "unknown", None, None, id="EFA that nobody asked for"),
        pytest.param({TYPE: "g6.12xlarge"}, {"vpc.amazonaws.com/efa": 1}, (), "efa", 1, None, id="EFA that was"),
        pytest.param({TYPE: "Standard_ND96is_H100_v5"}, {}, (), "none", None, None, id="sold without"),
        pytest.param({}, {}, (node_feature("gpu-1", {}),), "none", None, None, id="none on the bus"),
        pytest.param({}, {}, (node_feature("gpu-1", {ETHERNET: 2}),), "unknown", None, None, id="Ethernet on the bus"),
        pytest.param(
            {},
            {"rdma/hca": 8},
            (node_feature("gpu-1", {ETHERNET: 10}),),
            "roce",
            8,
            None,
            id="RoCE by bus and resource",
        ),
        pytest.param({}, {}, (node_feature("gpu-1", {EFA: 4}),), "efa", None, None, id="EFA on the bus"),
        pytest.param({}, {}, (), "unknown", None, None, id="nothing tells"),
        pytest.param({}, {"rdma/ib": 8}, (), "infiniband", 8, None, id="by size, a count"),
        pytest.param({}, {"rdma/ib": 16}, (), "infiniband", 16, None, id="by size, two a GPU"),
        pytest.param({}, {"rdma/ib": 17}, (), "infiniband", None, None, id="by size, shared"),
        pytest.param({}, {"rdma/ib": 1}, (), "infiniband", None, None, id="by size, one for all"),
        pytest.param({}, {"rdma/ib": 8}, (SHARED,), "infiniband", None, None, id="by policy, shared"),
        pytest.param({}, {"rdma/ib": 63}, (COUNTED,), "infiniband", 63, None, id="by policy, a count"),
        pytest.param(
            {},
            {},
            (
                resource_slice(
                    "gpu-1",
                    "dra.net",
                    SliceDevice(name="ib0", attributes={"dra.net/rdma": "true"}),
                    SliceDevice(name="eth0", attributes={"dra.net/rdma": "false"}),
                    SliceDevice(name="lo", attributes={}),
                ),
            ),
            "unknown",
            1,
            None,
            id="RDMA devices of DRANET",
        ),
        pytest.param(
            {TYPE: "a4x-maxgpu-4g-metal"},
            {},
            (
                resource_slice(
                    "gpu-1", "mrdma.google.com", *(SliceDevice(name=f"nic-{n}", attributes={}) for n in range(8))
                ),
            ),
            "roce",
            8,
            8,
            id="a driver of RDMA devices only",
        ),
    ],
)
def test_the_fabric_of_a_node(labels, devices, others, kind: str, count: int | None, expected: int | None):
    fabric = fabric_of(labels, devices, *others)

    assert (fabric.kind, fabric.devices) == (kind, count)
    assert (fabric.expected.count if fabric.expected else None) == expected


def test_an_unread_policy_leaves_open_what_a_unit_is():
    fabric = fabric_of({}, {"rdma/ib": 8}, unread=(NicClusterPolicy,))

    assert fabric.devices is None
    assert [item.what.en for item in fabric.unread] == ["nicclusterpolicies.mellanox.com"]


def test_without_a_number_of_gpus_the_size_says_nothing():
    [fabric] = node_fabrics(facts(node(labels={"nvidia.com/gpu.present": "true"}, devices={"rdma/ib": 8}))).nodes

    assert fabric.devices is None


def test_a_node_without_accelerators_is_not_asked_for_its_fabric():
    assert node_fabrics(facts(node(devices={"rdma/ib": 8}))).nodes == ()
