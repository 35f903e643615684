import pytest

from kubegap_checks.facts.controllers import DaemonSet, Deployment
from kubegap_checks.facts.nodes import Condition, Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Partial
from kubegap_checks.rules.gpu_health.no_health_gate import CHECK
from tests.checks.build import container, daemon_set, damaged, deployment, facts, node, ready, template

H100 = {"nvidia.com/gpu.present": "true", "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}
GPUS = {"nvidia.com/gpu": 8}
OPERANDS = (
    daemon_set(
        "nvidia-device-plugin-daemonset", template=template(container(image="nvcr.io/nvidia/k8s-device-plugin:1"))
    ),
    daemon_set("nvidia-dcgm-exporter", template=template(container(image="nvcr.io/nvidia/k8s/dcgm-exporter:4"))),
    daemon_set("nvidia-operator-validator", template=template(container(image="nvcr.io/nvidia/gpu-operator:v25"))),
    daemon_set("node-problem-detector", template=template(container(image="registry.k8s.io/node-problem-detector:v1"))),
    deployment("gpu-operator", template=template(container(image="nvcr.io/nvidia/gpu-operator:v25"))),
)


def watched(*kinds: str, status: str = "False", **labels: str) -> Node:
    conditions = (ready(), *(Condition(type=kind, status=status) for kind in kinds))
    return node(labels=H100 | labels, devices=GPUS, conditions=conditions)


def gpu(**fields) -> Node:
    return node(labels=H100, devices=GPUS, **fields)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(gpu(), *OPERANDS), "gap", id="a device plugin and metrics alone"),
        pytest.param(facts(watched("KernelDeadlock", "MemoryPressure"), *OPERANDS), "gap", id="no condition of GPUs"),
        pytest.param(facts(watched("GPUMissing"), *OPERANDS), "clear", id="a condition, False"),
        pytest.param(facts(watched("AcceleratedHardwareReady", status="True")), "clear", id="a condition, True"),
        pytest.param(facts(gpu(), watched("GPUMissing")), "clear", id="a condition on one node"),
        pytest.param(facts(watched("AcmeGpuHealth")), "clear", id="a condition of an agent of one's own"),
        pytest.param(facts(watched(**{"autopilot.ibm.com/gpuhealth": "PASS"})), "clear", id="a label"),
        pytest.param(facts(watched(**{"node.coreweave.cloud/state": "production"})), "clear", id="a platform's label"),
        pytest.param(
            facts(watched(**{"network.nvidia.com/operator.nic-configuration.wait": "false"})),
            "gap",
            id="a label of an operator that changes nodes",
        ),
        pytest.param(
            facts(watched(**{"nvidia.com/mig.config.state": "success"})), "gap", id="a label of the MIG manager"
        ),
        pytest.param(
            facts(watched(**{"network.nvidia.com/operator.mofed.wait": "false"})), "gap", id="a label about adapters"
        ),
        pytest.param(facts(watched("InfiniBandStateCheck")), "gap", id="a condition about adapters"),
        pytest.param(facts(gpu(), daemon_set("nvsentinel-platform-connectors")), "clear", id="an agent's name"),
        pytest.param(
            facts(gpu(), daemon_set(template=template(container(image="quay.io/autopilot/autopilot:v2.2.0")))),
            "clear",
            id="IBM's Autopilot",
        ),
        pytest.param(
            facts(gpu(), daemon_set("autopilot", template=template(container(image="docker.io/portworx/autopilot:1")))),
            "gap",
            id="Portworx has an Autopilot too, for disks",
        ),
        pytest.param(
            facts(gpu(), daemon_set(template=template(container(image="ghcr.io/nvidia/nvsentinel/labeler:v1")))),
            "clear",
            id="an agent's image",
        ),
        pytest.param(facts(gpu(), deployment("gpu-remediation")), "clear", id="a controller of one's own"),
        pytest.param(facts(node("cpu-1")), "not_applicable", id="a node without accelerators"),
        pytest.param(facts(unread=(Node,)), "unknown", id="nodes unread"),
        pytest.param(facts(gpu(), unread=(DaemonSet,)), "unknown", id="DaemonSets unread"),
        pytest.param(facts(gpu(), unread=(Deployment,)), "unknown", id="Deployments unread"),
        pytest.param(facts(node("cpu-1"), unread=(ResourceSlice,)), "unknown", id="who has devices is unread"),
        pytest.param(facts(watched("GPUMissing"), unread=(DaemonSet, Deployment)), "clear", id="a node tells"),
    ],
)
def test_gpus_that_nothing_watches_are_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_one_finding_counts_the_nodes():
    [finding] = CHECK.run(facts(gpu(name="gpu-2"), gpu(), node("cpu-1"))).findings

    assert str(finding.subject) == "Cluster/gpu-nodes"
    assert "2 nodes (gpu-1, gpu-2)" in finding.says.en


def test_a_node_that_makes_no_sense_may_be_watched():
    whole = facts(gpu())
    lost = damaged(Node)

    assert CHECK.run(whole.but(Node, Partial(whole.known(Node), (lost,)))).status == "unknown"
