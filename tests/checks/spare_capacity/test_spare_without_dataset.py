import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Mount, Pod, PodVolume, Run
from kubegap_checks.facts.read import Facts
from kubegap_checks.facts.storage import Volume
from kubegap_checks.model import Confidence
from kubegap_checks.rules.spare_capacity.spare_without_dataset import CHECK
from tests.checks.build import container, facts, node, pod, volume

GPUS = {"nvidia.com/gpu": 8}
P5 = {"node.kubernetes.io/instance-type": "p5.48xlarge", "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}
OFFERS = GPUS | {"vpc.amazonaws.com/efa": 32}
NODES = tuple(node(f"gpu-{place:02}", P5, OFFERS) for place in range(16))
SPARE = node("spare", P5, OFFERS)


def worker(place: int, source: PodVolume, run: Run | None = None) -> Pod:
    trainer = container(mounts=(Mount(volume="data", path="/data"),), limits=GPUS)
    made = pod(f"train-{place}", node=f"gpu-{place:02}", resources=GPUS, containers=(trainer,), volumes=(source,))
    return replace(made, run=run) if run else made


def claimed(place: int) -> PodVolume:
    return PodVolume(name="data", form="claim", claim=f"data-{place}", attributes={})


def on(host: str, claim: str = "", **fields: str) -> Volume:
    labels = ({"kubernetes.io/hostname": (host,)},)
    made = volume(f"pv-{host}", claim_namespace="ml", claim_name=claim, storage_class="local-nvme")
    return replace(made, node_affinity=labels, **fields)


WORKERS = tuple(worker(place, claimed(place)) for place in range(16))
LOCAL = tuple(on(f"gpu-{place:02}", f"data-{place}") for place in range(16))
ON_HOST = PodVolume(name="data", form="host_path", path="/mnt/nvme/data", attributes={})
GAP = (*NODES, SPARE, *WORKERS, *LOCAL)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(*GAP), "gap", id="the spare has no local volume"),
        pytest.param(facts(*GAP, on("spare")), "clear", id="the spare has one of the same class"),
        pytest.param(facts(*GAP, on("spare", storage_class="scratch")), "gap", id="the spare has one of another class"),
        pytest.param(
            facts(*NODES, SPARE, *WORKERS, *(replace(one, node_affinity=()) for one in LOCAL)),
            "clear",
            id="volumes that every node can mount",
        ),
        pytest.param(
            facts(*NODES, SPARE, *WORKERS, *(replace(one, claim_name="other") for one in LOCAL)),
            "clear",
            id="local volumes of another use",
        ),
        pytest.param(
            facts(*NODES, SPARE, *WORKERS, *(replace(one, claim_namespace="other") for one in LOCAL)),
            "clear",
            id="local volumes of another namespace",
        ),
        pytest.param(
            facts(*NODES, SPARE, *(worker(place, ON_HOST) for place in range(16))),
            "clear",
            id="a folder of the host, of which nothing says what it holds",
        ),
        pytest.param(
            facts(*NODES, replace(SPARE, conditions=()), *WORKERS, *LOCAL), "unknown", id="perhaps it is no spare"
        ),
        pytest.param(facts(*NODES, *WORKERS, *LOCAL), "not_applicable", id="no spare at all"),
        pytest.param(facts(*NODES, SPARE), "not_applicable", id="no run"),
        pytest.param(facts(*GAP, unread=(Volume,)), "unknown", id="volumes unread"),
        pytest.param(facts(*GAP, unread=(Pod,)), "unknown", id="pods unread"),
        pytest.param(facts(*GAP, unread=(Node,)), "unknown", id="nodes unread"),
    ],
)
def test_a_spare_must_have_the_data_that_lies_on_the_nodes(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_a_run_without_a_spare_beside_one_with_a_spare_is_not_its_business():
    other = Run(kind="PyTorchJob", namespace="ml", name="other")
    labels = P5 | {"node.kubernetes.io/instance-type": "p5en.48xlarge"}
    nodes = tuple(node(f"other-{place:02}", labels, OFFERS) for place in range(16))
    pods = tuple(
        replace(worker(place, claimed(place), other), name=f"other-{place}", node=f"other-{place:02}")
        for place in range(16)
    )

    [finding] = CHECK.run(facts(*GAP, *nodes, *pods)).findings

    assert str(finding.subject) == "PyTorchJob/ml/train"


@pytest.mark.parametrize(
    ("kind", "confidence"),
    [pytest.param("PyTorchJob", Confidence.LIKELY, id="training"), pytest.param("Job", Confidence.HINT, id="perhaps")],
)
def test_it_is_as_sure_as_the_run_is_training(kind: str, confidence: Confidence):
    run = Run(kind=kind, namespace="ml", name="train")
    pods = (worker(place, claimed(place), run) for place in range(16))

    [finding] = CHECK.run(facts(*NODES, SPARE, *pods, *LOCAL)).findings

    assert finding.confidence == confidence
    assert "16 local volumes of class local-nvme" in finding.says.en
