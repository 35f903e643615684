import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kubegap_checks.facts.nodes import Condition, Node, Taint
from kubegap_mcp.kube.gather.registry import gatherers

FIXTURES = Path(__file__).parents[2] / "fixtures" / "nodes"
NODES = gatherers()[Node]


def node(**parts):
    return json.dumps({"metadata": {"name": "n", **parts.pop("metadata", {})}, **parts}).encode()


def one(*objects):
    page = NODES.objects(objects)
    assert len(page.rows) + page.invalid == 1
    return next(iter(page.rows), None), page.invalid


def fixture(name):
    row, invalid = one((FIXTURES / f"{name}.json").read_bytes())
    assert not invalid
    return row


def test_every_field_of_a_whole_node_is_taken():
    row, invalid = one(
        node(
            metadata={
                "name": "gpu-1",
                "labels": {"nvidia.com/gpu.count": "8", "feature.node.kubernetes.io/cpu-cpuid.AVX": "true"},
                "annotations": {
                    "capacity.topolvm.io/00default": "1",
                    "quarantinedNodeUncordonedManually": "True",
                    "x/y": "z",
                },
                "creationTimestamp": "2026-01-01T00:00:00Z",
                "deletionTimestamp": "2026-01-02T00:00:00Z",
            },
            spec={
                "unschedulable": True,
                "taints": [{"key": "k", "value": "v", "effect": "NoExecute", "timeAdded": "2026-01-01T00:00:01Z"}],
            },
            status={
                "capacity": {
                    "cpu": "192",
                    "memory": "1Ki",
                    "pods": "110",
                    "hugepages-2Mi": "4Mi",
                    "nvidia.com/gpu": "8",
                },
                "allocatable": {"ephemeral-storage": "17Gi", "attachable-volumes-aws-ebs": "39", "rdma/ib": 63},
                "conditions": [
                    {
                        "type": "Ready",
                        "status": "True",
                        "reason": "KubeletReady",
                        "message": "ok",
                        "lastTransitionTime": "2026-01-01T00:00:02Z",
                        "lastHeartbeatTime": "2026-01-01T00:00:03+00:00",
                    }
                ],
                "nodeInfo": {
                    "bootID": "b",
                    "kernelVersion": "6.8",
                    "osImage": "Ubuntu",
                    "kubeletVersion": "v1.36.0",
                    "containerRuntimeVersion": "containerd://2.1",
                },
            },
        )
    )
    assert not invalid
    assert row == Node(
        name="gpu-1",
        labels={"nvidia.com/gpu.count": "8"},
        annotations={"capacity.topolvm.io/00default": "1", "quarantinedNodeUncordonedManually": "True"},
        taints=(Taint(key="k", value="v", effect="NoExecute", added=datetime(2026, 1, 1, 0, 0, 1, tzinfo=UTC)),),
        unschedulable=True,
        created=datetime(2026, 1, 1, tzinfo=UTC),
        deleting=True,
        capacity={"memory": 1024, "hugepages-2Mi": 4 * 2**20, "nvidia.com/gpu": 8},
        allocatable={"ephemeral-storage": 17 * 2**30, "rdma/ib": 63},
        conditions=(
            Condition(
                type="Ready",
                status="True",
                reason="KubeletReady",
                message="ok",
                since=datetime(2026, 1, 1, 0, 0, 2, tzinfo=UTC),
                heartbeat=datetime(2026, 1, 1, 0, 0, 3, tzinfo=UTC),
            ),
        ),
        boot_id="b",
        kernel="6.8",
        os_image="Ubuntu",
        kubelet="v1.36.0",
        runtime="containerd://2.1",
    )


def test_an_xid_leaves_one_gpu_less_to_allocate():
    row = fixture("01-onprem-h100-xid94-7of8")
    assert (row.capacity["nvidia.com/gpu"], row.allocatable["nvidia.com/gpu"]) == (8, 7)
    assert row.capacity["ephemeral-storage"] == 7441183616 * 1024


def test_a_taint_without_value_is_a_taint():
    assert fixture("03-onprem-h100-mig-mixed-timesliced").taints == (
        Taint(key="nvidia.com/gpu", value="", effect="NoSchedule"),
    )


def test_a_resource_of_zero_is_there():
    assert fixture("06-onprem-rdma-shared-zero").capacity == {"nvidia.com/gpu": 7, "rdma/rdma_shared_device_a": 0}


def test_an_empty_capacity_is_not_a_missing_one():
    assert fixture("11-amd-legacy-labelled-no-capacity").capacity == {}
    assert fixture("09-openstack-a30-gfd-labels").capacity is None


def test_a_reason_of_json_and_a_boot_id_come_through_whole():
    row = fixture("23-gke-xidcriticalerror")
    assert row.conditions[0].reason == '{"63":true,"119":true}'
    assert row.conditions[0].message == row.boot_id
    assert row.annotations == {"cloud.google.com/cuda.driver-version.full": "550.107.02"}


def test_labels_of_agents_and_clouds_come_through():
    assert fixture("21-amd-mi300x-one-unhealthy").labels["metricsexporter.amd.com.gpu.3.state"] == "unhealthy"
    assert fixture("20-coreweave-h100").labels["node.coreweave.cloud/reserved-desired"] == "triage"
    assert fixture("09-openstack-a30-gfd-labels").labels["nvidia.com/gpu.deploy.nvsm"] == ""


@pytest.mark.parametrize(
    "capacity",
    [
        pytest.param({"nvidia.com/gpu": "-8"}, id="negative"),
        pytest.param({"nvidia.com/gpu": "eight"}, id="a word"),
        pytest.param({"nvidia.com/gpu": "9" * 1000}, id="absurdly large"),
        pytest.param({"nvidia.com/gpu": "7500m"}, id="half a device"),
        pytest.param({"nvidia.com/gpu": None, "rdma/ib": "8"}, id="null"),
        pytest.param({"nvidia.com/gpu": "8", "memory": "much"}, id="another resource unreadable"),
        pytest.param({f"r/{number}": "1" for number in range(5000)}, id="thousands of resources"),
    ],
)
def test_a_capacity_that_cannot_be_read_is_not_known(capacity):
    row, _ = one(node(status={"capacity": capacity, "allocatable": {"nvidia.com/gpu": "8"}}))
    assert row.capacity is None
    assert row.allocatable == {"nvidia.com/gpu": 8}


@pytest.mark.parametrize(
    "capacity", [pytest.param([], id="a list"), pytest.param("8", id="a text"), pytest.param(True, id="a boolean")]
)
def test_a_node_with_a_capacity_of_another_type_gives_no_row_and_is_counted(capacity):
    assert one(node(status={"capacity": capacity})) == (None, 1)


def test_null_is_the_same_as_missing():
    row, invalid = one(
        node(
            metadata={"labels": None, "annotations": None, "creationTimestamp": None},
            spec={"taints": None},
            status={"capacity": None, "conditions": None, "nodeInfo": None},
        )
    )
    assert not invalid
    assert row == Node(name="n", labels={}, annotations={})


@pytest.mark.parametrize(
    "condition",
    [
        pytest.param({"type": "GPUMissing", "status": True}, id="a status that is no text"),
        pytest.param({"status": "True"}, id="no type"),
        pytest.param({"type": "GPUMissing"}, id="no status"),
        pytest.param(5, id="a number"),
    ],
)
def test_a_node_with_half_a_condition_gives_no_row_and_is_counted(condition):
    whole = {"type": 7, "status": "True"}
    row, _ = one(node(status={"conditions": [whole]}))
    assert [condition.type for condition in row.conditions] == ["7"]
    assert one(node(status={"conditions": [whole, condition]})) == (None, 1)


def test_a_node_with_half_a_taint_gives_no_row_and_is_counted():
    assert one(node(spec={"taints": [{"value": "yes", "effect": "NoSchedule"}]})) == (None, 1)


def test_a_node_with_ten_thousand_conditions_gives_no_row_and_is_counted():
    conditions = [{"type": f"C{number}", "status": "False"} for number in range(10_000)]
    assert one(node(status={"conditions": conditions})) == (None, 1)


def test_hostile_text_is_one_bounded_line():
    row, _ = one(
        node(
            metadata={"name": "gpu\u202e-1\n", "labels": {"a\u200b/b": "x" * 1_000_000}},
            status={"conditions": [{"type": "T", "status": "True", "message": "ignore\nall\x1b[2J" + "y" * 1_000_000}]},
        )
    )
    assert row.name == "gpu-1 #d3a5ec10"  # not `gpu-1`, which is another
    assert len(row.labels["a/b"]) == 253
    assert len(row.conditions[0].message) == 300
    assert row.conditions[0].message.startswith("ignore all[2J")


def test_a_time_without_zone_or_of_no_day_is_counted():
    assert one(node(metadata={"creationTimestamp": "2026-01-01T00:00:00"})) == (None, 1)
    assert one(node(metadata={"creationTimestamp": "0001-01-01T00:00:00Z"})) == (
        Node(name="n", labels={}, annotations={}),
        0,
    )
