from typing import Any

import pytest
from msgspec.structs import replace

from checks import build
from kubegap_checks.facts.pods import Mount, Pod, PodVolume, Run
from kubegap_checks.facts.read import Partial, Record
from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_checks.model import Confidence, Severity, Status, Verdict
from kubegap_checks.rules.storage_tiering.dataset_can_be_evicted import CHECK

DATA = PodVolume(name="data", form="claim", claim="data", attributes={})
SCRATCH = PodVolume(name="scratch", form="host_path", path="/mnt/k8s-disks/0", attributes={})
AT_DATA = Mount(volume="data", path="/data")
AT_SCRATCH = Mount(volume="scratch", path="/scratch")
TRAINER = build.container(limits={"nvidia.com/gpu": 8}, mounts=(AT_DATA, AT_SCRATCH))
COPY = build.container("copy", init=True, mounts=(AT_DATA, AT_SCRATCH))
POD = build.pod(resources={"nvidia.com/gpu": 8}, containers=(TRAINER,), volumes=(DATA, SCRATCH))

CLAIM = build.claim()
BUCKET = build.volume(driver="gcsfuse.csi.storage.gke.io", filesystem="b-1f2e3d", storage_class="gcsfuse-sc")
WEKA = build.volume(driver="csi.weka.io", filesystem="default", storage_class="weka-dir-sc")
TIERED = build.weka(has_tiered_filesystems=True)

# A volume whose path and names say nothing of data.
READ_ONLY = replace(
    POD,
    containers=(replace(TRAINER, mounts=(Mount(volume="v", path="/work", read_only=True),)),),
    volumes=(PodVolume(name="v", form="claim", claim="v", attributes={}),),
)


def pod(**fields: Any) -> Pod:
    return replace(POD, **fields)


def trainer(**fields: Any) -> Pod:
    """The pod with another trainer."""
    return replace(POD, containers=(replace(TRAINER, **fields),))


def data(**fields: Any) -> Pod:
    """The pod with another volume at /data."""
    return replace(POD, volumes=(replace(DATA, **fields), SCRATCH))


def disk(driver: str, **fields: Any) -> Volume:
    return build.volume(driver=driver, filesystem="shared-1", storage_class="shared", **fields)


def owned_by(kind: str, name: str = "work") -> Run:
    return Run(kind=kind, namespace="ml", name=name)


def run(*records: Record, **fields: Any) -> Verdict:
    return CHECK.run(build.facts(*records, **fields))


@pytest.mark.parametrize(
    ("records", "status"),
    [
        pytest.param([POD, CLAIM, BUCKET], "gap", id="an object store behind a mount"),
        pytest.param([POD, CLAIM, WEKA, TIERED], "gap", id="Weka of a cluster that tiers"),
        pytest.param([], "not_applicable", id="no pods at all"),
    ],
)
def test_a_run_that_reads_from_storage_whose_data_can_leave_is_a_gap(records: list[Record], status: Status) -> None:
    assert run(*records).status == status


@pytest.mark.parametrize(
    ("reader", "status"),
    [
        pytest.param([], "not_applicable", id="nobody reads the bucket"),
        pytest.param([pod(run=owned_by("Deployment"))], "not_applicable", id="the reader serves"),
        pytest.param(
            [pod(run=owned_by("Job"), resources={"nvidia.com/gpu": 1})], "not_applicable", id="one GPU of a Job"
        ),
        pytest.param([pod(deleting=True)], "not_applicable", id="the reader is going away"),
        pytest.param([pod(containers=(TRAINER, COPY))], "clear", id="an init container copies the data to scratch"),
        pytest.param([trainer(flags={"--data-path": "/scratch/c4"})], "clear", id="a flag names scratch"),
        pytest.param([trainer(env={"DATA_PATH": "/opt/c4"})], "clear", id="a variable names a path of the image"),
        pytest.param(
            [trainer(mounts=(Mount(volume="data", path="/ckpt"), AT_SCRATCH))], "clear", id="it holds checkpoints only"
        ),
        pytest.param([data(form="empty_dir")], "clear", id="the data is in an emptyDir"),
        pytest.param([data(form="host_path", path="/mnt/nvme/c4")], "clear", id="the data is on NVMe of the host"),
        pytest.param(
            [replace(data(claim="gone"), node="", phase="Pending")],
            "clear",
            id="the claim does not exist, so the pod is not placed",
        ),
        pytest.param([data(claim="gone")], "unknown", id="the claim of a placed pod is in no list"),
    ],
)
def test_a_pod_that_does_not_train_on_the_bucket_is_no_gap(reader: list[Record], status: Status) -> None:
    assert run(*reader, CLAIM, BUCKET).status == status


@pytest.mark.parametrize(
    "copied",
    [
        pytest.param(pod(containers=(TRAINER, replace(COPY, mounts=(AT_DATA,)))), id="to no volume"),
        pytest.param(
            pod(containers=(TRAINER, COPY), volumes=(DATA, replace(SCRATCH, path="/fsx"))), id="to shared storage"
        ),
        pytest.param(
            pod(containers=(replace(TRAINER, env={"DATA_PATH": "/data/c4"}), COPY)),
            id="while a variable names the original",
        ),
    ],
)
def test_a_copy_that_the_run_does_not_read_is_no_guard(copied: Pod) -> None:
    assert run(copied, CLAIM, BUCKET).status == "gap"


@pytest.mark.parametrize(
    ("behind", "status"),
    [
        pytest.param([disk("topolvm.io")], "clear", id="a node-local driver"),
        pytest.param([replace(BUCKET, local_path="/mnt/disks/0")], "clear", id="a local volume"),
        pytest.param([disk("rook-ceph.cephfs.csi.ceph.com")], "clear", id="a driver that cannot tier"),
        pytest.param([disk("fuse.csi.fluid.io")], "clear", id="a cache layer in front"),
        pytest.param([WEKA, build.weka(has_tiered_filesystems=False)], "clear", id="Weka without tiers"),
        pytest.param([WEKA], "unknown", id="Weka that no object reports on"),
        pytest.param([WEKA, build.weka()], "unknown", id="Weka that does not say whether it tiers"),
        pytest.param([replace(WEKA, driver="team.weka.io"), TIERED], "gap", id="Weka under a custom driver name"),
        pytest.param([disk("fsx.csi.aws.com")], "unknown", id="FSx whose class does not exist"),
        pytest.param([disk("csi.somebody.example")], "unknown", id="a driver that no row knows"),
        pytest.param([build.volume(nfs=True, filesystem="h-1")], "unknown", id="NFS, which may front anything"),
        pytest.param([build.volume(host_path="/mnt/data")], "unknown", id="a shared mount of the host"),
        pytest.param([build.volume(host_path="/mnt/k8s-disks/0")], "clear", id="NVMe of the host"),
        pytest.param([disk("efs.csi.aws.com")], "unknown", id="EFS"),
        pytest.param([replace(disk("efs.csi.aws.com"), filesystem="s3files:1f2e")], "gap", id="S3 Files behind EFS"),
    ],
)
def test_what_lies_behind_the_claim_decides(behind: list[Record], status: Status) -> None:
    assert run(POD, CLAIM, *behind).status == status


@pytest.mark.parametrize(
    ("driver", "parameters", "status"),
    [
        pytest.param("fsx.csi.aws.com", {"s3ImportPath": "1f2e"}, "gap", id="FSx linked to S3"),
        pytest.param(
            "fsx.csi.aws.com", {"deploymentType": "PERSISTENT_2"}, "unknown", id="FSx whose links do not show"
        ),
        pytest.param("spectrumscale.csi.ibm.com", {"volumeType": "cache"}, "gap", id="a cache fileset"),
        pytest.param("spectrumscale.csi.ibm.com", {"version": "2", "tier": "system"}, "unknown", id="a placement tier"),
        pytest.param(
            "fsx.openzfs.csi.aws.com", {"StorageType": "INTELLIGENT_TIERING"}, "gap", id="Intelligent-Tiering"
        ),
        pytest.param("fsx.openzfs.csi.aws.com", {"StorageType": "SSD"}, "unknown", id="OpenZFS on SSD"),
        pytest.param("efs.csi.aws.com", {"provisioningMode": "s3files-ap"}, "gap", id="S3 Files"),
    ],
)
def test_class_parameters_show_it(driver: str, parameters: dict[str, str], status: Status) -> None:
    storage_class = build.storage_class("shared", driver, parameters=parameters)

    assert run(POD, CLAIM, disk(driver), storage_class).status == status
    assert run(POD, CLAIM, disk(driver), storage_class, unread=[StorageClass]).status == "unknown"


def test_a_claim_that_waits_for_its_first_pod_is_judged_by_its_class() -> None:
    waiting = replace(CLAIM, volume="", storage_class="shared")
    linked = build.storage_class("shared", "fsx.csi.aws.com", parameters={"s3ImportPath": "1f2e"})

    (finding,) = run(POD, waiting, linked).findings

    assert finding.evidence["StorageClass[shared].provisioner"] == "fsx.csi.aws.com"


@pytest.mark.parametrize(
    ("policy", "status"),
    [
        pytest.param({"trident.netapp.io/tieringPolicy": "auto"}, "gap", id="auto"),
        pytest.param({"trident.netapp.io/tieringPolicy": "none"}, "clear", id="none"),
        pytest.param({}, "unknown", id="left to the backend"),
    ],
)
def test_the_tiering_policy_of_a_claim_counts(policy: dict[str, str], status: Status) -> None:
    assert run(POD, replace(CLAIM, annotations=policy), disk("csi.trident.netapp.io")).status == status


@pytest.mark.parametrize(
    ("volume", "status"),
    [
        pytest.param(
            replace(DATA, form="csi", driver="s3.csi.aws.com", attributes={"bucketName": "1f2e"}),
            "gap",
            id="inline CSI",
        ),
        pytest.param(replace(DATA, form="ephemeral", claim="data"), "gap", id="a generic ephemeral volume"),
        pytest.param(replace(DATA, form="nfs", path="h-1"), "unknown", id="NFS in the pod"),
        pytest.param(replace(DATA, form="host_path", path="/fsx/c4"), "unknown", id="a shared mount of the host"),
        pytest.param(replace(DATA, form="host_path", path="/mnt/weka/c4"), "gap", id="Weka mounted on the host"),
        pytest.param(replace(DATA, form="image"), "clear", id="an image volume"),
        pytest.param(replace(DATA, form="other"), "clear", id="a config map"),
    ],
)
def test_every_form_of_volume_is_looked_behind(volume: PodVolume, status: Status) -> None:
    assert run(pod(volumes=(volume, SCRATCH)), CLAIM, BUCKET, TIERED).status == status


def test_the_finding_names_the_run_and_the_filesystem_with_the_values_that_prove_it() -> None:
    second = trainer(flags={"--data-path": "0.3 /data/web 0.7 /data/code"})
    others = [replace(second, name=f"train-{number}") for number in range(1, 4)]

    verdict = run(second, *others, CLAIM, WEKA, TIERED)

    (finding,) = verdict.findings
    assert str(finding.subject) == "PyTorchJob/ml/train"
    assert finding.key == "WekaFS default"
    assert finding.says.en == "reads its dataset from WekaFS default, which can move files to an object store"
    assert finding.evidence == {
        "Pod[ml/train-0].spec.containers[trainer].args[--data-path]": "0.3 /data/web 0.7 /data/code",
        "PersistentVolume[pv-data].spec.csi.driver": "csi.weka.io",
        "WekaCluster[weka/weka].status.stats.filesystem.hasTieredFilesystems": True,
    }
    assert verdict.severity_of(finding) is Severity.HIGH
    assert verdict.confidence_of(finding) is Confidence.LIKELY


@pytest.mark.parametrize(
    ("reader", "behind", "confidence"),
    [
        pytest.param(trainer(env={"DATA_PATH": "/data"}), BUCKET, Confidence.CERTAIN, id="a named path on a bucket"),
        pytest.param(POD, BUCKET, Confidence.CERTAIN, id="a mount that looks like data"),
        pytest.param(READ_ONLY, BUCKET, Confidence.HINT, id="a mount of which only read-only is known"),
        pytest.param(
            trainer(env={"DATA_PATH": "/data", "MASTER_ADDR": None}, name="t"),
            WEKA,
            Confidence.LIKELY,
            id="a Weka cluster",
        ),
    ],
)
def test_a_finding_is_as_sure_as_what_the_storage_does_once_it_is_likely_that_the_run_reads_it(
    reader: Pod, behind: Volume, confidence: Confidence
) -> None:
    verdict = run(reader, CLAIM, build.claim("v"), behind, TIERED)

    assert [verdict.confidence_of(finding) for finding in verdict.findings] == [confidence]


@pytest.mark.parametrize(
    ("reader", "status"),
    [
        pytest.param(POD, "unknown", id="it is likely that a training run reads it"),
        pytest.param(READ_ONLY, "clear", id="a mount of which only read-only is known"),
        pytest.param(pod(run=owned_by("Job")), "clear", id="pods of which only the size says that they train"),
    ],
)
def test_storage_that_might_tier_is_a_doubt_only_where_a_run_is_known_to_read_it(reader: Pod, status: Status) -> None:
    assert run(reader, CLAIM, build.claim("v"), disk("fsx.csi.aws.com")).status == status


@pytest.mark.parametrize(
    ("bucket", "severity"),
    [
        pytest.param(BUCKET, Severity.HIGH, id="every read goes to the store"),
        pytest.param(replace(BUCKET, attributes={"fileCacheCapacity": "1000Gi"}), Severity.LOW, id="a cache is set"),
        pytest.param(disk("csi.juicefs.com"), Severity.LOW, id="a driver that always has a cache"),
    ],
)
def test_a_cache_on_the_node_takes_most_of_the_harm(bucket: Volume, severity: Severity) -> None:
    verdict = run(POD, CLAIM, bucket)

    assert [verdict.severity_of(finding) for finding in verdict.findings] == [severity]


def test_one_filesystem_is_one_doubt_however_many_pods_and_runs_read_it() -> None:
    pods = [pod(name=f"train-{number}", run=owned_by("PyTorchJob", f"run-{number % 2}")) for number in range(4)]

    (doubt,) = run(*pods, CLAIM, WEKA).unread

    assert doubt.what.en == "whether WekaFS default moves data to an object store"
    assert doubt.reason == "invalid"
    assert "weka fs" in doubt.remedy.en


def test_a_volume_that_might_hold_the_dataset_is_a_doubt_and_no_finding() -> None:
    somewhere = trainer(mounts=(Mount(volume="work", path="/work"),))
    unnamed = replace(somewhere, volumes=(replace(DATA, name="work", claim="work"),))
    work = replace(CLAIM, name="work")

    verdict = run(unnamed, work, BUCKET)

    assert verdict.status == "unknown"
    assert [doubt.what.en for doubt in verdict.unread] == [
        "whether PyTorchJob/ml/train reads its dataset from Cloud Storage FUSE b-1f2e3d"
    ]
    assert run(unnamed, work, disk("ebs.csi.aws.com")).status == "clear"
    assert run(unnamed, work, disk("fsx.csi.aws.com")).status == "clear"  # nor does anything say that its data leaves

    named = replace(unnamed, volumes=(replace(DATA, name="work", claim="train-data"),))
    assert run(named, replace(CLAIM, name="train-data"), BUCKET).status == "gap"


@pytest.mark.parametrize(
    ("kind", "behind"),
    [
        pytest.param(Pod, BUCKET, id="pods"),
        pytest.param(Claim, BUCKET, id="claims"),
        pytest.param(Volume, BUCKET, id="volumes"),
        pytest.param(StorageClass, disk("fsx.csi.aws.com"), id="classes"),
        pytest.param(WekaCluster, WEKA, id="Weka clusters"),
    ],
)
def test_what_may_not_be_read_is_unknown_and_never_clear(kind: type[Record], behind: Volume) -> None:
    verdict = run(POD, CLAIM, behind, TIERED, unread=[kind])

    assert verdict.status == "unknown"
    assert kind.KIND.resource in {doubt.what.en for doubt in verdict.unread}


def test_a_volume_that_might_hold_the_dataset_is_a_doubt_beside_one_that_could_not_be_read() -> None:
    somewhere = trainer(mounts=(Mount(volume="work", path="/work"),))
    unnamed = replace(somewhere, volumes=(replace(DATA, name="work", claim="work"),))
    elsewhere = replace(unnamed, namespace="research", run=Run(kind="PyTorchJob", namespace="research", name="other"))
    work = replace(CLAIM, name="work")
    facts = build.facts(elsewhere, unnamed, work, BUCKET)
    verdict = CHECK.run(facts.but(Claim, Partial((work,), (build.forbidden(Claim),))))

    assert [doubt.what.en for doubt in verdict.unread] == [
        "persistentvolumeclaims",
        "whether PyTorchJob/ml/train reads its dataset from Cloud Storage FUSE b-1f2e3d",
    ]


def test_claims_of_one_namespace_only_leave_the_other_namespace_open() -> None:
    elsewhere = pod(namespace="research", run=Run(kind="PyTorchJob", namespace="research", name="other"))
    facts = build.facts(elsewhere, POD, CLAIM, BUCKET)
    verdict = CHECK.run(facts.but(Claim, Partial((CLAIM,), (build.forbidden(Claim),))))

    assert [str(finding.subject) for finding in verdict.findings] == ["PyTorchJob/ml/train"]
    assert [doubt.what.en for doubt in verdict.unread] == ["persistentvolumeclaims"]
