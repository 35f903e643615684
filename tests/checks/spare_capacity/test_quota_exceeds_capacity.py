import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.queues import ClusterQueue, ResourceFlavor
from kubegap_checks.facts.read import Facts
from kubegap_checks.rules.spare_capacity.quota_exceeds_capacity import CHECK
from tests.checks.build import cluster_queue, facts, flavor, node

GPU = "nvidia.com/gpu"
NODES = tuple(node(f"gpu-{place}", {"pool": "h100"}, {GPU: 8, "rdma/ib": 8}) for place in range(2))
OTHERS = node("other", {"pool": "a100"}, {GPU: 8})
H100 = flavor("h100", {"pool": "h100"})
QUEUE = cluster_queue("a", {("h100", GPU): 10})
MORE = cluster_queue("b", {("h100", GPU): 15})
GAP = (*NODES, OTHERS, H100, QUEUE, MORE)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(*GAP), "gap", id="25 are let in, 16 are there"),
        pytest.param(
            facts(*NODES, OTHERS, H100, QUEUE, cluster_queue("b", {("h100", GPU): 14})),
            "clear",
            id="one more node would do",
        ),
        pytest.param(facts(*NODES, OTHERS, flavor("h100"), QUEUE, MORE), "clear", id="the flavor stands for all nodes"),
        pytest.param(
            facts(*NODES, H100, QUEUE, cluster_queue("b", {("a100", GPU): 15})), "clear", id="of another flavor"
        ),
        pytest.param(facts(*NODES, H100, cluster_queue("a", {("h100", "rdma/ib"): 99})), "clear", id="no accelerators"),
        pytest.param(facts(*NODES, H100, QUEUE, replace(MORE, stopped=True)), "clear", id="the second is stopped"),
        pytest.param(facts(*NODES, H100, QUEUE, replace(MORE, checked=True)), "clear", id="somebody else has a say"),
        pytest.param(
            facts(*NODES, replace(H100, topology="fabric"), QUEUE, MORE), "clear", id="Kueue looks at the nodes itself"
        ),
        pytest.param(
            facts(
                *(replace(one, labels={"pool": "h100", "karpenter.sh/nodepool": "h100"}) for one in NODES),
                H100,
                QUEUE,
                MORE,
            ),
            "clear",
            id="nodes are made on demand",
        ),
        pytest.param(facts(OTHERS, H100, QUEUE, MORE), "clear", id="a pool that has no node now"),
        pytest.param(
            facts(*(replace(one, capacity=None) for one in NODES), H100, QUEUE, MORE),
            "unknown",
            id="no capacity is told",
        ),
        pytest.param(
            facts(
                *(replace(one, allocatable={GPU: 6}) for one in NODES), H100, cluster_queue("a", {("h100", GPU): 24})
            ),
            "clear",
            id="an unhealthy GPU is capacity still",
        ),
        pytest.param(facts(*NODES), "not_applicable", id="no flavor"),
        pytest.param(facts(*GAP, unread=(Node,)), "unknown", id="nodes unread"),
        pytest.param(facts(*GAP, unread=(ClusterQueue,)), "unknown", id="queues unread"),
        pytest.param(facts(*GAP, unread=(ResourceFlavor,)), "unknown", id="flavors unread"),
    ],
)
def test_queues_must_not_let_in_more_than_there_is(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_the_finding_names_the_flavor_and_its_queues():
    [finding] = CHECK.run(facts(*GAP)).findings

    assert (str(finding.subject), finding.key) == ("ResourceFlavor/h100", GPU)
    assert finding.evidence == {
        "ClusterQueue[a].nominalQuota": 10,
        "ClusterQueue[b].nominalQuota": 15,
        "Node.status.capacity[nvidia.com/gpu]": 16,
    }
