from datetime import timedelta

import pytest

from kubegap_checks.facts.nodes import Node, Taint
from kubegap_checks.facts.pods import Pod, Run, Toleration
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.gpu_health.quarantine_tolerated import CHECK
from tests.checks.build import JUST_NOW, LONG_AGO, READ_AT, facts, node, pod

EVERYTHING = (Toleration(operator="Exists"),)
FAULTY = Taint(key="nvidia.com/gpu-xid-error", value="true", effect="NoSchedule", added=LONG_AGO)
CORDONED = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule", added=LONG_AGO)
YESTERDAY = READ_AT - timedelta(days=1)


def tainted(key: str = FAULTY.key, effect: str = "NoSchedule", added=LONG_AGO, labels=None, **fields) -> Node:
    return node(labels=labels, taints=(Taint(key=key, value="true", effect=effect, added=added),), **fields)


def placed(*tolerations: Toleration, created=YESTERDAY, **fields) -> Pod:
    return pod(tolerations=tolerations or EVERYTHING, created=created, **fields)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(tainted(), placed()), "gap", id="everything is tolerated"),
        pytest.param(
            facts(tainted(), placed(Toleration(key=FAULTY.key, operator="Exists", effect="NoSchedule"))),
            "gap",
            id="the key is tolerated",
        ),
        pytest.param(facts(tainted(), placed(Toleration(key=FAULTY.key, value="true"))), "gap", id="the value is"),
        pytest.param(facts(tainted(), placed(Toleration(key=FAULTY.key, value="no"))), "clear", id="another value is"),
        pytest.param(
            facts(tainted(), placed(Toleration(key="nvidia.com/gpu", operator="Exists"))), "clear", id="another key is"
        ),
        pytest.param(
            facts(tainted(), placed(Toleration(operator="Exists", effect="NoExecute"))), "clear", id="another effect is"
        ),
        pytest.param(facts(tainted(), placed(created=LONG_AGO)), "clear", id="a pod that was there before the taint"),
        pytest.param(
            facts(tainted(effect="NoExecute"), placed(created=LONG_AGO)), "gap", id="a taint that would have ended it"
        ),
        pytest.param(facts(tainted(effect="PreferNoSchedule"), placed()), "clear", id="a taint that only advises"),
        pytest.param(facts(tainted("nvidia.com/gpu"), placed()), "clear", id="a taint of ordinary GPU nodes"),
        pytest.param(facts(tainted("amd-dcm"), placed()), "clear", id="no such value"),
        pytest.param(facts(node(labels={"autopilot.ibm.com/gpuhealth": "EVICT"}), placed()), "clear", id="no taint"),
        pytest.param(
            facts(tainted(labels={"nvidia.com/mig.config.state": "pending"}), placed()),
            "clear",
            id="an operator is changing the node",
        ),
        pytest.param(facts(tainted(CORDONED.key), placed()), "gap", id="a cordon that came before the pod"),
        pytest.param(facts(tainted(CORDONED.key, added=None), placed()), "clear", id="a cordon of unknown age"),
        pytest.param(facts(tainted(added=None), placed()), "gap", id="a fault's taint of unknown age"),
        pytest.param(facts(tainted(), placed(created=None)), "gap", id="a pod of unknown age"),
        pytest.param(facts(tainted(), placed(node="gpu-2")), "clear", id="a run on another node"),
        pytest.param(
            facts(tainted(), placed(run=Run(kind="DaemonSet", namespace="ml", name="agent"))),
            "not_applicable",
            id="no training",
        ),
        pytest.param(facts(tainted()), "not_applicable", id="no run"),
        pytest.param(facts(placed(), unread=(Node,)), "unknown", id="nodes unread"),
        pytest.param(facts(tainted(), unread=(Pod,)), "unknown", id="pods unread"),
    ],
)
def test_a_run_that_ignores_a_quarantine_is_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


@pytest.mark.parametrize(
    ("given", "severity", "confidence"),
    [
        pytest.param((tainted(), placed()), Severity.HIGH, Confidence.LIKELY, id="a fault's taint"),
        pytest.param((tainted(added=None), placed()), Severity.HIGH, Confidence.HINT, id="of unknown age"),
        pytest.param(
            (tainted(added=None, effect="NoExecute"), placed()), Severity.HIGH, Confidence.LIKELY, id="NoExecute"
        ),
        pytest.param((tainted(CORDONED.key), placed()), Severity.MEDIUM, Confidence.LIKELY, id="a cordon alone"),
        pytest.param(
            (node(taints=(CORDONED, FAULTY)), placed()), Severity.HIGH, Confidence.LIKELY, id="a cordon and a fault"
        ),
        pytest.param(
            (
                tainted(),
                placed(run=Run(kind="Pod", namespace="ml", name="x"), resources={"nvidia.com/gpu": 8}),
            ),
            Severity.HIGH,
            Confidence.HINT,
            id="what only looks like training",
        ),
    ],
)
def test_it_is_as_bad_as_the_taint_and_as_sure_as_its_age(given, severity: Severity, confidence: Confidence):
    verdict = CHECK.run(facts(*given))
    [finding] = verdict.findings
    assert (verdict.severity_of(finding), finding.confidence) == (severity, confidence)


def test_one_finding_names_the_run_and_its_nodes():
    nodes = [tainted(name=f"gpu-{number}") for number in (1, 2)]
    pods = [placed(name=f"train-{number}", node=f"gpu-{3 - number}") for number in (1, 2)]

    [finding] = CHECK.run(facts(*nodes, *pods)).findings

    assert str(finding.subject) == "PyTorchJob/ml/train"
    assert "2 nodes (gpu-1, gpu-2)" in finding.says.en
    assert finding.evidence["Pod[ml/train-1].spec.nodeName"] == "gpu-2"


def test_a_pod_that_came_the_moment_the_taint_did_was_there_before_it():
    assert CHECK.run(facts(tainted(added=JUST_NOW), placed(created=JUST_NOW))).status == "clear"
