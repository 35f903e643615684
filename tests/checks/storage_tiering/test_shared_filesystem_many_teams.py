from typing import Any

import pytest
from msgspec.structs import replace

from checks import build
from kubegap_checks.facts.pods import Mount, Pod, PodVolume, Run
from kubegap_checks.facts.read import Facts, Record
from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_checks.model import Confidence, Severity, Status, Verdict
from kubegap_checks.rules.storage_tiering.shared_filesystem_many_teams import CHECK

DATA = PodVolume(name="data", form="claim", claim="data", attributes={})
SCRATCH = PodVolume(name="scratch", form="empty_dir", attributes={})
MOUNTS = (Mount(volume="data", path="/data"), Mount(volume="scratch", path="/scratch"))
TRAINER = build.container(limits={"nvidia.com/gpu": 8}, mounts=MOUNTS)
COPY = build.container("copy", init=True, mounts=MOUNTS)
POD = build.pod(resources={"nvidia.com/gpu": 8}, containers=(TRAINER,), volumes=(DATA, SCRATCH))
CLAIM = build.claim()
OTHERS = ("vision", "speech")
TIERED = build.weka(has_tiered_filesystems=True)


def volumes(*namespaces: str, driver: str = "csi.weka.io", **fields: Any) -> list[Volume]:
    """The run's volume, and one of each other namespace on the same filesystem."""
    values = {"filesystem": "default", "claim_name": "data", "storage_class": "shared", **fields}
    names = {"pv-data": "ml", **{f"pv-{namespace}": namespace for namespace in namespaces}}
    return [build.volume(name, driver, claim_namespace=namespace, **values) for name, namespace in names.items()]


def run(*records: Record, **fields: Any) -> Verdict:
    return CHECK.run(build.facts(*records, **fields))


@pytest.mark.parametrize(
    ("cluster", "status"),
    [
        pytest.param(build.facts(POD, CLAIM, TIERED, *volumes(*OTHERS)), "gap", id="three namespaces"),
        pytest.param(build.facts(POD, CLAIM, TIERED, *volumes("vision")), "clear", id="two namespaces"),
        pytest.param(
            build.facts(POD, CLAIM, *volumes(*OTHERS), build.weka(has_tiered_filesystems=False)),
            "clear",
            id="nothing can leave it",
        ),
    ],
)
def test_a_run_among_many_teams(cluster: Facts, status: Status) -> None:
    assert CHECK.run(cluster).status == status


@pytest.mark.parametrize(
    ("found", "status"),
    [
        pytest.param(volumes(*OTHERS), "gap", id="three namespaces on one Weka filesystem"),
        pytest.param(volumes("vision"), "clear", id="two namespaces, maybe of one team"),
        pytest.param(volumes("vision", ""), "clear", id="a volume that nobody claimed"),
        pytest.param(
            [*volumes("vision"), build.volume("pv-own", "csi.weka.io", filesystem="default", claim_namespace="ml")],
            "clear",
            id="two volumes of the run's own namespace",
        ),
        pytest.param(
            [*volumes("vision"), build.volume("pv-x", "csi.weka.io", filesystem="other", claim_namespace="speech")],
            "clear",
            id="another filesystem of the same product",
        ),
        pytest.param(
            [*volumes("vision"), build.volume("pv-x", "team.weka.io", filesystem="default", claim_namespace="speech")],
            "clear",
            id="a filesystem of that name behind another driver",
        ),
        pytest.param(volumes(*OTHERS, driver="rook-ceph.cephfs.csi.ceph.com"), "clear", id="nothing can leave it"),
        pytest.param(volumes(*OTHERS, driver="csi.trident.netapp.io", filesystem=""), "clear", id="no identity"),
        pytest.param(volumes(*OTHERS, driver="gcsfuse.csi.storage.gke.io"), "clear", id="a bucket, which never fills"),
    ],
)
def test_a_tiered_filesystem_that_three_namespaces_fill_is_a_gap(found: list[Volume], status: Status) -> None:
    assert run(POD, CLAIM, TIERED, *found).status == status


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        pytest.param({"driver": "", "host_path": "/mnt/data/c4"}, "gap", id="a mount that all nodes have"),
        pytest.param({"driver": "", "host_path": "/var/data"}, "clear", id="any path of a node"),
        pytest.param({"driver": "", "nfs": True, "filesystem": "#1f2e3d4c"}, "gap", id="one export"),
        pytest.param({"driver": "efs.csi.aws.com", "filesystem": "#1f2e3d4c"}, "gap", id="EFS"),
        pytest.param({"driver": "csi.somebody.example"}, "clear", id="a driver that no row knows"),
    ],
)
def test_what_makes_two_volumes_one_filesystem(fields: dict[str, Any], status: Status) -> None:
    assert run(POD, CLAIM, *volumes(*OTHERS, **fields)).status == status


def test_a_path_in_the_pod_leads_to_the_same_mount_as_a_volume_of_others() -> None:
    host = replace(POD, volumes=(replace(DATA, form="host_path", path="/mnt/data/mine"), SCRATCH))
    there = volumes(*OTHERS, driver="", host_path="/mnt/data/c4")

    assert run(host, *there).status == "gap"
    assert run(replace(host, volumes=(replace(host.volumes[0], path="/opt/mine"), SCRATCH)), *there).status == "clear"


@pytest.mark.parametrize(
    ("reader", "status"),
    [
        pytest.param(replace(POD, containers=(TRAINER, COPY)), "clear", id="a copy on the node"),
        pytest.param(
            replace(POD, run=Run(kind="Deployment", namespace="ml", name="web")), "not_applicable", id="it serves"
        ),
    ],
)
def test_a_pod_that_does_not_train_from_it_is_no_gap(reader: Pod, status: Status) -> None:
    assert run(reader, CLAIM, TIERED, *volumes(*OTHERS)).status == status


def test_a_claim_that_waits_for_its_first_pod_has_no_neighbours_yet() -> None:
    linked = build.storage_class("shared", "fsx.csi.aws.com", parameters={"s3ImportPath": "#1f2e"})
    waiting = replace(CLAIM, volume="", storage_class="shared")

    assert run(POD, waiting, linked, *volumes(*OTHERS, driver="fsx.csi.aws.com")).status == "clear"


def test_the_finding_names_the_filesystem_and_who_else_is_there() -> None:
    verdict = run(POD, replace(POD, name="train-1"), CLAIM, TIERED, *volumes("a", "b", "c", "d"))

    (finding,) = verdict.findings
    assert str(finding.subject) == "PyTorchJob/ml/train"
    assert finding.key == "WekaFS default"
    assert finding.says.en == (
        "reads its dataset from WekaFS default, where 4 other namespaces have volumes (a, b, c, ...)"
    )
    assert finding.evidence["PersistentVolume.spec.claimRef.namespace"] == "a, b, c, ..."
    assert finding.evidence["PersistentVolume[pv-data].spec.csi.driver"] == "csi.weka.io"


@pytest.mark.parametrize(
    ("records", "severity", "confidence"),
    [
        pytest.param([TIERED], Severity.MEDIUM, Confidence.LIKELY, id="it tiers"),
        pytest.param([build.weka()], Severity.LOW, Confidence.HINT, id="nothing says whether it tiers"),
        pytest.param([TIERED, build.weka("w2")], Severity.MEDIUM, Confidence.HINT, id="one of two clusters tiers"),
    ],
)
def test_it_weighs_more_where_data_is_seen_to_leave(
    records: list[Record], severity: Severity, confidence: Confidence
) -> None:
    verdict = run(POD, CLAIM, *volumes(*OTHERS), *records)

    (finding,) = verdict.findings
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (severity, confidence)


def test_three_others_are_named_without_a_rest() -> None:
    (finding,) = run(POD, CLAIM, TIERED, *volumes("a", "b", "c")).findings

    assert finding.says.en.endswith("(a, b, c)")


def test_storage_that_does_not_say_makes_a_hint_however_sure_the_driver_is() -> None:
    verdict = run(POD, CLAIM, *volumes(*OTHERS, driver="efs.csi.aws.com"))

    assert [verdict.confidence_of(finding) for finding in verdict.findings] == [Confidence.HINT]


def test_as_sure_as_the_surest_thing_is_likely() -> None:
    linked = build.storage_class("shared", "fsx.csi.aws.com", parameters={"s3ImportPath": "#1f2e"})
    verdict = run(POD, CLAIM, linked, *volumes(*OTHERS, driver="fsx.csi.aws.com"))

    assert [verdict.confidence_of(finding) for finding in verdict.findings] == [Confidence.LIKELY]


@pytest.mark.parametrize("kind", [Pod, Claim, Volume, StorageClass, WekaCluster])
def test_what_may_not_be_read_is_unknown(kind: type[Record]) -> None:
    driver = "fsx.csi.aws.com" if kind is StorageClass else "csi.weka.io"
    assert run(POD, CLAIM, TIERED, *volumes(*OTHERS, driver=driver), unread=[kind]).status == "unknown"


def test_no_pod_is_not_applicable() -> None:
    assert run().status == "not_applicable"
