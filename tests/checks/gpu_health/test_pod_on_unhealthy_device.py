from datetime import timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import ComputeDomain, Condition, Node, ResourceSlice
from kubegap_checks.facts.pods import DeviceHealth, Pod, Run
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.gpu_health.pod_on_unhealthy_device import CHECK
from tests.checks.build import LONG_AGO, READ_AT, container, facts, forbidden, node, pod, ready

MISSING = Condition(type="GPUMissing", status="True", since=LONG_AGO)
IMEX = Condition(type="GpuNvlinkWatch", status="True", message="ErrorCode:DCGM_FR_IMEX_UNHEALTHY", since=LONG_AGO)
EIGHT = {"nvidia.com/gpu": 8}


def holding(health: str = "Unhealthy", resource: str = "nvidia.com/gpu", **fields) -> Pod:
    devices = (
        DeviceHealth(resource=resource, id="GPU-0", health="Healthy"),
        DeviceHealth(resource=resource, id="GPU-1", health=health),
    )
    return pod(containers=(container(), container(devices=devices)), **{"resources": EIGHT, **fields})


def reporting(*conditions: Condition, **fields) -> Node:
    return node(devices=EIGHT, conditions=(ready(), *conditions), **fields)


def running(gpus: int = 8, **fields) -> Pod:
    return pod(resources={"nvidia.com/gpu": gpus}, **fields)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(node(), holding()), "gap", id="a GPU that the kubelet calls unhealthy"),
        pytest.param(facts(node(), holding(resource="claim:gpus/gpu")), "gap", id="a claimed device"),
        pytest.param(facts(node(), holding("Unknown")), "clear", id="a device of which nothing is known"),
        pytest.param(facts(node(), holding("Healthy")), "clear", id="healthy devices"),
        pytest.param(facts(node(), holding(resource="rdma/ib")), "clear", id="a device that is no accelerator"),
        pytest.param(facts(reporting(MISSING), running()), "gap", id="a node whose GPU fault is reported"),
        pytest.param(facts(reporting(replace(MISSING, status="False")), running()), "clear", id="no fault"),
        pytest.param(
            facts(reporting(Condition(type="GPUClockThrottling", status="True")), running()),
            "clear",
            id="a fault that only slows",
        ),
        pytest.param(facts(reporting(IMEX), running()), "clear", id="a known false positive"),
        pytest.param(
            facts(reporting(replace(MISSING, heartbeat=READ_AT - timedelta(days=2))), running()),
            "clear",
            id="a report that its agent stopped confirming",
        ),
        pytest.param(
            facts(reporting(Condition(type="IBLinkFlapping", status="True")), running()), "clear", id="another topic"
        ),
        pytest.param(facts(reporting(MISSING), running(node="gpu-2")), "clear", id="a node that is not there"),
        pytest.param(facts(reporting(MISSING), node("gpu-2"), running(node="gpu-2")), "clear", id="on another node"),
        pytest.param(
            facts(node(), holding(run=Run(kind="DaemonSet", namespace="ml", name="agent"), resources={})),
            "not_applicable",
            id="no training",
        ),
        pytest.param(facts(reporting(MISSING)), "not_applicable", id="no run"),
        pytest.param(facts(node(), unread=(Pod,)), "unknown", id="pods unread"),
        pytest.param(facts(running(), unread=(Node,)), "unknown", id="nodes unread"),
        pytest.param(facts(holding(), unread=(Node,)), "gap", id="a pod tells by itself"),
        pytest.param(facts(reporting(IMEX), running(), unread=(ComputeDomain,)), "unknown", id="ComputeDomains unread"),
        pytest.param(facts(reporting(), running(), unread=(ResourceSlice,)), "unknown", id="device taints unread"),
    ],
)
def test_a_run_on_a_faulty_device_is_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


@pytest.mark.parametrize(
    ("given", "confidence"),
    [
        pytest.param((reporting(MISSING), running()), Confidence.LIKELY, id="a pod with all GPUs of the node"),
        pytest.param(
            (reporting(MISSING, capacity={**EIGHT, "rdma/ib": 63}), running()),
            Confidence.LIKELY,
            id="a node that offers adapters too",
        ),
        pytest.param((reporting(MISSING), running(7)), Confidence.HINT, id="a pod with some GPUs of the node"),
        pytest.param((reporting(MISSING, capacity={}), running()), Confidence.HINT, id="a node without count"),
        pytest.param((reporting(MISSING, capacity=None), running()), Confidence.HINT, id="a node without status"),
        pytest.param((node(), holding()), Confidence.CERTAIN, id="what the kubelet says"),
        pytest.param(
            (node(), holding(run=Run(kind="Pod", namespace="ml", name="x"))),
            Confidence.HINT,
            id="what only looks like training",
        ),
    ],
)
def test_it_is_as_sure_as_the_device_is_the_runs(given, confidence: Confidence):
    verdict = CHECK.run(facts(*given))
    [finding] = verdict.findings
    assert (verdict.severity_of(finding), finding.confidence) == (Severity.HIGH, confidence)


def test_one_finding_each_names_the_run_its_nodes_and_the_fault():
    nodes = (reporting(MISSING), reporting(MISSING, name="gpu-2"))
    pods = (holding(), running(name="train-1", node="gpu-2"))

    device, faulty = CHECK.run(facts(*nodes, *pods)).findings

    assert (str(device.subject), device.key, faulty.key) == ("PyTorchJob/ml/train", "device", "node")
    path = "Pod[ml/train-0].status.containerStatuses.allocatedResourcesStatus[nvidia.com/gpu].GPU-1.health"
    assert device.evidence[path] == "Unhealthy"
    assert "node gpu-1" in device.says.en
    assert "2 nodes (gpu-1, gpu-2), where AKS" in faulty.says.en
    assert faulty.evidence["Node[gpu-1].status.conditions[GPUMissing].status"] == "True"
    assert faulty.since == "2026-10-30T12:00:00Z"


def test_runs_that_were_seen_are_judged_where_others_were_not():
    one = facts(reporting(MISSING), running())
    assert CHECK.run(one.but(Pod, forbidden(Pod))).status == "unknown"
