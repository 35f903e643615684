"""One lasting change of level: a step, or a slope that goes on to the end; and whether times that passed are none."""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median
from typing import Literal

from kubegap_checks.throughput.fit import squares_left
from kubegap_checks.throughput.limits import (
    CHANGE_F,
    CHANGE_MIN,
    CHANGE_OVER_SWING,
    CHANGE_SIGMAS,
    CHANGE_SURE_TIMES,
    DAY_S,
    DAY_SEEN_S,
    DAY_SWING_MOST,
    DAY_SWING_USUAL,
    LOW_EXPLAINS,
    STEPS_LEAVE,
    SWING_LEAVES,
)
from kubegap_checks.throughput.lows import Low, smoothed
from kubegap_checks.throughput.robust import blocks
from kubegap_checks.throughput.series import Series

Kind = Literal["step_down", "slow_decay"]

# As many medians as show where a change begins, of as many samples as make a median steady: our own choice.
_BLOCKS = 32
_SAMPLES_PER_BLOCK = 3
# A slope begins in the first part of the window, or it is not seen for long enough to be one.
_SLOPE_FROM_MOST = 0.65
# A slope starts anew (as after a restart) where the level rises by this share of its largest rise.
_RESET_SHARE = 0.5
# A level, a place, a height and the two of the day's swing.
_PARAMETERS = 5


@dataclass(frozen=True, slots=True)
class Change:
    """`since` is a place in the series; `drop` is the share of the earlier level that was lost by the end.

    `sure` where it stands far above what is left unexplained. A slope that starts `anew` now and then is never sure,
    since falls that come again look like one. `steps` are the places of two steps that explain it better.
    """

    kind: Kind
    since: int
    drop: float
    sure: bool
    anew: bool = False
    steps: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Grid:
    """Levels, and the places in the series that they are of."""

    series: Series
    places: Sequence[int]
    levels: Sequence[float]


@dataclass(frozen=True, slots=True)
class _Course:
    """How a change goes on from the index of the block where it begins, by place."""

    kind: Kind
    begin: int
    at: Callable[[int], float]
    anew: bool = False


@dataclass(frozen=True, slots=True)
class _Fit:
    """`drop` is by the end of the line, which may go further down than the samples do; `level` is where it begins."""

    course: _Course | None
    left: float
    drop: float
    level: float


def change_of(series: Series, indexes: Sequence[int]) -> Change | None:
    """The one change that explains the samples at these indexes, where it stands above noise and the day's swing."""
    parts = _parts(len(indexes))
    free = len(parts) - _PARAMETERS
    if free < 1:
        return None
    grid = _in_blocks(series, indexes, parts)
    usual = median(grid.levels)
    if usual <= 0:
        return None
    nothing = _fit(grid, None)
    best = min((_fit(grid, course) for course in _courses(grid)), key=lambda fit: fit.left)
    course = best.course
    if best.left > CHANGE_OVER_SWING * _swung(grid):
        return None
    noise = math.sqrt(best.left / free)
    margin = (nothing.left - best.left) / (best.left / free) if best.left else math.inf
    if course is None or margin < CHANGE_F:
        return None
    if best.drop < max(_least(series, course.kind), CHANGE_SIGMAS * noise / usual):
        return None
    by_step = course.kind == "step_down"
    begin = _first(series, indexes, parts, course.begin) if by_step else grid.places[course.begin]
    sure = margin > CHANGE_SURE_TIMES * CHANGE_F and not course.anew
    lowest = 1 - min(grid.levels) / best.level if best.level > 0 else best.drop
    steps = () if by_step else _two_steps(grid, best.left)
    return Change(course.kind, begin, min(best.drop, lowest), sure, course.anew, steps)


def _two_steps(grid: _Grid, slope_left: float) -> tuple[int, ...]:
    """The places of two steps down that leave much less than a slope does: the best one, then the best beside it."""
    columns = {begin: [_step(begin)(place) for place in grid.places] for begin in grid.places[1:]}
    fits: dict[tuple[int, ...], tuple[float, list[float], float]] = {}
    beside = min(columns, key=lambda begin: _explained(grid, [columns[begin]])[0])
    for _ in range(2):
        fits = {
            (beside, other): _explained(grid, [columns[beside], columns[other]]) for other in columns if other != beside
        }
        beside = min(fits, key=lambda pair: fits[pair][0])[1]
    best = min(fits, key=lambda pair: fits[pair][0])
    left, mix, _ = fits[best]
    return tuple(sorted(best)) if left <= STEPS_LEAVE * slope_left and max(mix[1:]) < 0 else ()


def explained_by(series: Series, lows: Sequence[Low]) -> bool:
    """Whether these times explain the series better than the day's swing, a slope or, if they passed, a step would."""
    indexes = range(len(series.samples))
    parts = _parts(len(indexes))
    if len(parts) <= _PARAMETERS:
        return True
    coarse = _in_blocks(series, indexes, parts)
    falling = [fit for fit in (_fit(coarse, course) for course in _courses(coarse)) if fit.drop > 0]
    slopes = [fit for fit in falling if fit.course and fit.course.kind == "slow_decay"]
    steps = [fit for fit in falling if fit.course and fit.course.kind == "step_down"]
    rivals = (slopes, steps) if any(low.ended for low in lows) else (slopes,)
    best = [min(some, key=lambda fit: fit.left).course for some in rivals if some]
    fine = _Grid(series, series.places, smoothed(series))
    rest = [_fit(fine, course).left for course in (None, *best)]
    return _left_by(fine, lows) <= LOW_EXPLAINS * min(*rest, _swung(fine))


def _left_by(grid: _Grid, lows: Sequence[Low]) -> float:
    """What is left where each of these times, and the rest, has a level of its own, and beside them the day's swing.

    The same as a column for each, without the price of many: what is left of means is fitted on what is left of means.
    """
    whose = [next((at for at, low in enumerate(lows) if place in low.places), len(lows)) for place in grid.places]
    parts = [_without_means(column, whose) for column in (grid.levels, *_swing(grid))]
    alone = sum(value * value for value in parts[0])
    if len(parts) == 1:
        return alone
    left, mix = squares_left(parts[1:], parts[0])
    rest = [level for level, one in zip(grid.levels, whose, strict=True) if one == len(lows)]
    return left if math.hypot(*mix) <= DAY_SWING_MOST * fmean(rest) else alone


def _without_means(values: Sequence[float], whose: Sequence[int]) -> list[float]:
    groups: dict[int, list[float]] = {}
    for value, one in zip(values, whose, strict=True):
        groups.setdefault(one, []).append(value)
    means = {one: fmean(own) for one, own in groups.items()}
    return [value - means[one] for value, one in zip(values, whose, strict=True)]


def swing_of(series: Series, indexes: Sequence[int]) -> float:
    """How far the day's swing goes from height to depth, as a share of the level; 0 where it explains little."""
    parts = _parts(len(indexes))
    grid = _in_blocks(series, indexes, parts)
    if len(parts) <= _PARAMETERS or series.span_s < DAY_S:
        return 0.0
    left, mix = squares_left([[1.0] * len(grid.places), *_swing(grid)], grid.levels)
    explains = left <= SWING_LEAVES * squares_left([[1.0] * len(grid.places)], grid.levels)[0]
    return 2 * math.hypot(*mix[1:]) / mix[0] if explains and mix[0] > 0 else 0.0


def _parts(size: int) -> list[range]:
    return blocks(size, max(1, min(_BLOCKS, size // _SAMPLES_PER_BLOCK)))


def _in_blocks(series: Series, indexes: Sequence[int], parts: Sequence[range]) -> _Grid:
    """The median of each part, at its middle place."""
    levels = [median(series.samples[indexes[at]] for at in part) for part in parts]
    return _Grid(series, [series.places[indexes[part[len(part) // 2]]] for part in parts], levels)


def _courses(grid: _Grid) -> Iterator[_Course]:
    """Every step, every slope that begins early enough to be seen, and the slope that starts anew at each rise."""
    places, levels = grid.places, grid.levels
    for begin in range(1, len(levels)):
        yield _Course("step_down", begin, _step(places[begin]))
    for begin in range(max(1, int(_SLOPE_FROM_MOST * len(levels)))):
        yield _Course("slow_decay", begin, _slope(places[begin : begin + 1]))
    rises = [later / earlier - 1 if earlier > 0 else 0.0 for earlier, later in pairwise(levels)]
    least = max(CHANGE_MIN, _RESET_SHARE * max(rises, default=0.0))
    anew = [_jump(grid.series, places[at], places[at + 1]) for at, rise in enumerate(rises) if rise >= least]
    if anew:
        yield _Course("slow_decay", 0, _slope([places[0], *anew]), anew=True)


def _jump(series: Series, after: int, until: int) -> int:
    """The place of the largest rise from one sample to the next between two places."""
    first, last = bisect_right(series.places, after), bisect_right(series.places, until)
    near = range(max(1, first), last)
    return series.places[max(near, key=lambda at: series.samples[at] - series.samples[at - 1])] if near else until


def _step(since: int) -> Callable[[int], float]:
    return lambda place: float(place >= since)


def _slope(begins: Sequence[int]) -> Callable[[int], float]:
    """Down from the first of these places, and anew from each other one."""
    return lambda place: max(0.0, float(place - begins[max(0, bisect_right(begins, place) - 1)]))


def _fit(grid: _Grid, course: _Course | None) -> _Fit:
    if course is None:
        return _Fit(None, _explained(grid, [])[0], 0.0, 0.0)
    column = [course.at(place) for place in grid.places]
    left, mix, _ = _explained(grid, [column])
    return _Fit(course, left, -mix[-1] * max(column) / mix[0] if mix[0] > 0 else 0.0, mix[0])


def _explained(grid: _Grid, columns: Sequence[Sequence[float]]) -> tuple[float, list[float], float]:
    """What a level, these columns and beside them the day's swing leave, where the window shows most of a day.

    Also the mix of the level and the columns, and the amplitude of the swing as a share of the level.
    """
    flat = [1.0] * len(grid.places)
    left, mix = squares_left([flat, *columns], grid.levels)
    if swing := _swing(grid):
        swung, with_swing = squares_left([flat, *columns, *swing], grid.levels)
        amplitude = math.hypot(*with_swing[-2:])
        if amplitude <= DAY_SWING_MOST * with_swing[0]:
            return swung, with_swing[:-2], amplitude / with_swing[0] if amplitude else 0.0
    return left, mix, 0.0


def _swung(grid: _Grid) -> float:
    """What the day's swing alone leaves, however wide it is; within less than a day, a decline may be as wide."""
    if grid.series.span_s < DAY_S:
        return math.inf
    return squares_left([[1.0] * len(grid.places), *_swing(grid)], grid.levels)[0]


def _swing(grid: _Grid) -> list[list[float]]:
    """A sine and a cosine of the day, where the window shows most of one."""
    if grid.series.span_s < DAY_SEEN_S:
        return []
    turns = [2 * math.pi * place * grid.series.step_s / DAY_S for place in grid.places]
    return [[math.sin(turn) for turn in turns], [math.cos(turn) for turn in turns]]


def _least(series: Series, kind: Kind) -> float:
    """The least drop that counts; a slope over part of a day may be the day's swing."""
    if kind == "step_down" or series.span_s >= DAY_SEEN_S:
        return CHANGE_MIN
    return max(CHANGE_MIN, 2 * DAY_SWING_USUAL * math.sin(math.pi * min(0.5, series.span_s / DAY_S)))


def _first(series: Series, indexes: Sequence[int], parts: Sequence[range], begin: int) -> int:
    """The place of a step, to the sample, within the blocks to either side of it."""
    near = [indexes[at] for at in range(parts[begin - 1].start, parts[begin].stop)]
    values = [series.samples[index] for index in near]
    splits = range(1, len(values))
    left = {split: _spread(values[:split]) + _spread(values[split:]) for split in splits}
    return series.places[near[min(splits, key=lambda split: left[split])]]


def _spread(values: Sequence[float]) -> float:
    middle = median(values)
    return sum(abs(value - middle) for value in values)
