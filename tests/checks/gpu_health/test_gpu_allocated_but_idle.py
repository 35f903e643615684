from datetime import timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.metrics import Exported, GpuActivity
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.pods import Pod, Run
from kubegap_checks.facts.read import Facts, Partial, Record
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.gpu_health.gpu_allocated_but_idle import CHECK
from tests.checks.build import READ_AT, container, facts, forbidden, node, pod
from tests.checks.measured import exported, measured

H100 = {"nvidia.com/gpu.present": "true"}
GPUS = {"nvidia.com/gpu": 8}
HAS = GPUS | {"rdma/ib": 8, "memory": 2 << 40}
NODES = (node("gpu-1", H100, HAS), node("gpu-2", H100, HAS))
CUT = (node("gpu-1", H100, {"nvidia.com/mig-3g.40gb": 16}), NODES[1])
WATCHED = exported("gpu_busiest", "gpu-1", "gpu-2")
TWO_HOURS = READ_AT - timedelta(hours=2)


def holder(**fields: object) -> Pod:
    return pod(**{"node": "gpu-1", "resources": GPUS, **fields})


def busiest(value: float, gpu: int = 0, of: str = "train-0", name: str = "gpu-1") -> GpuActivity:
    namespace = "ml" if of else ""
    return measured(GpuActivity, "gpu_busiest", value, name, f"GPU {gpu}", namespace=namespace, pod=of)


def part(gpu: int, one: int, value: float, of: str = "train-0") -> GpuActivity:
    """Of a GPU that MIG cuts."""
    return measured(
        GpuActivity, "gpu_busiest", value, "gpu-1", f"GPU {gpu}/{one}", namespace="ml" if of else "", pod=of
    )


def idle(count: int = 8, of: str = "train-0", name: str = "gpu-1") -> tuple[GpuActivity, ...]:
    return tuple(busiest(0, gpu, of, name) for gpu in range(count))


def cluster(
    *rows: Record,
    pods: tuple[Pod, ...] = (holder(),),
    nodes: tuple[Node, ...] = NODES,
    unread: tuple[type[Record], ...] = (),
) -> Facts:
    return facts(*nodes, *pods, *rows, *WATCHED, unread=unread)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(cluster(*idle()), "gap", id="all GPUs of a pod"),
        pytest.param(cluster(busiest(0.9)), "gap", id="one GPU of a pod, as good as idle"),
        pytest.param(cluster(busiest(1)), "clear", id="it did a little"),
        pytest.param(cluster(busiest(0), busiest(40)), "clear", id="one of two series saw it work"),
        pytest.param(cluster(busiest(40), busiest(0)), "clear", id="the other of two series saw it work"),
        pytest.param(
            cluster(busiest(0), busiest(40, of="")), "clear", id="a series that names no pod saw the device work"
        ),
        pytest.param(
            cluster(*idle(of=""), part(0, 1, 30), part(0, 2, 0, of="")),
            "clear",
            id="MIG: the GPU's own utilisation is 0, and a part of it works",
        ),
        pytest.param(cluster(busiest(0), part(0, 1, 0)), "gap", id="MIG: a part of a GPU that a pod holds for nothing"),
        pytest.param(
            cluster(busiest(0, of=""), part(0, 1, 0), part(0, 2, 30, of="other")),
            "gap",
            id="MIG: one part is idle while another one works",
        ),
        pytest.param(
            cluster(*(part(gpu, one, 0, of="") for gpu in range(8) for one in (1, 2)), *idle(of=""), nodes=CUT),
            "gap",
            id="MIG: all parts of all GPUs of a node",
        ),
        pytest.param(
            cluster(*(part(gpu, one, 0, of="") for gpu in range(7) for one in (1, 2)), *idle(of=""), nodes=CUT),
            "clear",
            id="MIG: the parts of one GPU work, and have no row",
        ),
        pytest.param(
            cluster(*idle(7, of=""), busiest(0, 0, "gone")),
            "clear",
            id="two series of one GPU do not make two idle ones",
        ),
        pytest.param(cluster(*idle(of="")), "gap", id="a whole node is idle, and the exporter knows no pods"),
        pytest.param(cluster(*idle(7, of="")), "clear", id="one GPU of the node works, perhaps the pod's"),
        pytest.param(
            cluster(*idle(of=""), nodes=(node("gpu-1", H100, capacity=None), NODES[1])),
            "clear",
            id="nothing tells how many GPUs the node has",
        ),
        pytest.param(cluster(*idle(of="", name="gpu-2")), "clear", id="another node is idle"),
        pytest.param(cluster(*idle(of=""), nodes=NODES[1:]), "clear", id="a node that is gone"),
        pytest.param(cluster(), "clear", id="hanging GPUs show 100 percent, and busy ones have no row"),
        pytest.param(cluster(*idle(), pods=()), "clear", id="no pod holds the idle GPUs"),
        pytest.param(cluster(*idle(), pods=(holder(created=TWO_HOURS),)), "clear", id="a young pod"),
        pytest.param(
            cluster(*idle(), pods=(holder(created=TWO_HOURS - timedelta(seconds=1)),)), "gap", id="old enough"
        ),
        pytest.param(cluster(*idle(), pods=(holder(created=None),)), "clear", id="nothing tells its age"),
        pytest.param(cluster(*idle(), pods=(holder(phase="Pending"),)), "clear", id="init containers fetch data"),
        pytest.param(cluster(*idle(), pods=(holder(deleting=True),)), "clear", id="the pod is about to go"),
        pytest.param(
            cluster(*idle(), pods=(holder(containers=(container(waiting="CrashLoopBackOff"),)),)),
            "clear",
            id="the pod waits to be restarted",
        ),
        pytest.param(
            cluster(*idle(), pods=(holder(containers=(container(),)),)), "gap", id="the pod waits for nothing"
        ),
        pytest.param(
            cluster(*idle(), pods=(holder(run=Run(kind="NodeSet", namespace="ml", name="slurm")),)),
            "clear",
            id="Slurm has no job for it",
        ),
        pytest.param(
            facts(*NODES, holder(), *exported("gpu_busiest", "gpu-2")), "unknown", id="the pod's node publishes nothing"
        ),
        pytest.param(cluster(*idle(), unread=(GpuActivity,)), "unknown", id="activity is unread"),
        pytest.param(cluster(unread=(Exported,)), "unknown", id="who publishes is unread"),
        pytest.param(cluster(*idle(), unread=(Exported,)), "gap", id="an idle pod shows whatever else is unread"),
        pytest.param(cluster(*idle(), unread=(Node,)), "unknown", id="nodes are unread"),
        pytest.param(cluster(*idle(), unread=(ResourceSlice,)), "gap", id="DRA is unread"),
        pytest.param(cluster(*idle(), unread=(Pod,)), "unknown", id="pods are unread"),
        pytest.param(
            cluster(*idle()).but(Pod, Partial((holder(),), (forbidden(Pod),))),
            "gap",
            id="pods of another namespace are unread",
        ),
        pytest.param(
            cluster().but(Pod, Partial((holder(),), (forbidden(Pod),))),
            "unknown",
            id="pods that may be idle are unread",
        ),
        pytest.param(facts(node("cpu-1")), "not_applicable", id="no accelerators"),
    ],
)
def test_gpus_that_pods_hold_for_nothing_are_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_a_run_is_one_finding_that_counts_its_idle_devices():
    second = holder(name="train-1", node="gpu-2")
    working = replace(second, name="train-2")
    given = cluster(*idle(), *idle(2, "train-1", "gpu-2"), pods=(holder(), second, working))

    [finding] = CHECK.run(given).findings

    assert str(finding.subject) == "PyTorchJob/ml/train"
    assert finding.says.en == (
        "10 of 16 accelerators that its pods hold on 2 nodes (gpu-1, gpu-2) did nothing for 2 hours"
    )
    assert finding.evidence == {"metrics.gpu_busiest.idle": 10, "Pod.spec.containers.resources.limits": 16}
    assert (finding.severity, finding.confidence) == (Severity.MEDIUM, Confidence.LIKELY)


def test_shares_of_a_device_never_make_more_idle_than_a_pod_holds():
    given = cluster(*idle(3), pods=(holder(resources={"nvidia.com/gpu": 1}),))

    [finding] = CHECK.run(given).findings

    assert finding.evidence["metrics.gpu_busiest.idle"] == 1


@pytest.mark.parametrize("kind", ["Notebook", "StatefulSet", "Deployment", "LeaderWorkerSet", "RayCluster"])
def test_what_may_wait_for_a_person_or_for_requests_is_a_hint(kind: str):
    run = Run(kind=kind, namespace="ml", name="it")

    [finding] = CHECK.run(cluster(*idle(), pods=(holder(run=run),))).findings

    assert (finding.severity, finding.confidence) == (Severity.LOW, Confidence.HINT)


def test_an_owner_may_set_another_limit():
    assert CHECK.run(cluster(busiest(3)), {"gpu_idle": 5}).status == "gap"
