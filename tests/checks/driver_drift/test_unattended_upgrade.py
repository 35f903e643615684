from typing import Any

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import NicClusterPolicy, Node, ResourceSlice
from kubegap_checks.facts.operators import ClusterPolicy, DriverSettings, NVIDIADriver, Operand
from kubegap_checks.facts.read import Facts, Record
from kubegap_checks.facts.upgrades import UpgradePolicy
from kubegap_checks.rules.driver_drift.unattended_upgrade import CHECK
from tests.checks.build import cluster_policy, facts, node, nvidia_driver
from tests.checks.driver_drift.fleet import alike

EIGHT = alike(8)
WIDE = UpgradePolicy(auto=True, max_parallel=0, max_unavailable="100%")


def policy(upgrade: UpgradePolicy | None = WIDE, *, enabled: bool | None = True) -> ClusterPolicy:
    operands = {"driver": Operand(enabled=enabled)}
    return cluster_policy(operands=operands, driver=DriverSettings(upgrade=upgrade))


def nic(**upgrade: Any) -> NicClusterPolicy:
    return NicClusterPolicy(
        name="nic",
        state="ready",
        shared_resources=frozenset(),
        counted_resources=frozenset(),
        driver_upgrade=UpgradePolicy(**upgrade) if upgrade else None,
    )


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(*EIGHT, policy()), "gap", id="all nodes at once"),
        pytest.param(facts(*EIGHT, policy(replace(WIDE, auto=False))), "clear", id="nobody upgrades by itself"),
        pytest.param(facts(*EIGHT, policy(replace(WIDE, waits_for="app=train"))), "clear", id="it waits for the runs"),
        pytest.param(facts(*EIGHT, policy(replace(WIDE, max_parallel=5))), "gap", id="five of eight"),
        pytest.param(facts(*EIGHT, policy(replace(WIDE, max_parallel=4))), "clear", id="half of them"),
        pytest.param(facts(*EIGHT, policy(replace(WIDE, max_parallel=None))), "clear", id="one in parallel by default"),
        pytest.param(facts(*EIGHT, policy(replace(WIDE, max_unavailable=""))), "clear", id="a quarter by default"),
        pytest.param(facts(*EIGHT, policy(replace(WIDE, max_unavailable="4"))), "clear", id="four may be unavailable"),
        pytest.param(facts(*EIGHT, policy(replace(WIDE, max_unavailable="5"))), "gap", id="five may be unavailable"),
        pytest.param(facts(*EIGHT, policy(replace(WIDE, max_unavailable="51%"))), "gap", id="rounded up to five"),
        pytest.param(facts(*EIGHT, policy(replace(WIDE, max_unavailable="many"))), "clear", id="no number"),
        pytest.param(facts(*EIGHT, policy(enabled=False)), "not_applicable", id="the image brings the driver"),
        pytest.param(facts(*EIGHT, policy(enabled=None)), "gap", id="the driver is not switched off"),
        pytest.param(facts(*EIGHT, replace(policy(), operands={})), "not_applicable", id="no driver at all"),
        pytest.param(facts(*EIGHT, policy(None)), "not_applicable", id="no word on upgrades"),
        pytest.param(facts(*alike(1), policy()), "clear", id="a single node"),
        pytest.param(facts(node("cpu-1"), policy()), "clear", id="no accelerators"),
        pytest.param(
            facts(*EIGHT, nvidia_driver(driver=DriverSettings(upgrade=WIDE))), "gap", id="a driver object says so"
        ),
        pytest.param(facts(*EIGHT, nvidia_driver()), "not_applicable", id="a driver object that does not say"),
        pytest.param(facts(*EIGHT, nic(auto=True, max_parallel=0)), "gap", id="the network driver on all nodes"),
        pytest.param(facts(*EIGHT, nic(auto=True, max_parallel=1)), "clear", id="the network driver on one"),
        pytest.param(facts(*EIGHT, nic()), "not_applicable", id="no network driver"),
        pytest.param(facts(*EIGHT), "not_applicable", id="no operator"),
        pytest.param(facts(*EIGHT, policy(), unread=(NVIDIADriver,)), "gap", id="another operator's object is unread"),
        pytest.param(facts(*EIGHT, nic(auto=True), unread=(ClusterPolicy,)), "unknown", id="the policy is unread"),
        pytest.param(facts(*EIGHT, unread=(ClusterPolicy,)), "unknown", id="only the policy could tell"),
        pytest.param(facts(policy(), unread=(Node,)), "unknown", id="nodes are unread"),
        pytest.param(facts(*EIGHT, nic(auto=True), unread=(ResourceSlice,)), "unknown", id="DRA is unread"),
    ],
)
def test_a_driver_must_not_be_replaced_on_most_nodes_at_once(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_a_finding_says_how_many_nodes_go_together():
    [finding] = CHECK.run(facts(*EIGHT, policy(replace(WIDE, max_unavailable="60%")))).findings

    assert str(finding.subject) == "ClusterPolicy/cluster-policy"
    assert finding.says.en == "a new driver takes 5 of 8 GPU nodes at once, and waits for no run"
    assert finding.evidence == {
        "spec.driver.upgradePolicy.autoUpgrade": True,
        "spec.driver.upgradePolicy.maxParallelUpgrades": 0,
        "spec.driver.upgradePolicy.maxUnavailable": "60%",
    }


@pytest.mark.parametrize(
    ("given", "subject", "path"),
    [
        (nvidia_driver(driver=DriverSettings(upgrade=WIDE)), "NVIDIADriver/default", "spec.upgradePolicy"),
        (nic(auto=True, max_parallel=0), "NicClusterPolicy/nic", "spec.ofedDriver.upgradePolicy"),
    ],
)
def test_each_operator_is_told_by_its_own_field(given: Record, subject: str, path: str):
    [finding] = CHECK.run(facts(*EIGHT, given)).findings

    assert str(finding.subject) == subject
    assert f"{path}.autoUpgrade" in finding.evidence


def test_limits_beyond_the_number_of_nodes_take_them_all():
    [finding] = CHECK.run(facts(*EIGHT, policy(replace(WIDE, max_parallel=20, max_unavailable="20")))).findings

    assert finding.says.en.startswith("a new driver takes 8 of 8 GPU nodes")


def test_an_owner_may_call_the_default_quarter_too_much():
    given = facts(*EIGHT, policy(replace(WIDE, max_unavailable="")))

    [finding] = CHECK.run(given, {"upgrade_share": 20}).findings

    assert finding.evidence["spec.driver.upgradePolicy.maxUnavailable"] == "25%"
