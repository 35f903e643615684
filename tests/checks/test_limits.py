"""Own thresholds: they hold for one run alone, and the run tells which of them it compared with."""

import importlib
import pkgutil
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import pytest

import kubegap_checks
from kubegap_checks import catalog, comparisons
from kubegap_checks.comparisons import compared, named_by
from kubegap_checks.inventory import fill, readiness
from kubegap_checks.limits import using
from kubegap_checks.rules.gpu_health.gpu_unhealthy import CHECK as GPU_UNHEALTHY
from kubegap_checks.rules.storage_tiering.fast_tier_near_full import CHECK as FAST_TIER
from kubegap_checks.signals.thresholds import Threshold, threshold, thresholds
from kubegap_checks.text import Text
from tests.checks.build import facts, weka
from tests.checks.test_reads import CLUSTERS

MEDIUM = "weka_ssd_percent_medium"
AT_80 = facts(weka(has_tiered_filesystems=True, ssd_provisioned=100, ssd_used=80, buckets=1, buckets_up=1))


def test_without_own_values_the_table_holds():
    assert FAST_TIER.run(AT_80).status == "clear"


def test_an_own_value_stands_for_the_default():
    assert FAST_TIER.run(AT_80, {MEDIUM: 75}).status == "gap"


def test_an_own_value_ends_with_its_run():
    FAST_TIER.run(AT_80, {MEDIUM: 75})

    assert FAST_TIER.run(AT_80).status == "clear"
    assert threshold(MEDIUM).value == 85


def test_an_own_value_ends_with_a_run_that_fails():
    def fail() -> None:
        with using({MEDIUM: 75}):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert threshold(MEDIUM).value == 85


def test_a_run_tells_what_it_compared_with():
    verdict = FAST_TIER.run(AT_80)

    assert verdict.thresholds == {"weka_stats_stale", MEDIUM, "weka_ssd_percent_high", "weka_ssd_percent_critical"}


def test_a_run_that_came_to_no_comparison_tells_none():
    assert FAST_TIER.run(facts()).thresholds == frozenset()


def test_runs_at_the_same_time_do_not_see_each_others_values():
    together = Barrier(2)

    def ask(own: float) -> float:
        with using({MEDIUM: own}):
            together.wait(timeout=5)
            return threshold(MEDIUM).value

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(ask, [70, 75])) == [70, 75]


@pytest.mark.parametrize("check", catalog.load(), ids=lambda check: check.id)
def test_what_a_check_may_compare_with_holds_what_it_compared_with(check):
    asked = {id_ for cluster in CLUSTERS.values() for id_ in check.run(cluster).thresholds}

    assert asked <= {row.id for row in compared(check)}


def test_a_check_names_no_threshold_that_only_others_use():
    assert MEDIUM not in {row.id for row in compared(GPU_UNHEALTHY)}


def test_no_threshold_stands_in_the_table_unused():
    used = {row.id for check in catalog.load() for row in compared(check)}
    assert used | {row.id for row in named_by(readiness.gpu_nodes)} == {row.id for row in thresholds()}


def test_nothing_that_is_cached_rests_on_a_threshold():
    """A cache outlives a run, so an own value of one run would stay in it."""
    for module in pkgutil.walk_packages(kubegap_checks.__path__, "kubegap_checks."):
        for name, member in vars(importlib.import_module(module.name)).items():
            if hasattr(member, "cache_info"):
                assert named_by(member.__wrapped__) == (), f"{module.name}.{name}"


def _named_in_a_module_that_is_named():
    return fill.filling({})


def _named_in_a_class_that_is_made():
    return _Judge().limit()


class _Base:
    @property
    def least(self):
        return threshold("shm_default").value


class _Judge(_Base):
    def limit(self):
        return self.least


_TABLE = {"some": ("node_boot_grace",)}


def _named_in_a_table():
    return [threshold(id_) for id_ in _TABLE["some"]]


def _named_by_its_beginning():
    return [threshold(f"local_nvme_{rest}") for rest in ("ratio",)]


_CALLS = (partial(_named_in_a_table),)


def _named_by_what_a_table_calls():
    return [call() for call in _CALLS]


@pytest.mark.parametrize(
    ("function", "ids"),
    [
        pytest.param(_named_in_a_class_that_is_made, {"shm_default"}, id="a property of a base class"),
        pytest.param(
            _named_in_a_module_that_is_named, {"volume_filling_from", "volume_days_left"}, id="a module's function"
        ),
        pytest.param(_named_in_a_table, {"node_boot_grace"}, id="a table of ids"),
        pytest.param(_named_by_its_beginning, {"local_nvme_ratio", "local_nvme_ratio_hint"}, id="a beginning"),
        pytest.param(_named_by_what_a_table_calls, {"node_boot_grace"}, id="a table of functions"),
        pytest.param(lambda: threshold("gpu_peers_min"), {"gpu_peers_min"}, id="a lambda"),
        pytest.param(lambda: max(3, 4), set(), id="no threshold"),
    ],
)
def test_ids_are_found_wherever_the_code_names_them(function, ids, monkeypatch):
    monkeypatch.setattr(comparisons, "_OURS", ("kubegap_checks.", __name__))

    assert {row.id for row in named_by(function)} == ids


def row(value: float, unit: str) -> Threshold:
    return Threshold(id="x", value=value, unit=unit, text=Text.same("x"), source="x")


@pytest.mark.parametrize(
    ("unit", "default", "own", "taken"),
    [
        pytest.param("percent", 85, 100, True, id="a whole"),
        pytest.param("percent", 85, 101, False, id="more than a whole"),
        pytest.param("percent", 1, 0.005, False, id="a thousandth where the default is a hundredth"),
        pytest.param("minutes", 10, 1000, True, id="a hundred times as long"),
        pytest.param("minutes", 10, 1001, False, id="longer than that"),
        pytest.param("minutes", 10, 0.1, True, id="a hundredth"),
        pytest.param("minutes", 10, 0, False, id="nothing"),
        pytest.param("minutes", 10, -10, False, id="less than nothing"),
        pytest.param("minutes", 10, float("nan"), False, id="no number"),
        pytest.param("minutes", 10, float("inf"), False, id="without end"),
    ],
)
def test_an_own_value_keeps_within_sane_bounds(unit, default, own, taken):
    assert row(default, unit).takes(own) is taken
