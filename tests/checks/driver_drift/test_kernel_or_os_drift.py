from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.driver_drift.kernel_or_os_drift import CHECK
from tests.checks.build import READ_AT, facts, node
from tests.checks.driver_drift.fleet import alike

KERNEL, SYSTEM = "5.15.0-1063-nvidia", "Ubuntu 22.04.5 LTS"
USUAL = alike(4, kernel=KERNEL, os_image=SYSTEM)
REBOOTED = {"annotations": {"weave.works/kured-reboot-in-progress": "2026-11-29T11:58:00Z"}}
MACHINE_CONFIG = {
    "annotations": {
        "machineconfiguration.openshift.io/currentConfig": "rendered-worker-1",
        "machineconfiguration.openshift.io/desiredConfig": "rendered-worker-2",
    }
}
SETTLED = {"annotations": dict.fromkeys(MACHINE_CONFIG["annotations"], "rendered-worker-1")}


def odd(labels: Mapping[str, str] | None = None, **fields: Any) -> Node:
    [one] = alike(1, labels, first=9, **{"kernel": "6.8.0-1034-nvidia", "os_image": SYSTEM, **fields})
    return one


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(*USUAL, odd()), "gap", id="another kernel"),
        pytest.param(facts(*USUAL, odd(kernel=KERNEL)), "clear", id="the same"),
        pytest.param(facts(*USUAL, odd(kernel=KERNEL, os_image="Ubuntu 24.04.3 LTS")), "gap", id="another OS"),
        pytest.param(facts(*USUAL, odd(kernel="")), "clear", id="one does not tell"),
        pytest.param(facts(*USUAL, odd(**REBOOTED)), "clear", id="it is being rebooted"),
        pytest.param(facts(*USUAL, odd(**MACHINE_CONFIG)), "clear", id="its machine configuration is being changed"),
        pytest.param(facts(*USUAL, odd(**SETTLED)), "gap", id="its machine configuration is settled"),
        pytest.param(facts(*USUAL, odd(created=READ_AT - timedelta(days=1))), "clear", id="a pool being upgraded"),
        pytest.param(
            facts(*USUAL, odd(labels={"kubernetes.azure.com/agentpool": "arm64"})), "clear", id="another pool"
        ),
        pytest.param(
            facts(
                *USUAL,
                node(
                    "gpu-9",
                    {"nvidia.com/gpu.product": "NVIDIA-GH200-480GB", "nvidia.com/gpu.machine": "GH200"},
                    {"nvidia.com/gpu": 1},
                    kernel="6.8.0-1034-nvidia-64k",
                ),
            ),
            "clear",
            id="another machine, of another architecture",
        ),
        pytest.param(facts(*alike(4)), "clear", id="no node tells"),
        pytest.param(facts(*alike(1)), "not_applicable", id="a single node"),
        pytest.param(facts(node("cpu-1"), node("cpu-2", kernel="6.8.0")), "not_applicable", id="no accelerators"),
        pytest.param(facts(*USUAL, odd(), unread=(ResourceSlice,)), "unknown", id="DRA is unread"),
        pytest.param(facts(unread=(Node,)), "unknown", id="nodes are unread"),
    ],
)
def test_alike_nodes_must_have_the_same_kernel_and_os(given: Facts, status: str):
    assert CHECK.run(given).status == status


@pytest.mark.parametrize(
    ("fields", "severity"),
    [
        pytest.param({}, Severity.MEDIUM, id="another series"),
        pytest.param({"kernel": "5.15.0-1058-nvidia"}, Severity.LOW, id="another build"),
        pytest.param({"kernel": KERNEL, "os_image": "Ubuntu 24.04.3 LTS"}, Severity.MEDIUM, id="another release"),
        pytest.param({"kernel": KERNEL, "os_image": "Ubuntu 22.04.3 LTS"}, Severity.LOW, id="another point release"),
    ],
)
def test_another_series_is_worse_than_another_build(fields: dict[str, Any], severity: Severity):
    [finding] = CHECK.run(facts(*USUAL, odd(**fields))).findings

    assert (finding.severity, finding.confidence) == (severity, Confidence.CERTAIN)


def test_one_finding_names_kernel_and_os_of_a_node():
    [finding] = CHECK.run(facts(*USUAL, odd(os_image="Ubuntu 24.04.3 LTS"))).findings

    assert finding.says.en == (
        f"kernel 6.8.0-1034-nvidia, where 4 of 5 like nodes have {KERNEL}, "
        f"OS Ubuntu 24.04.3 LTS, where 4 of 5 like nodes have {SYSTEM}"
    )
    assert finding.evidence == {
        "status.nodeInfo.kernelVersion": "6.8.0-1034-nvidia",
        "status.nodeInfo.osImage": "Ubuntu 24.04.3 LTS",
    }
