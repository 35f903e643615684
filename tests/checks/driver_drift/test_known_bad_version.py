import pytest

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.nodes import Node, ResourceSlice, SliceDevice
from kubegap_checks.facts.operators import ClusterPolicy, Operand
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.driver_drift.known_bad_version import CHECK
from tests.checks.build import cluster_policy, container, daemon_set, facts, node, resource_slice, template

DRIVER, TYPE = "nvidia.com/cuda.driver-version.full", "node.kubernetes.io/instance-type"
EFA = {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 4}
MIXED = {"nvidia.com/gpu": 6, "nvidia.com/mig-3g.40gb": 4}
KERNEL = "5.10.198-187.748.amzn2.x86_64"


def toolkit(tag: str) -> DaemonSet:
    return daemon_set(template=template(container("ctr", image=f"nvcr.io/nvidia/k8s/container-toolkit:{tag}")))


def policy(version: str) -> ClusterPolicy:
    return cluster_policy(operands={"toolkit": Operand(enabled=True, image="container-toolkit", version=version)})


def validator(version: str) -> ClusterPolicy:
    return cluster_policy(operands={"validator": Operand(image="gpu-operator-validator", version=version)})


def p4d(driver: str = "470.182.03", kernel: str = KERNEL, devices: dict[str, int] = EFA) -> Node:
    return node(labels={TYPE: "p4d.24xlarge", DRIVER: driver}, devices=devices, kernel=kernel)


def a10(image: str, machine: str = "Standard_NV36ads_A10_v5") -> Node:
    return node(labels={TYPE: machine, "kubernetes.azure.com/node-image-version": image}, devices={"nvidia.com/gpu": 1})


BAD_IMAGE = "AKSUbuntu-2204gen2containerd-202607.02.0"


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(toolkit("v1.17.7-ubuntu20.04")), "gap", id="an unsafe toolkit"),
        pytest.param(facts(toolkit("v1.17.8-ubuntu20.04")), "clear", id="the fixed toolkit"),
        pytest.param(facts(toolkit("latest")), "clear", id="a tag that is no version"),
        pytest.param(facts(policy("v1.16.1")), "gap", id="an unsafe toolkit in a policy"),
        pytest.param(facts(policy("sha256:" + "1.1" * 20)), "clear", id="a digest"),
        pytest.param(facts(validator("v22.9.1")), "gap", id="an operator whose containers a reload of systemd breaks"),
        pytest.param(facts(validator("v22.9.2")), "clear", id="the operator that makes the links"),
        pytest.param(facts(p4d()), "gap", id="a kernel that parts the driver from EFA"),
        pytest.param(facts(p4d(kernel="5.10.192-183.736.amzn2.x86_64")), "clear", id="the kernel before it"),
        pytest.param(facts(p4d(driver="535.161.08")), "clear", id="a driver that may be the open one"),
        pytest.param(facts(p4d(driver="515.43.04")), "clear", id="the first of those"),
        pytest.param(facts(p4d(driver="")), "clear", id="the driver is not told"),
        pytest.param(facts(p4d(devices={"nvidia.com/gpu": 8})), "clear", id="no EFA"),
        pytest.param(facts(p4d(devices=EFA | {"vpc.amazonaws.com/efa": 0})), "clear", id="EFA at zero"),
        pytest.param(
            facts(node(labels={DRIVER: "570.133.20"}, devices=MIXED)), "gap", id="a mix of whole and cut GPUs"
        ),
        pytest.param(facts(node(labels={DRIVER: "570.133.20"}, devices={"nvidia.com/gpu": 8})), "clear", id="no mix"),
        pytest.param(facts(node(labels={DRIVER: "570.172.08"}, devices=MIXED)), "clear", id="the fixed driver"),
        pytest.param(
            facts(node(labels={DRIVER: "570.133.20", "nvidia.com/gpu.present": "true"}, capacity=None)),
            "clear",
            id="nothing tells what the node offers",
        ),
        pytest.param(
            facts(
                node("gpu-1", devices={"nvidia.com/mig-3g.40gb": 4, "nvidia.com/gpu": 0}, kubelet="v1.27.2"),
                resource_slice("gpu-1", "gpu.nvidia.com", SliceDevice(name="gpu-0", attributes={"type": "gpu"})),
            ),
            "gap",
            id="a kubelet that ends pods",
        ),
        pytest.param(facts(node(devices={"nvidia.com/gpu": 8}, kubelet="v1.27.16")), "clear", id="a later kubelet"),
        pytest.param(facts(node("cpu-1", kubelet="v1.27.2")), "not_applicable", id="a node without accelerators"),
        pytest.param(facts(a10(BAD_IMAGE)), "gap", id="a node image with two drivers"),
        pytest.param(facts(a10("AKSUbuntu-2204gen2containerd-202608.06.0")), "clear", id="another image"),
        pytest.param(facts(a10(BAD_IMAGE, "Standard_ND96isr_H100_v5")), "clear", id="another machine"),
        pytest.param(facts(a10(BAD_IMAGE, "")), "clear", id="a machine that is not told"),
        pytest.param(facts(unread=(Node,)), "unknown", id="nodes are unread"),
        pytest.param(facts(toolkit("v1.17.7"), unread=(ResourceSlice,)), "gap", id="DRA is unread"),
        pytest.param(facts(toolkit("v1.17.8"), unread=(ResourceSlice,)), "unknown", id="DRA is unread, nothing found"),
        pytest.param(facts(p4d(), unread=(DaemonSet,)), "gap", id="DaemonSets are unread"),
        pytest.param(
            facts(p4d("535.161.08"), unread=(DaemonSet,)), "unknown", id="DaemonSets are unread, nothing found"
        ),
        pytest.param(facts(toolkit("v1.17.7"), unread=(ClusterPolicy,)), "unknown", id="the operator is unread"),
    ],
)
def test_a_version_with_a_known_defect_is_found(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_one_finding_tells_all_that_is_wrong_and_where_it_is_mended():
    [finding] = CHECK.run(facts(toolkit("v1.17.1"))).findings

    assert finding.says.en == (
        "NVIDIA Container Toolkit v1.17.1: a GPU image can take over the host (CVE-2025-23266, CVE-2025-23267); "
        "a GPU image can reach the host's files (CVE-2025-23359); "
        'containers of older CUDA images fail to start (IMEX channel "all")'
    )
    assert finding.evidence == {
        "spec.template.spec.containers[ctr].image": "nvcr.io/nvidia/k8s/container-toolkit:v1.17.1",
        "fixed in": "1.17.8",
        "notice": "https://nvidia.custhelp.com/app/answers/detail/a_id/5659",
    }
    assert finding.severity is Severity.MEDIUM


def test_a_node_is_told_by_its_own_field_and_as_bad_as_the_row():
    [finding] = CHECK.run(facts(p4d())).findings

    assert str(finding.subject) == "Node/gpu-1"
    assert finding.says.en.startswith(f"kernel {KERNEL}: the proprietary NVIDIA driver")
    assert finding.evidence["status.nodeInfo.kernelVersion"] == KERNEL
    assert (finding.severity, finding.confidence) == (Severity.HIGH, Confidence.LIKELY)


def test_an_image_of_several_containers_is_told_once():
    image = "nvcr.io/nvidia/cloud-native/gpu-operator-validator:v22.9.0"
    containers = (container(f"c{number}", image=image, init=True) for number in range(3))

    [finding] = CHECK.run(facts(daemon_set(template=template(*containers)))).findings

    assert next(iter(finding.evidence)) == "spec.template.spec.initContainers[c0].image"


def test_a_defect_that_only_loses_settings_is_low():
    [finding] = CHECK.run(facts(toolkit("v1.18.0"))).findings

    assert finding.severity is Severity.LOW
