from datetime import timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.metrics import TierReads
from kubegap_checks.facts.pods import Mount, Pod, PodVolume, Run
from kubegap_checks.facts.read import Facts, Record
from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_checks.model import Confidence, Finding, Severity
from kubegap_checks.rules.storage_tiering.tier_reads_during_training import CHECK
from tests.checks.build import READ_AT, claim, container, facts, pod, storage_class, volume, weka
from tests.checks.measured import measured

STEPS = 37
BEGIN = READ_AT.timestamp() - (STEPS - 1) * 600
MB = 1e6

DATA = PodVolume(name="data", form="claim", claim="data", attributes={})
TRAINER = container(mounts=(Mount(volume="data", path="/data"),), limits={"nvidia.com/gpu": 8})
RUN = pod(containers=(TRAINER,), volumes=(DATA,), resources={"nvidia.com/gpu": 8})

TIERED = weka(has_tiered_filesystems=True)
WEKA = (claim(), volume(driver="csi.weka.io", filesystem="llm"))
JUICEFS = (claim(), volume(driver="csi.juicefs.com"))
BARE = volume(driver="gcsfuse.csi.storage.gke.io")
CACHED = volume(driver="gcsfuse.csi.storage.gke.io", attributes={"fileCacheCapacity": "1Ti"})
LUSTRE = (
    claim(),
    volume(driver="fsx.csi.aws.com", storage_class="fsx"),
    storage_class("fsx", "fsx.csi.aws.com", parameters={"s3ImportPath": "s3://data"}),
)


def reads(quantity: str = "object_download", rate: float = 900, steps: range = range(6), **labels: str) -> TierReads:
    """So many MB/s at these steps, counted from the last one backwards, and next to nothing at the others."""
    points = tuple((BEGIN + 600 * step, (rate if STEPS - 1 - step in steps else 0.1) * MB) for step in range(STEPS))
    return measured(TierReads, quantity, points[-1][1], labels=labels or {"cluster": "weka"}, points=points)


def cluster(*rows: Record, pods: tuple[Pod, ...] = (RUN,), unread: tuple[type[Record], ...] = ()) -> Facts:
    return facts(*pods, *rows, unread=unread)


def started(minutes: float) -> tuple[Pod, ...]:
    return (replace(RUN, created=READ_AT - timedelta(minutes=minutes)),)


FAST = Mount(volume="fast", path="/scratch")
STAGED = replace(
    RUN,
    containers=(
        container("stage", init=True, mounts=(*TRAINER.mounts, FAST)),
        replace(TRAINER, mounts=(*TRAINER.mounts, FAST)),
    ),
    volumes=(DATA, PodVolume(name="fast", form="empty_dir", attributes={})),
)
UNPLACED = replace(
    RUN,
    containers=(replace(TRAINER, mounts=(Mount(volume="data", path="/mnt/x"),)),),
    volumes=(replace(DATA, claim="x"),),
)
ON_NODE = PodVolume(name="data", form="host_path", path="/mnt/weka", attributes={})
SAVES_ONLY = replace(RUN, containers=(replace(TRAINER, mounts=(Mount(volume="data", path="/checkpoints"),)),))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(cluster(*WEKA, TIERED, reads()), "gap", id="a filesystem fetches what it evicted"),
        pytest.param(cluster(*WEKA, reads()), "gap", id="a filesystem whose tiers nothing tells fetches"),
        pytest.param(cluster(*WEKA, TIERED, reads(steps=range(3))), "gap", id="for half an hour"),
        pytest.param(cluster(*WEKA, TIERED, reads(steps=range(0, 36, 12))), "gap", id="for half an hour in all"),
        pytest.param(cluster(*WEKA, TIERED, reads(steps=range(2))), "clear", id="for twenty minutes"),
        pytest.param(cluster(*WEKA, TIERED, reads(rate=10)), "gap", id="just fast enough"),
        pytest.param(cluster(*WEKA, TIERED, reads(rate=9.9)), "clear", id="a trickle"),
        pytest.param(cluster(*WEKA, TIERED, reads(), pods=started(150)), "gap", id="the start was two hours before"),
        pytest.param(cluster(*WEKA, TIERED, reads(), pods=started(139)), "clear", id="the start of a run"),
        pytest.param(
            cluster(*WEKA, weka(has_tiered_filesystems=False), reads()), "clear", id="a filesystem that is not tiered"
        ),
        pytest.param(
            cluster(*WEKA, weka(has_tiered_filesystems=False), unread=(TierReads,)),
            "clear",
            id="a filesystem that is not tiered need not be asked",
        ),
        pytest.param(cluster(*WEKA, TIERED, reads(), pods=(STAGED,)), "clear", id="a copy on the node is read"),
        pytest.param(cluster(*WEKA, TIERED, reads(), pods=(SAVES_ONLY,)), "clear", id="only checkpoints go there"),
        pytest.param(
            cluster(claim(), volume(driver="ebs.csi.aws.com"), reads()), "clear", id="no run mounts what fetches"
        ),
        pytest.param(
            cluster(reads(), TIERED, pods=(replace(RUN, volumes=(ON_NODE,)),)), "gap", id="the node's mount of Weka"
        ),
        pytest.param(
            cluster(claim("x"), WEKA[1], TIERED, reads(), pods=(UNPLACED,)),
            "gap",
            id="nothing tells where the dataset is",
        ),
        pytest.param(cluster(*WEKA, TIERED, reads("cache_miss")), "unknown", id="only other storage tells"),
        pytest.param(cluster(*WEKA, reads("cache_miss")), "unknown", id="only other storage tells, tiers are not told"),
        pytest.param(cluster(*LUSTRE, reads()), "unknown", id="linked to a bucket, and no exporter is known"),
        pytest.param(
            cluster(claim(), volume(driver="azurelustre.csi.azure.com"), reads()),
            "clear",
            id="whether it moves anything out, another check doubts",
        ),
        pytest.param(
            cluster(claim(), volume(driver="azurelustre.csi.azure.com"), unread=(TierReads,)),
            "clear",
            id="no exporter of it needs to be asked",
        ),
        pytest.param(
            cluster(*WEKA, TIERED, reads(), pods=(RUN, *(replace(each, name="train-1") for each in started(60)))),
            "gap",
            id="one pod was replaced",
        ),
        pytest.param(cluster(*JUICEFS, reads("cache_miss", mp="pv-data")), "gap", id="a cache that is too small"),
        pytest.param(cluster(*JUICEFS, reads("cache_miss", mp="pv-other")), "unknown", id="only another volume tells"),
        pytest.param(
            cluster(claim(), CACHED, reads("bucket_download", volume_name="pv-data")),
            "gap",
            id="a bucket and its cache",
        ),
        pytest.param(
            cluster(claim(), BARE, reads("bucket_download", volume_name="pv-data")),
            "clear",
            id="a bucket without a cache, of which another check tells",
        ),
        pytest.param(cluster(*WEKA, TIERED, reads(), unread=(TierReads,)), "unknown", id="reads are unread"),
        pytest.param(cluster(claim(), TIERED, reads(), unread=(Volume,)), "unknown", id="volumes are unread"),
        pytest.param(cluster(WEKA[1], TIERED, reads(), unread=(Claim,)), "unknown", id="claims are unread"),
        pytest.param(cluster(*WEKA, reads(), unread=(WekaCluster,)), "unknown", id="tiers are unread"),
        pytest.param(cluster(*LUSTRE[:2], unread=(StorageClass,)), "unknown", id="classes are unread"),
        pytest.param(cluster(*WEKA, TIERED, reads(), unread=(Pod,)), "unknown", id="pods are unread"),
        pytest.param(
            cluster(*WEKA, reads(), pods=(pod(run=Run(kind="Deployment", namespace="ml", name="serve")),)),
            "not_applicable",
            id="nothing trains",
        ),
    ],
)
def test_storage_that_fetches_while_a_run_is_under_way_is_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


def found(*rows: Record, pods: tuple[Pod, ...] = (RUN,)) -> Finding:
    (finding,) = CHECK.run(cluster(*rows, pods=pods)).findings
    return finding


def test_it_tells_how_much_how_long_and_since_when():
    finding = found(*WEKA, TIERED, reads())

    assert (str(finding.subject), finding.key) == ("PyTorchJob/ml/train", "WekaFS llm")
    assert finding.says.en == (
        "WekaFS llm fetched up to 900 MB/s from its object store, for 60 minutes of the last 6 hours "
        "(for other teams too)"
    )
    assert finding.evidence == {
        "Pod[ml/train-0].spec.containers[trainer].volumeMounts[data].mountPath": "/data",
        "metrics.object_download": 900 * MB,
    }
    assert finding.since == "2026-11-29T11:10:00Z"
    assert CHECK.severity is Severity.HIGH
    assert (finding.severity, finding.confidence) == (None, Confidence.HINT)


def test_what_is_told_of_the_volume_alone_is_likely():
    finding = found(*JUICEFS, reads("cache_miss", mp="pv-data"), reads("cache_miss", rate=5000, mp="pv-other"))

    assert finding.says.en.startswith("JuiceFS pv-data fetched up to 900 MB/s")
    assert finding.says.en.endswith("of the last 6 hours")
    assert (finding.severity, finding.confidence) == (Severity.MEDIUM, Confidence.LIKELY)


def test_an_inline_volume_is_known_by_its_name_in_the_pod():
    inline = PodVolume(
        name="data",
        form="csi",
        driver="gcsfuse.csi.storage.gke.io",
        attributes={"bucketName": "b", "fileCacheCapacity": "1Ti"},
    )
    finding = found(reads("bucket_download", volume_name="data"), pods=(replace(RUN, volumes=(inline,)),))
    assert finding.confidence is Confidence.LIKELY


def test_of_several_storage_clusters_the_one_that_fetched_longest_is_told():
    finding = found(*WEKA, TIERED, reads(steps=range(3), rate=5000, cluster="one"), reads(cluster="two"))
    assert "up to 900 MB/s" in finding.says.en


def test_a_run_is_one_finding_however_many_pods_it_has():
    given = cluster(*WEKA, TIERED, reads(), pods=(RUN, replace(RUN, name="train-1")))
    assert len(CHECK.run(given).findings) == 1


def test_an_owner_may_set_another_limit():
    given = cluster(*WEKA, TIERED, reads(rate=9.9))
    assert CHECK.run(given, {"tier_reads_rate": 5}).status == "gap"
