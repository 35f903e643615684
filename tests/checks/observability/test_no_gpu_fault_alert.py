import pytest
from msgspec.structs import replace

from kubegap_checks.facts.controllers import DaemonSet, Deployment, StatefulSet
from kubegap_checks.facts.monitoring import Prometheus, PrometheusRule, Selection, ThanosRuler
from kubegap_checks.facts.read import Facts
from kubegap_checks.facts.selectors import Selector
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.observability.no_gpu_fault_alert import CHECK
from tests.checks.build import container, daemon_set, deployment, facts, template
from tests.checks.monitoring_objects import alert_rules, prometheus

XID, TEMPERATURE = "DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_GPU_TEMP"
EXPORTER = daemon_set("nvidia-dcgm-exporter", template=template(container(image="nvidia/dcgm-exporter:4")))
PICKY = prometheus(rules=Selection(objects=Selector(labels={"release": "kps"}), namespaces=Selector(labels={})))
RULER = ThanosRuler(namespace="monitoring", name="ruler", rules=prometheus().rules)
ALLOY = deployment("alloy", template=template(container(image="docker.io/grafana/alloy:v1.9.0")))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(EXPORTER, prometheus(), alert_rules(TEMPERATURE)), "gap", id="alerts on temperature alone"),
        pytest.param(facts(EXPORTER, prometheus(), alert_rules()), "gap", id="no alert on GPUs at all"),
        pytest.param(facts(EXPORTER, alert_rules()), "gap", id="nothing shows who evaluates the rules"),
        pytest.param(facts(EXPORTER, PICKY, alert_rules(XID)), "gap", id="no Prometheus loads the alert on Xids"),
        pytest.param(
            facts(EXPORTER, PICKY, alert_rules(XID), alert_rules(name="kps", labels={"release": "kps"})),
            "gap",
            id="others are loaded, and the alert on Xids is not",
        ),
        pytest.param(facts(EXPORTER, prometheus(), alert_rules(XID)), "clear", id="an alert on Xids"),
        pytest.param(facts(EXPORTER, alert_rules(XID)), "clear", id="an alert that something else may evaluate"),
        pytest.param(
            facts(EXPORTER, prometheus(), alert_rules("XidCriticalError")), "clear", id="an alert on a node condition"
        ),
        pytest.param(
            facts(EXPORTER, prometheus(), alert_rules(recorded=frozenset({XID}))), "clear", id="a recording rule"
        ),
        pytest.param(
            facts(EXPORTER, PICKY, alert_rules(XID, labels={"release": "kps"})),
            "clear",
            id="the selected alert on Xids",
        ),
        pytest.param(facts(EXPORTER, PICKY, RULER, alert_rules(XID)), "clear", id="Thanos evaluates the alert on Xids"),
        pytest.param(
            facts(EXPORTER, PICKY, alert_rules(alerts=10)), "clear", id="alerts on other things that nothing loads"
        ),
        pytest.param(facts(prometheus(), alert_rules(TEMPERATURE)), "not_applicable", id="no GPU exporter"),
        pytest.param(facts(EXPORTER, prometheus()), "not_applicable", id="no alert is kept as an object"),
        pytest.param(
            facts(EXPORTER, prometheus(), alert_rules(alerts=0)), "not_applicable", id="nothing but recording rules"
        ),
        *(
            pytest.param(
                facts(EXPORTER, prometheus(), alert_rules(TEMPERATURE), unread=(kind,)),
                "unknown",
                id=f"{kind.__name__}",
            )
            for kind in (DaemonSet, Deployment, StatefulSet, PrometheusRule, Prometheus, ThanosRuler)
        ),
    ],
)
def test_an_alert_must_tell_of_gpu_faults(given: Facts, status: str):
    assert CHECK.run(given).status == status


@pytest.mark.parametrize(
    ("given", "severity", "confidence"),
    [
        pytest.param((alert_rules(TEMPERATURE),), Severity.MEDIUM, Confidence.LIKELY, id="GPU alerts are kept here"),
        pytest.param((alert_rules(),), Severity.LOW, Confidence.HINT, id="GPU alerts may all be elsewhere"),
        pytest.param((alert_rules(TEMPERATURE), ALLOY), Severity.LOW, Confidence.HINT, id="another agent watches"),
        pytest.param((alert_rules(XID), PICKY), Severity.MEDIUM, Confidence.LIKELY, id="an alert is not loaded"),
        pytest.param((alert_rules(XID), PICKY, ALLOY), Severity.LOW, Confidence.HINT, id="others may load it"),
    ],
)
def test_it_counts_only_where_gpu_alerts_are_kept_as_objects(given, severity: Severity, confidence: Confidence):
    verdict = CHECK.run(facts(EXPORTER, *given))

    [finding] = verdict.findings
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (severity, confidence)


def test_the_alerts_that_there_are_are_counted_and_some_named():
    smaller = replace(EXPORTER, name="a", desired=1)

    [finding] = CHECK.run(facts(smaller, EXPORTER, alert_rules(TEMPERATURE))).findings

    assert str(finding.subject) == "DaemonSet/kube-system/nvidia-dcgm-exporter"
    assert finding.says.en == (
        "none of 30 alerts tells of GPU faults (Xid, ECC, row remap) that it measures (DCGM_FI_DEV_GPU_TEMP)"
    )
    assert finding.evidence == {"PrometheusRule.count": 1, "PrometheusRule.alerts": 30}


def test_where_no_alert_is_about_gpus_none_is_named():
    [finding] = CHECK.run(facts(EXPORTER, alert_rules())).findings

    assert finding.says.en.endswith("that it measures")


def test_an_alert_that_nothing_loads_is_shown_with_its_labels():
    [finding] = CHECK.run(facts(EXPORTER, PICKY, alert_rules(XID, name="gpu", labels={"team": "ml"}))).findings

    assert (str(finding.subject), finding.evidence) == (
        "PrometheusRule/monitoring/gpu",
        {"metadata.labels": "team=ml"},
    )
