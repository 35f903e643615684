"""Labels, annotations and taints: which of them are bad news, and about which device."""

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import DeviceTaint, Node, Taint
from kubegap_checks.signals.labels import Mark, device_mark, labels, marks

NODE = Node(name="gpu-1", labels={}, annotations={})
HEALTHY = {
    "amd.com/gpu.product-name": "Instinct_MI300X",
    "autopilot.ibm.com/gpuhealth": "PASS",
    "autopilot.ibm.com/nodehealth": "",
    "autopilot.ibm.com/dcgm.level.3": "PASS_2025-10-01_14.30.00UTC",
    "aiinfra/nccl-healthcheck-result": "pass",
    "node.coreweave.cloud/reserved": "org0000",
    "node.coreweave.cloud/reserved-desired": "org0000",
    "node.coreweave.cloud/state": "production",
    "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb",
    "nvidia.com/gpu-driver-upgrade-state": "upgrade-done",
    "nvidia.com/mig.config.state": "success",
    "network.nvidia.com/operator.mofed.wait": "false",
    "nvsentinel.dgxc.nvidia.com/managed": "true",
    "oci.oraclecloud.com/host.has_impacted_components": "false",
    "oci.oraclecloud.com/host.health": "HEALTHY",
    "oci.oraclecloud.com/host.lifecycle_state": "OCCUPIED",
    "oke.oraclecloud.com/active-health-checks-nccl-tests": "pass",
    "oke.oraclecloud.com/active-health-checks-nccl-tests-last-run": "2025-10-01T14-30-00Z",
    "sagemaker.amazonaws.com/node-health-status": "Schedulable",
}


def _marks(node: Node) -> list[tuple[str, str]]:
    return [(mark.signal.agent, mark.signal.topic) for mark in marks(node)]


def test_a_healthy_node_carries_no_mark():
    taints = (Taint(key="nvidia.com/gpu", effect="NoSchedule"), Taint(key="amd-dcm", value="down"))

    assert marks(replace(NODE, labels=HEALTHY, taints=taints)) == ()


@pytest.mark.parametrize(
    ("key", "value", "agent", "topic"),
    [
        ("autopilot.ibm.com/gpuhealth", "WARN", "IBM Autopilot", "gpu_health"),
        ("autopilot.ibm.com/gpuhealth", "EVICT", "IBM Autopilot", "gpu_health"),
        ("autopilot.ibm.com/dcgm.level.3", "ERR_2025-10-01_14.30.00UTC", "IBM Autopilot", "gpu_health"),
        ("aiinfra/straggler-healthcheck-result", "fail", "Google cluster-health-scanner", "gpu_health"),
        ("aiinfra/reboot-required", "true", "Google cluster-health-scanner", "node"),
        ("dgxc.nvidia.com/nvsentinel-state", "quarantined", "NVSentinel", "node"),
        ("dgxc.nvidia.com/nvsentinel-state", "remediation-failed", "NVSentinel", "node"),
        ("node.coreweave.cloud/state", "triage", "CoreWeave", "node"),
        ("nvidia.com/gpu.product", "NVIDIA-A100-MIG-INVALID", "NVIDIA GPU Feature Discovery", "operator"),
        ("nvidia.com/gpu-driver-upgrade-state", "upgrade-failed", "NVIDIA GPU Operator", "operator"),
        ("nvidia.com/gpu-driver-upgrade-state", "drain-required", "NVIDIA GPU Operator", "operator"),
        ("network.nvidia.com/operator.mofed.wait", "true", "NVIDIA Network Operator", "ib_health"),
        ("oci.oraclecloud.com/host.health", "UNHEALTHY", "OCI labeler", "node"),
        ("oci.oraclecloud.com/host.maintenance.state", "IN_PROGRESS", "OCI labeler", "node"),
        ("oke.oraclecloud.com/active-health-checks-dcgm-diag", "fail", "OCI active health checks", "gpu_health"),
        ("sagemaker.amazonaws.com/node-health-status", "UnschedulablePendingReplacement", "SageMaker HyperPod", "node"),
    ],
)
def test_a_bad_label_is_explained_by_its_agent(key: str, value: str, agent: str, topic: str):
    assert _marks(replace(NODE, labels={**HEALTHY, key: value})) == [(agent, topic)]


def test_the_label_of_an_unhealthy_amd_gpu_names_the_gpu():
    [mark] = marks(replace(NODE, labels={"metricsexporter.amd.com.gpu.3.state": "unhealthy"}))

    assert (mark.device, mark.key, mark.value) == ("3", "metricsexporter.amd.com.gpu.3.state", "unhealthy")


def test_a_fault_label_names_the_component():
    [mark] = marks(replace(NODE, labels={"oci.oraclecloud.com/host.fault.ssd": "SPENV-8000-9M"}))

    assert mark.device == "ssd"


@pytest.mark.parametrize(
    ("labels_", "found"),
    [
        pytest.param(
            {"node.coreweave.cloud/reserved": "a", "node.coreweave.cloud/reserved-desired": "triage"}, 1, id="moving"
        ),
        pytest.param(
            {"node.coreweave.cloud/reserved": "a", "node.coreweave.cloud/reserved-desired": "a"}, 0, id="staying"
        ),
        pytest.param({"node.coreweave.cloud/reserved-desired": "a"}, 0, id="only one of the two"),
    ],
)
def test_two_labels_that_differ_are_bad_only_when_both_are_there(labels_: dict[str, str], found: int):
    assert len(marks(replace(NODE, labels=labels_))) == found


@pytest.mark.parametrize(
    ("taint", "agent"),
    [
        pytest.param(Taint(key="amd-gpu-unhealthy", effect="NoSchedule"), "AMD GPU Operator", id="AMD, no value"),
        pytest.param(Taint(key="amd-dcm", value="up", effect="NoExecute"), "AMD GPU Operator", id="AMD, partitioning"),
        pytest.param(Taint(key="nvidia.com/gpu-xid-error", value="true"), "NVSentinel", id="NVSentinel"),
        pytest.param(Taint(key="cloud.google.com/impending-node-termination"), "GKE", id="GKE"),
        pytest.param(
            Taint(key="aiinfra/gpu-healthcheck", value="failed"), "Google cluster-health-scanner", id="Google"
        ),
    ],
)
def test_a_taint_is_a_mark_whatever_its_effect(taint: Taint, agent: str):
    assert [mark.signal.agent for mark in marks(replace(NODE, taints=(taint,)))] == [agent]


def test_an_annotation_is_not_taken_for_a_label():
    cordoned = {"quarantineHealthEventIsCordoned": "True"}

    assert _marks(replace(NODE, annotations=cordoned)) == [("NVSentinel", "node")]
    assert marks(replace(NODE, labels=cordoned)) == ()


def test_an_operator_at_work_is_told_from_a_fault():
    [at_work] = marks(replace(NODE, labels={"nvidia.com/gpu-driver-upgrade-state": "drain-required"}))
    [failed] = marks(replace(NODE, labels={"nvidia.com/gpu-driver-upgrade-state": "upgrade-failed"}))

    assert (at_work.signal.under_way, failed.signal.under_way) == (True, False)


def test_taints_of_a_dra_device_are_explained_and_never_looked_for_on_nodes():
    lost = device_mark(DeviceTaint(key="gpu.nvidia.com/gpu-lost", effect="NoSchedule"))
    xid = device_mark(DeviceTaint(key="gpu.nvidia.com/xid", value="79", effect="NoSchedule"))

    assert lost is not None
    assert xid is not None
    assert device_mark(DeviceTaint(key="example.com/other")) is None
    assert marks(replace(NODE, taints=(Taint(key="gpu.nvidia.com/gpu-lost"),))) == ()


def test_a_mark_without_a_device_is_about_the_node():
    row = labels()[0]

    assert Mark(signal=row, key="k", value="v").device == ""
