import json
from pathlib import Path

import pytest

from kubegap_checks.facts.monitoring import (
    PodMonitor,
    Prometheus,
    PrometheusAgent,
    PrometheusRule,
    Selection,
    ServiceMonitor,
    ThanosRuler,
)
from kubegap_checks.facts.selectors import Requirement, Selector
from kubegap_mcp.kube.gather.registry import gatherers

EXAMPLES = Path(__file__).parent / "whole"
META = {"name": "x", "namespace": "ns", "labels": {"release": "kps"}}
PICKED = Selector(labels={"app": "a"}, requirements=(Requirement(key="tier", operator="In", values=("b",)),))
SELECTION = Selection(objects=PICKED, namespaces=Selector(labels={"kubernetes.io/metadata.name": "ml"}))


def built(kind, spec):
    page = gatherers()[kind].objects([json.dumps({"metadata": META, "spec": spec}).encode()])
    assert not page.invalid
    [row] = page.rows
    return row


def example(kind):
    return built(kind, json.loads((EXAMPLES / f"{kind.KIND.name}.json").read_text())["spec"])


def rule(**fields):
    return {"groups": [{"name": "g", "rules": [fields]}]}


def test_alerts_and_what_they_are_about_are_taken():
    row = example(PrometheusRule)

    assert (row.namespace, row.name, row.labels, row.alerts) == ("ns", "x", {"release": "kps"}, 1)
    assert (row.alerted, row.recorded) == ({"DCGM_FI_DEV_XID_ERRORS"}, {"DCGM_FI_DEV_GPU_TEMP"})


def test_an_expression_is_searched_whole():
    padding = "up == 0 or " * 50_000

    assert built(PrometheusRule, rule(alert="a", expr=f"{padding} gpu_xid_total > 0")).alerted == {"gpu_xid_total"}


def test_an_expression_longer_than_any_object_is_not_one_without_the_words():
    long = {"metadata": META, "spec": rule(alert="a", expr="x" * 2_000_001)}

    page = gatherers()[PrometheusRule].objects([json.dumps(long).encode()])

    assert (page.rows, page.invalid) == ((), 1)


@pytest.mark.parametrize("expr", [1, None, "", "vector(1)"])
def test_an_expression_that_names_no_metric_is_an_alert_all_the_same(expr):
    row = built(PrometheusRule, rule(alert="Watchdog", expr=expr))
    assert (row.alerts, row.alerted) == (1, frozenset())


@pytest.mark.parametrize("kind", [ServiceMonitor, PodMonitor])
def test_what_a_monitor_picks_is_taken(kind):
    row = example(kind)

    assert (row.kind, row.namespace, row.name, row.labels) == (kind.KIND.name, "ns", "x", {"release": "kps"})
    assert (row.selector, row.namespaces) == (PICKED, {"gpu-operator"})


@pytest.mark.parametrize(
    ("told", "namespaces"),
    [({}, {"ns"}), (None, {"ns"}), ({"matchNames": []}, {"ns"}), ({"any": True, "matchNames": ["a"]}, None)],
)
def test_a_monitor_looks_beside_itself_where_it_does_not_say(told, namespaces):
    assert built(ServiceMonitor, {"selector": {}, "namespaceSelector": told}).namespaces == namespaces


@pytest.mark.parametrize("kind", [Prometheus, PrometheusAgent])
def test_what_a_prometheus_scrapes_is_taken(kind):
    row = example(kind)

    assert (row.namespace, row.name) == ("ns", "x")
    assert (row.service_monitors, row.pod_monitors, row.scrapes_more) == (SELECTION, SELECTION, True)


@pytest.mark.parametrize("kind", [Prometheus, ThanosRuler])
def test_which_rules_are_evaluated_is_taken(kind):
    assert (example(kind).name, example(kind).rules) == ("x", SELECTION)


@pytest.mark.parametrize(
    ("spec", "more"),
    [
        pytest.param({"serviceMonitorSelector": {}}, False, id="monitors only"),
        pytest.param({"podMonitorSelector": {}}, False, id="PodMonitors only"),
        pytest.param({"probeSelector": {}}, False, id="probes only"),
        pytest.param({"serviceMonitorSelector": {}, "scrapeConfigSelector": {}}, True, id="ScrapeConfigs"),
        pytest.param(
            {"serviceMonitorSelector": {}, "additionalScrapeConfigs": {"name": "s", "key": "k"}}, True, id="a Secret"
        ),
        pytest.param({}, True, id="written by hand"),
    ],
)
def test_what_else_a_prometheus_is_told_to_scrape_is_known(spec, more):
    assert built(Prometheus, spec).scrapes_more is more


def test_no_host_of_an_expression_and_no_name_of_a_secret_reaches_a_snapshot():
    expr = 'gpu_xid_total{instance="10.1.2.3:9400", host="private.example"} > 0'
    bodies = {
        PrometheusRule: rule(alert="top-secret", record="top-secret", expr=expr),
        Prometheus: {"additionalScrapeConfigs": {"name": "top-secret", "key": "top-secret"}},
    }
    for kind, spec in bodies.items():
        item = {"metadata": META | {"annotations": {"a": "top-secret"}}, "spec": spec}
        body = json.dumps({"kind": f"{kind.KIND.name}List", "apiVersion": "v1", "items": [item]}).encode()
        [pruned] = gatherers()[kind].prune(body).objects
        assert not any(word in pruned for word in (b"top-secret", b"private", b"10.1"))
