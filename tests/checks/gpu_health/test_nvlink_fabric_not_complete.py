import pytest

from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Partial
from kubegap_checks.rules.gpu_health.nvlink_fabric_not_complete import CHECK
from tests.checks.build import JUST_NOW, damaged, facts, node

GB200 = {
    "nvidia.com/gpu.present": "true",
    "nvidia.com/gpu.product": "NVIDIA-GB200",
    "node.kubernetes.io/instance-type": "gb200-4x",
}
UNKNOWN = {"nvidia.com/gpu.present": "true"}
CLIQUE = {"nvidia.com/gpu.clique": "00000000-0000-0000-0000-000000000001.1"}
GPUS = {"nvidia.com/gpu": 4}


def complete(number: int, labels=GB200, **fields) -> Node:
    return node(f"gpu-{number}", labels | CLIQUE, GPUS, **fields)


def lacking(labels=GB200, devices=GPUS, name: str = "gpu-0", **fields) -> Node:
    return node(name, labels, devices, **fields)


THREE = tuple(complete(number) for number in (1, 2, 3))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(lacking(), *THREE), "gap", id="three peers have finished theirs"),
        pytest.param(facts(lacking(), *THREE[:2]), "clear", id="too few peers"),
        pytest.param(facts(complete(0), *THREE), "clear", id="all have finished"),
        pytest.param(
            facts(*(lacking(name=f"gpu-{number}") for number in range(4))), "clear", id="machines without the fabric"
        ),
        pytest.param(
            facts(*(lacking(name=f"old-{number}") for number in range(4)), *THREE),
            "clear",
            id="most have not: an agent too old to tell",
        ),
        pytest.param(
            facts(lacking(GB200 | {"nvidia.com/gpu.product": "NVIDIA-H100"}), *THREE), "clear", id="another product"
        ),
        pytest.param(
            facts(lacking(UNKNOWN), *(complete(number, UNKNOWN) for number in (1, 2, 3))),
            "clear",
            id="nothing tells what kind of nodes these are",
        ),
        pytest.param(
            facts(lacking(), lacking(name="old-0"), complete(1), complete(2)), "gap", id="two of three peers have"
        ),
        pytest.param(
            facts(*(lacking(name=f"old-{number}") for number in range(3)), complete(1), complete(2)),
            "clear",
            id="half of the peers have",
        ),
        pytest.param(
            facts(lacking(devices={"nvidia.com/gpu": 0, "nvidia.com/mig-1g.24gb": 28}), *THREE), "clear", id="MIG"
        ),
        pytest.param(facts(lacking(created=JUST_NOW), *THREE), "clear", id="a node that has just joined"),
        pytest.param(
            facts(lacking(GB200 | {"nvidia.com/gpu-driver-upgrade-state": "drain-required"}), *THREE),
            "clear",
            id="a node that is being upgraded",
        ),
        pytest.param(facts(node("cpu-1")), "not_applicable", id="no accelerators"),
        pytest.param(facts(unread=(Node,)), "unknown", id="nodes unread"),
        pytest.param(facts(complete(0), unread=(ResourceSlice,)), "unknown", id="slices unread"),
        pytest.param(facts(lacking(), *THREE, unread=(ResourceSlice,)), "gap", id="labels tell"),
    ],
)
def test_a_node_outside_the_fabric_of_its_peers_is_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_it_says_how_many_peers_have_finished_theirs():
    [finding] = CHECK.run(facts(lacking(), *THREE, complete(4))).findings

    assert str(finding.subject) == "Node/gpu-0"
    assert finding.says.en == "the node belongs to no NVLink clique, while 4 of 4 nodes like it do"
    assert finding.evidence == {"metadata.labels.nvidia.com/gpu.clique": None}


def test_a_node_that_makes_no_sense_may_be_a_peer_without_the_label():
    whole = facts(lacking(), *THREE)
    lost = damaged(Node)

    assert CHECK.run(whole.but(Node, Partial(whole.known(Node), (lost,)))).status == "unknown"
