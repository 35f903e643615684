from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from checks import build
from kubegap_checks.facts.pods import Container, Mount, Pod, PodVolume, Run
from kubegap_checks.facts.read import Facts, Partial, Record
from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_checks.model import Confidence, Severity, Status, Verdict
from kubegap_checks.rules.job_recovery.checkpoint_not_durable import CHECK

GPUS = {"nvidia.com/gpu": 8}
SHARED = (build.claim("work", volume="pv-work"), build.volume("pv-work", driver="fsx.csi.aws.com"))
LOCAL = (build.claim("work", volume="pv-work"), build.volume("pv-work", local_path="/mnt/disks/ssd0"))
EMPTY = PodVolume(name="v", form="empty_dir", attributes={})
CLAIM = PodVolume(name="v", form="claim", claim="work", attributes={})


def on_host(path: str) -> PodVolume:
    return PodVolume(name="v", form="host_path", path=path, attributes={})


def pod(
    flags: Mapping[str, str] | None = None,
    volume: PodVolume | None = None,
    at: str = "/work",
    others: tuple[Container, ...] = (),
    mounts: tuple[Mount, ...] = (),
    *,
    read_only: bool = False,
    **fields: Any,
) -> Pod:
    """A pod of eight GPUs whose trainer mounts the volume, with further mounts and containers."""
    mounted = (*mounts, Mount(volume="v", path=at, read_only=read_only)) if volume else mounts
    trainer = replace(build.container(limits=GPUS, flags=flags or {}, mounts=mounted), **fields)
    return build.pod(resources=GPUS, containers=(trainer, *others), volumes=(volume,) if volume else ())


def of(records: Iterable[Record]) -> Facts:
    return build.facts(*records)


def run(*records: Record, unread: tuple[type[Record], ...] = ()) -> Verdict:
    return CHECK.run(build.facts(*records, unread=unread))


TO_WORK = {"--save": "/work/ckpt"}
RELATIVE = {"--checkpoint_dir": "./checkpoints"}
LOST = pod({"--save": "/opt/ckpt"})


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(of([LOST]), "gap", id="in the container's layer"),
        pytest.param(of([pod(TO_WORK, EMPTY)]), "gap", id="an emptyDir"),
        pytest.param(of([pod(TO_WORK, replace(EMPTY, form="ephemeral"))]), "gap", id="a claim of the pod's own"),
        pytest.param(of([pod(TO_WORK, replace(EMPTY, form="image"))]), "gap", id="an image"),
        pytest.param(of([pod(TO_WORK, replace(EMPTY, form="other"))]), "gap", id="a config map"),
        pytest.param(of([pod(TO_WORK, on_host("/mnt/k8s-disks/0"))]), "gap", id="NVMe of the node"),
        pytest.param(of([pod(TO_WORK, CLAIM), *LOCAL]), "gap", id="a local volume"),
        pytest.param(of([pod(TO_WORK, CLAIM), *SHARED]), "clear", id="a shared filesystem"),
        pytest.param(of([pod({"--save": "/elsewhere"}, CLAIM), *SHARED]), "gap", id="beside a shared filesystem"),
        pytest.param(of([pod(TO_WORK, on_host("/lustre/ckpt"))]), "clear", id="a shared mount of the node"),
        pytest.param(of([pod(TO_WORK, on_host("/data/ckpt"))]), "unknown", id="a path of the node that nobody knows"),
        pytest.param(of([pod(TO_WORK, CLAIM)]), "unknown", id="a claim that no list holds"),
        pytest.param(
            of([replace(pod(TO_WORK, CLAIM), node=""), build.claim("work")]), "unknown", id="no class behind it"
        ),
        pytest.param(of([pod()]), "clear", id="no path is named"),
        pytest.param(of([pod({"--load": "/opt/base"})]), "clear", id="only a path that is read"),
        pytest.param(of([pod({"--save": "s3://bucket/ckpt"})]), "clear", id="an object store"),
        pytest.param(of([pod({"--save": "$CKPT/llm"})]), "clear", id="a variable"),
        pytest.param(of([pod({"--save": "{{root}}/llm"})]), "clear", id="a template"),
        pytest.param(of([pod({"--save": "~/ckpt"})]), "clear", id="a home that could be anywhere"),
        pytest.param(of([pod({"--save": "true"})]), "clear", id="a switch"),
        pytest.param(of([pod(env={"SAVE_DIR": None})]), "clear", id="a value from elsewhere"),
        pytest.param(of([pod(env={"SAVE_DIR": "/opt/ckpt"})]), "gap", id="a variable of the environment"),
        pytest.param(
            of([replace(LOST, run=Run(kind="NodeSet", namespace="ml", name="gpu"))]), "clear", id="Slurm in pods"
        ),
        pytest.param(
            of([replace(LOST, run=Run(kind="Deployment", namespace="ml", name="api"))]),
            "not_applicable",
            id="one that serves",
        ),
    ],
)
def test_where_checkpoints_go_by_what_the_pod_names(given: Facts, status: Status) -> None:
    assert CHECK.run(given).status == status


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(of([pod(RELATIVE)]), "gap", id="no mount at all"),
        pytest.param(of([pod(RELATIVE, EMPTY)]), "gap", id="only an emptyDir"),
        pytest.param(of([pod(RELATIVE, on_host("/dev/shm"), "/dev/shm")]), "gap", id="only shared memory"),  # noqa: S108
        pytest.param(of([pod(RELATIVE, CLAIM), *SHARED]), "unknown", id="perhaps in the claim"),
        pytest.param(of([pod(RELATIVE, CLAIM, read_only=True), *SHARED]), "gap", id="a claim that is only read"),
        pytest.param(of([pod(RELATIVE, CLAIM, workdir="/work/run"), *SHARED]), "clear", id="from there into the claim"),
        pytest.param(of([pod(RELATIVE, CLAIM, workdir="/app"), *SHARED]), "gap", id="from there into the layer"),
        pytest.param(of([pod({"--save": "../ckpt"}, CLAIM, workdir="/work/run"), *SHARED]), "clear", id="up, within"),
        pytest.param(of([pod({"--save": "../../ckpt"}, CLAIM, workdir="/work/run"), *SHARED]), "gap", id="up, and out"),
    ],
)
def test_a_relative_path_is_lost_where_no_place_that_it_can_mean_is_kept(given: Facts, status: Status) -> None:
    assert CHECK.run(given).status == status


SIDECAR = build.container("upload", mounts=(Mount(volume="v", path="/out"),))
STAGE = build.container("fetch", init=True, mounts=(Mount(volume="v", path="/in"),))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(of([pod({}, EMPTY, "/checkpoints")]), "gap", id="an emptyDir"),
        pytest.param(of([pod({}, EMPTY, "/work")]), "clear", id="an emptyDir that looks like nothing"),
        pytest.param(of([pod({}, CLAIM, "/checkpoints"), *SHARED]), "clear", id="a shared filesystem"),
        pytest.param(of([pod({}, EMPTY, "/checkpoints", (SIDECAR,))]), "clear", id="that a sidecar copies"),
        pytest.param(of([pod({}, EMPTY, "/checkpoints", (STAGE,))]), "clear", id="that an init container filled"),
        pytest.param(of([pod(TO_WORK, EMPTY, others=(SIDECAR,))]), "clear", id="a path that a sidecar copies"),
        pytest.param(of([pod(TO_WORK, EMPTY, others=(STAGE,))]), "gap", id="a path that an init container filled"),
        pytest.param(
            of([pod({}, EMPTY, mounts=(Mount(volume="v", path="/checkpoints", read_only=True),), at="/w"), *SHARED]),
            "gap",
            id="read-only here and writable there",
        ),
        pytest.param(
            of([pod({}, EMPTY, "/checkpoints", read_only=True)]), "clear", id="a base model that is only read"
        ),
        pytest.param(
            of([pod({"--save": "/opt/ckpt"}, CLAIM, "/checkpoints"), *SHARED]), "clear", id="a second tier beside"
        ),
        pytest.param(
            of([LOST, replace(pod(TO_WORK, CLAIM), name="train-1"), *SHARED]),
            "clear",
            id="only one pod of the run saves",
        ),
        pytest.param(
            of([LOST, replace(pod(TO_WORK, on_host("/data")), name="train-1")]),
            "unknown",
            id="one pod of which nobody knows",
        ),
    ],
)
def test_what_looks_like_a_place_for_checkpoints(given: Facts, status: Status) -> None:
    assert CHECK.run(given).status == status


@pytest.mark.parametrize(
    ("given", "severity", "confidence"),
    [
        pytest.param(of([LOST]), Severity.HIGH, Confidence.LIKELY, id="the container's layer"),
        pytest.param(
            of([replace(LOST, resources={"nvidia.com/gpu": 7})]), Severity.LOW, Confidence.LIKELY, id="a small run"
        ),
        pytest.param(of([pod(TO_WORK, on_host("/mnt/k8s-disks/0"))]), Severity.MEDIUM, Confidence.HINT, id="the node"),
        pytest.param(
            of([pod({"--output_dir": "/opt/out"})]), Severity.HIGH, Confidence.HINT, id="a flag of many meanings"
        ),
        pytest.param(
            of([replace(LOST, run=Run(kind="Job", namespace="ml", name="work"))]),
            Severity.HIGH,
            Confidence.HINT,
            id="a Job",
        ),
        pytest.param(of([pod({}, EMPTY, "/results")]), Severity.HIGH, Confidence.HINT, id="a vague look"),
    ],
)
def test_how_bad_and_how_sure(given: Facts, severity: Severity, confidence: Confidence) -> None:
    verdict = CHECK.run(given)

    (finding,) = verdict.findings
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (severity, confidence)


def test_a_run_is_one_finding_that_names_the_path() -> None:
    verdict = run(LOST, replace(LOST, name="train-1"))

    (finding,) = verdict.findings
    assert str(finding.subject) == "PyTorchJob/ml/train"
    assert finding.says.en == "the checkpoint path /opt/ckpt of pod train-0 lies in the container's own layer"
    assert finding.evidence == {"Pod[ml/train-0].spec.containers[trainer].args[--save]": "/opt/ckpt"}


@pytest.mark.parametrize("lost", [Pod, Claim, Volume, StorageClass, WekaCluster])
def test_a_read_that_lacks_is_unknown_where_it_is_needed(lost: type[Record]) -> None:
    weka = build.volume("pv-work", driver="csi.weka.io", storage_class="shared")
    given = (pod(TO_WORK, CLAIM), SHARED[0], weka, build.storage_class())

    assert run(*given, unread=(lost,)).status == ("clear" if lost is StorageClass else "unknown")
    assert run(LOST, unread=(lost,)).status == ("unknown" if lost is Pod else "gap")


def test_one_run_that_cannot_be_judged_hides_no_other() -> None:
    other = replace(LOST, run=Run(kind="PyTorchJob", namespace="ml", name="other"))

    verdict = run(pod(TO_WORK, CLAIM), other, unread=(Claim,))

    assert [str(finding.subject) for finding in verdict.findings] == ["PyTorchJob/ml/other"]
    assert verdict.unread


@pytest.mark.parametrize(("asked_for", "status"), [(True, "gap"), (False, "unknown")])
def test_a_pod_that_was_not_seen_may_be_the_one_that_saves(asked_for: bool, status: Status) -> None:  # noqa: FBT001
    partial = Partial((LOST,), (build.forbidden(Pod),), asked_for=asked_for)

    assert CHECK.run(build.facts().but(Pod, partial)).status == status
