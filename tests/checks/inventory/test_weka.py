from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from checks import build
from kubegap_checks.facts.read import Unread
from kubegap_checks.inventory.weka import Tier, is_weka, ssd_tier

CLUSTER = build.weka(
    has_tiered_filesystems=True, ssd_provisioned=100, ssd_used=60, ssd_available=100, buckets=2, buckets_up=2
)
FIELD = "status.stats.filesystem."


def tier(**fields: Any) -> Tier | Unread:
    return ssd_tier(replace(CLUSTER, **fields), build.READ_AT)


@pytest.mark.parametrize(
    ("fields", "percent"),
    [
        pytest.param({}, 60, id="of what is provisioned"),
        pytest.param({"ssd_available": 80}, 75, id="of a smaller budget"),
        pytest.param({"ssd_available": 120}, 60, id="never of a larger one"),
        pytest.param({"ssd_provisioned": None}, 60, id="of the budget alone"),
    ],
)
def test_the_fill_is_of_the_smaller_size(fields: dict[str, Any], percent: float) -> None:
    found = tier(**fields)

    assert isinstance(found, Tier)
    assert found.percent == percent


def test_the_budget_is_shown_only_where_the_fill_rests_on_it() -> None:
    sound, tight = tier(), tier(ssd_available=80)

    assert isinstance(sound, Tier)
    assert isinstance(tight, Tier)
    assert f"{FIELD}totalAvailableSSDCapacity" not in sound.evidence
    assert tight.evidence[f"{FIELD}totalAvailableSSDCapacity"] == 80


@pytest.mark.parametrize(
    ("fields", "down"),
    [
        pytest.param({}, 0, id="all up"),
        pytest.param({"buckets_up": 1}, 1, id="one of two"),
        pytest.param({"buckets_up": 3}, 0, id="more than there are"),
        pytest.param({"buckets_up": None}, None, id="none, or never counted"),
        pytest.param({"buckets": None, "buckets_up": None}, 0, id="no object store"),
    ],
)
def test_how_many_object_stores_are_down(fields: dict[str, Any], down: int | None) -> None:
    found = tier(**fields)

    assert isinstance(found, Tier)
    assert found.down == down


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        pytest.param({"ssd_used": None}, "invalid", id="no use"),
        pytest.param({"ssd_provisioned": None, "ssd_available": None}, "invalid", id="no size"),
        pytest.param({"stats_updated": None}, "invalid", id="no time"),
        pytest.param({"stats_updated": build.READ_AT - timedelta(hours=1)}, "stale", id="an hour old"),
    ],
)
def test_figures_that_cannot_be_used_are_a_doubt(fields: dict[str, Any], reason: str) -> None:
    found = tier(**fields)

    assert isinstance(found, Unread)
    assert found.reason == reason


def test_weka_is_known_under_any_driver_name() -> None:
    assert is_weka(build.volume(driver="csi.weka.io"))
    assert is_weka(build.volume(driver="team.weka.io"))
    assert not is_weka(build.volume(driver="ebs.csi.aws.com"))
    assert not is_weka(build.volume())
