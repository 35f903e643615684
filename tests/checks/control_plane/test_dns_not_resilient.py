import pytest
from msgspec.structs import replace

from kubegap_checks.facts.controllers import Deployment
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Severity
from kubegap_checks.rules.control_plane.dns_not_resilient import CHECK
from tests.checks.build import container, deployment, facts, node, template

MIB = 1 << 20
LABELS = {"k8s-app": "kube-dns"}
PODS = template(container("coredns"), labels=LABELS, spread_over=frozenset({"kubernetes.io/hostname"}))
TWO = deployment("coredns", template=PODS, replicas=2)
ONE = replace(TWO, replicas=1)
NODES = (node("gpu-1"), node("gpu-2"))


def limited(memory: int | None, name: str = "coredns") -> Deployment:
    return replace(TWO, template=replace(PODS, containers=(container(name, memory_limit=memory),)))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(ONE, *NODES), "gap", id="one replica"),
        pytest.param(
            facts(replace(TWO, template=replace(PODS, spread_over=frozenset())), *NODES), "gap", id="not kept apart"
        ),
        pytest.param(facts(limited(100 * MIB), *NODES), "gap", id="a small memory limit"),
        pytest.param(facts(TWO, *NODES), "clear", id="two replicas that are kept apart"),
        pytest.param(facts(limited(170 * MIB), *NODES), "clear", id="the usual memory limit"),
        pytest.param(facts(limited(100 * MIB, "dnsmasq"), *NODES), "clear", id="the limit of another container"),
        pytest.param(
            facts(replace(ONE, template=replace(PODS, spread_over=frozenset())), NODES[0]),
            "clear",
            id="a cluster of one node",
        ),
        pytest.param(facts(ONE, replace(ONE, name="own"), *NODES), "clear", id="two Deployments of one replica"),
        pytest.param(facts(replace(TWO, replicas=0), *NODES), "not_applicable", id="scaled to zero"),
        pytest.param(facts(replace(ONE, namespace="vcluster"), *NODES), "not_applicable", id="DNS of something else"),
        pytest.param(
            facts(replace(ONE, template=replace(PODS, labels={"k8s-app": "kube-dns-autoscaler"})), *NODES),
            "not_applicable",
            id="its autoscaler",
        ),
        pytest.param(facts(*NODES), "not_applicable", id="no DNS Deployment"),
        pytest.param(facts(unread=(Deployment,)), "unknown", id="Deployments unread"),
        pytest.param(facts(ONE, unread=(Node,)), "unknown", id="nodes unread"),
    ],
)
def test_cluster_dns_must_survive_a_node_and_a_burst(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_one_replica_is_medium_beside_a_deployment_of_none():
    [finding] = CHECK.run(facts(ONE, replace(ONE, name="kube-dns", replicas=0), *NODES)).findings

    assert (str(finding.subject), finding.severity) == ("Deployment/kube-system/coredns", Severity.MEDIUM)
    assert finding.evidence == {"spec.replicas": 1}


def test_the_other_two_are_low_and_told_apart():
    both = replace(limited(100 * MIB), template=replace(limited(100 * MIB).template, spread_over=frozenset()))
    together, memory = CHECK.run(facts(both, *NODES)).findings

    assert (together.severity, memory.severity) == (Severity.LOW, Severity.LOW)
    assert together.key != memory.key
    assert memory.says.en == "its memory limit of 100Mi is under the 170Mi of CoreDNS's own manifest"
    assert list(memory.evidence.values()) == ["100Mi"]
