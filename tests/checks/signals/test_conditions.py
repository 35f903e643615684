"""Conditions as agents write them: what is reported, which way round, and what is known to be wrong."""

import pytest

from kubegap_checks.facts.nodes import Condition
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.signals.conditions import ConditionSignal, conditions, fault_in

BOOT = "11111111-1111-1111-1111-111111111111"
GPU_MISSING = Condition(
    type="GPUMissing",
    status="True",
    reason="GPUMissing",
    message="Expected to see 8 GPUs but found 7. FaultCode: NHC2009",
)
FLAPPING = Condition(
    type="IBLinkFlapping",
    status="True",
    reason="IBLinkFlapping",
    message="check_ib_link_flapping: IB link flapping detected, multiple IB link flapping events within 6 hours. "
    "FaultCode: NHC2005",
)
DCGM_ERROR = Condition(
    type="AcceleratedHardwareReady",
    status="False",
    reason="DCGMError",
    message="failed to initialize DCGM: Error connecting to nv-hostengine: Host engine connection invalid/disconnected",
)
IMEX = Condition(
    type="GpuNvlinkWatch",
    status="True",
    reason="GpuNvlinkWatchIsNotHealthy",
    message="ErrorCode:DCGM_FR_IMEX_UNHEALTHY GPU:0 PCI:0000:9d:00.0 "
    "GPU_UUID:GPU-00000000-0000-0000-0000-000000000000 IMEX daemon status is -3 (not READY)",
)
GKE_XID = Condition(type="XidCriticalError", status="True", reason='{"63":true,"119":true}', message=BOOT)


def _condition(kind: str, status: str, reason: str = "", message: str = "") -> Condition:
    return Condition(type=kind, status=status, reason=reason, message=message)


def _row(condition: Condition) -> ConditionSignal:
    row = fault_in(condition)
    assert row is not None
    return row


@pytest.mark.parametrize(
    ("condition", "agent", "topic"),
    [
        pytest.param(GPU_MISSING, "AKS node-problem-detector", "gpu_health", id="AKS: 7 of 8 GPUs"),
        pytest.param(FLAPPING, "AKS node-problem-detector", "ib_health", id="AKS: link flapping"),
        pytest.param(
            _condition("XIDError", "True"), "AKS node-problem-detector", "gpu_health", id="AKS Xid, as tested"
        ),
        pytest.param(
            _condition("XIDErrors", "True"), "AKS node-problem-detector", "gpu_health", id="AKS Xid, in its table"
        ),
        pytest.param(
            _condition("GPUXIDErrors", "True"), "AKS node-problem-detector", "gpu_health", id="AKS Xid, in prose"
        ),
        pytest.param(_condition("VMEventScheduled", "True"), "AKS node-problem-detector", "node", id="AKS maintenance"),
        pytest.param(_condition("DiskPressure", "True"), "kubelet", "node", id="kubelet"),
        pytest.param(_condition("KernelDeadlock", "True"), "node-problem-detector", "node", id="upstream NPD"),
        pytest.param(DCGM_ERROR, "EKS node monitoring agent", "gpu_health", id="EKS: DCGM"),
        pytest.param(
            _condition("AcceleratedHardwareReady", "False", "SomethingNew"),
            "EKS node monitoring agent",
            "gpu_health",
            id="EKS: a reason that is not in the table",
        ),
        pytest.param(
            _condition("NetworkingReady", "False", "InterfaceNotUp"),
            "EKS node monitoring agent",
            "node",
            id="EKS: an interface that is down is not a fabric fault",
        ),
        pytest.param(GKE_XID, "GKE device plugin", "gpu_health", id="GKE: Xid"),
        pytest.param(IMEX, "NVSentinel", "gpu_health", id="NVSentinel: NVLink"),
        pytest.param(_condition("InfiniBandStateCheck", "True"), "NVSentinel", "ib_health", id="NVSentinel: port"),
        pytest.param(_condition("CSPMaintenance", "True"), "NVSentinel", "node", id="NVSentinel: maintenance"),
        pytest.param(_condition("GpuXid", "True"), "OCI node-problem-detector", "gpu_health", id="OCI: Xid"),
        pytest.param(
            _condition("RdmaLinkFlapping", "True"), "OCI node-problem-detector", "ib_health", id="OCI: flapping"
        ),
        pytest.param(
            _condition("oci.oraclecloud.com/MaintenanceFault", "True", "HPCGPU-0002-02"),
            "OCI labeler",
            "node",
            id="OCI: fault",
        ),
        pytest.param(_condition("HardwareIssuesSuspected", "True"), "Nebius soperator", "gpu_health", id="Nebius"),
        pytest.param(
            _condition("NeuronHealth", "True", "NeuronHasError_DMA_ERROR"),
            "Neuron problem detector",
            "gpu_health",
            id="Neuron",
        ),
    ],
)
def test_a_bad_condition_is_explained_by_its_agent(condition: Condition, agent: str, topic: str):
    row = _row(condition)

    assert (row.agent, row.topic) == (agent, topic)


@pytest.mark.parametrize(
    "condition",
    [
        pytest.param(_condition("GPUMissing", "False", "NoGPUMissing"), id="AKS: all GPUs there"),
        pytest.param(
            _condition("IBLinkFlapping", "False", "NoIBLinkFlapping", "IB link is stable"), id="AKS: stable link"
        ),
        pytest.param(_condition("XIDError", "False", "XIDErrorIsNotPresent"), id="AKS: no Xid"),
        pytest.param(_condition("UnhealthyNvidiaDevicePlugin", "False", "HealthyNvidiaDevicePlugin"), id="AKS: plugin"),
        pytest.param(_condition("UnhealthyNvidiaDCGMServices", "False", "HealthyNvidiaDCGMServices"), id="AKS: DCGM"),
        pytest.param(_condition("NVIDIAGRIDStatusInvalid", "False", "NVIDIAGRIDStatusValid"), id="AKS: licence"),
        pytest.param(_condition("GPUMissing", "Unknown"), id="AKS: while booting"),
        pytest.param(
            _condition("AcceleratedHardwareReady", "True", "AcceleratedHardwareIsReady"), id="EKS: True is good"
        ),
        pytest.param(_condition("AcceleratedHardwareReady", "Unknown"), id="EKS: unknown"),
        pytest.param(_condition("StorageReady", "True"), id="EKS: storage"),
        pytest.param(_condition("GpuNvlinkWatch", "False"), id="NVSentinel: baseline"),
        pytest.param(_condition("GpuNvswitchFatalWatch", "False"), id="NVSentinel: NVSwitch baseline"),
        pytest.param(_condition("GpuNvswitchNonfatalWatch", "False"), id="NVSentinel: not fatal, baseline"),
        pytest.param(_condition("GpuCount", "False", "GpuCountHasNoIssues"), id="OCI: healthy"),
        pytest.param(_condition("RdmaLink", "Unknown"), id="OCI: the check could not run"),
        pytest.param(_condition("oci.oraclecloud.com/MaintenanceFault", "False", "Resolved"), id="OCI: resolved"),
        pytest.param(_condition("NeuronHealth", "False", "NeuronHasNoError"), id="Neuron: healthy"),
        pytest.param(_condition("XidCriticalError", "False"), id="GKE: no Xid"),
        pytest.param(_condition("MemoryPressure", "False"), id="kubelet: enough memory"),
        pytest.param(_condition("Ready", "False"), id="Ready is read by code"),
        pytest.param(_condition("NotGPUMissing", "True"), id="a longer type"),
        pytest.param(_condition("SomethingElse", "True"), id="a type that is not in the table"),
    ],
)
def test_a_healthy_or_unknown_condition_reports_nothing(condition: Condition):
    assert fault_in(condition) is None


def test_only_ready_conditions_are_bad_when_false():
    assert {row.type.pattern for row in conditions() if row.bad_when == "False"} == {
        "AcceleratedHardwareReady",
        "ContainerRuntimeReady",
        "KernelReady",
        "NetworkingReady",
        "StorageReady",
    }


def test_a_row_without_a_reason_stands_after_the_rows_of_its_type_that_have_one():
    seen: set[tuple[str, str]] = set()
    for row in conditions():
        kind = (row.type.pattern, row.bad_when)
        assert kind not in seen, f"{kind} can never be reached"
        if row.reason is None and row.not_reason is None:
            seen.add(kind)


def test_a_monitoring_agent_that_cannot_reach_dcgm_is_a_known_false_positive():
    row = _row(DCGM_ERROR)
    [known] = row.look_alikes(DCGM_ERROR)

    assert known.confidence is Confidence.HINT
    assert known.unless == ()
    assert row.clears is not None


def test_imex_that_does_not_run_is_a_known_false_positive_unless_a_compute_domain_has_the_node():
    [known] = _row(IMEX).look_alikes(IMEX)

    assert known.id == "imex_without_compute_domain"
    assert (known.severity, known.confidence) == (Severity.LOW, Confidence.HINT)
    assert known.unless == ("compute_domain_on_node",)


def test_the_same_false_positive_is_known_by_eks_code():
    condition = _condition("AcceleratedHardwareReady", "False", "DCGMHealthCode122")
    [known] = _row(condition).look_alikes(condition)

    assert known.id == "imex_without_compute_domain"
    assert _row(condition).look_alikes(_condition("AcceleratedHardwareReady", "False", "DCGMHealthCode1220")) == ()


def test_another_nvlink_fault_is_not_taken_for_the_false_positive():
    condition = _condition(
        "GpuNvlinkWatch", "True", "GpuNvlinkWatchIsNotHealthy", "ErrorCode:DCGM_FR_NVLINK_DOWN GPU:0"
    )

    assert _row(condition).look_alikes(condition) == ()
    assert _row(condition).severity is Severity.HIGH


@pytest.mark.parametrize(
    ("condition", "numbers"),
    [
        pytest.param(GKE_XID, (63, 119), id="JSON in the reason"),
        pytest.param(
            _condition("XidCriticalError", "True", '{"63":false,"79":true}'), (79,), id="JSON that takes one back"
        ),
        pytest.param(_condition("XidCriticalError", "True", "not JSON"), (), id="no JSON"),
        pytest.param(_condition("XidCriticalError", "True", "[63]"), (), id="another JSON"),
        pytest.param(_condition("AcceleratedHardwareReady", "False", "NvidiaXID79Error"), (79,), id="in the reason"),
        pytest.param(
            _condition(
                "SysLogsXIDError",
                "True",
                "SysLogsXIDErrorIsNotHealthy",
                "ErrorCode:79 PCI:0000:9d:00 MESSAGE=NVRM: Xid (PCI:0000:9d:00): 79, pid=1, name=<unknown>, "
                "GPU has fallen off the bus. Recommended Action=RESTART_BM;"
                "ErrorCode:119 PCI:0001:9d:00 Recommended Action=COMPONENT_RESET;",
            ),
            (79, 119),
            id="kernel log lines",
        ),
        pytest.param(
            _condition("GpuXid", "True", "GpuXidHasIssues", "Xid (PCI:0000:9d:00): 48, pid=1"), (48,), id="one line"
        ),
        pytest.param(
            _condition("XIDError", "True", "XIDError", "XID error on 8 GPUs"), (), id="a number of something else"
        ),
        pytest.param(_condition("XIDError", "True", "XIDError", "XID: 48 and XID=79"), (48, 79), id="two in a message"),
        pytest.param(GPU_MISSING, (), id="a condition that names none"),
    ],
)
def test_xids_are_read_where_the_agent_writes_them(condition: Condition, numbers: tuple[int, ...]):
    assert _row(condition).xids(condition) == numbers


@pytest.mark.parametrize(
    ("condition", "boot", "stale"),
    [
        pytest.param(GKE_XID, BOOT, False, id="this boot"),
        pytest.param(GKE_XID, "22222222-2222-2222-2222-222222222222", True, id="an earlier boot"),
        pytest.param(GKE_XID, "", False, id="the node does not say"),
        pytest.param(GPU_MISSING, BOOT, False, id="an agent that writes no boot id"),
    ],
)
def test_a_report_of_an_earlier_boot_is_stale(condition: Condition, boot: str, *, stale: bool):
    assert _row(condition).is_stale(condition, boot) is stale
