from datetime import timedelta

import pytest

from kubegap_checks.facts.metrics import Exported, GpuErrors
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Record
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.gpu_health.gpu_errors_rising import CHECK
from tests.checks.build import READ_AT, facts, node
from tests.checks.measured import exported, measured

H100 = {"nvidia.com/gpu.present": "true"}
GPUS = {"nvidia.com/gpu": 8}
WATCHED = exported("xid", "gpu-1", "gpu-2")
NODES = (node("gpu-1", H100, GPUS), node("gpu-2", H100, GPUS))

AMD_NAMES = ("amd-1", "amd-2")
AMD_NODES = tuple(node(name, devices={"amd.com/gpu": 8}) for name in AMD_NAMES)


def cluster(*rows: Record, nodes: tuple[Node, ...] = NODES, unread: tuple[type[Record], ...] = ()) -> Facts:
    return facts(*nodes, *rows, unread=unread)


def error(quantity: str, value: float, name: str = "gpu-1", part: str = "GPU 3") -> GpuErrors:
    return measured(GpuErrors, quantity, value, name, part)


def counted_xid(code: str, times: float = 2) -> GpuErrors:
    """As exporters tell it that have a series for each code."""
    return measured(GpuErrors, "xid", times, "gpu-1", "GPU 3", labels={"xid": code})


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(cluster(error("xid", 79), *WATCHED), "gap", id="off the bus"),
        pytest.param(cluster(error("xid", 167), *WATCHED), "gap", id="a code that nobody has decided on"),
        pytest.param(cluster(counted_xid("48"), *WATCHED), "gap", id="a fatal code with a series of its own"),
        pytest.param(cluster(counted_xid("31", 48), *WATCHED), "clear", id="as many errors of a program"),
        pytest.param(cluster(counted_xid("?", 79), *WATCHED), "clear", id="a label that is no code"),
        *(
            pytest.param(cluster(error("xid", code), *WATCHED), "clear", id=f"Xid {code} asks for no repair")
            for code in (13, 31, 43, 45, 63, 94)
        ),
        pytest.param(cluster(error("ecc_uncorrectable", 1), *WATCHED), "gap", id="an uncorrectable error"),
        pytest.param(cluster(error("row_remap_failure", 1), *WATCHED), "gap", id="a row that was not remapped"),
        pytest.param(cluster(error("row_remap_pending", 1), *WATCHED), "gap", id="a reset that is due"),
        pytest.param(cluster(error("rows_remapped_uncorrectable", 511), *WATCHED), "clear", id="rows left to remap"),
        pytest.param(cluster(error("rows_remapped_uncorrectable", 512), *WATCHED), "gap", id="rows are used up"),
        pytest.param(cluster(error("pcie_replay", 30.9), *WATCHED), "clear", id="a few PCIe replays"),
        pytest.param(cluster(error("pcie_replay", 31), *WATCHED), "gap", id="PCIe replays above the limit"),
        pytest.param(cluster(error("nvlink_crc", 99), *WATCHED), "clear", id="NVLink corrects"),
        pytest.param(cluster(error("nvlink_recovery", 1), *WATCHED), "gap", id="an NVLink recovered"),
        pytest.param(
            cluster(error("xid", 79), *WATCHED, nodes=(node("gpu-1", H100, GPUS, unschedulable=True), NODES[1])),
            "clear",
            id="somebody has cordoned the node",
        ),
        pytest.param(
            cluster(
                error("xid", 79),
                *WATCHED,
                nodes=(node("gpu-1", H100, GPUS, created=READ_AT - timedelta(minutes=5)), NODES[1]),
            ),
            "clear",
            id="the node has just joined",
        ),
        pytest.param(
            cluster(error("xid", 79, "cpu-1"), *WATCHED, nodes=(*NODES, node("cpu-1"))),
            "clear",
            id="a node without accelerators",
        ),
        pytest.param(cluster(*WATCHED), "clear", id="no error"),
        pytest.param(cluster(*exported("ecc_uncorrectable", "gpu-1", "gpu-2")), "unknown", id="nobody tells Xids"),
        pytest.param(cluster(*exported("xid", "gpu-1")), "unknown", id="a node without exporter"),
        pytest.param(cluster(*WATCHED, unread=(GpuErrors,)), "unknown", id="errors are unread"),
        pytest.param(cluster(unread=(Exported,)), "unknown", id="who publishes is unread"),
        pytest.param(cluster(error("xid", 79), unread=(Exported,)), "gap", id="a fault shows whatever else is unread"),
        pytest.param(cluster(error("xid", 79), *WATCHED, unread=(Node,)), "unknown", id="nodes are unread"),
        pytest.param(cluster(error("xid", 79), *WATCHED, unread=(ResourceSlice,)), "gap", id="DRA is unread"),
        pytest.param(
            cluster(*exported("ecc_uncorrectable", *AMD_NAMES), nodes=AMD_NODES),
            "clear",
            id="AMD has no Xid, and needs none",
        ),
        pytest.param(
            cluster(
                error("ecc_uncorrectable", 1, "amd-1"), *exported("ecc_uncorrectable", *AMD_NAMES), nodes=AMD_NODES
            ),
            "gap",
            id="an uncorrectable error of AMD's",
        ),
        pytest.param(
            cluster(*exported("pcie_replay", *AMD_NAMES), nodes=AMD_NODES),
            "unknown",
            id="memory errors of AMD's are not published",
        ),
        pytest.param(
            cluster(*WATCHED, *exported("ecc_uncorrectable", *AMD_NAMES), nodes=(*NODES, *AMD_NODES)),
            "clear",
            id="two vendors, each with what it has",
        ),
        pytest.param(
            cluster(*WATCHED, nodes=(*NODES, *AMD_NODES)), "unknown", id="an Xid of NVIDIA's tells nothing of AMD's"
        ),
        pytest.param(
            cluster(*exported("ecc_uncorrectable", "gpu-1", "gpu-2", *AMD_NAMES), nodes=(*NODES, *AMD_NODES)),
            "unknown",
            id="what AMD needs is not enough for NVIDIA",
        ),
        pytest.param(
            cluster(
                *exported("xid", "both"),
                nodes=(node("both", H100 | {"amd.com/gpu.family": "AI"}, GPUS | {"amd.com/gpu": 8}),),
            ),
            "unknown",
            id="a node with both needs both",
        ),
        pytest.param(
            cluster(*exported("xid", "gaudi-1"), nodes=(node("gaudi-1", devices={"habana.ai/gaudi": 8}),)),
            "clear",
            id="of a vendor without a row, whatever there is of the group",
        ),
        pytest.param(
            cluster(nodes=(node("gaudi-1", devices={"habana.ai/gaudi": 8}),)),
            "unknown",
            id="of a vendor without a row, nothing at all",
        ),
        pytest.param(cluster(nodes=(node("cpu-1"),)), "not_applicable", id="no accelerators"),
    ],
)
def test_errors_of_the_hardware_are_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_each_gpu_is_one_finding_with_all_that_it_reports():
    rows = (
        error("xid", 48),
        error("ecc_uncorrectable", 3),
        error("pcie_replay", 40, part="GPU 5"),
        error("pcie_replay", 50, part="GPU 5"),
    )

    dying, slow = CHECK.run(cluster(*rows, *WATCHED)).findings

    assert (str(dying.subject), dying.key, dying.severity) == ("Node/gpu-1", "GPU 3", Severity.HIGH)
    assert dying.evidence == {"metrics.xid[GPU 3]": "48", "metrics.ecc_uncorrectable[GPU 3]": 3}
    assert dying.says.en.startswith("GPU 3: Xid 48: ")
    assert dying.says.en.endswith("; uncorrectable memory errors: about 3 (errors in the window)")
    assert (slow.key, slow.severity, slow.confidence) == ("GPU 5", Severity.MEDIUM, Confidence.LIKELY)
    assert slow.says.en == "GPU 5: PCIe replays: 50 (per minute)"
    assert slow.evidence == {"metrics.pcie_replay[GPU 5]": 50}


@pytest.mark.parametrize(
    ("quantity", "value", "severity", "confidence"),
    [
        ("xid", 79, Severity.HIGH, Confidence.LIKELY),
        ("xid", 167, Severity.MEDIUM, Confidence.HINT),
        ("row_remap_failure", 1, Severity.HIGH, Confidence.LIKELY),
        ("rows_remapped_uncorrectable", 600, Severity.HIGH, Confidence.LIKELY),
        ("fabric_manager_failed", 1, Severity.HIGH, Confidence.LIKELY),
        ("row_remap_pending", 1, Severity.MEDIUM, Confidence.LIKELY),
        ("nvlink_replay", 1, Severity.MEDIUM, Confidence.LIKELY),
    ],
)
def test_what_needs_a_repair_is_worse(quantity: str, value: float, severity: Severity, confidence: Confidence):
    [finding] = CHECK.run(cluster(error(quantity, value), *WATCHED)).findings

    assert (finding.severity, finding.confidence) == (severity, confidence)
    assert not finding.says.en.endswith("; ")


def test_an_owner_may_set_another_limit():
    given = cluster(error("pcie_replay", 20), *WATCHED)
    assert CHECK.run(given, {"gpu_error_pcie_replay": 16}).status == "gap"


def test_what_a_vendors_nodes_lack_is_told_by_the_names_of_its_exporter():
    given = cluster(*exported("pcie_replay", "gpu-1", "gpu-2", *AMD_NAMES), nodes=(*NODES, *AMD_NODES))

    told = {unread.what.en: unread.remedy.en for unread in CHECK.run(given).unread}

    assert told == {
        "errors that GPUs report on 2 nodes: amd-1, amd-2": "scrape dcgm-exporter (or the exporter of the GPU vendor) "
        "on GPU nodes",
        "errors that GPUs report on 2 nodes: gpu-1, gpu-2": "scrape dcgm-exporter (or the exporter of the GPU vendor) "
        "on GPU nodes",
    }
