"""Xid classes and the numbers that rules compare with."""

import pytest

from kubegap_checks.signals.thresholds import threshold, thresholds
from kubegap_checks.signals.xids import xid_class, xids


@pytest.mark.parametrize(
    ("number", "action"),
    [
        (48, "leave_service"),
        (64, "leave_service"),
        (79, "leave_service"),
        (95, "leave_service"),
        (109, "leave_service"),
        (119, "leave_service"),
        (147, "leave_service"),
        (13, "restart_app"),
        (31, "restart_app"),
        (94, "restart_app"),
        (43, "informational"),
        (45, "informational"),
        (63, "informational"),
        (154, "informational"),
        (167, "undecided"),
        (9999, "undecided"),
        (0, "undecided"),
    ],
)
def test_an_xid_asks_for_an_action(number: int, action: str):
    row = xid_class(number)

    assert row.action == action
    assert number in row.xids


@pytest.mark.parametrize("number", [63, 94, 109])
def test_agents_that_disagree_are_named(number: int):
    assert {item.agent for item in xid_class(number).disagreements} >= {
        "NVIDIA device plugin",
        "EKS node monitoring agent",
    }


def test_no_xid_stands_in_two_rows():
    numbers = [number for row in xids() for number in row.xids]

    assert len(numbers) == len(set(numbers))


@pytest.mark.parametrize(
    ("id_", "value", "unit"),
    [
        ("weka_ssd_percent_medium", 85, "percent"),
        ("weka_ssd_percent_high", 90, "percent"),
        ("weka_ssd_percent_critical", 95, "percent"),
        ("weka_stats_stale", 10, "minutes"),
        ("node_heartbeat_stale", 10, "minutes"),
        ("node_boot_grace", 10, "minutes"),
        ("local_nvme_ratio", 1, "percent"),
        ("shared_rdma_factor", 2, "times the GPUs"),
    ],
)
def test_a_threshold_has_a_value_and_a_unit(id_: str, value: float, unit: str):
    row = threshold(id_)

    assert (row.value, row.unit) == (value, unit)


def test_an_unknown_threshold_is_an_error():
    with pytest.raises(LookupError, match="no threshold is called made_up"):
        threshold("made_up")


def test_no_threshold_id_is_given_twice():
    ids = [row.id for row in thresholds()]

    assert len(ids) == len(set(ids))
