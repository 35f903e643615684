from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import ComputeDomain, Condition, DeviceTaint, Node, ResourceSlice, SliceDevice
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.gpu_health.fault_reported import CHECK
from tests.checks.build import JUST_NOW, LONG_AGO, READ_AT, facts, node, ready, resource_slice

H100 = {"nvidia.com/gpu.present": "true"}
GPU_MISSING = Condition(
    type="GPUMissing",
    status="True",
    reason="GPUMissing",
    message="Expected to see 8 GPUs but found 7. FaultCode: NHC2009",
    since=LONG_AGO,
    heartbeat=JUST_NOW,
)
IMEX = Condition(
    type="GpuNvlinkWatch",
    status="True",
    reason="GpuNvlinkWatchIsNotHealthy",
    message="ErrorCode:DCGM_FR_IMEX_UNHEALTHY GPU:0 PCI:0000:9d:00.0 IMEX daemon status is -3 (not READY)",
    since=datetime(2026, 8, 26, 3, 23, 15, tzinfo=UTC),
)
XID = Condition(type="XidCriticalError", status="True", reason='{"63":true,"119":true}', message="boot-1")
DCGM_ERROR = Condition(
    type="AcceleratedHardwareReady", status="False", reason="DCGMError", message="failed to initialize DCGM"
)
DOMAIN = ComputeDomain(namespace="ml", name="nvl72", status="Ready", num_nodes=1, nodes=("gpu-1",))


def reporting(*conditions: Condition, **fields) -> Node:
    return node(labels=H100, conditions=(ready(), *conditions), **fields)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(reporting(GPU_MISSING)), "gap", id="an agent that writes True for a fault"),
        pytest.param(
            facts(reporting(replace(DCGM_ERROR, reason="NvidiaDoubleBitError"))),
            "gap",
            id="an agent that writes False for a fault",
        ),
        pytest.param(facts(reporting(XID)), "gap", id="Xids of the boot that the node runs"),
        pytest.param(facts(node(labels=H100 | {"autopilot.ibm.com/gpuhealth": "EVICT"})), "gap", id="a label"),
        pytest.param(
            facts(
                node(labels=H100),
                resource_slice(
                    "gpu-1",
                    "gpu.nvidia.com",
                    SliceDevice(
                        name="gpu-0",
                        attributes={"type": "gpu"},
                        taints=(DeviceTaint(key="gpu.nvidia.com/gpu-lost", effect="NoSchedule"),),
                    ),
                ),
            ),
            "gap",
            id="a taint on a DRA device",
        ),
        pytest.param(facts(reporting(IMEX), DOMAIN), "gap", id="IMEX is not ready on a node of a ComputeDomain"),
        pytest.param(facts(reporting(GPU_MISSING), unread=(ComputeDomain,)), "gap", id="ComputeDomains do not matter"),
        pytest.param(facts(reporting(replace(GPU_MISSING, status="False"))), "clear", id="the agent finds no fault"),
        pytest.param(facts(reporting(replace(GPU_MISSING, status="Unknown"))), "clear", id="the agent cannot tell"),
        pytest.param(
            facts(reporting(replace(DCGM_ERROR, status="True"))), "clear", id="True is healthy for a Ready condition"
        ),
        pytest.param(facts(reporting(replace(XID, message="boot-0"))), "clear", id="Xids of an earlier boot"),
        pytest.param(facts(node(labels=H100)), "clear", id="no agent says anything"),
        pytest.param(
            facts(reporting(Condition(type="IBLinkFlapping", status="True"))), "clear", id="a fault of another topic"
        ),
        pytest.param(facts(node("cpu-1")), "not_applicable", id="a node without accelerators"),
        pytest.param(facts(), "not_applicable", id="no node at all"),
        pytest.param(
            facts(reporting(IMEX), unread=(ComputeDomain,)),
            "unknown",
            id="a possible false positive, ComputeDomain unread",
        ),
        pytest.param(facts(reporting(XID, boot_id="")), "unknown", id="the node's own boot id is not known"),
        pytest.param(facts(node(labels=H100), unread=(ResourceSlice,)), "unknown", id="device taints are unread"),
        pytest.param(facts(node("cpu-1"), unread=(ResourceSlice,)), "unknown", id="who has devices is unread"),
    ],
)
def test_a_reported_fault_that_holds_is_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_one_node_with_several_faults_gives_a_finding_each():
    hardware = replace(DCGM_ERROR, reason="NvidiaDoubleBitError")
    verdict = CHECK.run(facts(reporting(GPU_MISSING, hardware)))

    assert [finding.key for finding in verdict.findings] == ["GPUMissing", "AcceleratedHardwareReady"]
    assert len({verdict.id_of(finding) for finding in verdict.findings}) == 2


def test_a_report_names_its_agent_and_since_when_it_holds():
    [finding] = CHECK.run(facts(reporting(GPU_MISSING))).findings

    assert finding.says.en.startswith("AKS node-problem-detector reports GPUMissing: ")
    assert finding.since == "2026-10-30T12:00:00Z"
    assert finding.evidence["status.conditions[GPUMissing].lastHeartbeatTime"] == "2026-11-29T11:59:00Z"
    assert "FaultCode" not in finding.says.en, "what an agent wrote stays in the evidence"


def test_a_report_that_its_agent_stopped_confirming_is_a_hint():
    silent = replace(GPU_MISSING, heartbeat=READ_AT - timedelta(days=2))

    [finding] = CHECK.run(facts(reporting(silent))).findings

    assert finding.confidence is Confidence.HINT
    assert "not confirmed since 2026-11-27T12:00:00Z" in finding.says.en


def test_an_agent_that_never_confirms_is_believed():
    once = replace(GPU_MISSING, heartbeat=LONG_AGO)

    [finding] = CHECK.run(facts(reporting(once))).findings

    assert finding.confidence is Confidence.LIKELY


@pytest.mark.parametrize(
    ("reason", "severity", "says"),
    [
        pytest.param('{"119":true}', Severity.HIGH, "must leave service", id="one that takes the GPU out"),
        pytest.param('{"94":true}', Severity.MEDIUM, "the GPU is fine", id="one that ends the job"),
        pytest.param('{"63":true}', Severity.LOW, "informational", id="one that informs"),
        pytest.param('{"63":true,"119":true}', Severity.HIGH, "Xid 63", id="the worst of several counts"),
        pytest.param('{"999":true}', Severity.HIGH, "no action", id="one that the catalogue does not have"),
    ],
)
def test_the_xids_say_how_bad_it_is(reason: str, severity: Severity, says: str):
    [finding] = CHECK.run(facts(reporting(replace(XID, reason=reason)))).findings

    assert finding.severity is severity
    assert says in finding.says.en


def test_an_idle_gb300_without_compute_domain_is_a_hint_that_names_the_false_positive():
    idle = node("ip-10-0-0-8", {"nvidia.com/gpu.product": "NVIDIA-GB300"}, conditions=(IMEX,), capacity=None)

    [finding] = CHECK.run(facts(idle)).findings

    assert (finding.severity, finding.confidence) == (Severity.LOW, Confidence.HINT)
    assert "known false positive" in finding.says.en
    assert "알려진 오탐" in finding.says.ko


def test_an_eks_agent_that_cannot_reach_dcgm_is_a_hint_that_says_how_to_tell():
    [finding] = CHECK.run(facts(node("ip-10-0-0-15", conditions=(DCGM_ERROR, ready(heartbeat=None))))).findings

    assert finding.confidence is Confidence.HINT
    assert "run nvidia-smi" in finding.says.en
    assert "until its own pod restarts" in finding.says.en


def test_an_aks_node_without_gpu_labels_is_found_by_its_condition():
    healthy = Condition(type="UnhealthyNvidiaDevicePlugin", status="False", reason="HealthyNvidiaDevicePlugin")

    [finding] = CHECK.run(facts(node("aks", conditions=(GPU_MISSING, healthy), capacity=None))).findings

    assert (str(finding.subject), finding.key) == ("Node/aks", "GPUMissing")


def test_an_amd_exporter_names_the_gpu():
    labels = {"amd.com/gpu.family": "AI", "metricsexporter.amd.com.gpu.3.state": "unhealthy"}

    [finding] = CHECK.run(facts(node(labels=labels))).findings

    assert finding.says.en.endswith("GPU 3")
