import json
from pathlib import Path

import pytest

from kubegap_checks.facts.adapters import NicDevice, SriovNetworkNodeState
from kubegap_checks.facts.nodes import AppliedState, NicClusterPolicy
from kubegap_mcp.kube.gather.registry import gatherers

WHOLE = Path(__file__).parent / "whole"
GATHERERS = gatherers()


def one(record, found):
    page = GATHERERS[record].objects([json.dumps({"metadata": {"name": "o", "namespace": "ns"}, **found}).encode()])
    assert not page.invalid
    return page.rows[0]


def whole(record):
    return one(record, json.loads((WHOLE / f"{record.KIND.name}.json").read_text()))


def test_a_node_state_tells_whether_it_was_reached():
    assert whole(SriovNetworkNodeState) == SriovNetworkNodeState(
        namespace="ns", name="o", sync_status="Failed", last_error="e"
    )


def test_a_device_tells_its_board_in_one_spelling_and_its_firmware():
    assert whole(NicDevice) == NicDevice(
        namespace="ns", name="o", node="n", board="mt_0000000838", firmware="28.39.3004", updating=True
    )


@pytest.mark.parametrize(
    ("kind", "status", "updating"),
    [
        ("ConfigUpdateInProgress", "True", True),
        ("FirmwareUpdateInProgress", "False", False),
        ("FirmwareConfigMatch", "True", False),
    ],
)
def test_only_an_update_that_goes_on_is_one(kind, status, updating):
    conditions = [{"type": kind, "status": status}]
    assert one(NicDevice, {"status": {"conditions": conditions}}).updating is updating


def test_an_empty_object_says_nothing():
    assert one(SriovNetworkNodeState, {}) == SriovNetworkNodeState(namespace="ns", name="o", sync_status="")
    assert one(NicDevice, {}) == NicDevice(namespace="ns", name="o", node="", board="", firmware="")


def test_a_snapshot_keeps_no_serial_number():
    status = {"node": "n", "serialNumber": "s3cret", "ports": [{"pci": "s3cret"}]}
    body = json.dumps({"items": [{"metadata": {"name": "o", "labels": {"a": "s3cret"}}, "status": status}]}).encode()
    (pruned,) = GATHERERS[NicDevice].prune(body).objects
    assert b"s3cret" not in pruned
    assert GATHERERS[NicDevice].objects([pruned]).rows == GATHERERS[NicDevice].page(body).rows


def test_a_policy_tells_which_of_its_parts_is_not_ready():
    policy = whole(NicClusterPolicy)
    assert (policy.state, policy.reason) == ("ready", "r")
    assert policy.parts == (AppliedState(name="state-OFED", state="notReady", message="m"),)
