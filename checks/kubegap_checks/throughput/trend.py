"""One lasting change of level: a step, or a slope that goes on to the end."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Literal

from kubegap_checks.throughput.fit import squares_left
from kubegap_checks.throughput.limits import (
    CHANGE_F,
    CHANGE_MIN,
    CHANGE_SIGMAS,
    DAY_S,
    DAY_SEEN_S,
    DAY_SWING_MOST,
    DAY_SWING_USUAL,
)
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
    """`since` is a place in the series; `drop` is the share of the earlier level that was lost by the end."""

    kind: Kind
    since: int
    drop: float
    margin: float


@dataclass(frozen=True, slots=True)
class _Column:
    kind: Kind
    values: Sequence[float]


@dataclass(frozen=True, slots=True)
class _Fit:
    kind: Kind
    begin: int
    left: float
    drop: float


def change_of(series: Series, indexes: Sequence[int]) -> Change | None:
    """The one change that explains the samples at these indexes, where it stands above noise and the day's swing."""
    count = min(_BLOCKS, len(indexes) // _SAMPLES_PER_BLOCK)
    free = count - _PARAMETERS
    if free < 1:
        return None
    parts = blocks(len(indexes), count)
    levels = [median(series.samples[indexes[at]] for at in part) for part in parts]
    places = [series.places[indexes[part[len(part) // 2]]] for part in parts]
    usual = median(levels)
    if usual <= 0:
        return None
    nothing = _fit(series, places, levels, 0, None)
    fits = [_fit(series, places, levels, begin, column) for begin, column in _candidates(places, levels)]
    best = min(fits, key=lambda fit: fit.left)
    noise = math.sqrt(best.left / free)
    margin = (nothing.left - best.left) / (best.left / free) if best.left else math.inf
    if margin < CHANGE_F or best.drop < max(_least(series, best.kind), CHANGE_SIGMAS * noise / usual):
        return None
    begin = _first(series, indexes, parts, best.begin) if best.kind == "step_down" else places[best.begin]
    return Change(best.kind, begin, best.drop, margin)


def _candidates(places: Sequence[int], levels: Sequence[float]) -> Iterator[tuple[int, "_Column"]]:
    """Every step, every slope that begins early enough to be seen, and the slope that starts anew at each rise."""
    for begin in range(1, len(levels)):
        yield begin, _Column("step_down", [float(at >= begin) for at in range(len(levels))])
    for begin in range(int(_SLOPE_FROM_MOST * len(levels))):
        yield begin, _Column("slow_decay", [max(0.0, float(place - places[begin])) for place in places])
    rises = [later / earlier - 1 if earlier > 0 else 0.0 for earlier, later in pairwise(levels)]
    anew = [at + 1 for at, rise in enumerate(rises) if rise >= max(CHANGE_MIN, _RESET_SHARE * max(rises))]
    if anew:
        since = [max((begin for begin in anew if begin <= at), default=0) for at in range(len(levels))]
        yield 0, _Column("slow_decay", [float(place - places[since[at]]) for at, place in enumerate(places)])


def _fit(series: Series, places: Sequence[int], levels: Sequence[float], begin: int, column: "_Column | None") -> _Fit:
    """The level and this change, and beside it the day's swing where the window shows most of a day."""
    flat = [[1.0] * len(places)]
    change = [column.values] if column else []
    left, mix = squares_left([*flat, *change], levels)
    if series.span_s >= DAY_SEEN_S:
        turns = [2 * math.pi * place * series.step_s / DAY_S for place in places]
        swing = [[math.sin(turn) for turn in turns], [math.cos(turn) for turn in turns]]
        swung, with_swing = squares_left([*flat, *change, *swing], levels)
        if math.hypot(*with_swing[-2:]) <= DAY_SWING_MOST * with_swing[0]:
            left, mix = swung, with_swing[:-2]
    kind = column.kind if column else "step_down"
    drop = -mix[-1] * max(column.values) / mix[0] if column and mix[0] > 0 else 0.0
    return _Fit(kind, begin, left, drop)


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
