"""Every check is reached by objects as a cluster has them: it finds its gap in one of the clusters or fixtures here."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kubegap_checks import catalog
from kubegap_checks.model import Check
from tests.end_to_end import test_fixtures, test_platform_fixtures
from tests.whole_clusters import test_one_change, test_sick_clusters, test_whole_clusters


def reached() -> Iterator[str]:
    """Of the checks that these tests demand a finding of, the rule's name."""
    for case in test_one_change.CASES.values():
        yield from (check.rpartition(".")[2] for check in case[2:])
    for gaps in test_sick_clusters.GAPS.values():
        yield from (check.rpartition(".")[2] for check in gaps)
    for fixture in test_fixtures.CASES.values():
        yield from (check.rpartition(".")[2] for check in fixture.gap)
    for row in rows(test_whole_clusters.test_one_fault_is_the_only_gap_and_its_node_is_not_ready):
        yield row[2]
    for row in rows(test_platform_fixtures.test_an_object_leads_to_what_its_source_tells):
        yield from row[2]

    for row in rows(test_fixtures.test_a_training_pod_that_mounts_both_volumes_never_starts):
        yield row[1].rpartition(".")[2]
    yield from ALONE


# Tests of one fixture each.
ALONE = {
    "object_fuse_without_cache": test_fixtures.test_a_bucket_that_a_training_pod_reads_must_have_a_cache,
    "local_volume_came_back_empty": test_fixtures.test_a_local_volume_that_moved_with_its_pod_came_back_empty,
}


def rows(test: Callable[..., Any]) -> list[Any]:
    [mark] = [mark for mark in vars(test)["pytestmark"] if mark.name == "parametrize"]
    return [getattr(row, "values", row) for row in mark.args[1]]


REACHED = frozenset(reached())


# Those that need a source of metrics are reached in tests/metrics/.
OF_OBJECTS = [check for check in catalog.load() if not check.measures]


@pytest.mark.parametrize("check", OF_OBJECTS, ids=lambda check: check.id)
def test_it_finds_its_gap_in_real_objects(check: Check):
    assert check.id.rpartition(".")[2] in REACHED
