import json
import re
from datetime import UTC, datetime

import pytest

from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_checks.signals.storage_drivers import storage_driver
from kubegap_mcp.foreign.clean import Names, short_hash
from kubegap_mcp.kube.gather.drivers import known_handle
from kubegap_mcp.kube.gather.registry import gatherers

GATHERERS = gatherers()
SHOWN = gatherers(show_names=True)


def one(record, *, gatherers=GATHERERS, **parts):
    body = json.dumps({"metadata": {"name": "o", "namespace": "ns", **parts.pop("metadata", {})}, **parts}).encode()
    page = gatherers[record].objects([body])
    assert len(page.rows) + page.invalid == 1
    return next(iter(page.rows), None), page.invalid


def csi(driver, handle=None, **attributes):
    return {"csi": {"driver": driver, "volumeHandle": handle, "volumeAttributes": attributes}}


def test_every_field_of_a_claim_is_taken():
    row, invalid = one(
        Claim,
        metadata={
            "annotations": {
                "volume.kubernetes.io/selected-node": "n",
                "trident.netapp.io/tieringPolicy": "auto",
                "other": "x",
            }
        },
        spec={"volumeName": "pv", "storageClassName": "sc", "accessModes": ["ReadWriteMany"]},
    )
    assert not invalid
    assert row == Claim(
        namespace="ns",
        name="o",
        volume="pv",
        storage_class="sc",
        access_modes=("ReadWriteMany",),
        annotations={"volume.kubernetes.io/selected-node": "n", "trident.netapp.io/tieringPolicy": "auto"},
    )


def test_no_storage_class_is_not_an_empty_one():
    assert one(Claim, spec={})[0].storage_class is None
    assert one(Claim, spec={"storageClassName": ""})[0].storage_class == ""


def test_every_field_of_a_volume_is_taken():
    row, invalid = one(
        Volume,
        metadata={
            "annotations": {
                "pv.kubernetes.io/provisioned-by": "other.io",
                "gke-gcsfuse/bucket-scan-status": "completed",
            }
        },
        spec={
            "accessModes": ["ReadOnlyMany"],
            "storageClassName": "sc",
            "persistentVolumeReclaimPolicy": "Retain",
            "mountOptions": ["ro"],
            "claimRef": {"namespace": "ns", "name": "c"},
            "capacity": {"storage": "1Gi"},
            "local": {"path": "/mnt/disk"},
            "nodeAffinity": {
                "required": {
                    "nodeSelectorTerms": [
                        {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]},
                        {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b", "a"]}]},
                        {"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["c"]}, {}]},
                    ]
                }
            },
        },
    )
    assert not invalid
    assert row == Volume(
        name="o",
        driver="other.io",
        attributes={},
        mount_options=("ro",),
        access_modes=("ReadOnlyMany",),
        storage_class="sc",
        reclaim_policy="Retain",
        claim_namespace="ns",
        claim_name="c",
        local_path="/mnt/disk",
        node_affinity=({"zone": ("a",)}, {"zone": ("b", "a")}, {}),
        annotations={"pv.kubernetes.io/provisioned-by": "other.io", "gke-gcsfuse/bucket-scan-status": "completed"},
    )


def test_the_csi_driver_wins_over_the_annotation():
    row, _ = one(
        Volume,
        metadata={"annotations": {"pv.kubernetes.io/provisioned-by": "old.io"}},
        spec=csi("team.weka.io", "dir/v1/default/pvc-1"),
    )
    assert row.driver == "team.weka.io"


@pytest.mark.parametrize(
    "handle", ["dir/v1/default/pvc-1", "dir/v1/default/pvc-2", "weka/v2/default", "weka/v2/default:snap"]
)
@pytest.mark.parametrize("driver", ["csi.weka.io", "team.weka.io"])
def test_volumes_of_one_weka_filesystem_have_one_identity(handle, driver):
    for known in (GATHERERS, SHOWN):
        assert one(Volume, gatherers=known, spec=csi(driver, handle))[0].filesystem == "default"


def test_a_handle_that_may_not_be_shown_is_hashed_and_still_an_identity():
    first, second = (one(Volume, spec=csi(f"{name}.csi.example", "fs-0aaa"))[0].filesystem for name in "ab")
    assert first == second
    assert first.startswith("#")
    assert len(first) == 9
    assert one(Volume, gatherers=SHOWN, spec=csi("a.csi.example", "fs-0aaa"))[0].filesystem == "fs-0aaa"
    assert one(Volume, spec=csi("a.csi.example"))[0].filesystem == ""


@pytest.mark.parametrize(
    ("driver", "handles"),
    [
        pytest.param("csi.weka.io", ["dir/v1/default/a", "dir/v1/default/b", "weka/v2/default:a"], id="Weka"),
        pytest.param("efs.csi.aws.com", ["fs-0aaa::fsap-0b", "fs-0aaa::fsap-0c", "fs-0aaa"], id="EFS access points"),
        pytest.param("efs.csi.aws.com", ["s3files:fs-0aaa::fsap-0b", "s3files:fs-0aaa"], id="S3 Files"),
        pytest.param("lustre.csi.storage.gke.io", ["p/l/i", "p/l/i:a"], id="GKE Lustre"),
    ],
)
@pytest.mark.parametrize("known", [GATHERERS, SHOWN], ids=["hidden", "shown"])
def test_volumes_on_one_filesystem_share_its_identity_and_keep_handles_of_their_own(driver, handles, known):
    rows = [one(Volume, gatherers=known, spec=csi(driver, handle))[0] for handle in handles]

    assert len({row.filesystem for row in rows}) == 1
    assert len({row.handle for row in rows}) == len(handles)
    assert all(len(row.handle) == len("#3e23e816") for row in rows)


@pytest.mark.parametrize("handle", ["dir/v1/default/a", "weka/v2/default", "dir/v1/default/"])
def test_no_directory_of_a_weka_filesystem_is_kept_and_a_second_reading_changes_nothing(handle):
    once, twice = handle, ""
    for _ in range(2):
        once, twice = known_handle(once, "csi.weka.io", Names()), once
    assert once == twice
    assert not re.search("/a$", once)


def test_a_snapshot_tells_the_same_identity_and_handle():
    for driver, handle in (("efs.csi.aws.com", "s3files:fs-0aaa::fsap-0b"), ("ebs.csi.aws.com", "vol-0aaa")):
        live, _ = one(Volume, spec=csi(driver, handle))
        written = known_handle(handle, driver, Names())
        assert one(Volume, spec=csi(driver, written))[0] == live


def test_a_handle_whose_scheme_tells_what_it_is_keeps_it():
    identity = one(Volume, spec=csi("efs.csi.aws.com", "s3files:fs-0aaa"))[0].filesystem
    assert identity.startswith("s3files:#")
    evidence = [each for each in storage_driver("efs.csi.aws.com").visible if each.where == "volume_handle"]
    assert any(each.seen_in({"": identity}) for each in evidence)


@pytest.mark.parametrize(
    ("spec", "attributes"),
    [
        pytest.param(
            csi("s3.csi.aws.com", "h", bucketName="b", cache="emptyDir", cacheEmptyDirSizeLimit="5Gi", other="o"),
            {"bucketName": "#3e23e816", "cache": "emptyDir", "cacheEmptyDirSizeLimit": "5Gi"},
            id="known keys, one of them hashed",
        ),
        pytest.param(
            csi("gcsfuse.csi.storage.gke.io", "h", mountOptions="ro,key-file=/k,file-cache:max-size-mb:-1"),
            {"mountOptions": "ro,key-file=…,file-cache:max-size-mb:-1"},
            id="options of a pod's own volume",
        ),
        pytest.param(csi("unknown.example", "h", anything="x"), {}, id="unknown driver"),
    ],
)
def test_only_known_attributes_are_kept(spec, attributes):
    assert one(Volume, spec=spec)[0].attributes == attributes


def test_an_nfs_volume_is_identified_by_the_hash_of_its_export():
    nfs = {"nfs": {"server": "192.0.2.1", "path": "/export"}}
    row, _ = one(Volume, spec=nfs)
    assert row.nfs
    assert row.filesystem.startswith("#")
    assert one(Volume, gatherers=SHOWN, spec=nfs)[0].filesystem == "192.0.2.1:/export"
    assert one(Volume, spec={"hostPath": {"path": "/mnt/data"}})[0].host_path == "/mnt/data"


@pytest.mark.parametrize(
    ("option", "kept", "shown"),
    [
        pytest.param(*["file-cache:max-size-mb:-1"] * 3, id="a cache size"),
        pytest.param(*["cache-dir=/mnt/nvme"] * 3, id="a path"),
        pytest.param(*["nfsvers=4.1,nconnect=16"] * 3, id="several at once"),
        pytest.param(
            "username=u,password=p,ro",
            f"username={short_hash('u')},password=…,ro",
            "username=u,password=…,ro",
            id="credentials",
        ),
        pytest.param("-o password=p", "-o password=…", "-o password=…", id="credentials behind a flag"),
        pytest.param("-o password=p token=t", "-o password=…", "-o password=…", id="two of them"),
        pytest.param("-o host=h password=p", "-o host=…", "-o host=h password=…", id="one behind a name"),
        pytest.param("cache-xz b--x-s3", f"cache-xz {short_hash('b--x-s3')}", "cache-xz b--x-s3", id="a bucket"),
        pytest.param("gcs-auth:key-file:/k.json", "gcs-auth:key-file:…", "gcs-auth:key-file:…", id="a key file"),
    ],
)
def test_a_mount_option_keeps_what_names_nobody_and_never_a_secret(option, kept, shown):
    spec = {"mountOptions": [option]}
    assert one(Volume, spec=spec)[0].mount_options == (kept,)
    assert one(Volume, gatherers=SHOWN, spec=spec)[0].mount_options == (shown,)


def test_every_field_of_a_class_is_taken():
    row, invalid = one(
        StorageClass,
        provisioner="fsx.openzfs.csi.aws.com",
        parameters={
            "StorageType": '"INTELLIGENT_TIERING"',
            "DeploymentType": '"MULTI_AZ_1"',
            "SubnetIds": '["subnet-1"]',
            "csi.storage.k8s.io/provisioner-secret-name": "s",
        },
        reclaimPolicy="Retain",
        volumeBindingMode="WaitForFirstConsumer",
        mountOptions=["flock"],
    )
    assert not invalid
    assert row == StorageClass(
        name="o",
        provisioner="fsx.openzfs.csi.aws.com",
        parameters={"StorageType": "INTELLIGENT_TIERING", "DeploymentType": "MULTI_AZ_1"},
        reclaim_policy="Retain",
        binding_mode="WaitForFirstConsumer",
        mount_options=("flock",),
    )
    assert one(StorageClass, provisioner="p")[0] == StorageClass(name="o", provisioner="p", parameters={})


def test_a_link_to_a_bucket_is_seen_without_its_name():
    parameters = {"s3ImportPath": "s3://example-bucket", "subnetId": "subnet-1", "deploymentType": "SCRATCH_2"}
    row, _ = one(StorageClass, provisioner="fsx.csi.aws.com", parameters=parameters)
    assert row.parameters.keys() == {"s3ImportPath", "deploymentType"}
    assert "example-bucket" not in row.parameters["s3ImportPath"]
    evidence = storage_driver("fsx.csi.aws.com").visible
    assert any(each.where == "class_parameter" and each.seen_in(row.parameters) for each in evidence)


def weka(**sums):
    return {"status": {"stats": {"lastUpdate": "2026-01-01T00:00:00Z", "filesystem": sums}}}


def test_every_sum_of_a_weka_cluster_is_taken_as_number_or_text():
    sums = {
        "totalProvisionedSSDCapacity": 100,
        "totalUsedSSDCapacity": "97",
        "totalAvailableSSDCapacity": 100,
        "totalProvisionedCapacity": "393",
        "totalUsedCapacity": 263,
        "obsBucketCount": 2,
        "activeObsBucketCount": "1",
    }
    row, invalid = one(WekaCluster, **weka(hasTieredFilesystems=True, **sums))
    assert not invalid
    assert row == WekaCluster(
        namespace="ns",
        name="o",
        stats_updated=datetime(2026, 1, 1, tzinfo=UTC),
        has_tiered_filesystems=True,
        ssd_provisioned=100,
        ssd_used=97,
        ssd_available=100,
        total_provisioned=393,
        total_used=263,
        buckets=2,
        buckets_up=1,
    )


@pytest.mark.parametrize(
    "used", [pytest.param("-97", id="negative"), pytest.param("many", id="a word"), pytest.param([97], id="a list")]
)
def test_a_sum_that_cannot_be_read_gives_no_row_and_is_counted(used):
    assert one(WekaCluster, **weka(totalUsedSSDCapacity=used, totalProvisionedSSDCapacity=100)) == (None, 1)


def test_nothing_collected_is_not_known():
    assert one(WekaCluster, status={"stats": {"filesystem": {}}}) == (WekaCluster(namespace="ns", name="o"), 0)
