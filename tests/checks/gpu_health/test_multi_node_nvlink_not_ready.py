from datetime import timedelta

import pytest

from kubegap_checks.facts.nodes import ComputeDomain
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts
from kubegap_checks.rules.gpu_health.multi_node_nvlink_not_ready import CHECK
from tests.checks.build import READ_AT, facts, pod

LATE = READ_AT - timedelta(minutes=11)
IN_TIME = READ_AT - timedelta(minutes=10)


def domain(status: str = "NotReady", nodes=("gpu-1", "gpu-2"), **fields) -> ComputeDomain:
    return ComputeDomain(
        **{"namespace": "ml", "name": "cd", "status": status, "num_nodes": 2, "nodes": nodes, **fields}
    )


def claiming(name: str = "train-0", node: str = "gpu-1", created=LATE, **fields) -> Pod:
    return pod(**{"name": name, "node": node, "created": created, "device_claims": 1, "phase": "Pending", **fields})


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(domain(), claiming()), "gap", id="a pod waits for the domain"),
        pytest.param(facts(domain(""), claiming()), "gap", id="no state at all"),
        pytest.param(facts(domain(), claiming(phase="Running")), "gap", id="the domain of a running pod fell back"),
        pytest.param(facts(domain("Ready"), claiming()), "clear", id="the domain is ready"),
        pytest.param(facts(domain(), claiming(created=IN_TIME)), "clear", id="a pod that was placed ten minutes ago"),
        pytest.param(facts(domain(), claiming(created=None)), "clear", id="a pod of unknown age"),
        pytest.param(facts(domain(nodes=())), "clear", id="an idle domain"),
        pytest.param(facts(domain()), "clear", id="a domain without pods"),
        pytest.param(facts(domain(), claiming(node="gpu-3")), "clear", id="a pod on a node outside the domain"),
        pytest.param(facts(domain(), claiming(namespace="other")), "clear", id="a pod of another namespace"),
        pytest.param(facts(domain(), claiming(device_claims=0)), "clear", id="a pod that claims nothing"),
        pytest.param(facts(domain(), claiming(deleting=True)), "clear", id="a pod that is going away"),
        pytest.param(
            facts(domain(), claiming(), claiming("train-1", "")), "clear", id="another pod still waits for a node"
        ),
        pytest.param(
            facts(domain(), claiming(), claiming("other-0", "", namespace="other")),
            "gap",
            id="a pod of another namespace waits for a node",
        ),
        pytest.param(facts(claiming()), "not_applicable", id="no domain"),
        pytest.param(facts(domain(), unread=(Pod,)), "unknown", id="pods unread"),
        pytest.param(facts(claiming(), unread=(ComputeDomain,)), "unknown", id="domains unread"),
    ],
)
def test_a_domain_that_keeps_its_pods_waiting_is_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_it_says_how_many_nodes_have_joined_and_since_when_pods_wait():
    pods = claiming("train-1", "gpu-1"), claiming("train-0", "gpu-1", READ_AT - timedelta(minutes=30))

    [finding] = CHECK.run(facts(domain(nodes=("gpu-1",)), *pods)).findings

    assert str(finding.subject) == "ComputeDomain/ml/cd"
    assert finding.says.en == "the domain is not ready while 2 pods are on its nodes; 1 of 2 nodes have joined"
    assert "2대 중 1대 참여" in finding.says.ko
    assert finding.since == "2026-11-29T11:30:00Z"
