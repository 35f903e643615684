"""Taking any read away leaves a verdict as it was or makes it unknown, for every check of the catalogue."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

import pytest

from kubegap_checks import catalog
from kubegap_checks.facts.nodes import ComputeDomain, Condition, NicClusterPolicy, Node, SliceDevice, Taint
from kubegap_checks.facts.pods import Mount, PodVolume
from kubegap_checks.facts.read import Facts, Partial, Record, Rows, Unread
from kubegap_checks.model import Check
from tests.checks.build import (
    JUST_NOW,
    LONG_AGO,
    READ_AT,
    claim,
    container,
    facts,
    forbidden,
    node,
    node_feature,
    pod,
    ready,
    resource_slice,
    storage_class,
    volume,
    weka,
)

H100 = {"nvidia.com/gpu.present": "true", "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}
DELL = H100 | {"nvidia.com/gpu.machine": "PowerEdge-XE9680"}
P5 = H100 | {"node.kubernetes.io/instance-type": "p5.48xlarge", "karpenter.k8s.aws/instance-local-nvme": "30400"}
IMEX = Condition(
    type="GpuNvlinkWatch",
    status="True",
    reason="GpuNvlinkWatchIsNotHealthy",
    message="ErrorCode:DCGM_FR_IMEX_UNHEALTHY",
    since=LONG_AGO,
)
FLAPPING = Condition(type="IBLinkFlapping", status="True", since=LONG_AGO, heartbeat=JUST_NOW)
EIGHT_GPUS = {("10de", "0302", "2330"): 8, ("15b3", "0207", "1021"): 8}
GPU = SliceDevice(name="gpu-0", attributes={"type": "gpu", "uuid": "GPU-0"})
IB = SliceDevice(name="ib0", attributes={"dra.net/rdma": "true"})
MIG = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb"}

TRAINING = (
    pod(
        containers=(container(mounts=(Mount(volume="data", path="/data"),), limits={"nvidia.com/gpu": 8}),),
        volumes=(PodVolume(name="data", form="claim", claim="data", attributes={}),),
        resources={"nvidia.com/gpu": 8},
    ),
    pod("other", "research", node="gpu-2", resources={"nvidia.com/gpu": 2}),
    claim(),
    volume(driver="csi.weka.io", filesystem="fs1", attributes={"filesystemName": "fs1"}),
    storage_class(provisioner="csi.weka.io"),
    weka(has_tiered_filesystems=True, ssd_provisioned=100, ssd_used=97, buckets=2, buckets_up=1),
)

CLUSTERS = {
    "a cloud cluster with faults": facts(
        node("gpu-1", P5, {"nvidia.com/gpu": 7, "vpc.amazonaws.com/efa": 31, "ephemeral-storage": 17 << 30}),
        node("gpu-2", P5, {"nvidia.com/gpu": 8}, unschedulable=True, taints=(Taint(key="aiinfra/node-not-ready"),)),
        node("gpu-3", H100, {"nvidia.com/gpu": 8}, conditions=(ready("Unknown"), IMEX, FLAPPING)),
        node("gpu-4", H100, {"nvidia.com/gpu": 8}, allocatable={"nvidia.com/gpu": 7}),
        ComputeDomain(namespace="ml", name="nvl", status="Ready", num_nodes=1, nodes=("gpu-3",)),
        *TRAINING,
    ),
    "on-premises nodes that are alike, one of which lacks a GPU and an adapter": facts(
        *(node(f"gpu-{number}", DELL, {"nvidia.com/gpu": 8, "rdma/hca": 8}) for number in range(5)),
        node("gpu-5", DELL, {"nvidia.com/gpu": 7, "rdma/hca": 7}),
        node("gpu-6", DELL, {"nvidia.com/gpu": 8}),
        *TRAINING,
    ),
    "a node whose bus shows more than it offers": facts(
        node("gpu-1", H100, {"nvidia.com/gpu": 7, "rdma/ib": 7}),
        node_feature("gpu-1", EIGHT_GPUS),
    ),
    "a node whose bus shows what it offers": facts(
        *(node(f"gpu-{number}", DELL, {"nvidia.com/gpu": 8, "rdma/ib": 8}) for number in range(4)),
        node("gpu-4", DELL, {"nvidia.com/gpu": 7, "rdma/ib": 8}),
        node_feature("gpu-4", EIGHT_GPUS | {("10de", "0302", "2330"): 7}),
    ),
    "a shared adapter resource that only the policy names": facts(
        *(node(f"gpu-{number}", DELL, {"nvidia.com/gpu": 8, "rdma/hca": 8}) for number in range(4)),
        node("gpu-4", DELL, {"nvidia.com/gpu": 8, "rdma/hca": 4}),
        NicClusterPolicy(
            name="policy", state="ready", shared_resources=frozenset({"rdma/hca"}), counted_resources=frozenset()
        ),
    ),
    "a resource that only the policy names, beside a left-over at zero": facts(
        node("gpu-1", DELL, {"nvidia.com/gpu": 8, "nvidia.com/ib_pool": 8, "rdma/ib": 0}),
        node("gpu-2", DELL, {"nvidia.com/gpu": 8, "nvidia.com/ib_pool": 8}),
        *(node_feature(f"gpu-{number}", EIGHT_GPUS) for number in (1, 2)),
        NicClusterPolicy(
            name="policy",
            state="ready",
            shared_resources=frozenset(),
            counted_resources=frozenset({"nvidia.com/ib_pool"}),
        ),
    ),
    "a shared resource for each adapter, one of which is gone on one node": facts(
        *(node(f"gpu-{number}", DELL, {"nvidia.com/gpu": 8, "rdma/a": 63, "rdma/b": 63}) for number in range(4)),
        node("gpu-4", DELL, {"nvidia.com/gpu": 8, "rdma/a": 63}),
    ),
    "the same on nodes that only their bus makes alike": facts(
        *(node(f"gpu-{number}", H100, {"nvidia.com/gpu": 8, "rdma/a": 63, "rdma/b": 63}) for number in range(4)),
        node("gpu-4", H100, {"nvidia.com/gpu": 8, "rdma/a": 63}),
        *(node_feature(f"gpu-{number}", EIGHT_GPUS) for number in range(5)),
    ),
    "adapters offered through DRA on nodes that only their bus makes alike, and on one not": facts(
        *(node(f"gpu-{number}", H100, {"nvidia.com/gpu": 8}) for number in range(5)),
        *(node_feature(f"gpu-{number}", EIGHT_GPUS) for number in range(5)),
        *(resource_slice(f"gpu-{number}", "dra.net", IB) for number in range(4)),
    ),
    "GPUs that are cut, on one node into fewer": facts(
        *(node(f"gpu-{number}", P5 | MIG, {"nvidia.com/gpu": 56}) for number in range(4)),
        node("gpu-4", P5 | MIG, {"nvidia.com/gpu": 49}),
        node("gpu-5", H100 | {"nvidia.com/gpu.count": "7"}, {"nvidia.com/mig-1g.10gb": 49}),
        node_feature("gpu-5", EIGHT_GPUS),
    ),
    "disks that a driver makes volumes of on demand": facts(
        node("gpu-1", P5, {"nvidia.com/gpu": 8, "ephemeral-storage": 17 << 30}),
        storage_class(provisioner="localdisk.csi.acstor.io"),
    ),
    "GPUs offered through DRA, one of them tainted": facts(
        node("gpu-1", H100),
        resource_slice("gpu-1", "gpu.nvidia.com", GPU),
        node_feature("gpu-1", {("10de", "0302", "2330"): 2}),
    ),
    "GPUs offered through DRA on a node that nothing else names": facts(
        node("gpu-1"), resource_slice("gpu-1", "gpu.nvidia.com", GPU)
    ),
    "an idle node with a known false positive": facts(
        node("gpu-1", P5, {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32}, conditions=(ready(), IMEX))
    ),
    "a node whose GPUs are shared under their own name": facts(
        node("gpu-1", H100 | {"nvidia.com/gpu.replicas": "4"}, {"nvidia.com/gpu": 32}),
        *TRAINING,
    ),
    "a run whose settings switch off its adapters and its NVLink": facts(
        node("gpu-1", H100, {"nvidia.com/gpu": 8, "rdma/ib": 8}),
        *(
            pod(
                name,
                node=name,
                resources={"nvidia.com/gpu": 8, "rdma/ib": 8},
                containers=(container(env={"NCCL_IB_DISABLE": "1", "NCCL_P2P_DISABLE": "1"}),),
            )
            for name in ("gpu-1", "gpu-2")
        ),
    ),
    "healthy nodes": facts(
        *(node(f"gpu-{number}", P5, {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32}) for number in range(4)),
        weka(has_tiered_filesystems=True, ssd_provisioned=100, ssd_used=60, buckets=2, buckets_up=2),
    ),
    "nodes without accelerators": facts(node("cpu-1")),
    "nothing at all": facts(),
}


def losses(check: Check, whole: Facts) -> Iterator[Facts]:
    """The facts with some of the check's kinds lost, or seen in part where people may lack rights in a namespace.

    All combinations where there are few kinds, else every kind and every pair of kinds.
    """
    kinds = check.reads
    subsets = (
        subset
        for size in range(1, len(kinds) + 1)
        for subset in combinations(kinds, size)
        if len(kinds) <= 5 or size <= 2 or size == len(kinds)
    )
    for subset in subsets:
        for forms in product(*(_lost(kind, whole) for kind in subset)):
            lesser = whole
            for kind, rows in zip(subset, forms, strict=True):
                lesser = lesser.but(kind, rows)
            yield lesser


def _lost(kind: type[Record], whole: Facts) -> tuple[Rows, ...]:
    unread: Unread = forbidden(kind)
    if kind is Node:
        damaged = replace(unread, reason="invalid")
        nodes = whole.known(Node)
        return unread, *(Partial((*nodes[:place], *nodes[place + 1 :]), (damaged,)) for place in range(len(nodes)))
    if not kind.KIND.workload:
        return (unread,)
    rows = whole.known(kind)
    return unread, Partial(rows[:1], (unread,)), Partial(rows[1:], (unread,))


@pytest.mark.parametrize("cluster", CLUSTERS)
@pytest.mark.parametrize("check", catalog.load(), ids=lambda check: check.id)
def test_a_lost_read_never_turns_a_verdict_into_another_one(check: Check, cluster: str):
    whole = CLUSTERS[cluster]
    verdict = check.run(whole)
    found = {(finding.subject, finding.key) for finding in verdict.findings}

    for lesser in losses(check, whole):
        judged = check.run(lesser)
        lost = [kind.__name__ for kind in check.reads if lesser.but(kind, ()) and _is_lost(lesser, kind)]
        assert judged.status in {verdict.status, "unknown"}, lost
        assert {(finding.subject, finding.key) for finding in judged.findings} <= found, lost
        assert judged.status != "unknown" or judged.unread, lost


@pytest.mark.parametrize("check", catalog.load(), ids=lambda check: check.id)
def test_some_cluster_here_has_the_gap_that_a_lost_read_could_hide(check: Check):
    assert "gap" in {check.run(cluster).status for cluster in CLUSTERS.values()}


@pytest.mark.parametrize("check", catalog.load(), ids=lambda check: check.id)
def test_a_check_reads_nothing_but_what_it_names(check: Check):
    nothing = Facts({kind: forbidden(kind) for kind in check.reads}, read_at=READ_AT)

    assert check.run(nothing).status == "unknown"


def _is_lost(lesser: Facts, kind: type[Record]) -> bool:
    try:
        lesser.known(kind)
    except Exception:  # noqa: BLE001 (only names what was lost in a failed assertion)
        return True
    return False
