"""The corpus is the same each time, balanced, and every series shows to plain arithmetic what its label says."""

import math
import re
from collections import Counter
from functools import cache
from itertools import pairwise
from statistics import median

import pytest

from kubegap_checks.throughput.series import Series
from kubegap_checks.throughput.shape import shape_of
from kubegap_incidents import library
from tests.metrics.shape_series import LabelledSeries, corpus, generate

SHAPES = {
    "steady",
    "flat_low",
    "step_down",
    "repeated_collapses",
    "periodic_dips",
    "slow_decay",
    "growing_noise",
    "stall",
}


@cache
def whole() -> tuple[LabelledSeries, ...]:
    return corpus()


def of_shape(shape: str) -> list[LabelledSeries]:
    return [series for series in whole() if series.shape == shape]


def part(series: LabelledSeries, begin: float, end: float) -> list[float]:
    """The samples between two shares of the window, without those that are missing."""
    count = len(series.values)
    return [value for value in series.values[int(begin * count) : int(end * count)] if value is not None]


def onset(series: LabelledSeries) -> float:
    """As share of the window, 0 where it lies before."""
    return 0.0 if series.since is None else (series.since - series.started) / (series.step_s * (len(series.values) - 1))


def change_in_percent(series: LabelledSeries, begin: float) -> float:
    """Fall of the median from all before `begin`, of which a restart takes the smaller part, to the last tenth."""
    return 100 * (1 - median(part(series, 0.9, 1)) / median(part(series, 0, begin)))


def jump(values: list[float]) -> float:
    """Median step between neighbours, which neither a warm-up nor a restart moves."""
    return median(abs(later - earlier) for earlier, later in pairwise(values))


def test_a_seed_gives_the_same_series_again_and_another_seed_others():
    assert corpus(16, seed=3) == corpus(16, seed=3)
    assert not {series.values for series in corpus(16, seed=3)} & {series.values for series in corpus(16, seed=4)}
    assert corpus(9)[8] == generate(8)


def test_shapes_are_balanced():
    assert Counter(series.shape for series in whole()) == dict.fromkeys(SHAPES, 30)


def test_series_are_well_formed():
    for series in whole():
        existing = part(series, 0, 1)
        assert 60 <= len(series.values) <= 2_880
        assert 15 <= series.step_s <= 300
        assert 2 * 3600 <= len(series.values) * series.step_s <= 48 * 3600
        assert all(math.isfinite(value) and value >= 0 for value in existing)
        assert len(part(series, 0, 0.15)) >= 5
        assert series.shape == "stall" or len(existing) > 0.8 * len(series.values)
        assert series.since is None or 0.02 < onset(series) < 0.9


def test_labels_have_the_figures_of_their_shape_and_no_other():
    for series in whole():
        assert (series.period_s is not None) == (series.shape == "periodic_dips")
        assert (series.drop_percent is None) == (series.shape in {"steady", "growing_noise"})
        assert series.since is None or series.shape not in {"steady", "flat_low"}
        assert series.since is not None or series.shape not in {"step_down", "repeated_collapses", "stall"}
        assert series.expected is not None or series.shape != "flat_low"


def test_names_cite_records_of_the_library():
    known = {path.stem for path in library.files()}
    for series in whole():
        cited = re.findall(r"\b20\d\d-[a-z0-9-]+", series.name)
        assert cited or "(no record)" in series.name
        assert set(cited) <= known


@pytest.mark.parametrize("shape", sorted(SHAPES - {"flat_low"}))
def test_what_is_expected_is_what_the_healthy_job_does(shape: str):
    for series in of_shape(shape):
        if series.expected is not None:
            before = part(series, 0, max(onset(series), 0.1)) if series.shape != "steady" else part(series, 0, 1)
            assert max(before) > 0.9 * series.expected


def test_what_is_flat_and_low_is_clearly_below_what_is_expected():
    for series in of_shape("flat_low"):
        assert series.expected is not None
        assert median(part(series, 0, 1)) < 0.9 * series.expected


def test_a_step_and_a_decline_end_as_far_below_as_they_say():
    for series in [*of_shape("step_down"), *of_shape("slow_decay")]:
        assert series.drop_percent is not None
        assert change_in_percent(series, max(onset(series), 0.2)) > 0.4 * series.drop_percent


def test_steady_series_end_where_they_began():
    for series in of_shape("steady"):
        assert abs(change_in_percent(series, 0.3)) < 5


def test_dips_and_collapses_leave_the_usual_level_alone():
    for series in [*of_shape("periodic_dips"), *of_shape("repeated_collapses")]:
        assert series.drop_percent is not None
        existing = part(series, 0, 1)
        well_below = (1 - series.drop_percent / 250) * median(existing)
        low = [value for value in existing if value < well_below]
        assert 4 <= len(low) < 0.45 * len(existing)


def test_a_rhythm_has_periods_and_samples_enough():
    for series in of_shape("periodic_dips"):
        assert series.period_s is not None
        rest_s = (1 - onset(series)) * series.step_s * len(series.values)
        assert series.period_s >= 4 * series.step_s
        assert rest_s >= 4 * series.period_s


def test_noise_grows_and_its_mean_stays():
    for series in of_shape("growing_noise"):
        assert jump(part(series, 0.85, 1)) > 2 * jump(part(series, 0, max(0.2, onset(series))))
        assert abs(change_in_percent(series, 0.3)) < 6


def test_a_stall_stays_down_or_silent():
    for series in of_shape("stall"):
        tail = part(series, onset(series) + 0.03, 1)
        assert not tail or max(tail) < 0.3 * median(part(series, 0, onset(series)))


def test_a_classifier_that_was_not_written_with_it_tells_nearly_all_shapes():
    """benchmarks/shapes.py has the confusions; 95 % is what answers may rest on."""
    told = [(one.shape, shape_of(Series(one.started, one.step_s, one.values), one.expected).id) for one in whole()]

    assert sum(true == said for true, said in told) >= 0.95 * len(told)
