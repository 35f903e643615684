from collections.abc import Iterator
from datetime import timedelta
from itertools import combinations

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import (
    ComputeDomain,
    Condition,
    NicClusterPolicy,
    Node,
    NodeFeature,
    ResourceSlice,
    SliceDevice,
)
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Partial, UnreadError
from kubegap_checks.inventory.readiness import READS, GpuNode, Gpus, gpu_nodes
from tests.checks.build import READ_AT, facts, forbidden, node, pod, ready, resource_slice

P5 = {
    "node.kubernetes.io/instance-type": "p5.48xlarge",
    "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
    "nvidia.com/cuda.driver-version.full": "580.126.09",
    "topology.kubernetes.io/zone": "us-east-1a",
    "topology.k8s.aws/network-node-layer-1": "nn-spine",
    "topology.k8s.aws/network-node-layer-3": "nn-leaf",
}
FULL = {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32}
MIG, CUT, LESS = {"nvidia.com/gpu.product": "H100-MIG-1g.10gb"}, {"nvidia.com/gpu": 56}, {"nvidia.com/gpu": 49}
GOOD = node(labels=P5, devices=FULL)
FAULT = Condition(type="AcceleratedHardwareReady", status="False", reason="NvidiaDoubleBitError")
IMEX = Condition(type="GpuNvlinkWatch", status="True", message="ErrorCode:DCGM_FR_IMEX_UNHEALTHY")


def shown(*records, **unread) -> GpuNode:
    [only] = gpu_nodes(facts(*records, **unread))
    return only


def test_all_that_is_known_of_a_good_node_is_shown():
    busy = pod(resources={"nvidia.com/gpu": 6, "vpc.amazonaws.com/efa": 32})

    good = shown(GOOD, busy)

    assert (good.verdict, good.reasons) == ("ready", ())
    assert good.gpus == Gpus(expected=8, capacity=8, allocatable=8, requested=6)
    assert (good.product, good.instance_type, good.driver) == ("NVIDIA-H100-80GB-HBM3", "p5.48xlarge", "580.126.09")
    assert (good.fabric.kind, good.fabric.devices, good.fabric.expected) == ("efa", 32, 32)
    assert (good.zone, good.topology) == ("us-east-1a", "nn-leaf")


# Each of these differs in one fact from the good node.
@pytest.mark.parametrize(
    ("given", "verdict", "reason"),
    [
        pytest.param(replace(GOOD, conditions=(ready("False"),)), "not_ready", "not ready", id="the kubelet says no"),
        pytest.param(replace(GOOD, conditions=(ready("Unknown"),)), "not_ready", "stopped", id="the kubelet is silent"),
        pytest.param(replace(GOOD, unschedulable=True), "not_ready", "cordoned", id="cordoned"),
        pytest.param(replace(GOOD, deleting=True), "not_ready", "deleted", id="being deleted"),
        pytest.param(
            replace(GOOD, capacity=FULL | {"nvidia.com/gpu": 7}), "not_ready", "7 of 8", id="a GPU is missing"
        ),
        pytest.param(
            replace(GOOD, allocatable=FULL | {"nvidia.com/gpu": 7}),
            "not_ready",
            "7 of 8",
            id="a GPU is not allocatable",
        ),
        pytest.param(
            replace(GOOD, allocatable=FULL | {"vpc.amazonaws.com/efa": 31}),
            "not_ready",
            "31 of 32",
            id="an adapter is missing",
        ),
        pytest.param(replace(GOOD, conditions=(ready(), FAULT)), "not_ready", "EKS", id="an agent reports a fault"),
        pytest.param(
            replace(GOOD, labels=P5 | {"nvidia.com/gpu-driver-upgrade-state": "drain-required"}),
            "not_ready",
            "upgraded",
            id="an operator is changing the node",
        ),
        pytest.param(
            replace(
                GOOD, labels=P5 | {"node.coreweave.cloud/reserved": "a", "node.coreweave.cloud/reserved-desired": "b"}
            ),
            "not_ready",
            "moved out",
            id="pending removal",
        ),
        pytest.param(replace(GOOD, capacity={}, allocatable={}), "not_ready", "no NVIDIA GPU", id="nothing is offered"),
        pytest.param(
            replace(GOOD, conditions=(ready(heartbeat=READ_AT - timedelta(hours=1)),)),
            "unknown",
            "last reported",
            id="stale",
        ),
        pytest.param(replace(GOOD, conditions=()), "unknown", "no Ready condition", id="no Ready condition"),
        pytest.param(
            replace(GOOD, labels={**P5, "node.kubernetes.io/instance-type": "custom"}),
            "unknown",
            "nothing tells",
            id="no expected count",
        ),
        pytest.param(replace(GOOD, capacity=None, allocatable=None), "unknown", "no count", id="no counts"),
        pytest.param(replace(GOOD, allocatable=None), "unknown", "no allocatable", id="no allocatable counts"),
        pytest.param(
            replace(GOOD, labels=P5 | MIG, capacity=FULL | CUT, allocatable=FULL | CUT),
            "ready",
            "",
            id="cut into slices",
        ),
        pytest.param(
            replace(GOOD, labels=P5 | MIG, capacity=FULL | CUT, allocatable=FULL | {"nvidia.com/gpu": 55}),
            "not_ready",
            "55 of 56",
            id="a slice is not allocatable",
        ),
        pytest.param(
            replace(GOOD, labels=P5 | MIG, capacity=FULL | LESS, allocatable=FULL | LESS),
            "unknown",
            "MIG",
            id="slices that do not add up to devices",
        ),
        pytest.param(
            replace(GOOD, capacity={"nvidia.com/gpu": 8}, allocatable={"nvidia.com/gpu": 8}),
            "not_ready",
            "no resource offers its fabric adapters",
            id="a fabric that is always offered is not",
        ),
        pytest.param(
            replace(GOOD, allocatable=FULL | {"vpc.amazonaws.com/efa": 0}),
            "not_ready",
            "none of 32",
            id="no adapter is allocatable",
        ),
        pytest.param(
            replace(
                GOOD,
                labels=P5 | {"node.kubernetes.io/instance-type": "BM.GPU.H100.8"},
                capacity={"nvidia.com/gpu": 8},
                allocatable={"nvidia.com/gpu": 8},
            ),
            "ready",
            "",
            id="a fabric that jobs may open on the host",
        ),
        pytest.param(
            replace(GOOD, created=READ_AT - timedelta(minutes=3), allocatable=FULL | {"nvidia.com/gpu": 0}),
            "not_ready",
            "just joined",
            id="not complete three minutes after it joined",
        ),
        pytest.param(replace(GOOD, created=READ_AT - timedelta(minutes=3)), "ready", "", id="complete by then"),
        pytest.param(
            replace(GOOD, conditions=(ready(), IMEX)), "unknown", "false positive", id="a known false positive"
        ),
        pytest.param(
            replace(GOOD, labels=P5 | {"nvsentinel.dgxc.nvidia.com/managed": "false"}),
            "ready",
            "",
            id="nobody watches it",
        ),
    ],
)
def test_whether_long_training_may_start(given: Node, verdict: str, reason: str):
    one = shown(given)

    assert one.verdict == verdict
    assert not reason or any(reason in text.en for text in one.reasons)


def test_a_node_that_lacks_the_fabric_of_its_peers_is_not_ready():
    dell = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu.machine": "PowerEdge-XE9680"}
    others = [node(f"gpu-{n}", dell, {"nvidia.com/gpu": 8, "rdma/hca": 63}) for n in range(2, 6)]

    verdicts = {one.name: one for one in gpu_nodes(facts(node(labels=dell, devices={"nvidia.com/gpu": 8}), *others))}

    assert [one.verdict for one in verdicts.values()] == ["not_ready", *["ready"] * 4]
    [reason] = verdicts["gpu-1"].reasons
    assert reason.en == "4 of 4 nodes of the same kind offer rdma/hca, this one does not"


@pytest.mark.parametrize(
    ("pods", "requested"),
    [
        pytest.param((), 0, id="none"),
        pytest.param(
            (pod(resources={"nvidia.com/gpu": 4}), pod("b", resources={"nvidia.com/gpu": 2})), 6, id="two pods"
        ),
        pytest.param((pod(node="gpu-2", resources={"nvidia.com/gpu": 4}),), 0, id="a pod elsewhere"),
        pytest.param((pod(node="", resources={"nvidia.com/gpu": 4}),), 0, id="a pod that waits"),
        pytest.param((pod(resources={"cpu": 4}),), 0, id="a pod without GPUs"),
    ],
)
def test_what_pods_hold_is_summed(pods: tuple[Pod, ...], requested: int):
    assert shown(GOOD, *pods).gpus.requested == requested


@pytest.mark.parametrize(
    ("given", "records"),
    [
        pytest.param(
            replace(GOOD, labels=P5 | {"nvidia.com/gpu.replicas": "2"}, capacity=FULL | {"nvidia.com/gpu": 16}),
            (pod(resources={"nvidia.com/gpu": 4}),),
            id="shares",
        ),
        pytest.param(
            replace(GOOD, capacity={}, allocatable={}),
            (
                resource_slice("gpu-1", "gpu.nvidia.com", SliceDevice(name="gpu-0", attributes={"type": "gpu"})),
                pod(device_claims=1),
            ),
            id="claims",
        ),
    ],
)
def test_what_is_not_whole_devices_is_not_summed(given: Node, records):
    assert shown(given, *records).gpus.requested is None


def test_a_namespace_of_pods_is_not_all_of_them():
    some = facts(GOOD).but(Pod, Partial((pod(),), (forbidden(Pod),), asked_for=True))

    [one] = gpu_nodes(some)

    assert (one.verdict, one.gpus.requested) == ("ready", None)


def test_two_vendors_are_shown_as_one_node():
    one = shown(
        node(
            labels={"nvidia.com/gpu.product": "A", "amd.com/gpu.product-name": "B"},
            devices={"nvidia.com/gpu": 2, "amd.com/gpu": 4},
        )
    )

    assert (one.product, one.gpus.capacity) == ("A + B", 6)


def test_without_nodes_there_is_no_list():
    with pytest.raises(UnreadError, match="nodes"):
        gpu_nodes(facts(unread=(Node,)))


CLUSTERS = {
    "a good node": facts(GOOD, pod(resources={"nvidia.com/gpu": 8})),
    "a node with faults": facts(replace(GOOD, conditions=(ready(), FAULT, IMEX), allocatable={"nvidia.com/gpu": 7})),
    "a node of a ComputeDomain": facts(
        replace(GOOD, conditions=(ready(), IMEX)),
        ComputeDomain(namespace="ml", name="nvl", status="Ready", num_nodes=1, nodes=("gpu-1",)),
    ),
    "a shared adapter resource": facts(
        node(
            labels=P5 | {"node.kubernetes.io/instance-type": "Standard_ND96isr_H100_v5"},
            devices={"nvidia.com/gpu": 8, "rdma/ib": 6},
        ),
        NicClusterPolicy(
            name="p", state="ready", shared_resources=frozenset({"rdma/ib"}), counted_resources=frozenset()
        ),
    ),
    "a node with DRA": facts(
        node(labels=P5),
        resource_slice("gpu-1", "gpu.nvidia.com", SliceDevice(name="gpu-0", attributes={"type": "gpu"})),
    ),
}


def _lesser(whole: Facts) -> Iterator[Facts]:
    kinds = [kind for kind in READS if kind is not Node]
    for size in range(1, len(kinds) + 1):
        for lost in combinations(kinds, size):
            lesser = whole
            for kind in lost:
                lesser = lesser.but(kind, forbidden(kind))
            yield lesser


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_a_lost_read_never_turns_a_verdict_or_a_count_into_another_one(cluster: str):
    [whole] = gpu_nodes(CLUSTERS[cluster])

    for lesser in _lesser(CLUSTERS[cluster]):
        [one] = gpu_nodes(lesser)
        assert one.verdict in {whole.verdict, "unknown"}
        for name in ("expected", "capacity", "allocatable", "requested"):
            assert getattr(one.gpus, name) in {getattr(whole.gpus, name), None}
        assert one.fabric.devices in {whole.fabric.devices, None}


def test_the_list_reads_what_it_says():
    assert set(READS) == {Node, NodeFeature, ResourceSlice, ComputeDomain, NicClusterPolicy, Pod}
    nothing_else = Facts(dict.fromkeys(READS, ()), read_at=READ_AT)

    assert gpu_nodes(nothing_else) == ()
