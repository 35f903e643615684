import pytest
from msgspec.structs import replace

from kubegap_checks.facts.metrics import VolumeFill
from kubegap_checks.facts.pods import Mount, Pod, PodVolume, Run
from kubegap_checks.facts.read import Facts, Record
from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_checks.model import Confidence, Finding, Severity
from kubegap_checks.rules.storage_tiering.volume_near_full import CHECK
from tests.checks.build import claim, container, facts, pod, storage_class, volume, weka
from tests.checks.measured import measured

DATA = PodVolume(name="work", form="claim", claim="data", attributes={})
TRAINER = container(mounts=(Mount(volume="work", path="/mnt/work"),), limits={"nvidia.com/gpu": 8})
RUN = pod(containers=(TRAINER,), volumes=(DATA,), resources={"nvidia.com/gpu": 8})

DISK = (claim(), volume(driver="pd.csi.storage.gke.io"))
WEKA = (claim(), volume(driver="csi.weka.io", filesystem="llm"))
CEPH = (claim(), volume(driver="rook-ceph.cephfs.csi.ceph.com"))
OBJECT = weka(has_tiered_filesystems=True, ssd_provisioned=100, ssd_used=60, buckets=1, buckets_up=1)
UNTIERED = replace(OBJECT, has_tiered_filesystems=False)
SERVES = pod(run=Run(kind="Deployment", namespace="ml", name="serve"), containers=(TRAINER,), volumes=(DATA,))


def mounted_at(path: str, **fields: object) -> Pod:
    mounts = (Mount(volume="work", path=path, **fields),)  # type: ignore[arg-type]
    return replace(RUN, containers=(replace(TRAINER, mounts=mounts),))


def fill(of: str = "data", **values: float) -> tuple[VolumeFill, ...]:
    return tuple(measured(VolumeFill, quantity, value, namespace="ml", claim=of) for quantity, value in values.items())


def exporter(quantity: str, value: float, **labels: str) -> VolumeFill:
    return measured(VolumeFill, quantity, value, labels=labels)


HALF = fill(claim_bytes=50)
SSD = exporter("weka_ssd", 96, name="llm", cluster="weka")


def cluster(*rows: Record, pods: tuple[Pod, ...] = (RUN,), unread: tuple[type[Record], ...] = ()) -> Facts:
    return facts(*pods, *rows, unread=unread)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(cluster(*DISK, *fill(claim_bytes=97)), "gap", id="full"),
        pytest.param(cluster(*DISK, *fill(claim_bytes=96.9)), "clear", id="well filled, and it does not grow"),
        pytest.param(cluster(*DISK, *fill(claim_bytes=50, claim_inodes=97)), "gap", id="no inodes"),
        pytest.param(cluster(*DISK, *fill(claim_bytes=50, claim_inodes=96)), "clear", id="few inodes"),
        pytest.param(cluster(*DISK, *fill(claim_bytes=85, claim_days_left=4)), "gap", id="full in four days"),
        pytest.param(cluster(*DISK, *fill(claim_bytes=85, claim_days_left=4.1)), "clear", id="full later"),
        pytest.param(cluster(*DISK, *fill(claim_bytes=84, claim_days_left=2)), "clear", id="fills, with room for now"),
        pytest.param(cluster(*DISK, *HALF), "clear", id="half full"),
        pytest.param(cluster(*DISK, *fill(claim_days_left=2)), "unknown", id="only the pace is told"),
        pytest.param(cluster(*DISK, *fill(claim_inodes=97)), "gap", id="no inodes, bytes are not told"),
        pytest.param(cluster(*DISK, *fill("other", claim_bytes=99)), "unknown", id="only another claim is told"),
        pytest.param(
            cluster(*DISK, *HALF, *fill("other", claim_bytes=99)), "clear", id="a full claim that no run mounts"
        ),
        pytest.param(
            cluster(*DISK, *fill(claim_bytes=99), pods=(RUN, SERVES)), "gap", id="a server mounts the same claim"
        ),
        pytest.param(
            cluster(*DISK, *fill(claim_bytes=99), pods=(mounted_at("/data", read_only=True),)),
            "clear",
            id="a dataset that is mounted read-only",
        ),
        pytest.param(
            cluster(*DISK, *fill(claim_bytes=99), pods=(replace(RUN, volumes=(replace(DATA, read_only=True),)),)),
            "clear",
            id="a volume that is read-only in the pod",
        ),
        pytest.param(cluster(*DISK, *fill(claim_bytes=99), pods=(mounted_at("/root/.cache"),)), "clear", id="a cache"),
        pytest.param(
            cluster(*DISK, *fill(claim_bytes=99), pods=(replace(RUN, containers=(container(limits=TRAINER.limits),)),)),
            "clear",
            id="no worker mounts it",
        ),
        pytest.param(cluster(pods=(replace(RUN, volumes=()),)), "clear", id="a run without volumes"),
        pytest.param(
            cluster(pods=(replace(RUN, volumes=(replace(DATA, form="empty_dir", claim=""),)),)),
            "clear",
            id="a volume of the node",
        ),
        pytest.param(
            cluster(claim(), volume(driver="csi.juicefs.com"), *fill(claim_bytes=99)),
            "clear",
            id="a size without meaning",
        ),
        pytest.param(cluster(claim(), volume(driver="efs.csi.aws.com")), "clear", id="a size of no meaning, not told"),
        pytest.param(
            cluster(claim(), volume(driver="disk.example.com"), *fill(claim_bytes=99)), "gap", id="an unknown driver"
        ),
        pytest.param(cluster(claim(volume=""), *HALF), "clear", id="nothing is bound yet"),
        pytest.param(cluster(*WEKA, *HALF, SSD), "gap", id="the SSD of its filesystem is full"),
        pytest.param(cluster(*WEKA, *HALF, replace(SSD, value=84.9)), "clear", id="its SSD has room"),
        pytest.param(cluster(*WEKA, *HALF, replace(SSD, labels={"name": "home"})), "unknown", id="another filesystem"),
        pytest.param(cluster(*WEKA, *HALF), "unknown", id="nothing tells the SSD"),
        pytest.param(cluster(*WEKA, *fill(claim_bytes=99), replace(SSD, value=50)), "clear", id="a size of all tiers"),
        pytest.param(
            cluster(*WEKA, *HALF, exporter("weka_cluster_ssd", 96)), "gap", id="the SSD of the storage is full"
        ),
        pytest.param(
            cluster(*WEKA, *HALF, replace(SSD, value=50), exporter("weka_cluster_ssd", 96)),
            "clear",
            id="its own filesystem has room",
        ),
        pytest.param(cluster(*WEKA, *HALF, SSD, OBJECT), "clear", id="an object tells the SSD"),
        pytest.param(
            cluster(*WEKA, *HALF, SSD, replace(OBJECT, ssd_used=None)), "gap", id="an object that tells nothing"
        ),
        pytest.param(cluster(*WEKA, *fill(claim_bytes=99), UNTIERED), "gap", id="not tiered, and full"),
        pytest.param(cluster(*CEPH, *HALF, exporter("ceph_full", 85, name="OSD_NEARFULL")), "gap", id="Ceph warns"),
        pytest.param(cluster(*CEPH, *HALF, exporter("ceph_bytes", 84)), "clear", id="Ceph has room"),
        pytest.param(cluster(*CEPH, *HALF), "clear", id="Ceph is not told, the claim is"),
        pytest.param(cluster(*DISK, *HALF, exporter("ceph_full", 95)), "clear", id="Ceph that no run uses is full"),
        pytest.param(cluster(*DISK, unread=(VolumeFill,)), "unknown", id="fill is unread"),
        pytest.param(cluster(*DISK, *fill(claim_bytes=99), unread=(Pod,)), "unknown", id="pods are unread"),
        pytest.param(cluster(DISK[1], *fill(claim_bytes=99), unread=(Claim,)), "unknown", id="claims are unread"),
        pytest.param(cluster(DISK[0], *fill(claim_bytes=99), unread=(Volume,)), "unknown", id="volumes are unread"),
        pytest.param(cluster(*WEKA, *HALF, SSD, unread=(WekaCluster,)), "unknown", id="objects of Weka are unread"),
        pytest.param(
            cluster(claim(), volume(driver="fsx.csi.aws.com", storage_class="x"), *HALF, unread=(StorageClass,)),
            "unknown",
            id="classes are unread",
        ),
        pytest.param(
            cluster(
                claim(),
                volume(driver="fsx.csi.aws.com", storage_class="x"),
                storage_class("x", "fsx.csi.aws.com"),
                *fill(claim_bytes=99),
            ),
            "gap",
            id="a filesystem that may tier, at its own limit",
        ),
        pytest.param(cluster(*DISK, *fill(claim_bytes=99), pods=(SERVES,)), "not_applicable", id="nothing trains"),
    ],
)
def test_what_a_run_writes_to_and_is_nearly_full_is_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


def found(*rows: Record, pods: tuple[Pod, ...] = (RUN,)) -> Finding:
    (finding,) = CHECK.run(cluster(*rows, pods=pods)).findings
    return finding


def test_a_full_claim_tells_all_that_is_left_of_nothing():
    finding = found(*DISK, *fill(claim_bytes=98.25, claim_inodes=99, claim_days_left=1))

    assert str(finding.subject) == "PersistentVolumeClaim/ml/data"
    assert finding.says.en == "used bytes of a claim: 98.25 (percent); used inodes of a claim: 99 (percent)"
    assert finding.evidence == {"metrics.claim_bytes": 98.25, "metrics.claim_inodes": 99}
    assert finding.severity is Severity.HIGH


@pytest.mark.parametrize(
    ("path", "severity"),
    [
        pytest.param("/mnt/work", Severity.MEDIUM, id="other data"),
        pytest.param("/checkpoints", Severity.HIGH, id="checkpoints"),
    ],
)
def test_a_claim_that_fills_is_worse_where_checkpoints_go(path: str, severity: Severity):
    finding = found(*DISK, *fill(claim_bytes=88, claim_days_left=1.5), pods=(mounted_at(path),))

    assert finding.evidence == {"metrics.claim_bytes": 88, "metrics.claim_days_left": 1.5}
    assert finding.severity is severity


def test_a_claim_of_two_runs_is_one_finding():
    other = replace(RUN, name="other-0", run=Run(kind="PyTorchJob", namespace="ml", name="other"))
    assert found(*DISK, *fill(claim_bytes=99), pods=(RUN, other)).subject.name == "data"


def test_storage_that_fills_is_the_runs():
    finding = found(*WEKA, *HALF, SSD)

    assert (str(finding.subject), finding.key) == ("PyTorchJob/ml/train", "WekaFS llm")
    assert finding.says.en == "writes to WekaFS llm: used SSD of a Weka filesystem: 96 (percent)"
    assert finding.evidence == {"metrics.weka_ssd": 96}
    assert (finding.severity, finding.confidence) == (Severity.CRITICAL, Confidence.LIKELY)


def test_two_volumes_of_one_filesystem_are_one_finding():
    more = PodVolume(name="more", form="claim", claim="more", attributes={})
    two = replace(
        RUN,
        containers=(replace(TRAINER, mounts=(*TRAINER.mounts, Mount(volume="more", path="/mnt/more"))),),
        volumes=(DATA, more),
    )
    other = (claim("more", volume="pv-more"), volume("pv-more", driver="csi.weka.io", filesystem="llm"))
    assert found(*WEKA, *other, *HALF, SSD, pods=(two,)).key == "WekaFS llm"


@pytest.mark.parametrize(
    ("percent", "severity"),
    [(85, Severity.MEDIUM), (90, Severity.HIGH), (95, Severity.CRITICAL)],
)
def test_the_fill_sets_the_severity(percent: float, severity: Severity):
    assert found(*WEKA, *HALF, replace(SSD, value=percent)).severity is severity
    assert found(*CEPH, *HALF, exporter("ceph_full", percent), exporter("ceph_bytes", 70)).severity is severity


def test_what_only_looks_like_training_makes_a_hint():
    alone = replace(RUN, run=Run(kind="Pod", namespace="ml", name="train-0"))
    assert found(*WEKA, *HALF, SSD, pods=(alone,)).confidence is Confidence.HINT


def test_an_owner_may_set_other_limits():
    given = cluster(*DISK, *fill(claim_bytes=90), *CEPH[:0])
    assert CHECK.run(given, {"volume_fill_claim_bytes": 90}).status == "gap"
    given = cluster(*CEPH, *HALF, exporter("ceph_bytes", 80))
    assert CHECK.run(given, {"ceph_percent_medium": 75}).status == "gap"
