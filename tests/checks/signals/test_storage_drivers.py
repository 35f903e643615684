"""Storage drivers, host paths, and what objects show of a tier."""

import pytest

from kubegap_checks.signals.host_paths import host_path
from kubegap_checks.signals.quantities import quantity
from kubegap_checks.signals.storage_drivers import Gauge, StorageDriver, storage_driver, storage_drivers


def _driver(name: str) -> StorageDriver:
    row = storage_driver(name)
    assert row is not None
    return row


def _shown(name: str, where: str, values: dict[str, str]) -> list[str]:
    return [row.shows for row in _driver(name).visible if row.where == where and row.seen_in(values)]


@pytest.mark.parametrize(
    ("name", "product", "tier"),
    [
        ("csi.weka.io", "WekaFS", "may_tier"),
        ("team.weka.io", "WekaFS", "may_tier"),
        ("groupa.weka.io", "WekaFS", "may_tier"),
        ("rook-ceph.cephfs.csi.ceph.com", "CephFS", "no_tier"),
        ("cephfs.csi.ceph.com", "CephFS", "no_tier"),
        ("rook-ceph.rbd.csi.ceph.com", "Ceph block", "no_tier"),
        ("fsx.csi.aws.com", "FSx for Lustre", "may_tier"),
        ("fsx.openzfs.csi.aws.com", "FSx for OpenZFS", "may_tier"),
        ("efs.csi.aws.com", "EFS", "may_tier"),
        ("lustre.csi.storage.gke.io", "GKE Managed Lustre", "may_tier"),
        ("azurelustre.csi.azure.com", "Azure Managed Lustre", "may_tier"),
        ("csi.trident.netapp.io", "NetApp Trident", "may_tier"),
        ("gcsfuse.csi.storage.gke.io", "Cloud Storage FUSE", "object_backed"),
        ("s3.csi.aws.com", "Mountpoint for S3", "object_backed"),
        ("csi.juicefs.com", "JuiceFS", "object_backed"),
        ("fuse.csi.fluid.io", "Fluid", "cache_layer"),
        ("alluxio", "Alluxio", "cache_layer"),
        ("kubernetes.io/nfs", "NFS", "may_tier"),
        ("nas.csi.ncloud.com", "NAVER Cloud NAS", "may_tier"),
        ("blk.csi.ncloud.com", "NAVER Cloud Block Storage", "no_tier"),
        ("beegfs.csi.netapp.com", "BeeGFS", "no_tier"),
        ("ebs.csi.aws.com", "Amazon EBS", "no_tier"),
        ("topolvm.cybozu.com", "TopoLVM", "node_local"),
        ("local-volume-provisioner-node-1-0a1b2c", "local volume", "node_local"),
        ("localdisk.csi.acstor.io", "Azure Container Storage local disk", "node_local"),
    ],
)
def test_a_driver_is_known_by_its_name_however_it_is_prefixed(name: str, product: str, tier: str):
    row = _driver(name)

    assert (row.product, row.tier) == (product, tier)


@pytest.mark.parametrize("name", ["", "csi.example.com", "notweka.io", "csi.weka.io.example.com", "csi-weka-io"])
def test_a_driver_that_is_not_in_the_table_is_unknown(name: str):
    assert storage_driver(name) is None


def test_no_name_is_known_to_two_rows():
    plain = {row.name.pattern.replace("\\", "").replace("(?:.+.)?", ""): row for row in storage_drivers()}

    assert all(storage_driver(name) is row for name, row in plain.items() if not set(name) & set("|()?"))


@pytest.mark.parametrize(
    ("name", "where", "values", "shows"),
    [
        pytest.param(
            "fsx.csi.aws.com", "class_parameter", {"s3ImportPath": "s3://b"}, ["lazy_linked"], id="FSx, linked"
        ),
        pytest.param(
            "fsx.csi.aws.com", "class_parameter", {"storageType": "INTELLIGENT_TIERING"}, ["tiered"], id="FSx, tiered"
        ),
        pytest.param(
            "fsx.csi.aws.com", "class_parameter", {"deploymentType": "PERSISTENT_2"}, [], id="FSx, not visible"
        ),
        pytest.param(
            "fsx.openzfs.csi.aws.com",
            "class_parameter",
            {"StorageType": "INTELLIGENT_TIERING"},
            ["tiered"],
            id="OpenZFS, tiered",
        ),
        pytest.param("fsx.openzfs.csi.aws.com", "class_parameter", {"StorageType": "SSD"}, [], id="OpenZFS, not said"),
        pytest.param(
            "efs.csi.aws.com",
            "class_parameter",
            {"provisioningMode": "s3files-ap"},
            ["object_backed"],
            id="S3 Files, class",
        ),
        pytest.param("efs.csi.aws.com", "class_parameter", {"provisioningMode": "efs-ap"}, [], id="EFS"),
        pytest.param(
            "efs.csi.aws.com", "volume_handle", {"": "s3files:fs-0a"}, ["object_backed"], id="S3 Files, handle"
        ),
        pytest.param("efs.csi.aws.com", "volume_handle", {"": "fs-0a::fsap-0b"}, [], id="EFS, handle"),
        pytest.param(
            "spectrumscale.csi.ibm.com",
            "class_parameter",
            {"volumeType": "cache"},
            ["cache_of_remote"],
            id="Scale, cache",
        ),
        pytest.param(
            "spectrumscale.csi.ibm.com", "class_parameter", {"tier": "system"}, [], id="Scale, placement tier"
        ),
        pytest.param(
            "csi.trident.netapp.io",
            "claim_annotation",
            {"trident.netapp.io/tieringPolicy": "auto"},
            ["tiered"],
            id="Trident, auto",
        ),
        pytest.param(
            "csi.trident.netapp.io",
            "claim_annotation",
            {"trident.netapp.io/tieringPolicy": "none"},
            ["no_tier"],
            id="Trident, none",
        ),
        pytest.param("s3.csi.aws.com", "volume_attribute", {"cache": "emptyDir"}, ["node_cache"], id="S3, cache"),
        pytest.param("s3.csi.aws.com", "mount_option", {"0": "metadata-ttl 3"}, [], id="S3, metadata only"),
        pytest.param(
            "gcsfuse.csi.storage.gke.io",
            "mount_option",
            {"0": "file-cache:max-size-mb:-1"},
            ["node_cache"],
            id="gcsfuse, cache",
        ),
        pytest.param(
            "gcsfuse.csi.storage.gke.io", "mount_option", {"0": "file-cache:max-size-mb:0"}, [], id="gcsfuse, off"
        ),
        pytest.param(
            "gcsfuse.csi.storage.gke.io", "volume_attribute", {"fileCacheCapacity": "0"}, [], id="gcsfuse, off too"
        ),
        pytest.param(
            "gcsfuse.csi.storage.gke.io",
            "volume_attribute",
            {"mountOptions": "ro,file-cache:max-size-mb:0,implicit-dirs"},
            [],
            id="gcsfuse, off in the pod",
        ),
        pytest.param(
            "gcsfuse.csi.storage.gke.io",
            "volume_attribute",
            {"mountOptions": "ro,file-cache:max-size-mb:500"},
            ["node_cache"],
            id="gcsfuse, cache in the pod",
        ),
        pytest.param(
            "exa.csi.ddn.com", "class_parameter", {"pccCache": "/csi-pcc"}, ["node_cache"], id="EXAScaler, cache"
        ),
    ],
)
def test_objects_show_what_a_volume_is(name: str, where: str, values: dict[str, str], shows: list[str]):
    assert _shown(name, where, values) == shows


@pytest.mark.parametrize("where", ["class_parameter", "volume_attribute"])
def test_every_key_that_shows_something_is_kept_or_hashed(where: str):
    missing = [
        (row.product, evidence.key)
        for row in storage_drivers()
        for evidence in row.visible
        if evidence.where == where
        and evidence.key
        and not any(evidence.key.fullmatch(key) for key in (*row.keep_attributes, *row.hash_attributes))
    ]
    assert missing == []


def test_a_key_that_names_a_bucket_a_host_or_an_account_is_never_kept_as_it_is():
    telling = ("bucket", "host", "server", "ip", "dns", "subnet", "account", "container", "path", "secret", "network")
    kept = [(row.product, key) for row in storage_drivers() for key in row.keep_attributes]

    assert [
        (product, key)
        for product, key in kept
        if any(word in key.lower() for word in telling)
        and key not in {"skipCSIBucketAccessCheck", "bucketScanResyncPeriod", "SkipFinalBackupOnDeletion"}
    ] == []


@pytest.mark.parametrize(
    ("driver", "handle", "shown", "identity"),
    [
        pytest.param("csi.weka.io", "dir/v1/default/pvc-weka-0001", "default", "default", id="Weka directory"),
        pytest.param("csi.weka.io", "weka/v2/train:snap1", "train", "train", id="Weka snapshot"),
        pytest.param("csi.weka.io", "something/else", None, "something/else", id="Weka, not understood"),
        pytest.param("efs.csi.aws.com", "fs-0a1b::fsap-0c2d", None, "fs-0a1b", id="EFS access point"),
        pytest.param("efs.csi.aws.com", "s3files:fs-0a1b", None, "s3files:fs-0a1b", id="S3 Files"),
        pytest.param("fsx.csi.aws.com", "fs-0aaaaaaaaaaaaaaaa", None, "fs-0aaaaaaaaaaaaaaaa", id="FSx"),
        pytest.param(
            "lustre.csi.storage.gke.io",
            "projects/example/locations/us-example1-a/instances/lustre1",
            None,
            "projects/example/locations/us-example1-a/instances/lustre1",
            id="GKE Lustre",
        ),
        pytest.param(
            "parallelstore.csi.storage.gke.io",
            "example/us-example1-a/ps1/default-pool/default-container:ab12",
            None,
            "example/us-example1-a/ps1",
            id="Parallelstore",
        ),
        pytest.param(
            "lustre.csi.oraclecloud.com", "192.0.2.30@tcp:/lustrefs1", None, "192.0.2.30@tcp:/lustrefs1", id="OCI"
        ),
        pytest.param(
            "fss.csi.oraclecloud.com", "ocid1.fs.x:192.0.2.31:/fss1", None, "ocid1.fs.x", id="OCI file storage"
        ),
        pytest.param(
            "nas.csi.ncloud.com", "192.0.2.32:/n1_nas/pv-1/15000000", None, "192.0.2.32:/n1_nas", id="NAVER Cloud NAS"
        ),
        pytest.param("gcsfuse.csi.storage.gke.io", "example-data-bucket", None, "example-data-bucket", id="bucket"),
    ],
)
def test_a_volume_handle_names_the_filesystem_behind_it(driver: str, handle: str, shown: str | None, identity: str):
    row = _driver(driver)

    assert (row.filesystem_in(handle), row.identity_in(handle)) == (shown, identity)


@pytest.mark.parametrize(
    ("path", "product", "medium"),
    [
        ("/fsx", "FSx for Lustre or WekaFS", "shared_mount"),
        ("/fsx/team/data", "FSx for Lustre or WekaFS", "shared_mount"),
        ("/mnt/weka/", "WekaFS", "shared_mount"),
        ("/mnt/k8s-disks/0", "EC2 instance store", "node_local"),
        ("/mnt/stateful_partition/kube-ephemeral-ssd/data", "GKE local SSD", "node_local"),
        ("/scratch", "node NVMe", "node_local"),
    ],
)
def test_a_host_path_leads_to_a_shared_mount_or_to_the_nodes_own_disks(path: str, product: str, medium: str):
    row = host_path(path)

    assert row is not None
    assert (row.product, row.medium) == (product, medium)


@pytest.mark.parametrize("path", ["/", "", "/fsxdata", "/mnt", "/dev/mapper", "/var/lib/kubelet", "relative/fsx"])
def test_a_path_that_only_looks_alike_leads_nowhere_known(path: str):
    assert host_path(path) is None


@pytest.mark.parametrize(
    ("name", "gauge"),
    [
        pytest.param(row.product, gauge, id=f"{row.product} {gauge.quantity}")
        for row in storage_drivers()
        for gauge in row.gauges
    ],
)
def test_what_an_exporter_tells_is_a_quantity_with_the_label_that_names_the_volume(name: str, gauge: Gauge):
    for series in quantity(gauge.quantity).series:
        assert not gauge.label or gauge.label in series.keep, (name, series.name)
