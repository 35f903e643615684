import pytest

from kubegap_checks.images import parse
from kubegap_checks.signals.exporters import exporter
from kubegap_checks.signals.other_watchers import other_watcher
from kubegap_checks.signals.passing_taints import passes


@pytest.mark.parametrize(
    ("image", "product"),
    [
        ("nvcr.io/nvidia/k8s/dcgm-exporter:4.4.1-4.6.0-distroless", "DCGM exporter"),
        ("602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/observability/dcgm-exporter", "DCGM exporter"),
        ("registry.local:5000/dcgm-exporter@sha256:5feceb66", "DCGM exporter"),
        ("docker.io/rocm/device-metrics-exporter:v1.4.0", "AMD Device Metrics Exporter"),
        ("quay.io/prometheus/node-exporter:v1.10.2", "node_exporter"),
        ("example.com/my-dcgm-exporter-proxy:1", None),
        ("example.com/team/metrics-exporter:1", None),
        ("", None),
    ],
)
def test_an_exporter_is_known_by_its_image(image: str, product: str | None):
    found = exporter(parse(image).repository)
    assert (found.product if found else None) == product


@pytest.mark.parametrize(
    ("image", "kind", "known"),
    [
        ("gcr.io/datadoghq/agent:7.71.0", "DaemonSet", True),
        ("registry.datadoghq.com/agent:7.76.0", "DaemonSet", True),
        ("example.com/team/agent:1", "DaemonSet", False),
        ("docker.io/grafana/alloy:v1.9.0", "StatefulSet", True),
        ("docker.io/grafana/grafana:12", "Deployment", False),
        ("otel/opentelemetry-collector-contrib:0.140.0", "DaemonSet", True),
        ("public.ecr.aws/cloudwatch-agent/cloudwatch-agent:1", "DaemonSet", True),
        (
            "mcr.microsoft.com/azuremonitor/containerinsights/ciprod/prometheus-collector/images:6",
            "DaemonSet",
            True,
        ),
        ("gke.gcr.io/prometheus-engine/prometheus:v2.53.5-gmp.1-gke.2", "DaemonSet", True),
        ("quay.io/prometheus/prometheus:v3.7.3", "Deployment", True),
        ("quay.io/prometheus/prometheus:v3.7.3", "StatefulSet", False),
        ("quay.io/prometheus-operator/prometheus-operator:v0.86.2", "Deployment", False),
    ],
)
def test_what_watches_by_other_means_is_known_by_its_image(image: str, kind: str, known: object):
    assert (other_watcher(parse(image).repository, kind) is not None) is known


@pytest.mark.parametrize(
    ("taint", "passing"),
    [
        ("node.kubernetes.io/not-ready", True),
        ("karpenter.sh/disrupted", True),
        ("ToBeDeletedByClusterAutoscaler", True),
        ("nvidia.com/gpu", False),
        ("karpenter.sh.example/x", False),
    ],
)
def test_taints_of_a_node_that_comes_or_goes_are_known(taint: str, passing: object):
    assert passes(taint) is passing
