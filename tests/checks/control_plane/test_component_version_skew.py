import pytest

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Severity
from kubegap_checks.rules.control_plane.component_version_skew import CHECK
from tests.checks.build import container, daemon_set, facts, node, template

NEW = node("cpu-1", kubelet="v1.33.5")


def old(version: str, **labels: str) -> Node:
    return node("gpu-1", labels, kubelet=version)


def proxy(image: str, desired: int = 3) -> DaemonSet:
    return daemon_set("kube-proxy", template=template(container(image=image)), desired=desired)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(NEW, old("v1.29.9-eks-1")), "gap", id="a kubelet four versions old"),
        pytest.param(facts(NEW, proxy("registry.k8s.io/kube-proxy:v1.29.0")), "gap", id="a kube-proxy too old"),
        pytest.param(facts(NEW, proxy("registry.k8s.io/kube-proxy:v1.31.0")), "gap", id="a kube-proxy left behind"),
        pytest.param(facts(NEW, proxy("r/kube-proxy:v1.35.0")), "gap", id="a kube-proxy gone ahead"),
        pytest.param(facts(NEW, proxy("r:5000/eks/kube-proxy:v1.31.2-minimal-eksbuild.3@sha256:0")), "gap", id="EKS"),
        pytest.param(facts(NEW, old("v1.30.9")), "clear", id="a kubelet three versions old"),
        pytest.param(facts(NEW, old("v1.25.0-vk-azure-aci-1.6", type="virtual-kubelet")), "clear", id="a virtual one"),
        pytest.param(facts(NEW, old("")), "clear", id="a kubelet without a version"),
        pytest.param(facts(NEW, proxy("r/kube-proxy:v1.32.0")), "clear", id="a kube-proxy one version old"),
        pytest.param(facts(NEW, proxy("r/kube-proxy:v1.29.0", desired=0)), "clear", id="it runs nowhere"),
        pytest.param(facts(NEW, proxy("r/cilium:v1.18.4")), "clear", id="another agent's own version"),
        pytest.param(facts(NEW, proxy("r/kube-proxy@sha256:0")), "clear", id="an image without a tag"),
        pytest.param(facts(), "clear", id="no node"),
        pytest.param(facts(unread=(Node,)), "unknown", id="nodes unread"),
        pytest.param(facts(NEW, unread=(DaemonSet,)), "unknown", id="DaemonSets unread"),
    ],
)
def test_components_must_not_be_too_far_apart(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_an_old_kubelet_is_medium_and_names_the_node():
    verdict = CHECK.run(facts(NEW, old("v1.29.9")))

    [finding] = verdict.findings
    assert (str(finding.subject), verdict.severity_of(finding)) == ("Node/gpu-1", Severity.MEDIUM)
    assert finding.says.en == "its kubelet 1.29 is 4 minor versions older than the 1.33 of other nodes"


@pytest.mark.parametrize(("version", "severity"), [("v1.29.0", Severity.MEDIUM), ("v1.30.0", Severity.LOW)])
def test_a_kube_proxy_beyond_the_policy_is_medium_and_within_it_low(version: str, severity: Severity):
    verdict = CHECK.run(facts(NEW, proxy(f"r/kube-proxy:{version}")))

    [finding] = verdict.findings
    assert (str(finding.subject), verdict.severity_of(finding)) == (
        "DaemonSet/kube-system/kube-proxy",
        severity,
    )


def test_the_kubelet_that_is_furthest_away_is_named():
    [finding] = CHECK.run(facts(NEW, old("v1.32.1"), proxy("r/kube-proxy:v1.31.0"))).findings

    assert finding.evidence["status.nodeInfo.kubeletVersion"] == "v1.33.5"
