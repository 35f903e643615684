import pytest
from msgspec.structs import replace

from kubegap_checks.facts.controllers import DaemonSet, Deployment, StatefulSet
from kubegap_checks.facts.monitoring import PodMonitor, Prometheus, PrometheusAgent, Selection, ServiceMonitor
from kubegap_checks.facts.read import Facts
from kubegap_checks.facts.selectors import Requirement, Selector
from kubegap_checks.rules.observability.metrics_not_collected import CHECK
from tests.checks.build import container, daemon_set, deployment, facts, template
from tests.checks.monitoring_objects import EVERYTHING, pod_monitor, prometheus, service_monitor

APP = {"app": "nvidia-dcgm-exporter"}
EXPORTER = daemon_set(
    "nvidia-dcgm-exporter",
    "gpu-operator",
    labels=APP,
    template=template(container(image="nvcr.io/nvidia/k8s/dcgm-exporter:4.4.1"), labels={"pod": "dcgm"}),
)
NODES = daemon_set("node-exporter", "monitoring", template=template(container(image="prom/node-exporter:v1.10.2")))
OTHER = service_monitor({"app": "grafana"})
MONITOR = service_monitor(APP, "nvidia-dcgm-exporter", "gpu-operator", namespaces=frozenset({"gpu-operator"}))


def picky(objects: Selector | None = EVERYTHING, namespaces: Selector | None = EVERYTHING, **fields) -> Prometheus:
    return prometheus(service_monitors=Selection(objects=objects, namespaces=namespaces), **fields)


RELEASE = picky(Selector(labels={"release": "kps"}))
AGENT = PrometheusAgent(
    namespace="monitoring", name="agent", service_monitors=prometheus().rules, pod_monitors=prometheus().rules
)


def watcher(image: str) -> Deployment:
    return deployment("watcher", template=template(container(image=image)))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(EXPORTER, prometheus(), OTHER), "gap", id="no monitor points at the exporter"),
        pytest.param(facts(NODES, prometheus(), OTHER), "gap", id="none points at node_exporter"),
        pytest.param(facts(EXPORTER, AGENT), "gap", id="an agent is told of no monitor"),
        pytest.param(facts(EXPORTER, RELEASE, MONITOR), "gap", id="the monitor lacks the label that is asked for"),
        pytest.param(facts(EXPORTER, picky(None), MONITOR), "gap", id="no ServiceMonitor is selected at all"),
        pytest.param(facts(EXPORTER, picky(namespaces=None), MONITOR), "gap", id="only those beside it are selected"),
        pytest.param(
            facts(EXPORTER, picky(namespaces=Selector(labels={"kubernetes.io/metadata.name": "ml"})), MONITOR),
            "gap",
            id="only another namespace is selected",
        ),
        pytest.param(
            facts(EXPORTER, prometheus(), replace(MONITOR, namespaces=frozenset({"ml"}))),
            "gap",
            id="the monitor looks in another namespace",
        ),
        pytest.param(facts(EXPORTER, prometheus(), MONITOR), "clear", id="a monitor that is selected"),
        pytest.param(facts(EXPORTER, RELEASE, AGENT, MONITOR), "clear", id="one of two selects it"),
        pytest.param(
            facts(EXPORTER, RELEASE, replace(MONITOR, labels={"release": "kps"})), "clear", id="the label is there"
        ),
        pytest.param(
            facts(EXPORTER, picky(namespaces=None, namespace="gpu-operator"), MONITOR),
            "clear",
            id="it stands beside it",
        ),
        pytest.param(
            facts(EXPORTER, picky(namespaces=Selector(labels={"monitored": "yes"})), MONITOR),
            "clear",
            id="namespaces are selected by a label that is not read",
        ),
        pytest.param(
            facts(EXPORTER, prometheus(), pod_monitor({"pod": "dcgm"})), "clear", id="a PodMonitor by the pods' labels"
        ),
        pytest.param(
            facts(EXPORTER, prometheus(), service_monitor({"app": "x"}, "dcgm")), "clear", id="a monitor by its name"
        ),
        pytest.param(
            facts(EXPORTER, prometheus(), service_monitor({"app": "x"}, labels={"for": "dcgm"})),
            "clear",
            id="a monitor by its label",
        ),
        pytest.param(
            facts(EXPORTER, prometheus(), service_monitor({"app": "my-dcgm-svc"})),
            "clear",
            id="a selector by its value",
        ),
        pytest.param(
            facts(
                EXPORTER,
                prometheus(),
                replace(
                    OTHER,
                    selector=Selector(
                        labels={}, requirements=(Requirement(key="x", operator="In", values=("dcgm-svc",)),)
                    ),
                ),
            ),
            "clear",
            id="a selector by the value of a requirement",
        ),
        pytest.param(facts(EXPORTER, prometheus(), service_monitor({})), "clear", id="a monitor of everything"),
        pytest.param(
            facts(EXPORTER, replace(prometheus(), scrapes_more=True)), "clear", id="it is told more in a Secret"
        ),
        pytest.param(
            facts(EXPORTER, prometheus(), watcher("gcr.io/datadoghq/agent:7.71.0")), "clear", id="another agent"
        ),
        pytest.param(
            facts(EXPORTER, prometheus(), watcher("quay.io/prometheus/prometheus:v3.7.3")),
            "clear",
            id="a Prometheus without the operator",
        ),
        pytest.param(
            facts(
                EXPORTER,
                prometheus(),
                replace(EXPORTER, name="b", template=template(container(image="prom/prometheus"))),
            ),
            "gap",
            id="a Prometheus of the operator, as a DaemonSet",
        ),
        pytest.param(
            facts(replace(EXPORTER, name="dcgm-server", namespace="kube-system"), EXPORTER, prometheus(), MONITOR),
            "clear",
            id="a host engine of the same image publishes nothing",
        ),
        pytest.param(facts(EXPORTER), "clear", id="nothing shows how the cluster is watched"),
        pytest.param(facts(prometheus()), "not_applicable", id="no exporter"),
        *(
            pytest.param(facts(EXPORTER, prometheus(), OTHER, unread=(kind,)), "unknown", id=kind.__name__)
            for kind in (
                *(DaemonSet, Deployment, StatefulSet),
                *(ServiceMonitor, PodMonitor, Prometheus, PrometheusAgent),
            )
        ),
    ],
)
def test_an_exporter_must_be_scraped(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_without_a_monitor_the_finding_is_about_the_exporter():
    [finding] = CHECK.run(facts(EXPORTER, prometheus())).findings

    assert str(finding.subject) == "DaemonSet/gpu-operator/nvidia-dcgm-exporter"
    assert finding.evidence == {"status.numberReady": 3, "Prometheus.count": 1}


def test_a_monitor_that_nothing_selects_is_shown_with_what_is_asked_for():
    [finding] = CHECK.run(facts(EXPORTER, RELEASE, MONITOR)).findings

    assert str(finding.subject) == "ServiceMonitor/gpu-operator/nvidia-dcgm-exporter"
    assert finding.evidence == {"Prometheus[monitoring/k8s].spec.serviceMonitorSelector": "release=kps"}


def test_of_a_pod_monitor_the_other_selector_is_shown():
    nothing = prometheus(pod_monitors=Selection(objects=Selector(labels={"team": "ml"})))

    [finding] = CHECK.run(facts(EXPORTER, nothing, pod_monitor({"pod": "dcgm"}))).findings

    assert finding.evidence == {"Prometheus[monitoring/k8s].spec.podMonitorSelector": "team=ml"}
