from datetime import timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import DeviceTaint, ResourceSlice, SliceDevice
from kubegap_checks.facts.read import Facts
from kubegap_checks.rules.gpu_health.gpu_unhealthy import CHECK
from tests.checks.build import READ_AT, facts, node, resource_slice

H100 = {"nvidia.com/gpu.present": "true"}
EIGHT, SEVEN, NONE = ({"nvidia.com/gpu": count} for count in (8, 7, 0))
ONE_LOST = node(labels=H100, capacity=EIGHT, allocatable=SEVEN)
ALL_LOST = node(labels=H100, capacity=EIGHT, allocatable=NONE)
XID = DeviceTaint(key="gpu.nvidia.com/xid", value="79", effect="NoSchedule")
LOST_GPU = SliceDevice(name="gpu-0", attributes={"type": "gpu", "uuid": "GPU-0"}, taints=(XID,))
GOOD_GPU = SliceDevice(name="gpu-1", attributes={"type": "gpu", "uuid": "GPU-1"})


def by_dra(*devices: SliceDevice) -> Facts:
    return facts(node(labels=H100), resource_slice("gpu-1", "gpu.nvidia.com", *devices))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(ONE_LOST), "gap", id="seven of eight are allocatable"),
        pytest.param(facts(ALL_LOST), "gap", id="none of eight is allocatable"),
        pytest.param(
            facts(node(capacity={"nvidia.com/mig-1g.10gb": 14}, allocatable={"nvidia.com/mig-1g.10gb": 7})),
            "gap",
            id="MIG devices of one GPU are not allocatable",
        ),
        pytest.param(
            facts(
                replace(ONE_LOST, labels=H100 | {"nvidia.com/gpu.deploy.device-plugin": "paused-for-driver-upgrade"})
            ),
            "gap",
            id="seven of eight are allocatable, which a paused device plugin does not explain",
        ),
        pytest.param(by_dra(LOST_GPU, GOOD_GPU), "gap", id="a DRA device is tainted so that no pod gets it"),
        pytest.param(facts(ONE_LOST, unread=(ResourceSlice,)), "gap", id="DRA is unread, the device plugin is enough"),
        pytest.param(facts(node(labels=H100, devices=EIGHT)), "clear", id="all eight are allocatable"),
        pytest.param(
            facts(replace(ONE_LOST, created=READ_AT - timedelta(minutes=5))), "clear", id="the node has just joined"
        ),
        pytest.param(
            facts(replace(ONE_LOST, created=READ_AT + timedelta(days=1))), "gap", id="it joins tomorrow by this clock"
        ),
        pytest.param(facts(replace(ONE_LOST, deleting=True)), "clear", id="the node is being deleted"),
        pytest.param(
            facts(
                replace(ALL_LOST, labels=H100 | {"nvidia.com/gpu.deploy.device-plugin": "paused-for-driver-upgrade"})
            ),
            "clear",
            id="the device plugin is paused for a driver upgrade",
        ),
        pytest.param(
            facts(replace(ALL_LOST, labels=H100 | {"nvidia.com/gpu.deploy.operands": "false"})),
            "clear",
            id="the operator is told to leave the node alone",
        ),
        pytest.param(
            facts(replace(ALL_LOST, labels=H100 | {"nvidia.com/mig.config.state": "pending"})),
            "clear",
            id="a MIG layout is being applied",
        ),
        pytest.param(
            by_dra(replace(LOST_GPU, taints=(replace(XID, effect="None"),)), GOOD_GPU),
            "clear",
            id="a device taint that only informs",
        ),
        pytest.param(
            by_dra(LOST_GPU, replace(LOST_GPU, name="gpu-0-whole", taints=())),
            "clear",
            id="the device is offered a second time without the taint",
        ),
        pytest.param(facts(node("cpu-1")), "not_applicable", id="a node without accelerators"),
        pytest.param(facts(), "not_applicable", id="no node at all"),
        pytest.param(
            facts(replace(ONE_LOST, capacity=None, allocatable=None)), "unknown", id="the status carries no counts"
        ),
        pytest.param(facts(replace(ONE_LOST, allocatable={})), "unknown", id="allocatable does not name the resource"),
        pytest.param(facts(replace(ONE_LOST, capacity={})), "unknown", id="capacity does not name the resource"),
        pytest.param(
            facts(node(labels=H100), resource_slice("gpu-1", "gpu.nvidia.com", GOOD_GPU, slices_in_pool=2)),
            "unknown",
            id="the DRA pool is not complete",
        ),
        pytest.param(facts(node(labels=H100, devices=EIGHT), unread=(ResourceSlice,)), "unknown", id="DRA is unread"),
        pytest.param(facts(unread=(ResourceSlice,)), "unknown", id="DRA is unread and no node is known"),
    ],
)
def test_gpus_that_are_offered_must_be_allocatable(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_an_h100_node_that_saw_a_contained_error_lacks_one_gpu_until_its_plugin_restarts():
    [finding] = CHECK.run(facts(node("gpu-node-01", capacity=EIGHT, allocatable=SEVEN, created=None))).findings

    assert finding.says.en == "7 of 8 nvidia.com/gpu are allocatable"
    assert finding.evidence == {"status.capacity.nvidia.com/gpu": 8, "status.allocatable.nvidia.com/gpu": 7}
    assert "restart the device plugin" in CHECK.fix.en
    assert "until it is restarted, even after a contained error such as Xid 94" in CHECK.why.en


def test_an_amd_node_names_the_gpu_that_its_exporter_calls_unhealthy():
    mi300x = node(
        "mi300x-21",
        {
            "amd.com/gpu.product-name": "Instinct_MI300X",
            "metricsexporter.amd.com.gpu.3.state": "unhealthy",
            "autopilot.ibm.com/gpuhealth": "EVICT",  # names no GPU
            "oci.oraclecloud.com/host.fault.HPCRDMA-0002": "true",  # names a part, and no GPU
        },
        capacity={"amd.com/gpu": 8},
        allocatable={"amd.com/gpu": 7},
    )

    [finding] = CHECK.run(facts(mi300x)).findings

    assert finding.says.en == "7 of 8 amd.com/gpu are allocatable, marked unhealthy: GPU 3"


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(
            node(labels={"nvidia.com/mig.strategy": "mixed"}, capacity=None, allocatable=None), id="a MIG node"
        ),
        pytest.param(
            node(labels={"node.kubernetes.io/instance-type": "Standard_ND96isr_H100_v5"}, devices=SEVEN),
            id="a GPU that is missing from both counts",
        ),
    ],
)
def test_nodes_whose_counts_agree_or_are_not_there_are_not_reported(seen):
    assert CHECK.run(facts(seen)).findings == ()
