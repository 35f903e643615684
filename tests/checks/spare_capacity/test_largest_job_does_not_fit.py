from datetime import timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import Node, Taint
from kubegap_checks.facts.pods import Pod, Run, Toleration
from kubegap_checks.facts.queues import NodeResourceTopology
from kubegap_checks.facts.read import Facts
from kubegap_checks.facts.selectors import Requirement
from kubegap_checks.rules.spare_capacity.largest_job_does_not_fit import CHECK
from tests.checks.build import READ_AT, facts, node, numa, pod, ready

GPU = "nvidia.com/gpu"
NODES = tuple(node(f"gpu-{place}", {"pool": "a"}, {GPU: 8}) for place in range(3))
SMALL = tuple(
    pod(f"small-{place}", node=f"gpu-{place}", resources={GPU: 4}, run=Run(kind="Job", namespace="ml", name="small"))
    for place in range(3)
)
WAITS = pod("train-0", node="", resources={GPU: 8}, unplaced_since=READ_AT - timedelta(hours=1), unplaced="0/3 nodes")
TAINTED = tuple(replace(one, taints=(Taint(key="team", value="a", effect="NoSchedule"),)) for one in NODES)
TOLERATES = replace(WAITS, tolerations=(Toleration(key="team", value="a"),))
ZONES = tuple(numa(f"gpu-{place}", {GPU: 2}, {GPU: 2}) for place in range(3))
FOUR = replace(WAITS, resources={GPU: 4})


def needs(operator: str, value: str, key: str = "pool") -> Pod:
    return replace(WAITS, node_terms=((Requirement(key=key, operator=operator, values=(value,)),),))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(*NODES, *SMALL, WAITS), "gap", id="four free on each of three nodes, eight wanted on one"),
        pytest.param(facts(*NODES, *SMALL[:2], WAITS), "clear", id="one node is whole"),
        pytest.param(facts(NODES[0], SMALL[0], WAITS), "clear", id="fewer are free than wanted"),
        pytest.param(facts(*NODES[:2], *SMALL[:2], WAITS), "gap", id="exactly as many are free as wanted"),
        pytest.param(facts(*NODES, *SMALL, replace(WAITS, resources={GPU: 4})), "clear", id="a node has just enough"),
        pytest.param(
            facts(*NODES, *SMALL, replace(WAITS, unplaced_since=READ_AT - timedelta(minutes=15))),
            "clear",
            id="it does not wait for long",
        ),
        pytest.param(facts(*NODES, *SMALL, replace(WAITS, unplaced_since=None)), "not_applicable", id="nothing waits"),
        pytest.param(facts(*NODES, *SMALL, replace(WAITS, deleting=True)), "clear", id="it is being deleted"),
        pytest.param(
            facts(
                *(node(f"gpu-{n}", devices={"rdma/ib": 4}) for n in range(3)), replace(WAITS, resources={"rdma/ib": 9})
            ),
            "clear",
            id="it wants no accelerator",
        ),
        pytest.param(facts(replace(WAITS, resources={GPU: 0})), "clear", id="it wants none of the resource"),
        pytest.param(facts(*NODES, *SMALL, replace(WAITS, node_selector={"pool": "b"})), "clear", id="another pool"),
        pytest.param(facts(*NODES, *SMALL, replace(WAITS, node_selector={"pool": "a"})), "gap", id="this pool"),
        pytest.param(facts(*NODES, *SMALL, needs("NotIn", "a")), "clear", id="affinity keeps it away"),
        pytest.param(facts(*NODES, *SMALL, needs("In", "a")), "gap", id="affinity lets it in"),
        pytest.param(
            facts(*NODES, *SMALL, needs("In", "gpu-0", "metadata.name")), "clear", id="affinity names one node only"
        ),
        pytest.param(facts(*TAINTED, *SMALL, WAITS), "clear", id="taints keep it away"),
        pytest.param(facts(*TAINTED, *SMALL, TOLERATES), "gap", id="it tolerates the taints"),
        pytest.param(
            facts(
                *(replace(one, taints=(Taint(key="team", effect="PreferNoSchedule"),)) for one in NODES), *SMALL, WAITS
            ),
            "gap",
            id="a taint that only discourages",
        ),
        pytest.param(
            facts(*(replace(one, unschedulable=True) for one in NODES), *SMALL, WAITS), "clear", id="cordoned nodes"
        ),
        pytest.param(
            facts(*(replace(one, conditions=(ready("False"),)) for one in NODES), *SMALL, WAITS),
            "clear",
            id="nodes that are not ready",
        ),
        pytest.param(
            facts(*(replace(one, conditions=()) for one in NODES), *SMALL, WAITS), "clear", id="nodes that say nothing"
        ),
        pytest.param(facts(*NODES, *SMALL, FOUR, *ZONES), "gap", id="four on one node, two in each of its zones"),
        pytest.param(
            facts(*NODES, *SMALL, FOUR, *(replace(one, single=False) for one in ZONES)),
            "clear",
            id="the kubelet does not ask for one zone",
        ),
        pytest.param(
            facts(*NODES, *SMALL, FOUR, *ZONES[1:], numa("gpu-0", {GPU: 4}, {GPU: 0})), "clear", id="a zone has four"
        ),
        pytest.param(
            facts(*NODES, *SMALL, WAITS, node("gpu-9", allocatable=None)),
            "unknown",
            id="a node does not say what it has",
        ),
        pytest.param(facts(*NODES, *SMALL, WAITS, unread=(Node,)), "unknown", id="nodes unread"),
        pytest.param(facts(*NODES, *SMALL, WAITS, unread=(Pod,)), "unknown", id="pods unread"),
        pytest.param(facts(*NODES, *SMALL, WAITS, unread=(NodeResourceTopology,)), "unknown", id="zones unread"),
    ],
)
def test_what_waits_must_fit_where_there_is_room(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_a_run_is_named_once_by_its_largest_pod():
    pods = (*SMALL, replace(WAITS, name="a-small-one", resources={GPU: 6}), WAITS, replace(WAITS, name="train-1"))

    [finding] = CHECK.run(facts(*NODES, *pods)).findings

    assert str(finding.subject) == "PyTorchJob/ml/train"
    assert finding.says.en == (
        "pod train-0 waits for 8 nvidia.com/gpu on one node: 12 are free where it may run, at most 4 on one node"
    )
    assert finding.since == "2026-11-29T11:00:00Z"


def test_a_node_that_is_overbooked_has_nothing_free_rather_than_less():
    pods = (replace(SMALL[0], resources={GPU: 99}), *SMALL[1:], WAITS)

    [finding] = CHECK.run(facts(*NODES, *pods)).findings

    assert finding.evidence["free on all nodes"] == 8


def test_where_a_zone_is_too_small_the_zone_is_named():
    [finding] = CHECK.run(facts(*NODES, *SMALL, FOUR, *ZONES)).findings

    assert "on one NUMA zone of a node" in finding.says.en
