"""Times without work: where nothing is measured or next to nothing is done, and whether it ever came back."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median

from kubegap_checks.throughput.limits import (
    DIPS_MIN,
    FROZEN_BEFORE_MOST,
    HOLE_LONGEST_S,
    HOLE_SHARE,
    HOLE_SHORTEST_S,
    LEVEL_SAMPLES_MIN,
    LEVEL_SHORTEST_S,
    LOW_SAMPLES_MIN,
    SAMPLES_MIN,
    STALL_AGAIN_TIMES,
    STALL_MIN_S,
    STALL_MIN_STEPS,
)
from kubegap_checks.throughput.robust import held, quantile
from kubegap_checks.throughput.series import Series


@dataclass(frozen=True, slots=True)
class Stall:
    """`since` is the first place without work; `left` is the share of the usual level that remained.

    `silent` where samples are missing from there on, rather than low.
    """

    since: int
    left: float
    silent: bool


@dataclass(frozen=True, slots=True)
class Before:
    """What was there before work began: so many places, with this share of the usual level; None without samples."""

    places: int
    left: float | None


def usual_level(series: Series) -> float:
    """The level of a series while it worked: the median of what reaches half of its best.

    The best is what a tenth of the samples reach, zeros aside, or what was held for a while: in a window that is mostly
    trouble, the good time may be less than a tenth.
    """
    samples = series.samples
    working = [value for value in samples if value > 0] or list(samples)
    best = max(quantile(working, 0.9), held(samples, level_samples(series)))
    return median(value for value in samples if value >= best / 2)


def level_samples(series: Series) -> int:
    """How many samples in a row are a level, rather than a spike."""
    return max(LEVEL_SAMPLES_MIN, round(LEVEL_SHORTEST_S / series.step_s))


def from_start(series: Series, idle: float) -> tuple[Series, Before]:
    """The series from where work began in it, and what was before: a job that starts late has no shape there."""
    usual = usual_level(series)
    begin = next(at for at, value in enumerate(series.values) if value is not None and value > idle * usual)
    early = [value for value in series.values[:begin] if value is not None]
    before = Before(begin, median(early) / usual if early else None)
    return Series(series.time(begin), series.step_s, series.values[begin:]), before


def stall_of(series: Series, idle: float) -> Stall | None:
    """The end of the series, where it is without work for longer than a restart or a collapse takes."""
    usual = usual_level(series)
    away = [value is None or value <= idle * usual for value in series.values]
    since = len(away) - next((back for back, one in enumerate(reversed(away)) if not one), len(away))
    seen = [value for value in series.values[since:] if value is not None]
    runs = _runs(away[:since])
    least = max(STALL_MIN_STEPS, STALL_MIN_S / series.step_s)
    silent = len(seen) < STALL_MIN_STEPS
    if silent or len(runs) >= DIPS_MIN:
        least = max(least, *runs, 0) * STALL_AGAIN_TIMES
    if usual <= 0 or len(away) - since < least:
        return None
    return Stall(since, median(seen) / usual if seen else 0.0, silent)


def frozen_from(series: Series) -> int | None:
    """The place from which on every sample is the same to the last digit, where few neighbours were the same before."""
    samples = series.samples
    count = next((at for at, value in enumerate(reversed(samples)) if value != samples[-1]), len(samples))
    before = samples[: len(samples) - count]
    if count < max(LOW_SAMPLES_MIN, STALL_MIN_S / series.step_s) or len(before) < SAMPLES_MIN:
        return None
    same = sum(later == earlier for earlier, later in pairwise(before))
    return series.places[len(before)] if same <= FROZEN_BEFORE_MOST * len(before) else None


def holes_of(series: Series) -> tuple[range, ...]:
    """Long times without samples, after which there were some again."""
    least_s = max(HOLE_SHORTEST_S, min(HOLE_SHARE * series.span_s, HOLE_LONGEST_S))
    least = max(LOW_SAMPLES_MIN, least_s / series.step_s)
    ends = (*series.places[1:], series.places[-1])
    return tuple(
        range(at + 1, following)
        for at, following in zip(series.places, ends, strict=True)
        if following - at - 1 >= least
    )


def _runs(idle: Sequence[bool]) -> list[int]:
    """The lengths of the times without work."""
    return [len(list(run)) for away, run in groupby(idle) if away]
