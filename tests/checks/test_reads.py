"""Taking any read away leaves a verdict as it was or makes it unknown, for every check of the catalogue."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import combinations

import pytest

from kubegap_checks import catalog
from kubegap_checks.facts.nodes import ComputeDomain, Condition, NicClusterPolicy, SliceDevice, Taint
from kubegap_checks.facts.pods import Mount, PodVolume
from kubegap_checks.facts.read import Facts, Partial, Record, Rows
from kubegap_checks.model import Check
from tests.checks.build import (
    JUST_NOW,
    LONG_AGO,
    READ_AT,
    claim,
    container,
    damaged,
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

# Beside these, each check is tried on the cases of its own table.
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
    "a run that would lose its work and hides why": facts(
        *(
            pod(
                f"train-{rank}",
                containers=(
                    container(
                        flags={"--save": "/opt/ckpt"},
                        env={"WORLD_SIZE": "16"},
                        limits={"nvidia.com/gpu": 8},
                        waiting="CrashLoopBackOff",
                    ),
                ),
                resources={"nvidia.com/gpu": 8},
            )
            for rank in range(2)
        ),
    ),
    "healthy nodes": facts(
        *(node(f"gpu-{number}", P5, {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32}) for number in range(4)),
        weka(has_tiered_filesystems=True, ssd_provisioned=100, ssd_used=60, buckets=2, buckets_up=2),
    ),
    "nodes without accelerators": facts(node("cpu-1")),
    "nothing at all": facts(),
}


def cases(check: Check) -> list[Facts]:
    """What the check's own table is about, and the clusters above."""
    topic, rule = check.id.split(".")
    module = import_module(f"tests.checks.{topic}.test_{rule}")
    given: dict[int, Facts] = {id(cluster): cluster for cluster in CLUSTERS.values()}
    for function in vars(module).values():
        for mark in getattr(function, "pytestmark", ()):
            if mark.name == "parametrize":
                given |= {
                    id(value): value for row in mark.args[1] for value in _values(row) if isinstance(value, Facts)
                }
    return list(given.values())


def _values(row: object) -> Iterable[object]:
    return getattr(row, "values", row if isinstance(row, tuple) else (row,))


def losses(check: Check, whole: Facts) -> Iterator[Facts]:
    """The facts with one of the check's kinds lost or seen in part, with two of them lost, and with all."""
    for kind in check.reads:
        for rows in _parts(kind, whole):
            yield whole.but(kind, rows)
    for size in range(2, len(check.reads) + 1):
        if len(check.reads) <= 4 or size in {2, len(check.reads)}:
            for subset in combinations(check.reads, size):
                lesser = whole
                for kind in subset:
                    lesser = lesser.but(kind, forbidden(kind))
                yield lesser


def _parts(kind: type[Record], whole: Facts) -> Iterator[Rows]:
    """Forbidden; a row that makes no sense; of people's work, what lies in some namespaces only."""
    unread = forbidden(kind)
    yield unread
    if whole.unread(kind):
        return
    rows = whole.known(kind)
    for place in range(min(len(rows), 3)):
        yield Partial((*rows[:place], *rows[place + 1 :]), (damaged(kind),))
    if kind.KIND.workload:
        yield from (Partial(rows[:1], (unread,)), Partial(rows[1:], (unread,)))


@pytest.mark.parametrize("check", catalog.load(), ids=lambda check: check.id)
def test_a_lost_read_never_turns_a_verdict_into_another_one(check: Check):
    for number, whole in enumerate(cases(check)):
        verdict = check.run(whole)
        found = {(finding.subject, finding.key) for finding in verdict.findings}
        for lesser in losses(check, whole):
            judged = check.run(lesser)
            lost = (number, [kind.__name__ for kind in check.reads if lesser.unread(kind)])
            assert judged.status in {verdict.status, "unknown"}, lost
            assert {(finding.subject, finding.key) for finding in judged.findings} <= found, lost
            assert judged.status != "unknown" or judged.unread, lost


@pytest.mark.parametrize("check", catalog.load(), ids=lambda check: check.id)
def test_some_case_has_the_gap_that_a_lost_read_could_hide(check: Check):
    assert "gap" in {check.run(cluster).status for cluster in cases(check)}


@pytest.mark.parametrize("check", catalog.load(), ids=lambda check: check.id)
def test_a_check_reads_nothing_but_what_it_names(check: Check):
    nothing = Facts({kind: forbidden(kind) for kind in check.reads}, read_at=READ_AT)

    assert check.run(nothing).status == "unknown"
