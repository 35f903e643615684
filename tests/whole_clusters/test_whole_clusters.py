"""Whole clusters as snapshots: a healthy one is silent, and one fault in it is found and nothing else."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kubegap_mcp.app import Kubegap
from kubegap_mcp.report.models import AuditAnswer, NodesAnswer
from kubegap_mcp.settings import Settings
from tests.whole_clusters.clusters import HEALTHY
from tests.whole_clusters.objects import Object, ago, write

GPU_NODES = {"nvl72": 36}  # of those that do not have twenty
BEFORE: dict[str, set[str]] = {}  # what is found without a fault, so that each cluster is asked once


async def ask(objects: list[Object], folder: Path) -> tuple[AuditAnswer, NodesAnswer]:
    kubegap = Kubegap(Settings(snapshot=write(objects, folder)))
    return await kubegap.audit(limit=50), await kubegap.list_gpu_nodes(limit=50)


@pytest.mark.parametrize("name", HEALTHY)
async def test_a_healthy_cluster_is_silent_and_every_node_of_it_ready(name: str, tmp_path: Path):
    """A hint of low severity may stay; a check that is not of metrics has all that it needs."""
    audit, nodes = await ask(list(HEALTHY[name]()), tmp_path)

    assert [(gap.id, gap.severity, gap.examples) for gap in audit.gaps if gap.severity != "low"] == []
    unread = [item for item in audit.coverage.unread if item.reason != "no_metrics_source"]
    assert unread == []
    many = GPU_NODES.get(name, 20)
    assert (nodes.summary.nodes, nodes.summary.ready) == (many, many)
    BEFORE[name] = {gap.id for gap in audit.gaps}


async def gaps_without_the_fault(cluster: str, folder: Path) -> set[str]:
    if cluster not in BEFORE:
        audit, _ = await ask(list(HEALTHY[cluster]()), folder)
        BEFORE[cluster] = {gap.id for gap in audit.gaps}
    return BEFORE[cluster]


def offer(resource: str, count: int | None, *maps: str) -> Callable[[list[Object]], None]:
    """The fourth node offers so many, or nothing of the name, in both maps or only in those named."""

    def change(objects: list[Object]) -> None:
        status = fourth(objects)["status"]
        for name in maps or ("capacity", "allocatable"):
            status[name].pop(resource, None)
            status[name] |= {} if count is None else {resource: str(count)}

    return change


def report(kind: str, status: str) -> Callable[[list[Object]], None]:
    def change(objects: list[Object]) -> None:
        for condition in fourth(objects)["status"]["conditions"]:
            if condition["type"] == kind:
                condition |= {"status": status, "lastTransitionTime": ago(hours=2)}

    return change


def cordon(objects: list[Object]) -> None:
    fourth(objects)["spec"]["unschedulable"] = True


def lose_slice(driver: str) -> Callable[[list[Object]], None]:
    def change(objects: list[Object]) -> None:
        objects[:] = [item for item in objects if item["metadata"]["name"] != f"dra-03-{driver}"]

    return change


def fourth(objects: list[Object]) -> Object:
    return [item for item in objects if item["kind"] == "Node"][3]


LACKS, FEWER = "rdma_resource_missing", "nic_count_below_expected"
EFA, RDMA_NETWORK, VF = "vpc.amazonaws.com/efa", "networking.gke.io.networks/rdma-3", "nvidia.com/rdma-vf"


@pytest.mark.parametrize(
    ("cluster", "change", "check", "severity"),
    [
        pytest.param("eks", offer("nvidia.com/gpu", 7), "gpu_missing", "high", id="EKS, 7 of 8"),
        pytest.param("amd", offer("amd.com/gpu", 7), "gpu_missing", "high", id="AMD, 7 of 8"),
        pytest.param("coreweave", offer("nvidia.com/gpu", 7), "gpu_missing", "high", id="CoreWeave, 7 of 8"),
        pytest.param("dra", lose_slice("gpu.nvidia.com"), "gpu_missing", "high", id="no GPU through DRA"),
        pytest.param("gke", offer("nvidia.com/gpu", 7, "allocatable"), "gpu_unhealthy", "high", id="GKE, 7 usable"),
        pytest.param("slices", offer("nvidia.com/gpu", 55, "allocatable"), "gpu_unhealthy", "high", id="a slice"),
        pytest.param("eks", report("Ready", "Unknown"), "node_not_ready", "high", id="a kubelet is silent"),
        pytest.param("openshift", cordon, "node_not_ready", "low", id="cordoned"),
        pytest.param("aks", report("IBLinkFlapping", "True"), "link_fault_reported", "high", id="a link flaps"),
        pytest.param("eks", offer(EFA, 31), FEWER, "high", id="31 of 32 adapters"),
        pytest.param("gke", offer(RDMA_NETWORK, None), FEWER, "high", id="7 of 8 RDMA networks beside another"),
        pytest.param("oke", offer(VF, None), LACKS, "high", id="OKE, no fabric"),
        pytest.param("openshift", offer("openshift.io/ibrdma", 0), LACKS, "high", id="a fabric at zero"),
        pytest.param("no_row_knows_it", offer("rdma/hca_b", None), LACKS, "high", id="one adapter's resource"),
        pytest.param("dra", lose_slice("dra.net"), LACKS, "high", id="no fabric through DRA"),
    ],
)
async def test_one_fault_is_the_only_gap_and_its_node_is_not_ready(
    cluster: str, change: Callable[[list[Object]], None], check: str, severity: str, tmp_path: Path
):
    objects = list(HEALTHY[cluster]())
    change(objects)

    audit, nodes = await ask(objects, tmp_path / "with")

    before = await gaps_without_the_fault(cluster, tmp_path / "before")
    new = [gap for gap in audit.gaps if gap.id not in before]
    assert [(gap.id.split(".")[1], gap.severity, gap.findings_total) for gap in new] == [(check, severity, 1)]
    assert fourth(objects)["metadata"]["name"] in new[0].examples
    assert [row.name for row in nodes.nodes if row.verdict != "ready"] == [fourth(objects)["metadata"]["name"]]


async def test_storage_that_is_offered_on_all_nodes_but_one_is_missed_there(tmp_path: Path):
    objects = list(HEALTHY["eks"]())
    offer("ephemeral-storage", 17 << 30)(objects)

    audit, nodes = await ask(objects, tmp_path / "with")

    before = await gaps_without_the_fault("eks", tmp_path / "before")
    found = {gap.id: (gap.severity, gap.findings_total) for gap in audit.gaps if gap.id not in before}
    assert found == {
        "storage_tiering.local_nvme_unused": ("medium", 1),
        "storage_tiering.cache_on_root_disk": ("medium", 1),  # of the run that has a pod there
    }
    assert nodes.summary.ready == 20
