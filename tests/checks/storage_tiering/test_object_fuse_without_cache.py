from typing import Any

import pytest
from msgspec.structs import replace

from checks import build
from kubegap_checks.facts.pods import Mount, Pod, PodVolume, Run
from kubegap_checks.facts.read import Facts, Record
from kubegap_checks.facts.storage import Claim, StorageClass, Volume
from kubegap_checks.model import Confidence, Severity, Status, Verdict
from kubegap_checks.rules.storage_tiering.object_fuse_without_cache import CHECK

DATA = PodVolume(name="data", form="claim", claim="data", attributes={})
SCRATCH = PodVolume(name="scratch", form="empty_dir", attributes={})
MOUNTS = (Mount(volume="data", path="/data"), Mount(volume="scratch", path="/scratch"))
TRAINER = build.container(limits={"nvidia.com/gpu": 8}, mounts=MOUNTS)
COPY = build.container("copy", init=True, mounts=MOUNTS)
POD = build.pod(resources={"nvidia.com/gpu": 8}, containers=(TRAINER,), volumes=(DATA, SCRATCH))
CLAIM = build.claim()
GCS, S3 = "gcsfuse.csi.storage.gke.io", "s3.csi.aws.com"


def bucket(driver: str = GCS, **fields: Any) -> Volume:
    return build.volume(driver=driver, filesystem="#1f2e3d4c", storage_class="fuse", **fields)


def run(*records: Record, **fields: Any) -> Verdict:
    return CHECK.run(build.facts(*records, **fields))


@pytest.mark.parametrize(
    ("cluster", "status"),
    [
        pytest.param(build.facts(POD, CLAIM, bucket()), "gap", id="a bucket as it comes"),
        pytest.param(
            build.facts(
                POD,
                CLAIM,
                bucket(),
                build.storage_class("fuse", GCS, parameters={"fuseFileCacheMediumPriority": "gpu:ram|lssd"}),
            ),
            "clear",
            id="a class that sizes the cache",
        ),
        pytest.param(
            build.facts(replace(POD, containers=(TRAINER, COPY)), CLAIM, bucket()), "clear", id="a copy is staged"
        ),
    ],
)
def test_a_run_that_reads_a_bucket_needs_a_cache_on_the_node(cluster: Facts, status: Status) -> None:
    assert CHECK.run(cluster).status == status


@pytest.mark.parametrize(
    ("volume", "status"),
    [
        pytest.param(bucket(), "gap", id="Cloud Storage FUSE as it comes"),
        pytest.param(bucket(S3, mount_options=("metadata-ttl 3",)), "gap", id="Mountpoint with a metadata cache"),
        pytest.param(bucket(attributes={"fileCacheCapacity": "0"}), "gap", id="a cache that is off"),
        pytest.param(bucket(mount_options=("file-cache:max-size-mb:0",)), "gap", id="a cache that an option turns off"),
        pytest.param(bucket(attributes={"fileCacheCapacity": "-1"}), "clear", id="a file cache"),
        pytest.param(bucket(mount_options=("file-cache:max-size-mb:-1",)), "clear", id="a file cache by option"),
        pytest.param(bucket(S3, attributes={"cache": "emptyDir"}), "clear", id="a Mountpoint cache"),
        pytest.param(bucket(S3, mount_options=("cache /tmp/c",)), "clear", id="a Mountpoint cache by option"),
        pytest.param(bucket(S3, mount_options=("cache-xz #1f2e",)), "clear", id="a bucket nearby as a cache"),
        pytest.param(bucket("csi.juicefs.com"), "clear", id="a driver that caches by itself"),
        pytest.param(bucket("blob.csi.azure.com"), "clear", id="another that caches by itself"),
        pytest.param(bucket("ossplugin.csi.alibabacloud.com"), "unknown", id="a driver of which nobody tells"),
        pytest.param(bucket("efs.csi.aws.com"), "clear", id="no object store behind a mount"),
        pytest.param(bucket("csi.somebody.example"), "clear", id="a driver that no row knows"),
    ],
)
def test_a_mounted_bucket_must_have_a_cache(volume: Volume, status: Status) -> None:
    assert run(POD, CLAIM, volume).status == status


def test_a_class_that_sizes_the_cache_is_one() -> None:
    profile = build.storage_class("fuse", GCS, parameters={"fuseFileCacheMediumPriority": "gpu:ram|lssd"})

    assert run(POD, CLAIM, bucket(), profile).status == "clear"
    assert run(POD, CLAIM, bucket(), profile, unread=[StorageClass]).status == "unknown"


@pytest.mark.parametrize(
    ("options", "status"),
    [
        pytest.param("implicit-dirs,file-cache:max-size-mb:-1,ro", "clear", id="a cache"),
        pytest.param("implicit-dirs,file-cache:max-size-mb:0", "gap", id="one that is off"),
        pytest.param("implicit-dirs", "gap", id="none"),
    ],
)
def test_a_volume_that_the_pod_names_itself_carries_its_options(options: str, status: Status) -> None:
    inline = replace(DATA, form="csi", driver=GCS, attributes={"mountOptions": options})

    assert run(replace(POD, volumes=(inline, SCRATCH))).status == status


@pytest.mark.parametrize(
    ("reader", "status"),
    [
        pytest.param(replace(POD, containers=(TRAINER, COPY)), "clear", id="an init container stages a copy"),
        pytest.param(
            replace(POD, containers=(replace(TRAINER, mounts=(Mount(volume="data", path="/ckpt"),)),)),
            "clear",
            id="checkpoints only",
        ),
        pytest.param(
            replace(POD, run=Run(kind="Deployment", namespace="ml", name="web")), "not_applicable", id="it serves"
        ),
    ],
)
def test_a_pod_that_does_not_train_on_the_bucket_is_no_gap(reader: Pod, status: Status) -> None:
    assert run(reader, CLAIM, bucket()).status == status


def test_one_run_is_one_finding_with_what_shows_it() -> None:
    verdict = run(POD, replace(POD, name="train-1"), CLAIM, bucket())

    (finding,) = verdict.findings
    assert str(finding.subject) == "PyTorchJob/ml/train"
    assert finding.key == "Cloud Storage FUSE #1f2e3d4c"
    assert finding.evidence == {
        "Pod[ml/train-0].spec.containers[trainer].volumeMounts[data].mountPath": "/data",
        "PersistentVolume[pv-data].spec.csi.driver": GCS,
    }
    assert verdict.severity_of(finding) is Severity.MEDIUM
    assert verdict.confidence_of(finding) is Confidence.LIKELY


def test_a_run_that_only_looks_like_training_makes_a_hint() -> None:
    job = replace(POD, run=Run(kind="Job", namespace="ml", name="work"))
    verdict = run(job, CLAIM, bucket())

    assert [verdict.confidence_of(finding) for finding in verdict.findings] == [Confidence.HINT]


def test_the_doubt_names_the_bucket() -> None:
    (doubt,) = run(POD, CLAIM, bucket("ossplugin.csi.alibabacloud.com")).unread

    assert doubt.what.en == "whether Alibaba OSS #1f2e3d4c is cached on the node"


def test_no_pod_is_not_applicable() -> None:
    assert run().status == "not_applicable"


@pytest.mark.parametrize("kind", [Pod, Claim, Volume, StorageClass])
def test_what_may_not_be_read_is_unknown(kind: type[Record]) -> None:
    assert run(POD, CLAIM, bucket(), unread=[kind]).status == "unknown"
