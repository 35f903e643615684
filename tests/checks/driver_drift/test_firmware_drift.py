from datetime import timedelta

import pytest

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.driver_drift.firmware_drift import CHECK
from kubegap_checks.signals.firmware_labels import FirmwareLabel, firmware_in
from kubegap_checks.signals.tables import SignalTableError, parse
from tests.checks.build import READ_AT, facts, node
from tests.checks.driver_drift.fleet import alike

GPU_0, BMC = "oci.oraclecloud.com/host.fw.hgx_fw_gpu_0", "oci.oraclecloud.com/host.fw.hgx_fw_bmc_0"
USUAL = alike(4, {GPU_0: "97.00.B9.00.95", BMC: "25.06-A"})
OTHER = {GPU_0: "96.00.74.00.0D", BMC: "25.06-A"}


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(*USUAL, *alike(1, OTHER, first=9)), "gap", id="another firmware of a GPU"),
        pytest.param(facts(*USUAL, *alike(1, {BMC: "25.06-A"}, first=9)), "clear", id="one does not tell"),
        pytest.param(facts(*USUAL, *alike(1, {GPU_0: "97.00.B9.00.95"}, first=9)), "clear", id="the same"),
        pytest.param(
            facts(*USUAL, *alike(1, OTHER, first=9, created=READ_AT - timedelta(days=1))), "clear", id="being replaced"
        ),
        pytest.param(
            facts(*USUAL, *alike(1, OTHER | {"nebius.com/node-group-id": "b"}, first=9)), "clear", id="another pool"
        ),
        pytest.param(
            facts(*(n for v in ("A", "A", "A", "B") for n in alike(1, {"oci.oraclecloud.com/host.fw.nvme": v}))),
            "not_applicable",
            id="drives of several makers",
        ),
        pytest.param(facts(*alike(4)), "not_applicable", id="no node tells"),
        pytest.param(facts(unread=(Node,)), "unknown", id="nodes are unread"),
    ],
)
def test_alike_nodes_must_have_the_same_firmware(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_a_version_in_the_key_is_found_and_is_hygiene():
    usual, other = "beta.amd.com/gpu.firmware.SMC.fw.123", "beta.amd.com/gpu.firmware.SMC.fw.125"
    machine = {"node.kubernetes.io/instance-type": "mi300x", "beta.amd.com/gpu.family.AI": "8"}
    nodes = [node(f"gpu-{number}", machine | {usual: "8"}, {"amd.com/gpu": 8}) for number in range(3)]

    [finding] = CHECK.run(facts(*nodes, node("gpu-9", machine | {other: "8"}, {"amd.com/gpu": 8}))).findings

    assert finding.says.en == "firmware SMC.fw 125, where 3 of 4 like nodes have 123"
    assert finding.evidence == {f"metadata.labels.{other}": "125"}
    assert (finding.severity, finding.confidence) == (Severity.LOW, Confidence.CERTAIN)


def test_two_versions_of_one_part_are_told_together():
    key = "beta.amd.com/gpu.firmware.ME.feat."

    assert firmware_in({f"{key}35": "7", f"{key}36": "1"}) == {"ME.feat": (f"{key}35", "35, 36")}


def test_a_row_that_names_no_part_is_refused():
    with pytest.raises(SignalTableError):
        parse("firmware_labels.yaml", "- {key: a, source: a}", FirmwareLabel)
