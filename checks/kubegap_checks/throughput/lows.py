"""Times that lie well below the rest of the series, whatever else it does: how deep, how long, and what bounds them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median

from kubegap_checks.throughput.away import level_samples
from kubegap_checks.throughput.limits import (
    DIPS_MIN,
    LEVEL_SAMPLES_MIN,
    LEVEL_SHORTEST_S,
    LEVEL_SMOOTH_S,
    LOW_DEPTH_MIN,
    LOW_SAMPLES_MIN,
    LOW_SHARE,
    LOW_SHARE_TOGETHER,
    LOW_SHORTEST_S,
    LOW_SIGMAS,
)
from kubegap_checks.throughput.robust import held, running_quantile, scale
from kubegap_checks.throughput.series import Series

# So many samples to either side smooth one: two wild ones beside each other move nothing, and a long window of fine
# steps is not blurred.
_HALF_LEAST, _HALF_MOST = 2, 30
_HALF_OF_ALL = 1 / 40
# A fall that only partly recovers lies within a longer one, and another one may lie within that.
_NESTED_MOST = 3


@dataclass(frozen=True, slots=True)
class Low:
    """`places` from the first low one to behind the last; `left` is the share that remained of the level beside it.

    `began` and `ended` say whether the window shows the higher level before it and after it. `needed` is the depth that
    would have been enough.
    """

    places: range
    left: float
    began: bool
    ended: bool
    needed: float


@dataclass(frozen=True, slots=True)
class _Run:
    """Indexes of samples, and how deep they had to be."""

    at: range
    needed: float


def lows_of(series: Series) -> tuple[Low, ...]:
    """Each time that is long enough to matter and lower than a level that was held for a while."""
    if len(series.samples) < 2 * LOW_SAMPLES_MIN:
        return ()
    level = smoothed(series)
    runs = _long_runs(series, level, range(len(level)), _NESTED_MOST)
    low = {index for run in runs for index in run.at}
    if len(low) == len(level):  # low times beside each other, with single high values between, leave no level
        return ()
    found = (_low(series, level, run, low) for run in runs)
    return tuple(one for one in found if 1 - one.left >= one.needed)


def least_places(series: Series) -> float:
    """From how many places on a time matters."""
    return max(LOW_SAMPLES_MIN, min(LOW_SHORTEST_S, LOW_SHARE * series.span_s) / series.step_s)


def smoothed(series: Series) -> list[float]:
    half = _half(series)
    return running_quantile(series.samples, half, 0.5)


def wander(series: Series, level: Sequence[float]) -> float:
    """How far a smoothed level moves by itself: from one sample to the next with which it shares none."""
    lag = 2 * _half(series) + 1
    return float(scale([later - earlier for earlier, later in zip(level, level[lag:], strict=False)]) / 2**0.5)


def _half(series: Series) -> int:
    half = min(round(LEVEL_SMOOTH_S / 2 / series.step_s), _HALF_MOST, round(_HALF_OF_ALL * len(series.samples)))
    return max(_HALF_LEAST, half)


def _long_runs(series: Series, level: Sequence[float], part: range, nested: int) -> list[_Run]:
    """The low runs within these indexes that matter; what stays low to the end of them may hold one that passed."""
    runs = [run for run in _below(series, level, part) if _length(series, run.at) >= _least_short(series)]
    together = sum(_length(series, run.at) for run in runs)
    least = least_places(series)
    if len(runs) < DIPS_MIN or together < max(least, LOW_SHARE_TOGETHER * len(series.values)):
        runs = [run for run in runs if _length(series, run.at) >= least]
    found: list[_Run] = []
    for run in runs:
        inner: list[_Run] = []
        if nested and part.start < run.at.start and run.at.stop == part.stop:
            inner = [one for one in _long_runs(series, level, run.at, nested - 1) if one.at.stop < part.stop]
        found += inner or [run]
    return found


def _least_short(series: Series) -> float:
    return max(LOW_SAMPLES_MIN, LEVEL_SHORTEST_S / series.step_s)


def _length(series: Series, at: range) -> int:
    return series.places[at[-1]] + 1 - series.places[at[0]]


def _below(series: Series, level: Sequence[float], part: range) -> list[_Run]:
    """Runs of indexes below the middle between two levels, where there are two; a spike does not end one."""
    levels = level[part.start : part.stop]
    top = held(levels, min(level_samples(series), max(1, len(levels) // 4)))
    if top <= 0:
        return []
    needed = max(LOW_DEPTH_MIN, LOW_SIGMAS * wander(series, levels) / top)
    low = [one for one in levels if one <= top * (1 - needed)]
    high = [one for one in levels if one > top * (1 - needed)]
    if not low:
        return []
    edge = (median(low) + median(high)) / 2
    runs: list[range] = []
    at = part.start
    for is_low, run in groupby(one < edge for one in levels):
        behind = at + len(list(run))
        if is_low and runs and at - runs[-1].stop < LEVEL_SAMPLES_MIN:
            runs[-1] = range(runs[-1].start, behind)
        elif is_low:
            runs.append(range(at, behind))
        at = behind
    deep = median(high) * (1 - needed)
    return [_Run(run, needed) for run in runs if median(level[run.start : run.stop]) <= deep]


def _low(series: Series, level: Sequence[float], run: _Run, low: Collection[int]) -> Low:
    begin, end = run.at.start, run.at.stop
    near = (*range(max(0, begin - len(run.at)), begin), *range(end, min(len(level), end + len(run.at))))
    beside = [level[index] for index in near if index not in low]
    rest = median(beside or [one for index, one in enumerate(level) if index not in low])
    return Low(
        places=range(series.places[begin], series.places[end - 1] + 1),
        left=median(series.samples[begin:end]) / rest if rest > 0 else 1.0,
        began=begin > 0,
        ended=end < len(level),
        needed=run.needed,
    )
