from datetime import timedelta

import pytest
from msgspec.structs import replace

from checks import build
from kubegap_checks.facts.read import Record
from kubegap_checks.facts.storage import WekaCluster
from kubegap_checks.model import Severity, Status, Verdict
from kubegap_checks.rules.storage_tiering.fast_tier_near_full import CHECK

TB = 10**12

# The values of three Weka clusters: sound, full in its SSD tier only, and without figures.
HEALTHY = build.weka(
    "weka-healthy",
    has_tiered_filesystems=True,
    ssd_provisioned=100 * TB,
    ssd_used=60 * TB,
    ssd_available=100 * TB,
    total_provisioned=400 * TB,
    total_used=150 * TB,
    buckets=1,
    buckets_up=1,
)
SSD_FULL = replace(
    HEALTHY,
    name="weka-ssd-full",
    ssd_used=97 * TB,
    total_provisioned=393 * TB,
    total_used=263 * TB,
    buckets=2,
)
NO_STATS = build.weka("weka-no-stats", stats_updated=None)

USED = build.volume(driver="csi.weka.io", filesystem="default", claim_namespace="ml", claim_name="data")


def run(*records: Record, unread: tuple[type[Record], ...] = ()) -> Verdict:
    return CHECK.run(build.facts(*records, unread=unread))


def full(percent: float, **fields: object) -> WekaCluster:
    return replace(HEALTHY, ssd_used=int(percent * TB), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cluster", "status"),
    [
        pytest.param(SSD_FULL, "gap", id="97 percent of the SSD, 67 percent of the filesystem"),
        pytest.param(HEALTHY, "clear", id="60 percent"),
        pytest.param(NO_STATS, "unknown", id="no figures"),
        pytest.param(full(97, has_tiered_filesystems=False), "clear", id="nearly full and not tiered"),
        pytest.param(full(97, has_tiered_filesystems=None), "unknown", id="nearly full, tiered or not is not said"),
        pytest.param(full(60, has_tiered_filesystems=None), "clear", id="room enough, tiered or not is not said"),
        pytest.param(
            full(97, stats_updated=build.READ_AT - timedelta(minutes=11)), "unknown", id="nearly full 11 minutes ago"
        ),
        pytest.param(
            full(97, stats_updated=build.READ_AT - timedelta(minutes=9)), "gap", id="nearly full 9 minutes ago"
        ),
        pytest.param(full(97, stats_updated=None), "unknown", id="nearly full, nobody knows when"),
        pytest.param(replace(HEALTHY, ssd_used=None), "unknown", id="used SSD not collected"),
        pytest.param(full(60, ssd_provisioned=None, ssd_available=None), "unknown", id="SSD size not collected"),
        pytest.param(full(60, ssd_available=62 * TB), "gap", id="nearly all of a budget that is smaller"),
        pytest.param(full(60, total_used=399 * TB), "clear", id="only the object store side is full"),
        pytest.param(replace(HEALTHY, buckets_up=0), "gap", id="its object store is down"),
        pytest.param(replace(HEALTHY, buckets_up=None), "unknown", id="its object store is not spoken of"),
        pytest.param(replace(HEALTHY, buckets=None, buckets_up=None), "clear", id="no object store is spoken of"),
    ],
)
def test_a_tiered_cluster_whose_ssd_is_nearly_full_is_a_gap(cluster: WekaCluster, status: Status) -> None:
    assert run(cluster).status == status


def test_weka_without_a_cluster_object_is_left_to_the_metrics() -> None:
    assert run(USED).status == "not_applicable"


@pytest.mark.parametrize(
    ("percent", "severity"),
    [
        (85, Severity.MEDIUM),
        (89.9, Severity.MEDIUM),
        (90, Severity.HIGH),
        (94.9, Severity.HIGH),
        (95, Severity.CRITICAL),
    ],
)
def test_the_fill_sets_the_severity(percent: float, severity: Severity) -> None:
    verdict = run(full(percent))

    assert [verdict.severity_of(finding) for finding in verdict.findings] == [severity]
    assert f"{int(percent)} %" in verdict.findings[0].says.en
    assert run(full(84.9)).status == "clear"


def test_a_full_ssd_tier_with_an_object_store_down_is_one_finding() -> None:
    verdict = run(SSD_FULL)

    (finding,) = verdict.findings
    assert str(finding.subject) == "WekaCluster/weka/weka-ssd-full"
    assert verdict.severity_of(finding) is Severity.CRITICAL
    assert finding.says.en == (
        "97 % of its filesystems' SSD budget is used, and some of them are tiered; "
        "1 of 2 object stores behind the tiered filesystems are down"
    )
    assert finding.evidence == {
        "status.stats.filesystem.hasTieredFilesystems": True,
        "status.stats.filesystem.totalUsedSSDCapacity": 97 * TB,
        "status.stats.filesystem.totalProvisionedSSDCapacity": 100 * TB,
        "status.stats.filesystem.obsBucketCount": 2,
        "status.stats.filesystem.activeObsBucketCount": 1,
    }


def test_an_object_store_that_is_down_makes_it_high_at_least() -> None:
    verdict = run(full(86, buckets=2))

    assert [verdict.severity_of(finding) for finding in verdict.findings] == [Severity.HIGH]


def test_an_object_store_that_is_down_is_its_own_finding_while_there_is_room() -> None:
    verdict = run(replace(HEALTHY, buckets=2))

    (finding,) = verdict.findings
    assert finding.key == "object_store_down"
    assert verdict.severity_of(finding) is Severity.HIGH
    assert not any("SSD" in path for path in finding.evidence)


def test_each_cluster_is_judged_by_itself() -> None:
    verdict = run(HEALTHY, SSD_FULL, NO_STATS)

    assert verdict.status == "gap"
    assert [finding.subject.name for finding in verdict.findings] == ["weka-ssd-full"]
    assert [doubt.what.en for doubt in verdict.unread] == ["SSD fill of WekaCluster/weka/weka-no-stats"]


def test_what_may_not_be_read_is_unknown_and_never_clear() -> None:
    verdict = run(SSD_FULL, unread=(WekaCluster,))

    assert verdict.status == "unknown"
    assert [doubt.what.en for doubt in verdict.unread] == [WekaCluster.KIND.resource]
