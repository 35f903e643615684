from typing import Any

import pytest
from msgspec.structs import replace

from checks import build
from kubegap_checks.facts.pods import Mount, Pod, PodVolume, Run
from kubegap_checks.facts.read import Facts, Partial, Record
from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_checks.model import Confidence, Severity, Status, Verdict
from kubegap_checks.rules.storage_tiering.reclaim_policy_deletes_training_data import CHECK

MADE_BY = "pv.kubernetes.io/provisioned-by"
CEPH, FSX = "rook-ceph.cephfs.csi.ceph.com", "fsx.csi.aws.com"


CLAIM = build.claim("vol")


def pod(path: str = "/ckpt", **fields: Any) -> Pod:
    trainer = build.container(limits={"nvidia.com/gpu": 8}, mounts=(Mount(volume="v", path=path),))
    volume = PodVolume(name="v", form="claim", claim="vol", attributes={})
    return build.pod(resources={"nvidia.com/gpu": 8}, containers=(trainer,), volumes=(volume,), **fields)


def made(driver: str = CEPH, policy: str = "Delete", **fields: Any) -> Volume:
    """A volume as a provisioner makes it."""
    values = {"filesystem": "#1f2e3d4c", "storage_class": "shared", "annotations": {MADE_BY: driver}, **fields}
    return build.volume(driver=driver, reclaim_policy=policy, **values)


def run(*records: Record, **fields: Any) -> Verdict:
    return CHECK.run(build.facts(*records, **fields))


@pytest.mark.parametrize(
    ("cluster", "status"),
    [
        pytest.param(build.facts(pod(), CLAIM, made()), "gap", id="checkpoints"),
        pytest.param(build.facts(pod("/data"), CLAIM, made("csi.weka.io"), build.weka()), "gap", id="a dataset"),
        pytest.param(
            build.facts(
                pod("/data"), CLAIM, made(FSX), build.storage_class("shared", FSX, parameters={"s3ImportPath": "#1f2e"})
            ),
            "clear",
            id="a copy of a bucket",
        ),
    ],
)
def test_what_a_run_needs_may_not_go_with_its_claim(cluster: Facts, status: Status) -> None:
    assert CHECK.run(cluster).status == status


@pytest.mark.parametrize(
    ("volume", "status"),
    [
        pytest.param(made(), "gap", id="made on demand, deleted with its claim"),
        pytest.param(made(policy="Retain"), "clear", id="it stays when the claim goes"),
        pytest.param(made(annotations={}), "clear", id="made by hand: no provisioner deletes it"),
        pytest.param(made("topolvm.io"), "clear", id="scratch on the node"),
        pytest.param(made("csi.somebody.example"), "gap", id="a driver that no row knows"),
        pytest.param(made("efs.csi.aws.com"), "clear", id="only an access point goes"),
        pytest.param(made("nfs.csi.k8s.io"), "gap", id="a directory of an NFS server"),
        pytest.param(made("nfs.csi.k8s.io", attributes={"onDelete": "retain"}), "clear", id="one that stays"),
    ],
)
def test_the_volume_of_a_runs_checkpoints_must_outlive_its_claim(volume: Volume, status: Status) -> None:
    assert run(pod(), CLAIM, volume).status == status


@pytest.mark.parametrize(
    ("reader", "status"),
    [
        pytest.param(pod("/data"), "gap", id="a dataset"),
        pytest.param(pod("/work"), "clear", id="nothing tells what it is for"),
        pytest.param(pod("/root/.cache"), "clear", id="a cache"),
        pytest.param(
            pod(run=Run(kind="Deployment", namespace="ml", name="web")), "not_applicable", id="a pod that serves"
        ),
        pytest.param(
            replace(pod(), volumes=(PodVolume(name="v", form="ephemeral", claim="vol", attributes={}),)),
            "clear",
            id="an ephemeral volume",
        ),
        pytest.param(
            replace(pod(), volumes=(PodVolume(name="v", form="host_path", path="/mnt/data", attributes={}),)),
            "clear",
            id="a path of the host",
        ),
    ],
)
def test_only_a_claim_that_holds_data_of_a_run_counts(reader: Pod, status: Status) -> None:
    assert run(reader, CLAIM, made()).status == status


def test_a_claim_that_is_not_bound_yet_holds_nothing() -> None:
    waiting = replace(CLAIM, volume="", storage_class="shared")

    assert run(pod(), waiting, build.storage_class("shared", CEPH)).status == "clear"
    assert run(pod(), waiting).status == "clear"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        pytest.param("/data", "clear", id="the dataset's original is in the bucket"),
        pytest.param("/ckpt", "gap", id="the checkpoints are only here"),
    ],
)
def test_a_copy_of_a_bucket_may_go_but_not_what_the_run_writes(path: str, status: Status) -> None:
    linked = build.storage_class("shared", FSX, parameters={"s3ImportPath": "#1f2e"})

    assert run(pod(path), CLAIM, made(FSX), linked).status == status


@pytest.mark.parametrize(
    ("driver", "severity", "deletes"),
    [
        pytest.param(FSX, Severity.MEDIUM, "deletes the whole filesystem", id="a filesystem of its own"),
        pytest.param(CEPH, Severity.LOW, "deletes the data", id="a directory of a filesystem"),
        pytest.param("csi.somebody.example", Severity.LOW, "deletes the data", id="nobody knows"),
    ],
)
def test_a_whole_filesystem_weighs_more(driver: str, severity: Severity, deletes: str) -> None:
    verdict = run(pod(), CLAIM, made(driver))

    (finding,) = verdict.findings
    assert verdict.severity_of(finding) is severity
    assert finding.says.en.endswith(deletes)


def test_the_finding_is_about_the_volume_with_the_values_that_prove_it() -> None:
    verdict = run(pod(), pod(name="train-1"), CLAIM, made())

    (finding,) = verdict.findings
    assert str(finding.subject) == "PersistentVolume/pv-data"
    assert finding.says.en.startswith("holds the checkpoints of PyTorchJob/ml/train on CephFS")
    assert finding.evidence == {
        "PersistentVolume[pv-data].spec.persistentVolumeReclaimPolicy": "Delete",
        f"PersistentVolume[pv-data].metadata.annotations.{MADE_BY}": CEPH,
        "Pod[ml/train-0].spec.containers[trainer].volumeMounts[v].mountPath": "/ckpt",
    }
    assert verdict.confidence_of(finding) is Confidence.LIKELY


def test_a_mount_that_hardly_looks_like_it_makes_a_hint() -> None:
    verdict = run(pod("/output"), CLAIM, made())

    assert [verdict.confidence_of(finding) for finding in verdict.findings] == [Confidence.HINT]


@pytest.mark.parametrize(
    ("kind", "driver"), [(Pod, CEPH), (Claim, CEPH), (Volume, CEPH), (StorageClass, FSX), (WekaCluster, "csi.weka.io")]
)
def test_what_may_not_be_read_is_unknown(kind: type[Record], driver: str) -> None:
    assert run(pod("/data"), CLAIM, made(driver), unread=[kind]).status == "unknown"


def test_a_volume_that_cannot_be_read_hides_no_other() -> None:
    other = replace(pod(namespace="research"), run=Run(kind="PyTorchJob", namespace="research", name="other"))
    facts = build.facts(pod(), other, CLAIM, made())
    verdict = CHECK.run(facts.but(Claim, Partial((CLAIM,), (build.forbidden(Claim),))))

    assert [str(finding.subject) for finding in verdict.findings] == ["PersistentVolume/pv-data"]
    assert [doubt.what.en for doubt in verdict.unread] == ["persistentvolumeclaims"]


def test_no_pod_is_not_applicable() -> None:
    assert run().status == "not_applicable"
