import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.pods import Pod, Run
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Severity
from kubegap_checks.rules.spare_capacity.single_failure_domain import CHECK
from tests.checks.build import container, facts, node, pod

GPU = {"nvidia.com/gpu": 8}
L40S = {"nvidia.com/gpu.product": "NVIDIA-L40S"}
ZONE = "topology.kubernetes.io/zone"


def at(name: str, zone: str = "", product: str = "NVIDIA-L40S") -> Node:
    return node(name, {"nvidia.com/gpu.product": product} | ({ZONE: zone} if zone else {}), GPU)


def replica(place: int, node: str, kind: str = "Deployment") -> Pod:
    run = Run(kind=kind, namespace="serving", name="chat")
    return pod(f"chat-{place}", "serving", node=node, resources={"nvidia.com/gpu": 1}, run=run)


A, B, OTHER_ZONE = at("gpu-a", "zone-a"), at("gpu-b", "zone-a"), at("gpu-c", "zone-b")
ON_ONE = (replica(0, "gpu-a"), replica(1, "gpu-a"))
ON_TWO = (replica(0, "gpu-a"), replica(1, "gpu-b"))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(A, B, *ON_ONE), "gap", id="both replicas are on one of two nodes"),
        pytest.param(facts(A, B, *ON_TWO), "clear", id="they are on two nodes"),
        pytest.param(facts(A, *ON_ONE), "clear", id="there is one such node only"),
        pytest.param(
            facts(A, at("gpu-b", "zone-a", "NVIDIA-A100-SXM4-80GB"), *ON_ONE), "clear", id="the other has other GPUs"
        ),
        pytest.param(facts(A, B, ON_ONE[0]), "not_applicable", id="one replica"),
        pytest.param(facts(A, B, ON_ONE[0], replace(ON_ONE[1], deleting=True)), "not_applicable", id="one is going"),
        pytest.param(facts(A, B, ON_ONE[0], replace(ON_ONE[1], node="")), "not_applicable", id="one is not placed yet"),
        pytest.param(
            facts(A, B, *(replica(place, "gpu-a", "PyTorchJob") for place in range(2))), "not_applicable", id="a run"
        ),
        pytest.param(
            facts(A, B, *(replica(place, "gpu-a", "Job") for place in range(2))), "not_applicable", id="batch work"
        ),
        pytest.param(
            facts(A, B, *(replica(place, "gpu-a", "SparkApplication") for place in range(2))),
            "not_applicable",
            id="a kind that no table knows",
        ),
        pytest.param(
            facts(A, B, *(replace(one, containers=(container(env={"MASTER_ADDR": None}),)) for one in ON_ONE)),
            "not_applicable",
            id="a Deployment that trains",
        ),
        pytest.param(facts(A, B, OTHER_ZONE, *ON_TWO), "gap", id="one zone, and such GPUs are in another too"),
        pytest.param(facts(A, B, OTHER_ZONE, ON_TWO[0], replica(1, "gpu-c")), "clear", id="they are in two zones"),
        pytest.param(
            facts(A, B, at("gpu-c", "zone-b", "NVIDIA-A100-SXM4-80GB"), *ON_TWO), "clear", id="other GPUs in the zone"
        ),
        pytest.param(facts(at("gpu-a"), at("gpu-b"), OTHER_ZONE, *ON_TWO), "clear", id="their zone is not told"),
        pytest.param(facts(A, B, at("gpu-c"), *ON_TWO), "clear", id="the zone of the others is not told"),
        pytest.param(facts(A, B, *ON_ONE, unread=(Pod,)), "unknown", id="pods unread"),
        pytest.param(facts(A, B, *ON_ONE, unread=(Node,)), "unknown", id="nodes unread"),
        pytest.param(facts(A, B, *ON_ONE, unread=(ResourceSlice,)), "gap", id="what is offered by claims is unread"),
    ],
)
def test_replicas_must_not_share_one_failure_domain(given: Facts, status: str):
    assert CHECK.run(given).status == status


@pytest.mark.parametrize(
    ("given", "key", "severity"),
    [
        pytest.param(facts(A, B, OTHER_ZONE, *ON_ONE), "node", None, id="a node is the smaller domain, and the worse"),
        pytest.param(facts(A, B, OTHER_ZONE, *ON_TWO), "zone", Severity.LOW, id="a zone"),
    ],
)
def test_the_smallest_domain_is_named(given: Facts, key: str, severity: Severity | None):
    [finding] = CHECK.run(given).findings

    assert (str(finding.subject), finding.key, finding.severity) == ("Deployment/serving/chat", key, severity)
