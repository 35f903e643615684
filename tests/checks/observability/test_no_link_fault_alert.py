import pytest
from msgspec.structs import replace

from kubegap_checks.facts.controllers import DaemonSet, Deployment, StatefulSet
from kubegap_checks.facts.monitoring import Prometheus, PrometheusRule, ThanosRuler
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.observability.no_link_fault_alert import CHECK
from tests.checks.build import container, daemon_set, deployment, facts, node, template
from tests.checks.monitoring_objects import alert_rules, prometheus

EXPORTER = daemon_set("node-exporter", template=template(container(image="prom/node-exporter:v1.10.2")))
IB = node(devices={"nvidia.com/gpu": 8, "rdma/ib": 8})
LINK, XID = "node_infiniband_link_downed_total", "DCGM_FI_DEV_XID_ERRORS"
DATADOG = deployment(template=template(container(image="gcr.io/datadoghq/agent:7.71.0")))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(IB, EXPORTER, prometheus(), alert_rules(XID)), "gap", id="alerts on GPUs only"),
        pytest.param(
            facts(node(devices={"networking.gke.io.networks/rdma-0": 1}), EXPORTER, alert_rules()), "gap", id="RoCE"
        ),
        pytest.param(
            facts(IB, EXPORTER, prometheus(), alert_rules(LINK)), "clear", id="an alert on links that go down"
        ),
        pytest.param(
            facts(IB, EXPORTER, prometheus(), alert_rules("IBLinkFlapping")), "clear", id="an alert on a condition"
        ),
        pytest.param(
            facts(IB, EXPORTER, prometheus(), alert_rules(recorded=frozenset({LINK}))), "clear", id="a recording rule"
        ),
        pytest.param(facts(IB, EXPORTER, DATADOG, alert_rules(XID)), "clear", id="another agent watches"),
        pytest.param(
            facts(IB, EXPORTER, replace(prometheus(), rules=replace(prometheus().rules, objects=None)), alert_rules()),
            "clear",
            id="no alert is evaluated by what can be seen",
        ),
        pytest.param(
            facts(node(devices={"vpc.amazonaws.com/efa": 32}), EXPORTER, alert_rules()),
            "not_applicable",
            id="EFA has counters of its own",
        ),
        pytest.param(
            facts(node(devices={"rdma/ib": 0}), EXPORTER, alert_rules()), "not_applicable", id="none is there"
        ),
        pytest.param(facts(node(capacity=None), EXPORTER, alert_rules()), "not_applicable", id="no count is known"),
        pytest.param(facts(node(devices={"x/y": 1}), EXPORTER, alert_rules()), "not_applicable", id="no fabric"),
        pytest.param(facts(IB, alert_rules()), "not_applicable", id="no exporter of its counters"),
        pytest.param(facts(IB, EXPORTER, prometheus()), "not_applicable", id="no alert is kept as an object"),
        pytest.param(facts(IB, EXPORTER, alert_rules(alerts=0)), "not_applicable", id="only recording rules"),
        *(
            pytest.param(facts(IB, EXPORTER, prometheus(), alert_rules(), unread=(kind,)), "unknown", id=kind.__name__)
            for kind in (Node, DaemonSet, Deployment, StatefulSet, PrometheusRule, Prometheus, ThanosRuler)
        ),
    ],
)
def test_an_alert_must_tell_of_link_faults(given: Facts, status: str):
    assert CHECK.run(given).status == status


@pytest.mark.parametrize(("word", "confidence"), [(XID, Confidence.LIKELY), ("", Confidence.HINT)])
def test_it_is_likely_where_gpu_faults_are_told_of_by_these_objects(word: str, confidence: Confidence):
    smaller = replace(EXPORTER, name="a", desired=1)

    verdict = CHECK.run(facts(IB, smaller, EXPORTER, alert_rules(word)))

    [finding] = verdict.findings
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (Severity.LOW, confidence)
    assert str(finding.subject) == "DaemonSet/kube-system/node-exporter"
    assert finding.evidence == {"PrometheusRule.count": 1, "PrometheusRule.alerts": 30}
