"""The demo cluster: both seed incidents could happen on it, and one changed object changes the answer."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kubegap_checks import catalog
from kubegap_checks.facts.nodes import Node
from kubegap_mcp import demo
from kubegap_mcp.app import Kubegap
from kubegap_mcp.report.models import AuditAnswer
from kubegap_mcp.server.topics import TOPICS
from kubegap_mcp.settings import Settings

ROOT = Path(__file__).parent.parent.parent
LOCAL_NVME = "storage_tiering.local_nvme_unused"
NO_SPARE = "spare_capacity.no_spare_gpu_node"
Json = dict[str, Any]


async def audit(snapshot: Path = demo.FOLDER) -> AuditAnswer:
    return await Kubegap(Settings(snapshot=snapshot)).audit(limit=50)


async def test_the_demo_shows_its_gaps_and_both_incidents() -> None:
    answer = await audit()

    assert {gap.id: gap.findings_total for gap in answer.gaps} == {
        "gpu_health.gpu_missing": 1,
        "gpu_health.gpu_unhealthy": 1,
        "gpu_health.node_not_ready": 2,
        "ib_health.link_fault_reported": 1,
        "ib_health.nic_count_below_expected": 1,
        "ib_health.rdma_resource_missing": 1,
        "storage_tiering.dataset_can_be_evicted": 1,
        "storage_tiering.fast_tier_near_full": 1,
        LOCAL_NVME: 24,
        "storage_tiering.shm_missing_or_unbounded": 1,
        "driver_drift.driver_version_drift": 2,
        "driver_drift.run_on_mixed_drivers": 1,
        NO_SPARE: 1,
    }
    assert answer.counts.unknown == sum(check.measures for check in catalog.load())
    assert [item.reason for item in answer.coverage.unread] == ["no_metrics_source"]
    assert {near.id for near in answer.closest_incidents[:2]} == {
        "2024-imbue-70b-cluster-bring-up",
        "2025-huggingface-smollm3-throughput",
    }


async def test_the_demo_stays_small_for_an_agent() -> None:
    for lang, most in (("en", 10_000), ("ko", 14_000)):
        answer = await Kubegap(Settings(demo=True)).audit(lang=lang)  # type: ignore[arg-type]
        assert len(answer.model_dump_json(by_alias=True).encode()) < most


async def _clear(snapshot: Path) -> set[str]:
    kubegap = Kubegap(Settings(snapshot=snapshot))
    answers = [await kubegap.check_topic(topic.name, limit=1) for topic in TOPICS]
    return {check.id for answer in answers for check in answer.checks if check.status == "clear"}


def trainer(place: int) -> str:
    return f"aks-h100-29411376-vmss{place:06d}"


def change_node(place: int, change: Callable[[Json], None]) -> tuple[str, str, Callable[[Json], None]]:
    return "node.json", trainer(place), change


def link_is_stable(node: Json) -> None:
    for condition in node["status"]["conditions"]:
        if condition["type"] == "IBLinkFlapping":
            condition["status"] = "False"


def all_gpus(node: Json) -> None:
    for counts in (node["status"]["capacity"], node["status"]["allocatable"]):
        counts["nvidia.com/gpu"] = "8"


def adapters(node: Json) -> None:
    for counts in (node["status"]["capacity"], node["status"]["allocatable"]):
        counts["rdma/ib"] = "8"


def room_on_ssd(weka: Json) -> None:
    weka["status"]["stats"]["filesystem"]["totalUsedSSDCapacity"] = 60 * 10**12


def not_tiered(weka: Json) -> None:
    weka["status"]["stats"]["filesystem"]["hasTieredFilesystems"] = False


def one_more_lost(node: Json) -> None:
    for counts in (node["status"]["capacity"], node["status"]["allocatable"]):
        counts["nvidia.com/gpu"] = "7"


def old_statistics(weka: Json) -> None:
    weka["status"]["stats"]["lastUpdate"] = "2026-11-29T08:00:00Z"


ALSO: dict[Callable[[Json], None], set[str]] = {
    not_tiered: {"storage_tiering.fast_tier_near_full"},
    adapters: {NO_SPARE},
}


@pytest.mark.parametrize(
    ("file", "name", "change", "check", "before", "after"),
    [
        pytest.param(*change_node(4, link_is_stable), "ib_health.link_fault_reported", 1, 0, id="the link is stable"),
        pytest.param(*change_node(10, all_gpus), "gpu_health.gpu_missing", 1, 0, id="the eighth GPU is back"),
        pytest.param(*change_node(13, all_gpus), "gpu_health.gpu_unhealthy", 1, 0, id="the plugin was restarted"),
        pytest.param(*change_node(21, adapters), "ib_health.nic_count_below_expected", 1, 0, id="all adapters"),
        pytest.param(*change_node(22, adapters), "ib_health.rdma_resource_missing", 1, 0, id="RDMA is offered"),
        pytest.param(*change_node(0, one_more_lost), "gpu_health.gpu_missing", 1, 2, id="another GPU is gone"),
        pytest.param(
            "wekacluster.json",
            "weka-prod",
            room_on_ssd,
            "storage_tiering.fast_tier_near_full",
            1,
            0,
            id="the SSD tier has room",
        ),
        pytest.param(
            "wekacluster.json",
            "weka-prod",
            not_tiered,
            "storage_tiering.dataset_can_be_evicted",
            1,
            0,
            id="nothing tiers",
        ),
    ],
)
async def test_one_changed_object_changes_the_answer_accordingly(
    file: str, name: str, change: Callable[[Json], None], check: str, before: int, after: int, tmp_path: Path
) -> None:
    as_it_was = {gap.id: gap.findings_total for gap in (await audit()).gaps}
    changed = {gap.id: gap.findings_total for gap in (await audit(_changed(tmp_path, file, name, change))).gaps}

    assert (as_it_was.get(check, 0), changed.get(check, 0)) == (before, after)
    # No other check minds, but for those about the same fact: a filesystem that tiers no more fills no fast tier, and
    # an idle node with all of its adapters is a spare.
    related = {check} | ALSO.get(change, set())
    assert {key: value for key, value in as_it_was.items() if key not in related} == {
        key: value for key, value in changed.items() if key not in related
    }


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda node: node["status"].update(capacity=["x"]), id="a list for a map"),
        pytest.param(lambda node: node["metadata"].update(labels="x"), id="a word for a map"),
    ],
)
async def test_a_node_that_makes_no_sense_hides_no_gap_of_the_others(
    damage: Callable[[Json], None], tmp_path: Path
) -> None:
    damaged = _changed(tmp_path, *change_node(1, damage))
    answer = await audit(damaged)

    # The damaged node is one of the 24 whose disks are not used.
    expected = {gap.id: gap.findings_total - (gap.id == LOCAL_NVME) for gap in (await audit()).gaps}
    # These rest on what most nodes alike offer and run, as this one may be, or on there being no spare, as it may be.
    for rests_on_peers in ("ib_health.rdma_resource_missing", "driver_drift.driver_version_drift", NO_SPARE):
        del expected[rests_on_peers]
    assert {gap.id: gap.findings_total for gap in answer.gaps} == expected
    assert not await _clear(damaged) & {check.id for check in catalog.load() if Node in check.reads}
    assert {item.reason for item in answer.coverage.unread} == {"invalid", "no_metrics_source"}


async def test_old_statistics_make_the_tier_unknown_not_fine(tmp_path: Path) -> None:
    answer = await audit(_changed(tmp_path, "wekacluster.json", "weka-prod", old_statistics))

    assert "storage_tiering.fast_tier_near_full" not in {gap.id for gap in answer.gaps}
    told = {item.reason: item.checks for item in answer.coverage.unread}
    assert told["stale"] == ["storage_tiering.fast_tier_near_full"]
    assert told.keys() == {"stale", "no_metrics_source"}


def test_the_packaged_files_are_what_the_script_makes() -> None:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        from make_demo import files  # noqa: PLC0415
    finally:
        sys.path.pop(0)

    assert {path.name: path.read_text(encoding="utf-8") for path in demo.FOLDER.iterdir()} == files()


def _changed(folder: Path, file: str, name: str, change: Callable[[Json], None]) -> Path:
    """A copy of the demo's files in which one object is another."""
    for path in demo.FOLDER.iterdir():
        text = path.read_text(encoding="utf-8")
        if path.name == file:
            whole = json.loads(text)
            (item,) = (item for item in whole["items"] if item["metadata"]["name"] == name)
            change(item)
            text = json.dumps(whole)
        (folder / path.name).write_text(text, encoding="utf-8")
    return folder
