"""Falls and holes that lasted for long and passed: too long for a restart, too few for a habit, and nothing lasting."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median

from kubegap_checks.throughput.away import usual_level
from kubegap_checks.throughput.limits import (
    DIP_END_SHARE,
    PASSING_LEVEL,
    PASSING_LONGEST_S,
    PASSING_SAMPLES_MIN,
    PASSING_SHARE,
    PASSING_SHORTEST_S,
)
from kubegap_checks.throughput.series import Series


@dataclass(frozen=True, slots=True)
class Fall:
    """`places` are those that are low or without a sample; `left` is the share of the usual level that remained.

    `seen` is the share of its samples that are there, 0 to 1; without any, `left` is 0.
    """

    places: range
    left: float
    seen: float


def falls_of(series: Series) -> tuple[Fall, ...]:
    """Each long time below its level, or without samples, after which at least half of what was lost came back."""
    usual = usual_level(series.samples)
    sampled = dict(zip(series.places, series.samples, strict=True))
    low = [sampled.get(at, 0.0) < PASSING_LEVEL * usual for at in range(len(series.values))]
    runs = [list(run) for _, run in groupby(range(len(low)), key=low.__getitem__)]
    return tuple(
        fall
        for run, after in pairwise(runs)
        if low[run[0]] and len(run) >= _least(series)
        for fall in [_fall(run, sampled, usual)]
        if median(sampled[at] for at in after) / usual >= 1 - DIP_END_SHARE * (1 - fall.left)
    )


def _least(series: Series) -> float:
    """How many places are long, restarts and failed scrapes being shorter."""
    long_s = max(PASSING_SHORTEST_S, min(PASSING_SHARE * series.span_s, PASSING_LONGEST_S))
    return max(PASSING_SAMPLES_MIN, long_s / series.step_s)


def _fall(run: Sequence[int], sampled: Mapping[int, float], usual: float) -> Fall:
    values = [sampled[at] for at in run if at in sampled]
    return Fall(range(run[0], run[-1] + 1), median(values) / usual if values else 0.0, len(values) / len(run))
