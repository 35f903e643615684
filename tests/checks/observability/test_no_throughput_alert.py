import pytest
from msgspec.structs import replace

from kubegap_checks.facts.monitoring import PodMonitor, Prometheus, PrometheusRule, ThanosRuler
from kubegap_checks.facts.pods import Pod, Run
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.observability.no_throughput_alert import CHECK
from tests.checks.build import facts, pod
from tests.checks.monitoring_objects import alert_rules, pod_monitor, prometheus

TRAINER = pod(labels={"app": "llm"}, resources={"nvidia.com/gpu": 8})
MONITOR = pod_monitor({"app": "llm"}, "trainers", "ml", namespaces=frozenset({"ml"}))
LOOKS_LIKE_ONE = replace(TRAINER, run=Run(kind="Job", namespace="ml", name="x"))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(TRAINER, MONITOR, prometheus(), alert_rules()), "gap", id="no alert on the run"),
        pytest.param(
            facts(TRAINER, replace(MONITOR, namespaces=None), alert_rules()), "gap", id="scraped in all namespaces"
        ),
        pytest.param(
            facts(TRAINER, MONITOR, prometheus(), alert_rules("training_tokens_per_second")),
            "clear",
            id="an alert on tokens per second",
        ),
        pytest.param(
            facts(TRAINER, MONITOR, prometheus(), alert_rules("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE")),
            "clear",
            id="an alert on how busy the GPUs are",
        ),
        pytest.param(
            facts(TRAINER, pod_monitor({"app": "web"}), prometheus(), alert_rules()), "clear", id="it is not scraped"
        ),
        pytest.param(
            facts(TRAINER, replace(MONITOR, namespaces=frozenset({"other"})), alert_rules()),
            "clear",
            id="the monitor looks elsewhere",
        ),
        pytest.param(facts(TRAINER, MONITOR, prometheus()), "clear", id="no alert is kept as an object"),
        pytest.param(facts(LOOKS_LIKE_ONE, MONITOR, alert_rules()), "clear", id="it only looks like training"),
        pytest.param(facts(TRAINER, prometheus(), alert_rules()), "not_applicable", id="no PodMonitor"),
        pytest.param(facts(MONITOR, prometheus(), alert_rules()), "not_applicable", id="no run"),
        *(
            pytest.param(
                facts(TRAINER, MONITOR, prometheus(), alert_rules(), unread=(kind,)), "unknown", id=kind.__name__
            )
            for kind in (Pod, PodMonitor, PrometheusRule, Prometheus, ThanosRuler)
        ),
    ],
)
def test_an_alert_must_tell_of_lost_throughput(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_the_run_is_named_with_what_scrapes_it_and_is_never_more_than_a_hint():
    second = replace(TRAINER, name="train-1", labels={"app": "llm", "rank": "1"})

    verdict = CHECK.run(facts(TRAINER, second, replace(MONITOR), alert_rules()))

    [finding] = verdict.findings
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (Severity.LOW, Confidence.HINT)
    assert str(finding.subject) == "PyTorchJob/ml/train"
    assert finding.evidence == {
        "PodMonitor[ml/trainers].spec.selector": "app=llm",
        "PrometheusRule.alerts": 30,
    }
