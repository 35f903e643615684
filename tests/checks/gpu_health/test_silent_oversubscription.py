import pytest

from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.pods import Pod, Run
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence
from kubegap_checks.rules.gpu_health.silent_oversubscription import CHECK
from tests.checks.build import facts, node, pod

FOURFOLD = {"nvidia.com/gpu.present": "true", "nvidia.com/gpu.replicas": "4"}


def shared(labels=FOURFOLD, devices=None, **fields) -> Node:
    return node(labels=labels, devices=devices or {"nvidia.com/gpu": 32}, **fields)


def asking(count: int = 2, name: str = "nvidia.com/gpu", **fields) -> Pod:
    return pod(**{"resources": {"rdma/ib": 1, name: count}, **fields})


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(shared(), asking()), "gap", id="each GPU is offered four times"),
        pytest.param(
            facts(shared(FOURFOLD | {"nvidia.com/gpu.sharing-strategy": "mps"}), asking()), "gap", id="through MPS"
        ),
        pytest.param(facts(shared(FOURFOLD | {"nvidia.com/gpu.replicas": "1"}), asking()), "clear", id="whole GPUs"),
        pytest.param(facts(shared({"nvidia.com/gpu.present": "true"}), asking()), "clear", id="no label says so"),
        pytest.param(
            facts(shared(devices={"nvidia.com/gpu.shared": 32}), asking(name="nvidia.com/gpu.shared")),
            "clear",
            id="shares are asked for by their name",
        ),
        pytest.param(
            facts(shared(devices={"nvidia.com/gpu.shared": 16, "nvidia.com/gpu": 4}), asking()),
            "clear",
            id="whole GPUs beside shares of another name",
        ),
        pytest.param(facts(shared(), asking(0)), "clear", id="no GPU is asked for"),
        pytest.param(facts(shared(), asking(name="nvidia.com/mig-1g.10gb")), "clear", id="another resource"),
        pytest.param(facts(shared(), node("gpu-2"), asking(node="gpu-2")), "clear", id="on another node"),
        pytest.param(
            facts(
                shared(),
                asking(run=Run(kind="Deployment", namespace="ml", name="web"), resources={"nvidia.com/gpu": 1}),
            ),
            "not_applicable",
            id="a pod that serves",
        ),
        pytest.param(facts(shared()), "not_applicable", id="no run"),
        pytest.param(facts(asking(), unread=(Node,)), "unknown", id="nodes unread"),
        pytest.param(facts(shared(), unread=(Pod,)), "unknown", id="pods unread"),
        pytest.param(facts(shared(), asking(), unread=(ResourceSlice,)), "gap", id="slices do not matter"),
    ],
)
def test_a_run_on_shared_gpus_is_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_it_names_the_run_and_how_often_a_gpu_is_offered():
    pods = (asking(), pod("train-1", node="gpu-2", resources={"nvidia.com/gpu": 2}))

    [finding] = CHECK.run(facts(shared(), shared(name="gpu-2"), *pods)).findings

    assert str(finding.subject) == "PyTorchJob/ml/train"
    assert finding.says.en == "it asks for nvidia.com/gpu on 2 nodes (gpu-1, gpu-2), where each GPU is offered 4 times"
    assert finding.evidence["Node[gpu-1].status.capacity.nvidia.com/gpu"] == 32
    assert finding.confidence is Confidence.LIKELY


def test_what_only_looks_like_training_is_a_hint():
    [finding] = CHECK.run(facts(shared(), asking(8, run=Run(kind="Pod", namespace="ml", name="x")))).findings
    assert finding.confidence is Confidence.LIKELY

    [finding] = CHECK.run(
        facts(shared(), pod(resources={"nvidia.com/gpu": 8}, run=Run(kind="Pod", namespace="ml", name="x")))
    ).findings
    assert finding.confidence is Confidence.HINT
