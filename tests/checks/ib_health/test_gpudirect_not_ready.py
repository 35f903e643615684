from collections.abc import Collection
from datetime import timedelta
from typing import Any

import pytest

from kubegap_checks.facts.nodes import NicClusterPolicy, Node, NodeFeature, ResourceSlice, SliceDevice
from kubegap_checks.facts.operators import ClusterPolicy, DriverSettings
from kubegap_checks.facts.read import Facts, Partial
from kubegap_checks.model import Confidence, Severity, Status
from kubegap_checks.rules.ib_health.gpudirect_not_ready import CHECK
from kubegap_checks.signals.gpudirect import gpudirect
from tests.checks.build import READ_AT, cluster_policy, damaged, facts, node, node_feature, resource_slice

IB = {"nvidia.com/gpu": 8, "rdma/ib": 8}
TYPE, DEPLOYS = "node.kubernetes.io/instance-type", "nvidia.com/gpu.deploy.driver"
OLD, NEW = "5.4.0-204-generic", "5.15.0-1063-nvidia"
LABELS = {TYPE: "m", DEPLOYS: "true"}
DRIVER, PEERMEM = frozenset({"nvidia", "mlx5_core"}), frozenset({"nvidia", "mlx5_core", "nvidia_peermem"})


def gpu_node(name: str = "gpu-1", kernel: str = NEW, **fields: Any) -> Node:
    return node(name, fields.pop("labels", LABELS), fields.pop("devices", IB), kernel=kernel, **fields)


def loads(modules: Collection[str] | None, name: str = "gpu-1") -> NodeFeature:
    return node_feature(name, modules=None if modules is None else frozenset(modules))


def policy(modules: str = "proprietary", **fields: Any) -> ClusterPolicy:
    return cluster_policy(driver=DriverSettings(kernel_modules=modules, rdma=False), **fields)


def peers(count: int = 3, modules: Collection[str] = PEERMEM, **fields: Any) -> list[Node | NodeFeature]:
    names = [f"gpu-{n}" for n in range(2, count + 2)]
    return [*(gpu_node(name, **fields) for name in names), *(loads(modules, name) for name in names)]


LACKS = (gpu_node(), loads(DRIVER))
OF_OLD = (gpu_node(kernel=OLD), loads(DRIVER))
BESIDE = facts(*LACKS, *peers())
DAMAGED = BESIDE.but(Node, Partial(BESIDE.known(Node), (damaged(Node),)))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(*OF_OLD), "gap", id="no module, and a kernel without DMA-BUF"),
        pytest.param(facts(*LACKS), "clear", id="no module, and a kernel with DMA-BUF"),
        pytest.param(facts(gpu_node(kernel=OLD), loads(PEERMEM)), "clear", id="the module, with an old kernel"),
        pytest.param(
            facts(gpu_node(kernel=OLD), loads({"nvidia", "nv_peer_mem"})), "clear", id="the module by its older name"
        ),
        pytest.param(
            facts(gpu_node(kernel=OLD), loads(DRIVER), loads({"nvidia_peermem"})), "clear", id="as another agent lists"
        ),
        pytest.param(
            facts(gpu_node(kernel="4.18.0-553.el8_10.x86_64"), loads(DRIVER)), "clear", id="what Red Hat carries back"
        ),
        pytest.param(facts(*LACKS, *peers()), "gap", id="three nodes of the same kind have it loaded"),
        pytest.param(facts(*LACKS, *peers(2)), "clear", id="two are too few to compare with"),
        pytest.param(facts(*LACKS, *peers(modules=DRIVER)), "clear", id="no node of the same kind has it loaded"),
        pytest.param(facts(*LACKS, *peers(labels={TYPE: "other"})), "clear", id="nodes of another kind have it loaded"),
        pytest.param(
            facts(gpu_node(labels={}), loads(DRIVER), *peers(labels={})), "clear", id="nodes of no kind have it loaded"
        ),
        pytest.param(DAMAGED, "unknown", id="one of the nodes made no sense, and may be of the same kind"),
        pytest.param(facts(*LACKS, policy()), "gap", id="proprietary driver modules"),
        pytest.param(facts(*LACKS, policy("open")), "clear", id="open driver modules"),
        pytest.param(facts(*LACKS, policy("auto")), "clear", id="which driver modules is not said"),
        pytest.param(facts(*LACKS, policy(driver_crd=True)), "clear", id="another object describes the driver"),
        pytest.param(
            facts(gpu_node(labels={TYPE: "m", DEPLOYS: "pre-installed"}), loads(DRIVER), policy()),
            "clear",
            id="the driver came with the host",
        ),
        pytest.param(facts(*OF_OLD[:1], loads({"mlx5_core"})), "not_applicable", id="no driver is loaded"),
        pytest.param(facts(*OF_OLD[:1], loads(None)), "not_applicable", id="the modules are not listed"),
        pytest.param(facts(*OF_OLD[:1]), "not_applicable", id="nothing lists the modules"),
        pytest.param(
            facts(gpu_node(kernel=OLD, devices={"nvidia.com/gpu": 8}), loads(DRIVER)), "not_applicable", id="no fabric"
        ),
        pytest.param(
            facts(gpu_node(kernel=OLD, devices={"nvidia.com/gpu": 8, "rdma/ib": 0}), loads(DRIVER)),
            "not_applicable",
            id="a fabric that pods cannot have",
        ),
        pytest.param(
            facts(gpu_node(kernel=OLD, devices={"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 4}), loads(DRIVER)),
            "not_applicable",
            id="EFA",
        ),
        pytest.param(
            facts(gpu_node(kernel=OLD, devices={"amd.com/gpu": 8, "rdma/ib": 8}), loads({"amdgpu", "nvidia"})),
            "not_applicable",
            id="GPUs of another vendor",
        ),
        pytest.param(
            facts(gpu_node(kernel=OLD, created=READ_AT - timedelta(minutes=5)), loads(DRIVER)),
            "clear",
            id="the node has just joined",
        ),
        pytest.param(
            facts(
                gpu_node(kernel=OLD, labels={"nvidia.com/gpu-driver-upgrade-state": "pod-restart-required"}),
                loads(DRIVER),
            ),
            "clear",
            id="the driver is being upgraded",
        ),
        *(
            pytest.param(facts(*OF_OLD, unread=(kind,)), "unknown", id=f"{kind.__name__} is unread")
            for kind in (Node, NodeFeature, ResourceSlice, NicClusterPolicy)
        ),
        pytest.param(facts(*LACKS, unread=(ClusterPolicy,)), "unknown", id="the driver's policy is unread"),
        pytest.param(facts(*OF_OLD, unread=(ClusterPolicy,)), "gap", id="a kernel is enough by itself"),
    ],
)
def test_status(given: Facts, status: Status) -> None:
    assert CHECK.run(given).status == status


@pytest.mark.parametrize(
    ("given", "says", "severity", "path"),
    [
        (facts(*OF_OLD), f"kernel {OLD} has no DMA-BUF, which comes with 5.12", Severity.HIGH, "kernelVersion"),
        (facts(*LACKS, *peers()), "3 nodes of the same kind have it loaded", Severity.MEDIUM, "peers.loaded"),
        (facts(*LACKS, policy()), "its proprietary driver modules do no DMA-BUF", Severity.HIGH, "kernelModuleType"),
    ],
)
def test_the_node_is_told_with_what_shows_it(given: Facts, says: str, severity: Severity, path: str) -> None:
    verdict = CHECK.run(given)

    (finding,) = verdict.findings
    assert str(finding.subject) == "Node/gpu-1"
    assert finding.says.en == f"nvidia_peermem is not loaded, and {says}"
    assert verdict.severity_of(finding) is severity
    assert verdict.confidence_of(finding) is Confidence.LIKELY
    assert any(path in key for key in finding.evidence)


def test_adapters_that_are_claimed_count_too() -> None:
    claimed = gpu_node(kernel=OLD, devices={"nvidia.com/gpu": 8})
    adapter = resource_slice("gpu-1", "dra.net", SliceDevice(name="ib0", attributes={"dra.net/rdma": "true"}))
    bus = node_feature("gpu-1", {("15b3", "0207", "1021"): 8}, modules=DRIVER)

    assert CHECK.run(facts(claimed, adapter, bus)).status == "gap"


@pytest.mark.parametrize(
    ("kernel", "old"),
    [("5.11.22", True), ("5.12.0", False), ("6.1.52", False), ("4.19.0", True), ("", False), ("5.4.17.el8uek", False)],
)
def test_which_kernels_are_too_old(kernel: str, old: bool) -> None:  # noqa: FBT001
    (row,) = gpudirect()

    assert row.is_too_old(kernel) is old
