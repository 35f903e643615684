"""Monitoring as public reports show it, read as snapshots: what each must lead to, and what it must not.

Sources stand in tests/fixtures/monitoring/SOURCES.md.
"""

import json
import shutil
from pathlib import Path

import pytest

from kubegap_checks.facts.controllers import Deployment, StatefulSet
from kubegap_checks.facts.monitoring import (
    PodMonitor,
    Prometheus,
    PrometheusAgent,
    PrometheusRule,
    ServiceMonitor,
    ThanosRuler,
)
from kubegap_mcp.app import Kubegap
from kubegap_mcp.report.models import CheckFull
from kubegap_mcp.settings import Settings

FIXTURES = Path(__file__).parent.parent / "fixtures" / "monitoring"
READ = (
    *(Deployment, StatefulSet, PodMonitor, ServiceMonitor),
    *(Prometheus, PrometheusAgent, PrometheusRule, ThanosRuler),
)
# As it is in https://github.com/NVIDIA/dcgm-exporter/issues/731, but for the name and the number of GPUs.
TAINTED = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "gpu-1", "labels": {"nvidia.com/gpu.present": "true"}},
    "spec": {"taints": [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}]},
    "status": {"capacity": {"nvidia.com/gpu": "8"}, "conditions": [{"type": "Ready", "status": "True"}]},
}


@pytest.mark.parametrize(
    ("file", "check", "subject", "severity"),
    [
        pytest.param(
            "01-dcgm-exporter-chart-does-not-tolerate-gpu-taint",
            "gpu_metrics_missing",
            "DaemonSet/gpu-monitoring/dcgm-exporter",
            "medium",
            id="the chart does not tolerate the GPU taint",
        ),
        pytest.param(
            "02-eks-h100-service-monitor-disabled",
            "metrics_not_collected",
            "DaemonSet/gpu-operator-02/nvidia-dcgm-exporter",
            "medium",
            id="the exporter has no monitor",
        ),
        pytest.param(
            "03-service-monitor-without-the-release-label",
            "metrics_not_collected",
            "ServiceMonitor/gpu-operator-03/nvidia-dcgm-exporter",
            "medium",
            id="its monitor lacks the label that Prometheus asks for",
        ),
        pytest.param(
            "04-gpu-alerts-without-faults",
            "no_gpu_fault_alert",
            "DaemonSet/gpu-operator-04/nvidia-dcgm-exporter",
            "medium",
            id="none of the GPU alerts is about a fault",
        ),
        pytest.param("05-openshift-recording-rules", None, None, None, id="recording rules are no alerts"),
    ],
)
async def test_monitoring_leads_to_what_its_source_tells(
    file: str, check: str | None, subject: str | None, severity: str | None, tmp_path: Path
) -> None:
    shutil.copy(FIXTURES / f"{file}.json", tmp_path)
    if check == "gpu_metrics_missing":
        (tmp_path / "node.json").write_text(json.dumps(TAINTED))
    for kind in READ:
        empty = {"apiVersion": f"{kind.KIND.group}/{kind.KIND.versions[0]}", "kind": f"{kind.KIND.name}List"}
        (tmp_path / f"no-{kind.KIND.plural}.json").write_text(json.dumps(empty | {"items": []}))

    answer = await Kubegap(Settings(snapshot=tmp_path)).check_topic("observability")

    found = [
        (one.id.removeprefix("observability."), finding.subject, one.severity)
        for one in answer.checks
        if isinstance(one, CheckFull) and one.severity != "low"
        for finding in one.findings
    ]
    assert found == ([(check, subject, severity)] if check else [])
