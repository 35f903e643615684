"""Two clusters on the eve of their incidents: the gaps are found, the incident recognized, the answers stay small."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from time import perf_counter

import pytest

from kubegap_checks import catalog
from kubegap_checks.text import Lang
from kubegap_mcp.app import Kubegap
from kubegap_mcp.report.models import Answer
from kubegap_mcp.settings import Settings
from tests.whole_clusters.objects import Object, write
from tests.whole_clusters.sick.imbue import imbue
from tests.whole_clusters.sick.smollm3 import smollm3

SICK: dict[str, Callable[[], Iterable[Object]]] = {
    "2025-huggingface-smollm3-throughput": smollm3,
    "2024-imbue-70b-cluster-bring-up": imbue,
}
SMOLLM3, IMBUE = SICK

# What must be found and on how many objects; None where the number is the rule's own affair.
GAPS: dict[str, dict[str, int | None]] = {
    SMOLLM3: {
        "storage_tiering.dataset_can_be_evicted": 1,
        "storage_tiering.fast_tier_near_full": 1,
        "storage_tiering.local_nvme_unused": 48,
        "storage_tiering.shared_filesystem_many_teams": None,
        "storage_tiering.shm_missing_or_unbounded": 1,
    },
    IMBUE: {
        "gpu_health.fault_reported": 10,
        "gpu_health.gpu_missing": 6,
        "gpu_health.gpu_unhealthy": 5,
        "gpu_health.node_not_ready": 20,
        "ib_health.link_fault_reported": 8,
        "ib_health.nic_count_below_expected": 2,
        "ib_health.rdma_resource_missing": 1,
    },
}


GRAVE = {"critical", "high"}
# Language, most of an audit, most of a topic.
BYTES: tuple[tuple[Lang, int, int], ...] = (("en", 12_000, 14_000), ("ko", 18_000, 21_000))


def test_the_large_one_is_built_at_once():
    """Two seconds, of which a loaded machine needs some."""
    started = perf_counter()
    nodes = [item for item in imbue() if item["kind"] == "Node" and item["metadata"]["name"].startswith("host-")]

    assert perf_counter() - started < 10
    assert len(nodes) == 511


@pytest.mark.parametrize("incident", SICK)
async def test_its_gaps_are_found_and_told_in_few_words_and_its_incident_is_the_nearest(incident: str, tmp_path: Path):
    """Asked as seldom as it can be: a question about 511 nodes takes a second."""
    kubegap = Kubegap(Settings(snapshot=write(SICK[incident](), tmp_path / "cluster")))
    topics = sorted({check.topic for check in catalog.load()})
    for lang, most, most_of_topic in BYTES:
        audit = await kubegap.audit(lang=lang)
        answers = [await kubegap.check_topic(topic, lang=lang) for topic in topics]

        gaps = {check.id: check for answer in answers for check in answer.checks if check.status == "gap"}
        expected = GAPS[incident]
        assert set(expected) <= set(gaps)
        assert {
            name: count if count is None else gaps[name].findings_total for name, count in expected.items()
        } == expected

        assert {name for name, gap in gaps.items() if gap.severity in GRAVE} <= {gap.id for gap in audit.gaps}
        assert size(audit) < most
        assert [answer.topic for answer in answers if size(answer) >= most_of_topic] == []

        nearest = audit.closest_incidents[0]
        assert nearest.id == incident
        assert nearest.holds * 2 >= nearest.of - nearest.unknown, "most of what cites it should be a gap here"


def size(answer: Answer) -> int:
    compact = json.dumps(answer.model_dump(mode="json", by_alias=True), ensure_ascii=False, separators=(",", ":"))
    return len(compact.encode())
