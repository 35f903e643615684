import pytest
from msgspec.structs import replace

from kubegap_checks.facts.adapters import NicDevice
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity, Status
from kubegap_checks.rules.ib_health.nic_driver_drift import CHECK
from tests.checks.build import facts, nic_device, node

OFED, TYPE = "nvidia.com/mofed.version", "node.kubernetes.io/instance-type"
OLD, NEW = "24.04-0.6.6", "25.10-1.2.8"
UPGRADE = {"nvidia.com/ofed-driver-upgrade-state": "pod-restart-required"}


def nodes(*versions: str) -> list[Node]:
    """One of a kind for each version; one without says none."""
    told = [{OFED: value} if value else {} for value in versions]
    return [node(f"gpu-{n}", {TYPE: "m", **labels}, {"nvidia.com/gpu": 8}) for n, labels in enumerate(told)]


def devices(*versions: str, board: str = "mt_1", slot: int = 0) -> list[NicDevice]:
    return [
        nic_device(f"{board}-{slot}-{n}", node=f"gpu-{n}", board=board, firmware=value)
        for n, value in enumerate(versions)
    ]


ONE_DIFFERS = nodes(NEW, NEW, NEW, OLD)
SILENT = nodes("", "", "", "")
FIRMWARE = devices("28.43.1", "28.43.1", "28.43.1", "28.39.3")


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(*ONE_DIFFERS), "gap", id="one driver of four differs"),
        pytest.param(facts(*nodes(NEW, NEW, NEW, NEW)), "clear", id="all are the same"),
        pytest.param(facts(*nodes(NEW, NEW, NEW, "")), "clear", id="one does not say"),
        pytest.param(facts(*nodes(NEW, OLD)), "clear", id="too few to compare"),
        pytest.param(
            facts(*ONE_DIFFERS[1:], replace(ONE_DIFFERS[0], labels={**ONE_DIFFERS[0].labels, **UPGRADE})),
            "clear",
            id="an upgrade is under way",
        ),
        pytest.param(facts(*SILENT, *FIRMWARE), "gap", id="firmware of one node differs"),
        pytest.param(facts(*SILENT, *devices(*["28.43.1"] * 4)), "clear", id="one firmware"),
        pytest.param(
            facts(*SILENT, *devices(*["28.43.1"] * 4), *devices(*["22.43.1"] * 4, board="mt_2")),
            "clear",
            id="another board takes another firmware",
        ),
        pytest.param(
            facts(*SILENT, *FIRMWARE[1:], replace(FIRMWARE[0], updating=True)), "clear", id="a device is updated"
        ),
        pytest.param(
            facts(*SILENT, *FIRMWARE, nic_device("other", board="mt_2", updating=True)),
            "gap",
            id="one of another",
        ),
        pytest.param(facts(*SILENT[:3], *FIRMWARE), "clear", id="a device of a node that has gone"),
        pytest.param(facts(*SILENT, *FIRMWARE[:3], replace(FIRMWARE[3], firmware="")), "clear", id="no firmware told"),
        pytest.param(
            facts(*SILENT, *devices(*["28.43.1"] * 4), *devices(*["28.43.1"] * 3, "", slot=1)),
            "clear",
            id="one of a node's boards tells none",
        ),
        pytest.param(facts(*SILENT), "not_applicable", id="nothing tells a version"),
        pytest.param(facts(*ONE_DIFFERS, unread=(Node,)), "unknown", id="nodes are unread"),
        pytest.param(facts(*SILENT, *FIRMWARE, unread=(NicDevice,)), "unknown", id="devices are unread"),
        pytest.param(facts(*ONE_DIFFERS, unread=(ResourceSlice,)), "unknown", id="who else has accelerators is unread"),
    ],
)
def test_status(given: Facts, status: Status) -> None:
    assert CHECK.run(given).status == status


def test_the_driver_of_a_node_is_told_beside_that_of_the_others() -> None:
    (finding,) = CHECK.run(facts(*ONE_DIFFERS)).findings

    assert str(finding.subject) == "Node/gpu-3"
    assert finding.says.en == f"network driver {OLD}, where 3 of 4 like nodes have {NEW}"
    assert finding.evidence == {f"metadata.labels.{OFED}": OLD}
    assert (finding.severity, finding.confidence) == (Severity.MEDIUM, Confidence.CERTAIN)


@pytest.mark.parametrize(
    ("version", "severity"),
    [
        pytest.param("25.10-1.2.6", Severity.LOW, id="the same release"),
        pytest.param("25.07-1.2.8", Severity.MEDIUM, id="another release"),
    ],
)
def test_how_far_apart_they_are(version: str, severity: Severity) -> None:
    (finding,) = CHECK.run(facts(*nodes(NEW, NEW, NEW, version))).findings

    assert finding.severity is severity


def test_a_node_tells_all_versions_of_a_board_in_one_finding() -> None:
    more = devices("28.43.1", "28.43.1", "28.43.1", "28.43.1", slot=1)
    (finding,) = CHECK.run(facts(*ONE_DIFFERS, *FIRMWARE, *more)).findings

    assert str(finding.subject) == "Node/gpu-3"
    assert finding.evidence["NicDevice[psid=mt_1].status.firmwareVersion"] == "28.39.3/28.43.1"
    assert "firmware of boards mt_1 28.39.3/28.43.1, where 3 of 4 like nodes have 28.43.1" in finding.says.en
