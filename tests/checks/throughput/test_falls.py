"""Falls of any depth, begin and length, recovered or not, one or several: long ones are never called steady."""

from collections.abc import Iterator
from itertools import accumulate
from random import Random

import pytest

from kubegap_checks.model import Confidence
from kubegap_checks.throughput.kinds import Shape
from kubegap_checks.throughput.series import Series
from kubegap_checks.throughput.shape import shape_of

START = 1_760_000_000.0
HOUR = 3600
# Hours of a window and seconds of its step, as kubegap asks for them.
WINDOWS = ((1, 60), (6, 60), (24, 300), (168, 1800))
SHARES = (0, 0.02, 0.1, 0.4, 0.75)
LENGTHS = (0.05, 0.1, 0.25, 0.5, 0.75, 0.95, 1)
WORK = 0.05  # of what a trainer publishes nothing is left at rest


def drawn(step_s: int, factors: list[float], noise: float, seed: int = 0) -> Series:
    dice = Random(seed)  # noqa: S311 (noise)
    return Series(START, step_s, tuple(100 * factor * (1 + dice.gauss(0, noise)) for factor in factors))


def material(hours: int, step_s: int) -> int:
    """So many steps are a time that matters, with one in ten to spare, and no less is a level beside it."""
    return round(1.1 * max(5, min(HOUR, hours * HOUR / 4) / step_s)) + 1


def falls(hours: int, step_s: int) -> Iterator[tuple[int, int, int]]:
    """(first step, step behind the last, steps), where both what fell and what did not are long enough to matter."""
    size, least = hours * HOUR // step_s + 1, material(hours, step_s)
    for begin in sorted({round(share * size) for share in SHARES}):
        for end in sorted({min(size, begin + round(share * size)) for share in LENGTHS}):
            seen = (begin == 0 or begin * step_s > 600) and (end == size or (size - end) * step_s > 600)
            if seen and end - begin >= least and size - (end - begin) >= least:
                yield begin, end, size


@pytest.mark.parametrize("noise", [0, 0.02])
@pytest.mark.parametrize("depth", [0.08, 0.2, 0.5, 0.8, 0.93])
@pytest.mark.parametrize(("hours", "step_s"), WINDOWS)
def test_one_fall_is_told_for_what_it_is(hours: int, step_s: int, depth: float, noise: float):
    noise = min(noise, depth / 6)  # beyond, nobody would see it
    for begin, end, size in falls(hours, step_s):
        factors = [1 - depth if begin <= at < end else 1.0 for at in range(size)]
        shape = shape_of(drawn(step_s, factors, noise), idle=WORK)
        where = (begin, end, size, shape)
        if begin == 0:
            assert shape.id == "unclear", where
            assert "from the window's begin" in shape.doubts[0].en, where
        else:
            assert shape.id == ("step_down" if end == size else "passing_fall"), where
            assert shape.drop_percent == pytest.approx(100 * depth, abs=max(2.5, 120 * noise)), where
            assert shape.since == pytest.approx(START + begin * step_s, abs=max(0.03 * size, 6) * step_s), where
        assert shape.confidence is not Confidence.CERTAIN or depth >= 6 * noise, where


@pytest.mark.parametrize("depth", [0.2, 0.5, 0.9, 1.0])
@pytest.mark.parametrize(("hours", "step_s"), WINDOWS)
def test_what_fell_to_the_end_may_be_a_stall_where_nothing_is_left(hours: int, step_s: int, depth: float):
    for begin, end, size in falls(hours, step_s):
        if begin and end == size:
            factors = [1 - depth if at >= begin else 1.0 for at in range(size)]
            shape = shape_of(drawn(step_s, factors, 0.01))
            assert shape.id == ("stall" if depth > 0.75 else "step_down")
            assert (shape.confidence is Confidence.CERTAIN) == (depth != 0.9), shape  # an idle GPU draws so much
            assert ("work that goes on slowly" in str(shape.doubts)) == (depth == 0.9)


@pytest.mark.parametrize("noise", [0, 0.02])
@pytest.mark.parametrize("left", [0.0, 0.1, 0.3, 0.5, 0.85])
@pytest.mark.parametrize("minutes", [3, 12, 30, 60])
def test_a_short_time_at_the_higher_level_makes_a_hint_at_most(minutes: int, left: float, noise: float):
    """Where a fall begins or ends within minutes of the window, neither level is known as the usual one."""
    step_s, size = 120, 720
    high = minutes * 60 // step_s
    for before, after in ((high, 0), (0, high), (high // 2, high // 2)):
        factors = [1.0 if at < before or at >= size - after else left for at in range(size)]
        shape = shape_of(drawn(step_s, factors, noise), idle=WORK)
        where = (before, after, shape)
        if minutes >= 30:
            assert shape.id != "steady" or (left == 0 and shape.doubts), where
        assert shape.confidence is Confidence.HINT or shape.id in {"stall", "steady"} or minutes == 60, where
        assert shape.id != "steady" or shape.confidence is not Confidence.CERTAIN, where


@pytest.mark.parametrize("depth", [0.12, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("duty", [0.2, 0.5, 0.8])
@pytest.mark.parametrize(("hours", "step_s"), WINDOWS[1:])
def test_several_falls_are_several(hours: int, step_s: int, duty: float, depth: float):
    for count in (2, 3, 4, 6):
        size = hours * HOUR // step_s + 1
        each = size / count
        shape = shape_of(drawn(step_s, [1 - depth if _low(at, each, duty) else 1.0 for at in range(size)], 0.01))
        expected = {"passing_fall"} if count == 2 else {"passing_fall", "repeated_collapses", "periodic_dips"}
        assert shape.id in expected, (count, shape)
        if shape.id == "periodic_dips":
            assert shape.period_s == pytest.approx(each * step_s, rel=0.1)
            assert (shape.confidence is Confidence.CERTAIN) == (len(shape.dips) >= 5)


def _low(at: int, each: float, duty: float) -> bool:
    within = at % each / each
    return (1 - duty) / 2 <= within < (1 + duty) / 2


def test_a_fall_that_recovers_in_part_is_told_beside_the_step_that_remains():
    shape = shape_of(drawn(120, [*[1.0] * 180, *[0.5] * 240, *[0.8] * 300], 0.01))
    assert (shape.id, shape.drop_percent) == ("step_down", pytest.approx(20, abs=1))
    assert "for 8.0 hours from 2025-10-09T14:53:20Z it was at" in shape.doubts[0].en


@pytest.mark.parametrize("minutes", [20, 120, 480])
def test_a_rise_that_passed_is_no_fall(minutes: int):
    high = range(240, 240 + minutes // 2)
    shape = shape_of(drawn(120, [1.0 if at in high else 0.6 for at in range(720)], 0.01))
    assert (shape.id, shape.confidence, shape.since) == ("unclear", Confidence.HINT, None)
    assert "from 2025-10-09T16:53:20Z until" in shape.doubts[0].en
    assert "it was higher, at 16" in shape.doubts[0].en


def test_a_rise_that_did_not_quite_pass_leaves_a_step_a_hint():
    shape = shape_of(drawn(120, [*[0.6] * 240, *[1.0] * 240, *[0.9] * 240], 0.01))
    assert (shape.id, shape.confidence) == ("step_down", Confidence.HINT)
    assert "until 2025-10-09T16:53:20Z, for 8.0 hours from the window's begin, it was at 6" in str(shape.doubts)


@pytest.mark.parametrize("outage", [0.0, 0.4])
def test_flat_but_low_tells_the_outage_in_it(outage: float):
    factors = [outage if 300 <= at < 420 else 1.0 for at in range(720)]
    shape = shape_of(drawn(120, factors, 0.01), expected=150.0)
    assert (shape.id, shape.confidence) == ("flat_low", Confidence.LIKELY)
    assert f"for 4.0 hours from 2025-10-09T18:53:20Z it was at {outage:.0%} of its usual level" in shape.doubts[0].en
    assert shape.drop_percent == pytest.approx(33, abs=1)


def test_flat_but_low_tells_short_falls_and_holes_in_it():
    values: list[float | None] = list(drawn(120, [0.0 if 300 <= at < 310 else 1.0 for at in range(720)], 0.01).values)
    short = shape_of(Series(START, 120, tuple(values)), expected=150.0)
    assert (short.id, short.confidence) == ("flat_low", Confidence.CERTAIN)
    assert "short falls that passed: 1; the largest to 0% of the level, for 20 minutes" in short.doubts[0].en
    values[400:500] = [None] * 100
    holed = shape_of(Series(START, 120, tuple(values)), expected=150.0)
    assert (holed.id, holed.confidence) == ("flat_low", Confidence.LIKELY)
    assert any("there were no samples, then it recovered" in doubt.en for doubt in holed.doubts)


def test_short_falls_are_told_and_many_make_steady_a_hint():
    one = shape_of(drawn(120, [0.5 if 300 <= at < 312 else 1.0 for at in range(720)], 0.01))
    assert (one.id, one.confidence) == ("steady", Confidence.LIKELY)
    assert "short falls that passed: 1; the largest to 49% of the level, for 24 minutes" in one.doubts[0].en
    four = [*range(50, 53), *range(300, 303), *range(340, 343), *range(600, 603)]
    many = shape_of(drawn(120, [0.85 if at in four else 1.0 for at in range(720)], 0.01))
    assert (many.id, many.confidence) == ("steady", Confidence.HINT)


def test_a_fall_that_has_just_begun_is_neither_steady_nor_a_step_yet():
    shape = shape_of(drawn(120, [0.5 if at >= 714 else 1.0 for at in range(720)], 0.01))
    assert (shape.id, shape.confidence) == ("unclear", Confidence.HINT)
    assert shape.since == START + 714 * 120
    assert "for the last 12 minutes" in shape.doubts[0].en
    assert "window=1h" in shape.doubts[0].en


def test_a_last_sample_that_is_back_leaves_a_step_a_hint():
    shape = shape_of(drawn(120, [0.5 if 400 <= at < 719 else 1.0 for at in range(720)], 0.01))
    assert (shape.id, shape.confidence) == ("step_down", Confidence.HINT)
    assert any("is back at the level before" in doubt.en for doubt in shape.doubts)


@pytest.mark.parametrize("hours", [2, 19])
def test_work_that_begins_late_is_judged_from_there_on_and_told(hours: int):
    begun = [0.0 if at < hours * 30 else 1.0 for at in range(720)]
    shape = shape_of(drawn(120, begun, 0.01))
    assert (shape.id, shape.confidence) == ("steady", Confidence.LIKELY)
    assert "where work begins; before, it was at 0% of that" in shape.doubts[0].en
    idle = [factor or 0.15 for factor in begun]  # an idle GPU draws so much, or work was slow
    assert (shape_of(drawn(120, idle, 0.01)).id, shape_of(drawn(120, idle, 0.01)).confidence) == ("steady", "hint")
    assert shape_of(drawn(120, idle, 0.01), idle=WORK).id == "unclear"


def both(shape: Shape) -> str:
    return "\n".join(doubt.en + doubt.ko for doubt in shape.doubts)


def test_doubts_are_told_in_both_languages():
    shape = shape_of(drawn(120, [0.5 if 300 <= at < 420 else 1.0 for at in range(720)], 0.01))
    assert "then it recovered" in both(shape)
    assert "4.0시간 동안 평소 수준의 50%였고 그 뒤 회복됨" in both(shape)


def test_two_steps_are_no_certain_decay_and_a_slope_is():
    stepped = [1.0 if at < 200 else 0.8 if at < 450 else 0.5 for at in range(720)]
    shape = shape_of(drawn(120, stepped, 0.01))
    assert (shape.id, shape.confidence) == ("slow_decay", Confidence.HINT)
    assert "two steps down, about" in both(shape)
    assert "두 번의 하락" in both(shape)
    sloping = shape_of(drawn(120, [1 - 0.3 * at / 720 for at in range(720)], 0.01))
    assert (sloping.id, sloping.confidence, sloping.doubts) == ("slow_decay", Confidence.CERTAIN, ())


def summed(rates: list[float], begin: float) -> Series:
    totals = accumulate(rates, initial=begin)
    return Series(START, 60, tuple(totals))


@pytest.mark.parametrize("begin", [0.0, 1e6])
@pytest.mark.parametrize("left", [1.0, 0.5])
def test_a_sum_of_all_work_is_never_steady(left: float, begin: float):
    rates = list(drawn(60, [1.0 if at < 30 else left for at in range(60)], 0.05).values)
    shape = shape_of(summed([rate or 0.0 for rate in rates], begin))
    assert (shape.id, shape.confidence) == ("unclear", Confidence.HINT)
    assert "as a counter of all work so far does" in both(shape)


def test_a_sum_that_starts_anew_is_one_and_a_level_is_none():
    totals = [100.0 * (at % 200) for at in range(720)]
    assert "as a counter" in both(shape_of(Series(START, 120, tuple(totals))))
    assert shape_of(drawn(120, [1.0] * 720, 0.01)).id == "steady"
    assert shape_of(drawn(120, [1.0] * 720, 0)).id == "steady"


def test_what_collapses_below_the_expected_level_is_told_to_be_low_at_its_best_too():
    collapsing = [0.5 if at in {*range(100, 115), *range(333, 350), *range(610, 621)} else 1.0 for at in range(720)]
    shape = shape_of(drawn(120, collapsing, 0.01), expected=200)
    assert shape.id == "repeated_collapses"
    assert "even at its best it is at 101, 49% below what was expected" in both(shape)
    assert "at its best" not in both(shape_of(drawn(120, collapsing, 0.01), expected=105))
