from typing import Any

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod, PodVolume, Run
from kubegap_checks.facts.read import Facts, Record
from kubegap_checks.model import Confidence, Severity, Status
from kubegap_checks.rules.ib_health.fabric_split import CHECK
from tests.checks.build import container, facts, node, pod

ZONE, ISLAND = "topology.kubernetes.io/zone", "oci.oraclecloud.com/rdma.hpc_island_id"
BLOCK, LAYER = "cloud.google.com/gce-topology-block", "topology.k8s.aws/network-node-layer-1"
EFA, VF, RDMA = "vpc.amazonaws.com/efa", "nvidia.com/rdma-vf", "networking.gke.io.networks/rdma-0"
NEAR = {"kueue.x-k8s.io/podset-preferred-topology": BLOCK}
GPUS = {"nvidia.com/gpu": 8}
RANKS = (container(env={"MASTER_ADDR": None}, limits=GPUS),)


def on(key: str, *values: str, fabric: str = EFA, gpus: int = 8) -> list[Node]:
    """One node for each value."""
    held = {"nvidia.com/gpu": gpus, fabric: 4}
    return [node(f"gpu-{place}", {key: value} if value else {}, held) for place, value in enumerate(values)]


def pods(count: int = 2, asks: str = EFA, kind: str = "PyTorchJob", **fields: Any) -> list[Pod]:
    owner = Run(kind=kind, namespace="ml", name="train")
    resources = GPUS | ({asks: 4} if asks else {})
    return [pod(f"train-{n}", node=f"gpu-{n}", resources=resources, run=owner, **fields) for n in range(count)]


def spare(key: str, value: str, count: int = 2, gpus: int = 8) -> list[Node]:
    return [node(f"spare-{value}-{n}", {key: value}, {"nvidia.com/gpu": gpus, EFA: 4}) for n in range(count)]


APART = facts(*on(ZONE, "us-west-2a", "us-west-2b"), *pods())
PACKED = [*on(BLOCK, "a", "b"), *spare(BLOCK, "a", 1)]


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(APART, "gap", id="EFA in two zones"),
        pytest.param(facts(*on(ZONE, "us-west-2a", "us-west-2a"), *pods()), "clear", id="EFA in one zone"),
        pytest.param(facts(*on(ZONE, "a", "b", fabric=VF), *pods(asks=VF)), "clear", id="zones that bound no fabric"),
        pytest.param(facts(*on(ZONE, "a", ""), *pods()), "clear", id="a node that does not say its zone"),
        pytest.param(facts(*on(ZONE, "a", "b")[:1], *pods()), "clear", id="a node that has gone"),
        pytest.param(facts(*on(ISLAND, "x", "y", fabric=VF), *pods(asks=VF)), "gap", id="two islands"),
        pytest.param(
            facts(*on(ZONE, "a", "b", fabric=RDMA), *pods(asks="", annotations={"networking.gke.io/interfaces": "[]"})),
            "gap",
            id="RDMA networks of two zones, named in an annotation",
        ),
        pytest.param(
            facts(*on(ZONE, "a", "b"), *pods(asks="", device_claims=1)), "gap", id="claimed devices in two zones"
        ),
        pytest.param(facts(*on(ZONE, "a", "b"), *pods(asks="")), "not_applicable", id="pods that use no fabric"),
        pytest.param(facts(*on(ZONE, "a", "b"), *pods(count=1)), "clear", id="one pod"),
        pytest.param(
            facts(*on(ZONE, "a", "b"), *pods(kind="Deployment")), "not_applicable", id="what serves, in two zones"
        ),
        pytest.param(
            facts(*on(ZONE, "a", "b"), *pods(kind="LeaderWorkerSet", containers=RANKS)),
            "not_applicable",
            id="groups that serve, in two zones",
        ),
        pytest.param(
            facts(*on(ZONE, "a", "b"), *pods(kind="OwnJob", containers=RANKS)), "gap", id="a job of an unknown kind"
        ),
        pytest.param(facts(*on(ZONE, "a", "b")), "not_applicable", id="no pods"),
        pytest.param(facts(*PACKED, *pods()), "gap", id="two blocks, of which one would have done"),
        pytest.param(facts(*on(BLOCK, "a", "b"), *pods()), "clear", id="two blocks of one node each"),
        pytest.param(
            facts(*on(BLOCK, "a", "b"), *spare(BLOCK, "a", 1, gpus=4), *pods()),
            "clear",
            id="two blocks, of which one has room on other machines only",
        ),
        pytest.param(
            facts(*on(BLOCK, "a", "b"), *spare("other", "a", 1), *pods()), "clear", id="room that is in no block"
        ),
        pytest.param(facts(*PACKED, *spare("other", "x", 5), *pods()), "gap", id="more room that is in no block"),
        pytest.param(
            facts(*PACKED[:2], replace(PACKED[2], capacity=GPUS | {EFA: 8}), *pods()), "gap", id="more adapters there"
        ),
        pytest.param(
            facts(*PACKED, node("x", {BLOCK: "a"}, capacity=None), *pods()), "gap", id="a node without status"
        ),
        pytest.param(facts(*PACKED, *pods(annotations=NEAR)), "clear", id="two blocks, packed as well as it could be"),
        pytest.param(
            facts(*PACKED, *pods(annotations={"kueue.x-k8s.io/podset-group-name": "a"})),
            "gap",
            id="another annotation of Kueue's",
        ),
        pytest.param(
            facts(*PACKED, *pods(annotations={"own/required-topology": "a"})), "gap", id="an annotation of another's"
        ),
        pytest.param(
            facts(*on(ISLAND, "x", "y", fabric=VF), *pods(asks=VF, annotations=NEAR)),
            "gap",
            id="two islands, though packed",
        ),
        pytest.param(facts(*on(ZONE, "a", "b"), *pods(), unread=(Pod,)), "unknown", id="pods are unread"),
        pytest.param(facts(*on(ZONE, "a", "b"), *pods(), unread=(Node,)), "unknown", id="nodes are unread"),
    ],
)
def test_status(given: Facts, status: Status) -> None:
    assert CHECK.run(given).status == status


def test_what_is_apart_is_told_before_what_is_further() -> None:
    both: list[Record] = [
        replace(one, labels={LAYER: value, ZONE: value}) for one, value in zip(on(ZONE, "a", "b"), "ab", strict=True)
    ]
    verdict = CHECK.run(facts(*both, *spare(LAYER, "a"), *pods()))

    (finding,) = verdict.findings
    assert (finding.severity, finding.confidence) == (Severity.HIGH, Confidence.LIKELY)
    assert str(finding.subject) == "PyTorchJob/ml/train"
    assert finding.says.en == "its nodes are in 2 availability zones, between which EFA does not work (a, b)"
    assert finding.evidence == {f"Node[gpu-0].metadata.labels.{ZONE}": "a", f"Node[gpu-1].metadata.labels.{ZONE}": "b"}


def test_more_switches_are_a_hint_that_names_where_the_run_would_fit() -> None:
    (finding,) = CHECK.run(facts(*PACKED, *pods())).findings

    assert (finding.severity, finding.confidence) == (Severity.LOW, Confidence.HINT)
    assert finding.says.en == "its nodes are in 2 network blocks (a, b), and a has enough"
    assert "a 한 곳에도" in finding.says.ko


def test_a_run_that_only_looks_like_training_makes_a_hint() -> None:
    opened = PodVolume(name="ib", form="host_path", path="/dev/infiniband", attributes={})
    (finding,) = CHECK.run(facts(*on(ZONE, "a", "b"), *pods(asks="", kind="Job", volumes=(opened,)))).findings

    assert (finding.severity, finding.confidence) == (Severity.HIGH, Confidence.HINT)
