import pytest

from kubegap_checks.facts.node_classes import EC2NodeClass
from kubegap_checks.facts.node_pools import DisruptionBudget, NodePool
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Severity
from kubegap_checks.rules.driver_drift.floating_node_image import CHECK
from tests.checks.build import facts, node
from tests.checks.driver_drift.fleet import alike

NODES = alike(2, {"karpenter.sh/nodepool": "training"})
NEWEST = EC2NodeClass(name="p5", image_aliases=("al2023@latest",))
HELD = DisruptionBudget(nodes="0", reasons=("Drifted",))


def pool(*budgets: DisruptionBudget, name: str = "training", node_class: str = "p5") -> NodePool:
    return NodePool(name=name, node_class=node_class, budgets=budgets)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(*NODES, pool(), NEWEST), "gap", id="GPU nodes are made from the newest image"),
        pytest.param(
            facts(*NODES, pool(), EC2NodeClass(name="p5", image_aliases=("al2023@v20251120",))),
            "clear",
            id="an alias with a version",
        ),
        pytest.param(facts(*NODES, pool(), EC2NodeClass(name="p5")), "clear", id="an image without an alias"),
        pytest.param(facts(*NODES, pool(node_class="p4"), NEWEST), "clear", id="the pool uses another class"),
        pytest.param(
            facts(node("cpu-1", {"karpenter.sh/nodepool": "web"}), pool(name="web"), NEWEST),
            "clear",
            id="a pool without GPUs",
        ),
        pytest.param(facts(*alike(2), pool(), NEWEST), "clear", id="GPU nodes that Karpenter did not make"),
        pytest.param(facts(*alike(2), pool(name=""), NEWEST), "clear", id="a pool without a name"),
        pytest.param(facts(*NODES, pool()), "not_applicable", id="no class"),
        pytest.param(facts(*NODES, NEWEST, unread=(NodePool,)), "unknown", id="pools are unread"),
        pytest.param(facts(*NODES, pool(), unread=(EC2NodeClass,)), "unknown", id="classes are unread"),
        pytest.param(facts(pool(), NEWEST, unread=(Node,)), "unknown", id="nodes are unread"),
        pytest.param(facts(*NODES, pool(), NEWEST, unread=(ResourceSlice,)), "gap", id="DRA is unread"),
        pytest.param(
            facts(*alike(2), pool(), NEWEST, unread=(ResourceSlice,)),
            "unknown",
            id="unread DRA may show more GPU nodes",
        ),
    ],
)
def test_gpu_machines_must_not_follow_the_newest_image(given: Facts, status: str):
    assert CHECK.run(given).status == status


@pytest.mark.parametrize(
    ("budget", "severity"),
    [
        pytest.param(HELD, Severity.LOW, id="drifted nodes are kept"),
        pytest.param(DisruptionBudget(nodes="0%"), Severity.LOW, id="all nodes are kept"),
        pytest.param(DisruptionBudget(nodes="1", reasons=("Drifted",)), Severity.MEDIUM, id="one at a time"),
        pytest.param(DisruptionBudget(nodes="0", reasons=("Empty",)), Severity.MEDIUM, id="empty nodes are kept"),
    ],
)
def test_a_pool_that_keeps_its_nodes_is_less_bad(budget: DisruptionBudget, severity: Severity):
    [finding] = CHECK.run(facts(*NODES, pool(budget), NEWEST)).findings

    assert finding.severity is severity


def test_a_finding_names_the_pools_whose_nodes_are_replaced():
    other = alike(1, {"karpenter.sh/nodepool": "tuning"}, first=9)

    [finding] = CHECK.run(facts(*NODES, *other, pool(), pool(HELD, name="tuning"), NEWEST)).findings

    assert str(finding.subject) == "EC2NodeClass/p5"
    assert finding.says.en == "a newer image replaces the GPU nodes of pool training as soon as it is released"
    assert finding.evidence["spec.amiSelectorTerms.alias"] == "al2023@latest"


def test_a_finding_says_what_new_nodes_of_a_pool_get_that_keeps_its_own():
    [finding] = CHECK.run(facts(*NODES, pool(HELD), NEWEST)).findings

    assert finding.says.en == "new GPU nodes of pool training get the newest image, whatever the others run"
