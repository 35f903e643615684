import json
from pathlib import Path

import pytest

from kubegap_checks.facts.nodes import ComputeDomain, NicClusterPolicy, NodeFeature, PciDevice, ResourceSlice
from kubegap_checks.facts.upgrades import UpgradePolicy
from kubegap_mcp.kube.gather.registry import gatherers

FIXTURES = Path(__file__).parents[2] / "fixtures" / "nodes"
GATHERERS = gatherers()


def one(record, **parts):
    body = json.dumps({"metadata": {"name": "o", "namespace": "ns", **parts.pop("metadata", {})}, **parts}).encode()
    page = GATHERERS[record].objects([body])
    assert len(page.rows) + page.invalid == 1
    return next(iter(page.rows), None), page.invalid


def features(**found):
    return {"features": found}


def test_eight_gpus_on_the_bus_are_eight():
    page = GATHERERS[NodeFeature].objects([(FIXTURES / "07b-aks-nd96isr-h100-nodefeature-pci.json").read_bytes()])
    (row,) = page.rows
    assert not page.invalid
    assert row.node == "aks-gpuworker1-00000000-vmss000001"
    assert row.pci == (PciDevice(vendor="10de", cls="0302", device="2330"),) * 8
    assert row.modules is None


def test_loaded_modules_are_names():
    row, invalid = one(
        NodeFeature,
        metadata={"labels": {"nfd.node.kubernetes.io/node-name": "n1"}},
        spec=features(flags={"kernel.loadedmodule": {"elements": {"nvidia_peermem": {}, "ib_core": None}}}),
    )
    assert row == NodeFeature(node="n1", pci=None, modules=frozenset({"nvidia_peermem", "ib_core"}))
    assert not invalid


def test_without_the_label_the_object_is_called_like_its_node():
    row, _ = one(NodeFeature, spec=features(instances={"pci.device": {"elements": []}}))
    assert row == NodeFeature(node="o", pci=())


@pytest.mark.parametrize(
    "element",
    [
        pytest.param({"attributes": {"vendor": "10de"}}, id="no class"),
        pytest.param({"attributes": {"vendor": "10de", "class": None}}, id="null class"),
        pytest.param({}, id="no attributes"),
        pytest.param("10de", id="a text"),
    ],
)
def test_a_list_with_a_device_that_cannot_be_told_gives_no_row_and_is_counted(element):
    good = {"attributes": {"vendor": "0X10DE", "class": "0302"}}
    assert one(NodeFeature, spec=features(instances={"pci.device": {"elements": [good]}})) == (
        NodeFeature(node="o", pci=(PciDevice(vendor="10de", cls="0302"),)),
        0,
    )
    assert one(NodeFeature, spec=features(instances={"pci.device": {"elements": [element, good]}})) == (None, 1)


def test_a_slice_of_a_mig_device_names_its_parent():
    page = GATHERERS[ResourceSlice].objects([(FIXTURES / "12-aks-a100-dra-resourceslice.json").read_bytes()])
    (row,) = page.rows
    assert (row.driver, row.node, row.pool, row.generation, row.slices_in_pool) == (
        "gpu.nvidia.com",
        "aks-migpool-vmss000001",
        "aks-migpool-vmss000001",
        1,
        1,
    )
    mig, whole = row.devices
    assert mig.attributes["parentUUID"] == "GPU-00000000-0000-0000-0000-000000000001"
    assert mig.attributes["driverVersion"] == "580.95.5"
    assert whole.attributes["type"] == "gpu"


def test_attributes_become_text_in_both_forms_of_the_api():
    attributes = {
        "type": {"string": "gpu"},
        "index": {"int": 3},
        "healthy": {"bool": False},
        "driverVersion": {"version": "1.2.3"},
        "later": {"strings": ["a"]},
        "dra.net/ipv4": {"string": "192.0.2.1"},
    }
    taints = [{"key": "gpu.nvidia.com/xid", "value": "79", "effect": "NoSchedule"}]
    device = {"attributes": attributes, "taints": taints}
    new, _ = one(ResourceSlice, spec={"driver": "d", "devices": [{"name": "g", **device}]})
    old, _ = one(ResourceSlice, spec={"driver": "d", "devices": [{"name": "g", "basic": device}]})
    assert new == old
    assert new.devices[0].attributes == {
        "type": "gpu",
        "index": "3",
        "healthy": "false",
        "driverVersion": "1.2.3",
    }
    assert new.devices[0].taints[0].value == "79"


def test_a_compute_domain_lists_its_nodes():
    row, invalid = one(
        ComputeDomain,
        spec={"numNodes": 4},
        status={"status": "Ready", "nodes": [{"name": "a", "ipAddress": "192.0.2.1"}, {"name": "b"}, {}]},
    )
    assert row == ComputeDomain(namespace="ns", name="o", status="Ready", num_nodes=4, nodes=("a", "b"))
    assert not invalid


def test_a_nic_policy_tells_shared_from_counted_resources():
    shared = {
        "configList": [
            {"resourceName": "rdma_shared_device_a", "rdmaHcaMax": 63},
            {"resourceName": "x", "resourcePrefix": "p"},
        ]
    }
    counted = {"resourceList": [{"resourceName": "hostdev"}, {"resourceName": "ib", "resourcePrefix": "rdma"}, {}]}
    row, invalid = one(
        NicClusterPolicy,
        spec={
            "rdmaSharedDevicePlugin": {"config": json.dumps(shared)},
            "sriovDevicePlugin": {"config": json.dumps(counted)},
            "ofedDriver": {"upgradePolicy": {"autoUpgrade": True, "maxParallelUpgrades": 0}},
        },
        status={"state": "ready"},
    )
    assert row == NicClusterPolicy(
        name="o",
        state="ready",
        shared_resources=frozenset({"rdma/rdma_shared_device_a", "p/x"}),
        counted_resources=frozenset({"intel.com/hostdev", "rdma/ib"}),
        driver_upgrade=UpgradePolicy(auto=True, max_parallel=0),
    )
    assert not invalid


@pytest.mark.parametrize(
    "config",
    [
        pytest.param("{", id="half JSON"),
        pytest.param("configList: []", id="YAML"),
        pytest.param('{"configList": {}}', id="a map for a list"),
        pytest.param("[" * 100_000, id="nested without end"),
    ],
)
def test_a_nic_policy_with_rubbish_inside_gives_no_row_and_is_counted(config):
    assert one(NicClusterPolicy, spec={"rdmaSharedDevicePlugin": {"config": config}}) == (None, 1)


def test_a_nic_policy_without_plugins_has_no_resources():
    assert one(NicClusterPolicy, spec={"ofedDriver": {}, "sriovDevicePlugin": {"config": None}}) == (
        NicClusterPolicy(name="o", state="", shared_resources=frozenset(), counted_resources=frozenset()),
        0,
    )
