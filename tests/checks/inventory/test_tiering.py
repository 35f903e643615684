from typing import Any

import pytest
from msgspec.structs import replace

from checks import build
from kubegap_checks.facts.pods import PodVolume
from kubegap_checks.facts.read import Partial, Record, UnreadError
from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_checks.inventory.backing import Backing
from kubegap_checks.inventory.tiering import Storage
from kubegap_checks.model import Confidence

POD = build.pod()
DATA = PodVolume(name="data", form="claim", claim="data", attributes={})
CLAIM = build.claim()


def behind(*records: Record, volume: PodVolume = DATA, unread: tuple[type[Record], ...] = ()) -> Backing | None:
    return Storage(build.facts(*records, unread=unread)).backing(POD, volume)


def of_disk(driver: str, *others: Record, **fields: Any) -> Backing:
    found = behind(CLAIM, build.volume(driver=driver, storage_class="shared", **fields), *others)
    assert found is not None
    return found


def test_a_class_parameter_is_quoted_with_its_path() -> None:
    storage_class = build.storage_class("shared", "fsx.csi.aws.com", parameters={"s3ImportPath": "1f2e3d"})

    found = of_disk("fsx.csi.aws.com", storage_class, filesystem="fs-1")

    assert (found.verdict, found.confidence, found.name) == ("lazy_linked", Confidence.CERTAIN, "FSx for Lustre fs-1")
    assert found.evidence == {
        "PersistentVolume[pv-data].spec.csi.driver": "fsx.csi.aws.com",
        "StorageClass[shared].parameters.s3ImportPath": "1f2e3d",
    }


@pytest.mark.parametrize(
    ("fields", "path", "value"),
    [
        pytest.param(
            {"attributes": {"cache": "emptyDir"}}, "csi.volumeAttributes.cache", "emptyDir", id="an attribute"
        ),
        pytest.param({"mount_options": ("ro", "cache /tmp/c")}, "mountOptions", "cache /tmp/c", id="a mount option"),
    ],
)
def test_a_cache_on_the_node_is_named_and_changes_nothing_behind_it(
    fields: dict[str, Any], path: str, value: str
) -> None:
    found = of_disk("s3.csi.aws.com", **fields)

    assert found.verdict == "object_backed"
    assert found.evidence[f"PersistentVolume[pv-data].spec.{path}"] == value


def test_names_with_braces_are_only_names() -> None:
    storage_class = build.storage_class("{x}", "fsx.csi.aws.com", parameters={"s3ImportPath": "1f2e3d"})
    found = behind(CLAIM, build.volume(driver="fsx.csi.aws.com", storage_class="{x}"), storage_class)

    assert found is not None
    assert found.evidence["StorageClass[{x}].parameters.s3ImportPath"] == "1f2e3d"


def test_a_driver_without_evidence_is_quoted_alone() -> None:
    found = of_disk("s3.csi.aws.com", filesystem="h-1")

    assert found.evidence == {"PersistentVolume[pv-data].spec.csi.driver": "s3.csi.aws.com"}


def test_a_volume_without_a_filesystem_goes_by_its_own_name() -> None:
    assert of_disk("ebs.csi.aws.com").filesystem == "pv-data"


@pytest.mark.parametrize(
    ("clusters", "verdict", "confidence"),
    [
        pytest.param([True], "tiered", Confidence.LIKELY, id="one that tiers"),
        pytest.param([True, True], "tiered", Confidence.LIKELY, id="two that tier"),
        pytest.param([True, False], "tiered", Confidence.HINT, id="one of two"),
        pytest.param([True, None], "tiered", Confidence.HINT, id="one, and one that does not say"),
        pytest.param([False], "stays", Confidence.HINT, id="one that does not tier"),
        pytest.param([None], "unsaid", Confidence.HINT, id="one that does not say"),
        pytest.param([], "unsaid", Confidence.HINT, id="no cluster object"),
    ],
)
def test_weka_speaks_for_the_cluster_and_not_for_one_filesystem(
    clusters: list[bool | None], verdict: str, confidence: Confidence
) -> None:
    objects = [build.weka(f"weka-{number}", has_tiered_filesystems=tiers) for number, tiers in enumerate(clusters)]

    found = of_disk("csi.weka.io", *objects, filesystem="default")

    assert found.verdict == verdict
    assert verdict != "tiered" or found.confidence is confidence


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        pytest.param({"form": "host_path", "path": "/scratch/c4"}, "node_local", id="scratch"),
        pytest.param({"form": "host_path", "path": "/lustre/c4"}, "unsaid", id="a shared mount"),
        pytest.param({"form": "host_path", "path": "/somewhere"}, "unsaid", id="a path that no row knows"),
        pytest.param({"form": "nfs", "path": "h-1"}, "unsaid", id="NFS"),
        pytest.param({"form": "empty_dir"}, "node_local", id="an emptyDir"),
        pytest.param({"form": "other"}, None, id="a config map"),
        pytest.param({"claim": "gone"}, "unsaid", id="a claim that no list holds, of a placed pod"),
    ],
)
def test_volumes_without_a_driver(fields: dict[str, Any], verdict: str | None) -> None:
    found = behind(CLAIM, volume=replace(DATA, **fields))

    assert (found.verdict if found else None) == verdict


def test_a_doubt_says_how_to_end_it() -> None:
    assert "CloudPools" in of_disk("csi-isilon.dellemc.com").unread.remedy.en
    assert "not in the catalogue" in of_disk("csi.somebody.example").unread.remedy.en


def test_the_claim_of_an_inline_volume_is_not_asked_for() -> None:
    inline = replace(DATA, form="csi", driver="s3.csi.aws.com", attributes={"bucketName": "1f2e3d"})

    found = behind(volume=inline, unread=(Claim, Volume, StorageClass))

    assert found is not None
    assert found.name == "Mountpoint for S3 1f2e3d"


@pytest.mark.parametrize(
    ("driver", "kind"),
    [
        ("s3.csi.aws.com", Claim),
        ("s3.csi.aws.com", Volume),
        ("fsx.csi.aws.com", StorageClass),
        ("csi.weka.io", WekaCluster),
    ],
)
def test_what_is_needed_and_may_not_be_read_is_not_guessed(driver: str, kind: type[Record]) -> None:
    with pytest.raises(UnreadError):
        behind(CLAIM, build.volume(driver=driver, storage_class="shared"), unread=(kind,))


def test_a_claim_that_was_not_seen_is_missing_only_where_all_were_read() -> None:
    seen = Partial((CLAIM,), (build.forbidden(Claim),), asked_for=True)
    storage = Storage(build.facts(build.volume(driver="s3.csi.aws.com")).but(Claim, seen))

    assert storage.backing(POD, DATA) is not None
    with pytest.raises(UnreadError):
        storage.backing(POD, replace(DATA, claim="other"))
