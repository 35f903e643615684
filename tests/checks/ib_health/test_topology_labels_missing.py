from datetime import timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.queues import ResourceFlavor
from kubegap_checks.facts.read import Facts, Partial
from kubegap_checks.facts.topologies import Topology
from kubegap_checks.model import Confidence, Severity, Status
from kubegap_checks.rules.ib_health.topology_labels_missing import CHECK
from tests.checks.build import READ_AT, damaged, facts, node

BLOCK, HOST, POOL = "cloud.google.com/gce-topology-block", "kubernetes.io/hostname", {"pool": "a"}
TOPOLOGY = Topology(name="fabric", levels=(BLOCK, HOST))
FLAVOR = ResourceFlavor(name="gpu", node_labels=POOL, topology="fabric")


def gpu_node(name: str, *keys: str, **labels: str) -> Node:
    """With a label of each of these keys, in the pool."""
    return node(name, dict.fromkeys((HOST, *keys), name) | POOL | labels, {"nvidia.com/gpu": 8})


WITH, WITHOUT = gpu_node("gpu-1", BLOCK), gpu_node("gpu-2")
ALL_LACK = facts(TOPOLOGY, FLAVOR, WITHOUT)
DAMAGED = ALL_LACK.but(Node, Partial((WITHOUT,), (damaged(Node),)))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(ALL_LACK, "gap", id="all nodes lack a level"),
        pytest.param(
            facts(TOPOLOGY, FLAVOR, node(labels=POOL, devices={"nvidia.com/gpu": 8})), "gap", id="no other label at all"
        ),
        pytest.param(facts(TOPOLOGY, FLAVOR, WITH, WITHOUT), "gap", id="one node lacks a level"),
        pytest.param(facts(TOPOLOGY, FLAVOR, WITH), "clear", id="all have it"),
        pytest.param(facts(replace(TOPOLOGY, levels=(HOST,)), FLAVOR, WITHOUT), "clear", id="it is no level"),
        pytest.param(
            facts(TOPOLOGY, replace(FLAVOR, topology=""), WITHOUT), "not_applicable", id="no topology is used"
        ),
        pytest.param(facts(replace(TOPOLOGY, name="other"), FLAVOR, WITHOUT), "clear", id="another topology"),
        pytest.param(facts(TOPOLOGY, FLAVOR, gpu_node("gpu-2", pool="b")), "clear", id="a node of another flavor"),
        pytest.param(facts(TOPOLOGY, FLAVOR, node("cpu", POOL)), "clear", id="a node without accelerators"),
        pytest.param(
            facts(TOPOLOGY, FLAVOR, replace(WITHOUT, created=READ_AT - timedelta(minutes=5))),
            "clear",
            id="the node has just joined",
        ),
        pytest.param(facts(TOPOLOGY, WITHOUT), "not_applicable", id="no flavor"),
        pytest.param(DAMAGED, "unknown", id="one of the nodes made no sense, and may have the level"),
        pytest.param(
            facts(TOPOLOGY, FLAVOR, WITHOUT, unread=(ResourceSlice,)), "unknown", id="who else has GPUs is unread"
        ),
        pytest.param(
            facts(TOPOLOGY, FLAVOR, WITH, WITHOUT, unread=(ResourceSlice,)), "gap", id="one node lacks it all the same"
        ),
        *(
            pytest.param(facts(TOPOLOGY, FLAVOR, WITHOUT, unread=(kind,)), "unknown", id=f"{kind.__name__} is unread")
            for kind in (Node, ResourceFlavor, Topology)
        ),
    ],
)
def test_status(given: Facts, status: Status) -> None:
    assert CHECK.run(given).status == status


def test_where_all_nodes_lack_a_level_the_flavor_is_told() -> None:
    verdict = CHECK.run(ALL_LACK)

    (finding,) = verdict.findings
    assert str(finding.subject) == "ResourceFlavor/gpu"
    assert finding.says.en == (
        f"none of its 1 nodes has {BLOCK}, which topology fabric asks for: its jobs wait for ever"
    )
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (Severity.HIGH, Confidence.LIKELY)


def test_where_some_lack_it_each_of_them_is_told() -> None:
    verdict = CHECK.run(facts(TOPOLOGY, FLAVOR, WITH, WITHOUT))

    (finding,) = verdict.findings
    assert str(finding.subject) == "Node/gpu-2"
    assert finding.evidence == {f"metadata.labels.{BLOCK}": None}
    assert verdict.severity_of(finding) is Severity.MEDIUM
