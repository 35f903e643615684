from typing import Any

import pytest
from msgspec.structs import replace

from checks import build
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Mount, Pod, PodVolume, Run
from kubegap_checks.facts.read import Facts, Record
from kubegap_checks.facts.storage import FluidDataset
from kubegap_checks.model import Confidence, Severity, Status, Verdict
from kubegap_checks.rules.storage_tiering.dataset_exceeds_local_disk import CHECK

GI = 2**30
DATASET = FluidDataset(namespace="ml", name="c4", total=30 * GI, capacity=10 * GI)
STAGED = PodVolume(name="stage", form="empty_dir", size_limit=500 * GI, attributes={})
NODE = build.node("gpu-1", {}, {"nvidia.com/gpu": 8, "ephemeral-storage": 100 * GI})


def pod(volume: PodVolume = STAGED, at: str = "/data", **fields: Any) -> Pod:
    trainer = build.container(limits={"nvidia.com/gpu": 8}, mounts=(Mount(volume=volume.name, path=at),))
    return build.pod(resources={"nvidia.com/gpu": 8}, containers=(trainer,), volumes=(volume,), **fields)


def run(*records: Record, **fields: Any) -> Verdict:
    return CHECK.run(build.facts(*records, **fields))


@pytest.mark.parametrize(
    ("cluster", "status"),
    [
        pytest.param(build.facts(DATASET), "gap", id="a cache that is too small"),
        pytest.param(build.facts(pod(), NODE), "gap", id="a directory that is too large"),
        pytest.param(build.facts(replace(DATASET, capacity=40 * GI)), "clear", id="a cache with room"),
    ],
)
def test_a_dataset_must_fit_what_holds_it(cluster: Facts, status: Status) -> None:
    assert CHECK.run(cluster).status == status


@pytest.mark.parametrize(
    ("dataset", "status"),
    [
        pytest.param(DATASET, "gap", id="a cache of a third of it"),
        pytest.param(replace(DATASET, capacity=30 * GI), "clear", id="a cache of just its size"),
        pytest.param(replace(DATASET, capacity=0), "clear", id="the workers are not up"),
        pytest.param(replace(DATASET, capacity=None), "clear", id="no capacity told"),
        pytest.param(replace(DATASET, total=None), "clear", id="its size is being calculated"),
    ],
)
def test_a_cache_must_hold_its_dataset(dataset: FluidDataset, status: Status) -> None:
    assert run(dataset).status == status


@pytest.mark.parametrize(
    ("reader", "status"),
    [
        pytest.param(pod(), "gap", id="a dataset's copy"),
        pytest.param(pod(at="/scratch"), "gap", id="scratch"),
        pytest.param(pod(at="/root/.cache"), "gap", id="a cache"),
        pytest.param(pod(at="/work"), "clear", id="nothing tells what it is for"),
        pytest.param(pod(replace(STAGED, size_limit=100 * GI)), "clear", id="just what the node offers"),
        pytest.param(pod(replace(STAGED, size_limit=None)), "clear", id="no bound"),
        pytest.param(pod(replace(STAGED, medium="Memory")), "clear", id="memory"),
        pytest.param(pod(node="gpu-2"), "clear", id="a node that is not in the list"),
        pytest.param(pod(node=""), "clear", id="it is not placed"),
        pytest.param(pod(run=Run(kind="Deployment", namespace="ml", name="web")), "not_applicable", id="it serves"),
    ],
)
def test_a_directory_on_the_node_may_not_be_larger_than_its_disk(reader: Pod, status: Status) -> None:
    assert run(reader, NODE).status == status


@pytest.mark.parametrize(
    "allocatable", [pytest.param(None, id="no status"), pytest.param({"nvidia.com/gpu": 8}, id="no disk in it")]
)
def test_a_node_that_does_not_say_what_it_offers_is_unknown(allocatable: dict[str, int] | None) -> None:
    (doubt,) = run(pod(), replace(NODE, allocatable=allocatable)).unread

    assert doubt.what.en == "ephemeral-storage of node gpu-1"


def test_the_finding_about_a_cache_names_both_sizes() -> None:
    verdict = run(DATASET)

    (finding,) = verdict.findings
    assert str(finding.subject) == "Dataset/ml/c4"
    assert finding.says.en == "can cache 10.0 GiB of its 30.0 GiB"
    assert finding.evidence == {
        "Dataset[ml/c4].status.ufsTotal": 30 * GI,
        "Dataset[ml/c4].status.cacheStates.cacheCapacity": 10 * GI,
    }
    assert verdict.severity_of(finding) is Severity.MEDIUM
    assert verdict.confidence_of(finding) is Confidence.LIKELY


def test_the_finding_about_a_copy_names_the_run_and_the_node() -> None:
    verdict = run(pod(), pod(name="train-1"), NODE)

    (finding,) = verdict.findings
    assert str(finding.subject) == "PyTorchJob/ml/train"
    assert finding.key == "stage"
    assert finding.says.en == "may write 500 GiB to emptyDir stage on node gpu-1, which offers 100 GiB"
    assert finding.evidence == {
        "Pod[ml/train-0].spec.volumes[stage].emptyDir.sizeLimit": 500 * GI,
        "Node[gpu-1].status.allocatable.ephemeral-storage": 100 * GI,
    }
    assert verdict.confidence_of(finding) is Confidence.LIKELY


def test_a_mount_that_hardly_looks_like_it_makes_a_hint() -> None:
    verdict = run(pod(at="/scratch"), NODE)

    assert [verdict.confidence_of(finding) for finding in verdict.findings] == [Confidence.HINT]


@pytest.mark.parametrize("kind", [Pod, Node, FluidDataset])
def test_what_may_not_be_read_is_unknown(kind: type[Record]) -> None:
    assert run(pod(), replace(NODE, allocatable={"ephemeral-storage": 900 * GI}), unread=[kind]).status == "unknown"


def test_neither_a_run_nor_a_cache_is_not_applicable() -> None:
    assert run(NODE).status == "not_applicable"
