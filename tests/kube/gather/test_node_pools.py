import json

from kubegap_checks.facts.node_pools import DisruptionBudget, NodePool
from kubegap_mcp.kube.gather.registry import gatherers

POOLS = gatherers()[NodePool]


def one(spec: object) -> NodePool:
    (row,) = POOLS.objects([json.dumps({"metadata": {"name": "gpu"}, "spec": spec}).encode()]).rows
    assert isinstance(row, NodePool)
    return row


def test_a_pool_says_which_of_its_nodes_may_be_taken_away() -> None:
    budgets = [{"nodes": "0", "reasons": ["Drifted"], "schedule": "@daily", "duration": "8h"}, {"nodes": "10%"}]
    disruption = {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "Never", "budgets": budgets}

    template = {"spec": {"nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "p5"}}}

    assert one({"disruption": disruption, "replicas": 0, "template": template}) == NodePool(
        name="gpu",
        node_class="p5",
        consolidation_policy="WhenEmpty",
        consolidate_after="Never",
        budgets=(DisruptionBudget(nodes="0", reasons=("Drifted",), scheduled=True), DisruptionBudget(nodes="10%")),
        static=True,
    )


def test_a_pool_that_says_nothing_makes_sense() -> None:
    assert one(None) == NodePool(name="gpu")
