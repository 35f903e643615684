from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.metrics import Exported, ExporterSeen
from kubegap_checks.facts.nodes import Node, ResourceSlice, Taint
from kubegap_checks.facts.read import Facts, Record
from kubegap_checks.model import Confidence
from kubegap_checks.rules.observability.exporter_gap import CHECK
from tests.checks.build import READ_AT, container, daemon_set, facts, node, ready, template
from tests.checks.measured import measured

H100 = {"nvidia.com/gpu.present": "true"}
GPUS = {"nvidia.com/gpu": 8}
NAMES = ("gpu-1", "gpu-2", "gpu-3")


def ago(minutes: float) -> datetime:
    return READ_AT - timedelta(minutes=minutes)


def gpu(name: str, **fields: object) -> Node:
    return node(name, H100, GPUS, **fields)


def seen(*names: str, minutes: float = 1, exporter: str = "dcgm_exporter") -> tuple[ExporterSeen, ...]:
    return tuple(measured(ExporterSeen, exporter, ago(minutes).timestamp(), name) for name in names)


def cluster(*rows: Record, third: Node | None = None, unread: tuple[type[Record], ...] = ()) -> Facts:
    """Three nodes with GPUs, of which the third may be another."""
    return facts(gpu("gpu-1"), gpu("gpu-2"), third or gpu("gpu-3"), *rows, unread=unread)


TWO = seen("gpu-1", "gpu-2")
SILENT = (*TWO, *seen("gpu-3", minutes=40))
GONE = seen(*NAMES, minutes=40)
DCGM = container(image="nvcr.io/nvidia/k8s/dcgm-exporter:4.0")
TAINTED = gpu("gpu-3", taints=(Taint(key="team", value="a", effect="NoSchedule"),))
NEW = gpu("gpu-3", created=READ_AT - timedelta(hours=6))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(cluster(*SILENT), "gap", id="an exporter fell silent"),
        pytest.param(cluster(*TWO, *seen("gpu-3", minutes=12)), "gap", id="for just too long"),
        pytest.param(cluster(*TWO, *seen("gpu-3", minutes=11)), "clear", id="a late scrape"),
        pytest.param(cluster(*TWO, *seen("gpu-3")), "clear", id="all are heard"),
        pytest.param(cluster(*SILENT, *seen("gpu-3")), "clear", id="an older series of the same exporter ended"),
        pytest.param(cluster(*SILENT, third=gpu("gpu-3", unschedulable=True)), "clear", id="cordoned"),
        pytest.param(cluster(*SILENT, third=gpu("gpu-3", deleting=True)), "clear", id="about to go"),
        pytest.param(
            cluster(*SILENT, third=gpu("gpu-3", conditions=(ready("False"),))), "clear", id="the node is not ready"
        ),
        pytest.param(
            cluster(*SILENT, third=gpu("gpu-3", conditions=(ready(heartbeat=ago(30)),))),
            "clear",
            id="the node itself is silent",
        ),
        pytest.param(
            cluster(*SILENT, third=gpu("gpu-3", conditions=(ready(since=ago(10)),))), "clear", id="just rebooted"
        ),
        pytest.param(
            cluster(*SILENT, third=gpu("gpu-3", conditions=(ready(since=ago(11)),))), "gap", id="back for long enough"
        ),
        pytest.param(cluster(*SILENT, third=gpu("gpu-3", conditions=())), "clear", id="nothing tells that it is ready"),
        pytest.param(
            cluster(*SILENT, third=gpu("gpu-3", created=ago(9))), "clear", id="a node that joins under an old name"
        ),
        pytest.param(
            cluster(*SILENT, third=gpu("gpu-3", conditions=(replace(ready(), since=None),))),
            "gap",
            id="nothing tells since when it is ready",
        ),
        pytest.param(
            cluster(*TWO, third=node("gpu-3", {**H100, "nvidia.com/gpu.workload.config": "vm-passthrough"})),
            "clear",
            id="accelerators that belong to virtual machines",
        ),
        pytest.param(cluster(*SILENT, third=node("gpu-3")), "clear", id="a node without accelerators"),
        pytest.param(cluster(*TWO), "gap", id="an exporter was never heard"),
        pytest.param(cluster(*TWO, third=NEW), "clear", id="the node is younger than the window"),
        pytest.param(
            cluster(*TWO, third=gpu("gpu-3", created=READ_AT - timedelta(hours=6, minutes=1))),
            "gap",
            id="the node is older than the window",
        ),
        pytest.param(cluster(*TWO, third=gpu("gpu-3", created=None)), "gap", id="nothing tells the node's age"),
        pytest.param(
            cluster(*TWO, third=node("gpu-3", {"amd.com/gpu.device-id": "74a1"}, {"amd.com/gpu": 8})),
            "clear",
            id="accelerators of another vendor",
        ),
        pytest.param(
            cluster(*TWO, third=gpu("gpu-3", unschedulable=True)), "clear", id="never heard on a cordoned node"
        ),
        pytest.param(cluster(*seen("gpu-1")), "clear", id="an exporter that few nodes have"),
        pytest.param(
            facts(gpu("gpu-1"), gpu("gpu-2"), *seen("gpu-1")), "clear", id="an exporter that half of the nodes have"
        ),
        pytest.param(
            cluster(*seen(*NAMES), *seen("gpu-1", "gpu-2", exporter="node_exporter")),
            "gap",
            id="node_exporter was never heard",
        ),
        pytest.param(
            cluster(*seen(*NAMES), *seen("gpu-1", "gpu-2", exporter="efa_exporter")),
            "clear",
            id="an exporter that need not be everywhere",
        ),
        pytest.param(
            cluster(
                *seen(*NAMES),
                *seen("gpu-1", exporter="efa_exporter"),
                *seen("gpu-3", minutes=99, exporter="efa_exporter"),
            ),
            "gap",
            id="such an exporter fell silent",
        ),
        pytest.param(
            cluster(*TWO, daemon_set("dcgm", template=template(DCGM), desired=2), third=TAINTED),
            "clear",
            id="its DaemonSet leaves the node out",
        ),
        pytest.param(
            cluster(*TWO, daemon_set("dcgm", template=template(DCGM))), "gap", id="its DaemonSet wants the node"
        ),
        pytest.param(
            cluster(
                *seen(*NAMES),
                *seen("gpu-1", "gpu-2", exporter="node_exporter"),
                daemon_set("dcgm", template=template(DCGM), desired=2),
                third=TAINTED,
            ),
            "gap",
            id="the DaemonSet of another exporter leaves the node out",
        ),
        pytest.param(
            cluster(*TWO, Exported(quantity="sm_clock", value=8, labels={"series": "DCGM_FI_DEV_SM_CLOCK"})),
            "unknown",
            id="series that name no node may be of it",
        ),
        pytest.param(
            cluster(
                *TWO,
                Exported(quantity="link_rate", value=8, labels={"series": "node_infiniband_rate_bytes_per_second"}),
            ),
            "gap",
            id="series of another exporter name no node",
        ),
        pytest.param(
            cluster(
                *TWO, Exported(quantity="sm_clock", node="gpu-1", value=8, labels={"series": "DCGM_FI_DEV_SM_CLOCK"})
            ),
            "gap",
            id="all series name their node",
        ),
        pytest.param(cluster(*GONE, *seen(*NAMES, exporter="node_exporter")), "gap", id="heard nowhere any more"),
        pytest.param(cluster(*GONE), "unknown", id="nothing is heard: the source has stopped"),
        pytest.param(
            cluster(*seen("gpu-1", "gpu-2", minutes=40), *seen("gpu-3", minutes=90)),
            "unknown",
            id="the source stopped after one of them",
        ),
        pytest.param(
            cluster(*seen("gpu-3"), third=gpu("gpu-3", unschedulable=True)), "clear", id="heard on a cordoned node only"
        ),
        pytest.param(
            cluster(*seen(*NAMES), Exported(quantity="sm_clock", value=8, labels={"series": "DCGM_FI_DEV_SM_CLOCK"})),
            "clear",
            id="series that name no node, and no node lacks it",
        ),
        pytest.param(cluster(*seen(*NAMES, minutes=10)), "clear", id="the source is a little late"),
        pytest.param(cluster(), "unknown", id="nothing was heard within the window"),
        pytest.param(cluster(unread=(ExporterSeen,)), "unknown", id="what is heard is unread"),
        pytest.param(cluster(*SILENT, unread=(Exported, DaemonSet)), "gap", id="what silence does not need is unread"),
        pytest.param(cluster(*TWO, unread=(Exported,)), "unknown", id="what is published is unread"),
        pytest.param(cluster(*TWO, unread=(DaemonSet,)), "unknown", id="DaemonSets are unread"),
        pytest.param(cluster(*SILENT, unread=(Node,)), "unknown", id="nodes are unread"),
        pytest.param(cluster(*seen(*NAMES), unread=(ResourceSlice,)), "unknown", id="slices are unread"),
        pytest.param(cluster(*TWO, unread=(ResourceSlice,)), "unknown", id="slices might add nodes that lack it too"),
        pytest.param(facts(node("cpu-1")), "not_applicable", id="no accelerators"),
    ],
)
def test_an_exporter_that_is_not_heard_is_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_a_silent_exporter_is_told_with_the_time_of_its_last_word():
    (finding,) = CHECK.run(cluster(*SILENT)).findings

    assert (str(finding.subject), finding.key) == ("Node/gpu-3", "dcgm_exporter")
    assert finding.since == "2026-11-29T11:20:00Z"
    assert finding.says.en == (
        "DCGM exporter was last heard at 2026-11-29T11:20:00Z, while 2 other nodes are heard now"
    )


def test_an_exporter_that_was_never_heard_has_no_time():
    (finding,) = CHECK.run(cluster(*TWO)).findings

    assert (str(finding.subject), finding.since) == ("Node/gpu-3", None)
    assert finding.says.en == "DCGM exporter was not heard within 6 hours, while 2 other nodes are"


def test_an_exporter_that_is_heard_nowhere_is_one_hint():
    (finding,) = CHECK.run(cluster(*GONE, *seen(*NAMES, exporter="node_exporter"))).findings

    assert (str(finding.subject), finding.confidence) == ("Exporter/dcgm_exporter", Confidence.HINT)
    assert finding.says.en == (
        "DCGM exporter was heard on 3 nodes (gpu-1, gpu-2, gpu-3) and is heard nowhere any more, last at "
        "2026-11-29T11:20:00Z"
    )


def test_several_silent_nodes_are_told_in_order():
    rows = (*seen("gpu-1"), *seen("gpu-3", minutes=40), *seen("gpu-2", minutes=50))
    assert [finding.subject.name for finding in CHECK.run(cluster(*rows)).findings] == ["gpu-2", "gpu-3"]


def test_a_source_that_stopped_says_since_when():
    (unread,) = CHECK.run(cluster(*GONE)).unread
    assert unread.what.en == "what exporters publish now (newest sample: 2026-11-29T11:20:00Z)"


def test_a_source_that_heard_nothing_says_so():
    (unread,) = CHECK.run(cluster()).unread
    assert unread.what.en == "what exporters publish now (newest sample: -)"


def test_an_owner_may_wait_longer():
    assert CHECK.run(cluster(*SILENT), {"exporter_silent": 60}).status == "clear"
