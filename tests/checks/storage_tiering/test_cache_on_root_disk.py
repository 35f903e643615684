from typing import Any

import pytest
from msgspec.structs import replace

from checks import build
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Mount, Pod, PodVolume, Run
from kubegap_checks.facts.read import Facts, Partial, Record
from kubegap_checks.facts.storage import Claim, Volume
from kubegap_checks.model import Confidence, Severity, Status, Verdict
from kubegap_checks.rules.storage_tiering.cache_on_root_disk import CHECK

GI = 2**30
P5 = {"node.kubernetes.io/instance-type": "p5.48xlarge", "karpenter.k8s.aws/instance-local-nvme": "30400"}
CACHE = PodVolume(name="cache", form="empty_dir", attributes={})


def node(offered: int = 17 * GI, **fields: Any) -> Node:
    return build.node("gpu-1", P5, {"nvidia.com/gpu": 8, "ephemeral-storage": offered}, **fields)


def pod(*volumes: PodVolume, at: str = "/root/.cache", **fields: Any) -> Pod:
    """A trainer that mounts its volumes at a path and below it."""
    mounts = tuple(Mount(volume=volume.name, path=at) for volume in volumes)
    trainer = build.container(limits={"nvidia.com/gpu": 8}, mounts=mounts, **fields)
    return build.pod(resources={"nvidia.com/gpu": 8}, containers=(trainer,), volumes=volumes)


def run(*records: Record, **fields: Any) -> Verdict:
    return CHECK.run(build.facts(*records, **fields))


@pytest.mark.parametrize(
    ("cluster", "status"),
    [
        pytest.param(build.facts(pod(CACHE), node()), "gap", id="a cache in a directory of the node"),
        pytest.param(
            build.facts(
                pod(replace(CACHE, form="claim", claim="data")),
                node(),
                build.claim(),
                build.volume(host_path="/opt/local-path-provisioner/pvc-1"),
            ),
            "gap",
            id="a volume on the root disk",
        ),
        pytest.param(build.facts(pod(CACHE), node(28000 * GI)), "clear", id="the node offers its NVMe"),
    ],
)
def test_a_cache_belongs_on_the_nvme(cluster: Facts, status: Status) -> None:
    assert CHECK.run(cluster).status == status


@pytest.mark.parametrize(
    ("reader", "status"),
    [
        pytest.param(pod(CACHE), "gap", id="a cache in a directory of the node"),
        pytest.param(pod(CACHE, at="/data"), "gap", id="a dataset in a directory of the node"),
        pytest.param(pod(env={"HF_HOME": "/hf"}), "gap", id="a cache in the container's layer"),
        pytest.param(pod(flags={"--data-cache-path": "/idx"}), "gap", id="an index in the container's layer"),
        pytest.param(pod(env={"DATA_PATH": "/opt/c4"}), "clear", id="a dataset that came with the image"),
        pytest.param(pod(env={"TRITON_CACHE_DIR": "/t"}), "clear", id="a compiler's cache"),
        pytest.param(pod(CACHE, at="/scratch"), "clear", id="scratch"),
        pytest.param(pod(replace(CACHE, medium="Memory")), "clear", id="a cache in memory"),
        pytest.param(pod(replace(CACHE, form="claim", claim="data")), "clear", id="a cache on a volume"),
        pytest.param(pod(replace(CACHE, form="host_path", path="/mnt/k8s-disks/0/c")), "clear", id="on the NVMe"),
        pytest.param(pod(replace(CACHE, form="host_path", path="/var/jfsCache")), "gap", id="JuiceFS's own place"),
        pytest.param(replace(pod(CACHE), node="gpu-2"), "clear", id="another node"),
        pytest.param(
            replace(pod(CACHE), run=Run(kind="Deployment", namespace="ml", name="web")),
            "not_applicable",
            id="it serves",
        ),
    ],
)
def test_what_a_run_keeps_on_a_small_root_disk(reader: Pod, status: Status) -> None:
    assert run(reader, node(), build.claim(), build.volume(driver="ebs.csi.aws.com")).status == status


@pytest.mark.parametrize(
    ("volume", "status"),
    [
        pytest.param(build.volume(host_path="/opt/local-path-provisioner/pvc-1"), "gap", id="local-path's own place"),
        pytest.param(build.volume(local_path="/opt/local-path-provisioner/pvc-1"), "gap", id="as a local volume"),
        pytest.param(build.volume(local_path="/mnt/k8s-disks/0/pvc-1"), "clear", id="local-path on the NVMe"),
    ],
)
def test_a_volume_may_lie_on_the_root_disk_too(volume: Volume, status: Status) -> None:
    assert run(pod(replace(CACHE, form="claim", claim="data")), node(), build.claim(), volume).status == status


@pytest.mark.parametrize(
    ("where", "status"),
    [
        pytest.param(node(28000 * GI), "clear", id="ephemeral storage is the NVMe"),
        pytest.param(
            build.node("gpu-1", {}, {"nvidia.com/gpu": 8, "ephemeral-storage": 17 * GI}), "clear", id="no NVMe"
        ),
        pytest.param(node(created=build.JUST_NOW), "clear", id="a node that is just coming up"),
    ],
)
def test_a_node_whose_root_disk_is_not_known_to_be_that_is_no_gap(where: Node, status: Status) -> None:
    assert run(pod(CACHE), where).status == status


@pytest.mark.parametrize(
    ("reader", "offered", "severity", "confidence"),
    [
        pytest.param(pod(CACHE), 17 * GI, Severity.MEDIUM, Confidence.LIKELY, id="a tiny root disk"),
        pytest.param(pod(CACHE), 300 * GI, Severity.LOW, Confidence.HINT, id="a large one"),
        pytest.param(pod(CACHE), 304 * 10**9, Severity.LOW, Confidence.HINT, id="just a hundredth of the NVMe"),
        pytest.param(
            replace(pod(CACHE), run=Run(kind="Job", namespace="ml", name="work")),
            17 * GI,
            Severity.MEDIUM,
            Confidence.HINT,
            id="a run that only looks like training",
        ),
    ],
)
def test_a_large_root_disk_weighs_less(reader: Pod, offered: int, severity: Severity, confidence: Confidence) -> None:
    verdict = run(reader, node(offered))

    (finding,) = verdict.findings
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (severity, confidence)


def test_one_place_is_one_finding_with_the_sizes() -> None:
    reader = pod(env={"HF_HOME": "/hf"})
    verdict = run(reader, replace(reader, name="train-1"), node())

    (finding,) = verdict.findings
    assert str(finding.subject) == "PyTorchJob/ml/train"
    assert finding.key == "the container's own layer"
    assert finding.says.en == (
        "keeps /hf in the container's own layer on the root disk of node gpu-1 (17 GiB beside 30,400 GB of NVMe)"
    )
    assert finding.evidence == {
        "Pod[ml/train-0].spec.containers[trainer].env[HF_HOME]": "/hf",
        "metadata.labels.karpenter.k8s.aws/instance-local-nvme": "30400",
        "status.allocatable.ephemeral-storage": 17 * GI,
    }


def test_a_claim_that_cannot_be_read_hides_no_other_run() -> None:
    claimed = replace(pod(replace(CACHE, form="claim", claim="data")), namespace="research")
    other = replace(claimed, run=Run(kind="PyTorchJob", namespace="research", name="other"))
    facts = build.facts(other, pod(CACHE), node())
    verdict = CHECK.run(facts.but(Claim, Partial((), (build.forbidden(Claim),))))

    assert [str(finding.subject) for finding in verdict.findings] == ["PyTorchJob/ml/train"]
    assert [doubt.what.en for doubt in verdict.unread] == ["persistentvolumeclaims"]


@pytest.mark.parametrize("kind", [Pod, Node, Claim, Volume])
def test_what_may_not_be_read_is_unknown(kind: type[Record]) -> None:
    reader = pod(replace(CACHE, form="claim", claim="data"))
    there = build.volume(host_path="/opt/local-path-provisioner/pvc-1")

    assert run(reader, node(), build.claim(), there, unread=[kind]).status == "unknown"


def test_no_pod_is_not_applicable() -> None:
    assert run().status == "not_applicable"
