from collections.abc import Mapping
from datetime import timedelta

import pytest

from kubegap_checks.facts.metrics import Exported, NodeProfile
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.pods import Pod, Run
from kubegap_checks.facts.read import Facts, Record
from kubegap_checks.model import Confidence
from kubegap_checks.rules.gpu_health.odd_one_out import CHECK
from tests.checks.build import READ_AT, facts, node, pod
from tests.checks.measured import exported, measured

DELL = {
    "nvidia.com/gpu.present": "true",
    "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
    "nvidia.com/gpu.machine": "PowerEdge-XE9680",
}
HPE = DELL | {"nvidia.com/gpu.machine": "ProLiant-XD685"}
GPUS = {"nvidia.com/gpu": 8}
NAMES = tuple(f"gpu-{place}" for place in range(1, 8))
NODES = tuple(node(name, DELL, GPUS) for name in NAMES)
WATCHED = (*exported("sm_clock", *NAMES), *exported("gpu_utilisation", *NAMES))
TRAIN = Run(kind="PyTorchJob", namespace="ml", name="train")
OTHER = Run(kind="PyTorchJob", namespace="ml", name="other")
USUAL = {"sm_clock": 1755.0, "gpu_utilisation": 99.0, "gpu_temperature": 62.0, "gpu_power": 650.0}


def worker(name: str, **fields: object) -> Pod:
    return pod(f"train-{name}", node=name, resources=GPUS, **fields)


PODS = tuple(worker(name) for name in NAMES)


def profile(name: str, values: Mapping[str, float]) -> tuple[NodeProfile, ...]:
    return tuple(measured(NodeProfile, quantity, value, name) for quantity, value in values.items())


def others(names: tuple[str, ...] = NAMES[1:], **values: float) -> tuple[NodeProfile, ...]:
    """Nodes that differ from each other a little."""
    return tuple(
        row
        for place, name in enumerate(names)
        for row in profile(name, {what: value * (1 + place / 1000) for what, value in (USUAL | values).items()})
    )


def odd(**values: float) -> tuple[NodeProfile, ...]:
    return profile("gpu-1", USUAL | values)


SLOW = (*odd(sm_clock=1200), *others())


def cluster(
    *rows: Record,
    nodes: tuple[Node, ...] = NODES,
    pods: tuple[Pod, ...] = PODS,
    unread: tuple[type[Record], ...] = (),
) -> Facts:
    return facts(*nodes, *pods, *rows, *WATCHED, unread=unread)


def first(**fields: object) -> tuple[Node, ...]:
    """The first node with other fields."""
    return (node("gpu-1", **{"labels": DELL, "devices": GPUS, **fields}), *NODES[1:])


def spread(*clocks: float) -> tuple[NodeProfile, ...]:
    """The clock of the nodes after the first."""
    return tuple(
        row for name, clock in zip(NAMES[1:], clocks, strict=True) for row in profile(name, USUAL | {"sm_clock": clock})
    )


AN_HOUR = READ_AT - timedelta(hours=1)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(cluster(*SLOW), "gap", id="a low clock"),
        pytest.param(cluster(*odd(gpu_temperature=80), *others()), "gap", id="hotter than the others"),
        pytest.param(cluster(*odd(gpu_power=400), *others()), "gap", id="draws less power"),
        pytest.param(
            cluster(*odd(tensor_active=0.2), *others(tensor_active=0.45)), "gap", id="computes less than the others"
        ),
        pytest.param(
            cluster(
                *odd(read_latency=30),
                *(measured(NodeProfile, "read_latency", 10, name) for name in NAMES[1:]),
                *others(),
            ),
            "gap",
            id="its disks are slow",
        ),
        pytest.param(
            cluster(*odd(tensor_active=0.2), *others(NAMES[1:6], tensor_active=0.45), *profile(NAMES[6], USUAL)),
            "gap",
            id="another node does not tell it",
        ),
        pytest.param(cluster(*odd(tensor_active=0), *others(tensor_active=0)), "clear", id="nobody uses tensor cores"),
        pytest.param(cluster(*odd(sm_clock=900), *spread(*[1000] * 6)), "gap", id="just far enough"),
        pytest.param(cluster(*odd(sm_clock=1980), *others()), "clear", id="a high clock holds nobody up"),
        pytest.param(cluster(*odd(gpu_temperature=45), *others()), "clear", id="cooler than the others"),
        pytest.param(cluster(*odd(sm_clock=1600), *others()), "clear", id="a little below the others"),
        pytest.param(
            cluster(*odd(sm_clock=1200), *spread(1300, 1400, 1755, 1755, 1900, 1980)),
            "clear",
            id="all differ from each other",
        ),
        pytest.param(cluster(*odd(sm_clock=1200), *others(sm_clock=1200)), "clear", id="all are slow alike"),
        pytest.param(
            cluster(*odd(sm_clock=345, gpu_utilisation=49), *others()), "clear", id="a head node that does less"
        ),
        pytest.param(cluster(*odd(sm_clock=345, gpu_utilisation=50), *others()), "gap", id="just busy enough"),
        pytest.param(
            cluster(*profile("gpu-1", {"sm_clock": 345}), *others()),
            "clear",
            id="nothing tells that the node is busy",
        ),
        pytest.param(cluster(*odd(sm_clock=1200), *others(gpu_utilisation=0)), "clear", id="the others are idle"),
        pytest.param(cluster(*SLOW, pods=(worker("gpu-1", run=OTHER), *PODS[1:])), "clear", id="another job"),
        pytest.param(
            cluster(*SLOW, pods=(*PODS, pod("other", node="gpu-1", run=OTHER, resources={"nvidia.com/gpu": 1}))),
            "clear",
            id="another job beside it",
        ),
        pytest.param(
            cluster(
                *SLOW,
                pods=(
                    pod("train-gpu-1", node="gpu-1", resources={"nvidia.com/gpu": 4}),
                    pod("other", node="gpu-1", run=OTHER, resources={"nvidia.com/gpu": 4}),
                    *PODS[1:],
                ),
            ),
            "clear",
            id="another job holds the other half",
        ),
        pytest.param(
            cluster(*SLOW, pods=(pod("train-gpu-1", node="gpu-1", resources={"nvidia.com/gpu": 4}), *PODS[1:])),
            "clear",
            id="a pod with fewer GPUs",
        ),
        pytest.param(
            cluster(*SLOW, pods=(worker("gpu-1", created=AN_HOUR), *PODS[1:])),
            "clear",
            id="a pod that has just started",
        ),
        pytest.param(
            cluster(*SLOW, pods=(worker("gpu-1", created=AN_HOUR - timedelta(seconds=1)), *PODS[1:])),
            "gap",
            id="a pod that has run for an hour",
        ),
        pytest.param(
            cluster(*SLOW, pods=(worker("gpu-1", created=None), *PODS[1:])),
            "clear",
            id="nothing tells since when it runs",
        ),
        pytest.param(
            cluster(*SLOW, pods=(worker("gpu-1", phase="Pending"), *PODS[1:])), "clear", id="a pod that is not running"
        ),
        pytest.param(cluster(*SLOW, nodes=first(labels=HPE)), "clear", id="another machine type"),
        pytest.param(
            cluster(*SLOW, nodes=tuple(node(name, {"nvidia.com/gpu.present": "true"}, GPUS) for name in NAMES)),
            "not_applicable",
            id="nothing tells whether the nodes are alike",
        ),
        pytest.param(cluster(*SLOW, nodes=first(unschedulable=True)), "clear", id="somebody has cordoned the node"),
        pytest.param(
            cluster(*odd(sm_clock=1200), *others(NAMES[1:5]), pods=PODS[:5]), "gap", id="four others are enough"
        ),
        pytest.param(
            cluster(*odd(sm_clock=1200), *others(NAMES[1:4]), pods=PODS[:5]), "clear", id="too few others tell it"
        ),
        pytest.param(cluster(*SLOW, pods=PODS[:4]), "not_applicable", id="too few nodes to compare"),
        pytest.param(
            cluster(
                *odd(sm_clock=1200, gpu_power=600),
                *(row for name in NAMES[1:] for row in profile(name, USUAL | {"gpu_power": 500})),
            ),
            "clear",
            id="it works harder",
        ),
        pytest.param(cluster(*odd(sm_clock=1200, gpu_temperature=40), *others()), "gap", id="slow although it is cool"),
        pytest.param(cluster(*odd(sm_clock=1200, gpu_power=760), *others()), "gap", id="it draws a little more power"),
        pytest.param(
            cluster(*profile("gpu-1", {"sm_clock": 1200, "gpu_utilisation": 99}), *others()),
            "gap",
            id="nothing tells what power it draws",
        ),
        pytest.param(
            cluster(*odd(tensor_active=0.2, gpu_power=800), *others(tensor_active=0.45)),
            "gap",
            id="it computes less for more power",
        ),
        pytest.param(
            cluster(
                *SLOW, pods=tuple(worker(name, run=Run(kind="NodeSet", namespace="ml", name="a")) for name in NAMES)
            ),
            "not_applicable",
            id="jobs of Slurm",
        ),
        pytest.param(cluster(*SLOW, pods=()), "not_applicable", id="nothing trains"),
        pytest.param(
            facts(*NODES, *PODS, *others(), *exported("sm_clock", *NAMES), *exported("gpu_utilisation", *NAMES[1:])),
            "unknown",
            id="a node does not tell whether it is busy",
        ),
        pytest.param(cluster(*SLOW, unread=(NodeProfile,)), "unknown", id="profiles are unread"),
        pytest.param(cluster(*others(), unread=(Exported,)), "unknown", id="who publishes is unread"),
        pytest.param(cluster(*SLOW, unread=(Exported,)), "gap", id="a slow node shows whatever else is unread"),
        pytest.param(cluster(*SLOW, unread=(Node,)), "unknown", id="nodes are unread"),
        pytest.param(cluster(*SLOW, unread=(Pod,)), "unknown", id="pods are unread"),
        pytest.param(cluster(*SLOW, unread=(ResourceSlice,)), "unknown", id="nodes that only DRA tells of are unread"),
    ],
)
def test_a_node_that_is_worse_than_the_others_of_its_run_is_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_a_finding_says_how_far_the_node_is_from_the_others():
    [finding] = CHECK.run(cluster(*odd(sm_clock=1200, gpu_power=400), *others())).findings

    assert (str(finding.subject), finding.confidence) == ("Node/gpu-1", Confidence.LIKELY)
    assert finding.says.en == (
        "in PyTorchJob/ml/train: clock of the slowest GPU 1,200 MHz, 32 percent off the median of 7 like nodes "
        "(1,759); "
        "power of the GPU that draws least 400 W, 39 percent off the median of 7 like nodes (651.3)"
    )
    assert finding.evidence == {
        "metrics.sm_clock": 1200,
        "metrics.gpu_power": 400,
        "peers.metrics.sm_clock": 1758.51,
        "peers.metrics.gpu_power": 651.3,
        "Pod[ml/train-gpu-1].metadata.ownerReferences": "PyTorchJob",
    }


def test_less_work_alone_is_a_hint_since_stages_may_be_uneven():
    [finding] = CHECK.run(cluster(*odd(gpu_power=400), *others())).findings

    assert finding.confidence is Confidence.HINT


def test_a_node_that_is_told_twice_is_as_bad_as_the_worse_of_both():
    twice = (*odd(), *odd(sm_clock=1200, gpu_temperature=80), *odd(), *others())

    [finding] = CHECK.run(cluster(*twice)).findings

    assert finding.evidence.keys() >= {"metrics.sm_clock", "metrics.gpu_temperature"}


def test_an_owner_may_set_other_limits():
    given = cluster(*odd(sm_clock=1600), *others())
    assert CHECK.run(given, {"odd_sm_clock": 5}).status == "gap"
    assert CHECK.run(given, {"odd_sm_clock": 5, "odd_peers": 7}).status == "not_applicable"


def test_a_distance_counts_from_the_limit_on():
    given = cluster(*odd(sm_clock=500), *spread(900, 900, 1000, 1000, 1100, 1100))
    limit = 500 / (1.4826 * 100)  # the median absolute deviation is 100

    assert CHECK.run(given, {"odd_score": limit}).status == "gap"
    assert CHECK.run(given, {"odd_score": limit + 0.01}).status == "clear"
