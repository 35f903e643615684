import pytest

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.control_plane.rollout_too_wide import CHECK
from kubegap_checks.signals.node_agents import node_agent
from tests.checks.build import container, daemon_set, facts, template


def agents(
    most: str, *, image: str = "quay.io/cilium/cilium:v1.18.4", nodes: int = 20, strategy: str = "RollingUpdate"
) -> DaemonSet:
    made = template(container(image="sidecar:v1"), container(image=image))
    return daemon_set("cilium", template=made, desired=nodes, strategy=strategy, max_unavailable=most)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(agents("100%")), "gap", id="all nodes at once"),
        pytest.param(facts(agents("50%")), "gap", id="half of them"),
        pytest.param(facts(agents("10")), "gap", id="half of them by number"),
        pytest.param(facts(agents("100%", nodes=10)), "gap", id="ten nodes"),
        pytest.param(facts(agents("100%", image="nvcr.io/nvidia/driver:580-ubuntu22.04")), "gap", id="a driver"),
        pytest.param(facts(agents("49%")), "clear", id="less than half"),
        pytest.param(facts(agents("9")), "clear", id="less than half by number"),
        pytest.param(facts(agents("")), "clear", id="the default of one node"),
        pytest.param(facts(agents("100%", nodes=9)), "clear", id="a few nodes"),
        pytest.param(facts(agents("1"), agents("100%", image="r/fluent-bit:4")), "clear", id="of another agent"),
        pytest.param(facts(agents("100%", strategy="OnDelete")), "clear", id="only when they are deleted"),
        pytest.param(facts(agents("100%", image="nvcr.io/nvidia/k8s-device-plugin:v1")), "not_applicable", id="plugin"),
        pytest.param(facts(agents("100%", image="r/fluent-bit:4")), "not_applicable", id="an agent nobody waits for"),
        pytest.param(facts(), "not_applicable", id="no DaemonSet"),
        pytest.param(facts(unread=(DaemonSet,)), "unknown", id="DaemonSets unread"),
    ],
)
def test_a_network_or_driver_agent_must_be_replaced_little_by_little(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_what_it_says():
    verdict = CHECK.run(facts(agents("100%")))

    [finding] = verdict.findings
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (Severity.MEDIUM, Confidence.CERTAIN)
    assert str(finding.subject) == "DaemonSet/kube-system/cilium"
    assert finding.says.en == (
        "Cilium may be replaced on 100% of 20 nodes at once, whose pods lose their network together if it fails"
    )


@pytest.mark.parametrize(
    ("image", "product"),
    [
        ("docker.io/calico/node", "Calico"),
        ("rancher/mirrored-calico-node", "Calico"),
        ("calico/node-driver-registrar", None),
        ("602401143452.dkr.ecr.us-west-2.amazonaws.com/amazon-k8s-cni", "Amazon VPC CNI"),
        ("602401143452.dkr.ecr.us-west-2.amazonaws.com/amazon-k8s-cni-init", None),
        ("ghcr.io/flannel-io/flannel", "Flannel"),
        ("docker.io/flannel/flannel", "Flannel"),
        ("nvcr.io/nvidia/mellanox/doca-driver", "DOCA or OFED driver"),
        ("nvcr.io/nvidia/cloud-native/k8s-driver-manager", None),
    ],
)
def test_which_agents_are_felt(image: str, product: str | None):
    row = node_agent(image)

    assert (row.product if row else None) == product
