import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kubegap_checks.facts.nodes import Condition
from kubegap_checks.facts.operators import ClusterPolicy, DriverSettings, NVIDIADriver, Operand
from kubegap_checks.facts.upgrades import UpgradePolicy
from kubegap_mcp.kube.gather.registry import gatherers

WHOLE = Path(__file__).parent / "whole"
GATHERERS = gatherers()

NOT_READY = (
    Condition(type="Ready", status="False", reason="Error", message="m", since=datetime(2026, 1, 1, tzinfo=UTC)),
)
SETTINGS = DriverSettings(
    kernel_modules="auto",
    precompiled=False,
    rdma=True,
    host_mofed=False,
    upgrade=UpgradePolicy(
        auto=True,
        max_parallel=1,
        max_unavailable="25%",
        drain=True,
        drain_force=True,
        drain_timeout=300,
        pod_deletion_force=True,
        pod_deletion_timeout=300,
        waits_for="app=train",
        wait_timeout=0,
    ),
)


def one(record, found):
    page = GATHERERS[record].objects([json.dumps({"metadata": {"name": "o"}, **found}).encode()])
    assert not page.invalid
    return page.rows[0]


def whole(record):
    return one(record, json.loads((WHOLE / f"{record.KIND.name}.json").read_text()))


def operand(image):
    return Operand(enabled=True, repository="nvcr.io/nvidia", image=image, version="v1")


def test_a_policy_tells_every_operand_and_how_the_driver_is_upgraded():
    names = ("driver", "toolkit", "dcgm", "dcgmExporter", "gfd", "migManager", "nodeStatusExporter", "validator")
    assert whole(ClusterPolicy) == ClusterPolicy(
        name="o",
        state="notReady",
        conditions=NOT_READY,
        operands={
            **{name: operand(name) for name in (*names, "gds", "gdrcopy")},
            "devicePlugin": operand("k8s-device-plugin"),
        },
        driver=SETTINGS,
        driver_crd=True,
        mig_strategy="single",
        plugin_config="c",
        plugin_config_default="d",
    )


def test_a_driver_tells_its_nodes_and_its_image():
    assert whole(NVIDIADriver) == NVIDIADriver(
        name="o",
        state="notReady",
        conditions=NOT_READY,
        type="gpu",
        default=True,
        node_selector={"a": "b"},
        operands={
            "driver": Operand(repository="nvcr.io/nvidia", image="driver", version="v1"),
            "gds": operand("gds"),
            "gdrcopy": operand("gdrcopy"),
        },
        driver=SETTINGS,
    )


@pytest.mark.parametrize(
    ("found", "said"),
    [
        pytest.param({}, None, id="no policy"),
        pytest.param({"upgradePolicy": {}}, UpgradePolicy(), id="an empty policy"),
        pytest.param({"upgradePolicy": {"maxUnavailable": 0}}, UpgradePolicy(max_unavailable="0"), id="a number"),
        pytest.param({"upgradePolicy": {"maxParallelUpgrades": 0}}, UpgradePolicy(max_parallel=0), id="no limit"),
    ],
)
def test_what_an_upgrade_policy_does_not_say_is_not_said(found, said):
    assert one(ClusterPolicy, {"spec": {"driver": found}}).driver.upgrade == said


def test_an_empty_object_says_nothing():
    assert one(ClusterPolicy, {}) == ClusterPolicy(name="o", operands={})
    assert one(NVIDIADriver, {"spec": None}) == NVIDIADriver(name="o", node_selector={}, operands={"driver": Operand()})


def test_a_snapshot_keeps_no_environment_and_no_pull_secret():
    spec = {"driver": {"env": [{"name": "TOKEN", "value": "s3cret"}], "imagePullSecrets": ["s3cret"], "version": "1"}}
    body = json.dumps({"items": [{"metadata": {"name": "o", "labels": {"a": "s3cret"}}, "spec": spec}]}).encode()
    (pruned,) = GATHERERS[ClusterPolicy].prune(body).objects
    assert b"s3cret" not in pruned
    assert GATHERERS[ClusterPolicy].objects([pruned]).rows == GATHERERS[ClusterPolicy].page(body).rows
