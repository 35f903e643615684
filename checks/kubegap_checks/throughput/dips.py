"""Dips: where a series falls out of its level for a while and comes back."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from kubegap_checks.throughput.limits import (
    DIP_DEPTH_MIN,
    DIP_END_SHARE,
    DIP_LONGEST_SHARE,
    DIP_SIGMAS,
    DIP_TO_SPIKE,
    LEVEL_SAMPLES_MIN,
    OUTAGE_DEPTH,
)
from kubegap_checks.throughput.robust import running_quantile, scale
from kubegap_checks.throughput.series import Series

# The crest runs along the upper part of the noise, where dips do not reach: our own choice.
_CREST = 0.8
# Nearer to the crest than this is the level itself, whatever dips there are beside it.
_CORE = 0.75
# The level at an end of the series is the median of so many samples.
_PIVOT = 9


@dataclass(frozen=True, slots=True)
class Dip:
    """Places in the series, `end` being the first one that is back; depth is a share of the level around it."""

    start: int
    end: int
    depth: float

    @property
    def is_outage(self) -> bool:
        """Whether nothing was done at its bottom, as while a job restarts."""
        return self.depth >= OUTAGE_DEPTH


@dataclass(frozen=True, slots=True)
class Dips:
    """Those that `stand_out` are larger than any spike, so that they are no noise; `all` may hold its wild values.

    `outside` are the indexes of samples that none touches, `sigma` is their noise as a share of the level; `unended` is
    what has not come back.
    """

    all: tuple[Dip, ...]
    stand_out: tuple[Dip, ...]
    outside: tuple[int, ...]
    sigma: float
    unended: Dip | None = None


def dips_of(series: Series) -> Dips:
    """The dips of the series; what it begins with is its start, and what has not come back by the end is told apart."""
    heights = _heights(series.samples)
    sigma = scale([height for height in heights if height > _CORE])
    least = max(DIP_DEPTH_MIN, DIP_SIGMAS * sigma)
    depths = [1 - height for height in heights]
    spikes = [min(1.0, height - 1) for height in heights]
    greatest = max((_area(spikes, run) for run in _runs(spikes, least)), default=0.0)
    low = _runs(depths, least)
    runs = [run for run in low if run.start > 0 and run.stop < len(depths)]
    large = [run for run in runs if _area(depths, run) >= DIP_TO_SPIKE * greatest]
    touched = {index for run in low if run.stop < len(depths) for index in run}
    return Dips(
        all=tuple(_dip(series, depths, run) for run in runs),
        stand_out=tuple(_dip(series, depths, run) for run in large),
        outside=tuple(index for index in range(len(depths)) if index not in touched),
        sigma=sigma,
        unended=next(
            (
                _dip(series, depths, run)
                for run in low
                if run.start > 0 and run.stop == len(depths) and len(run) >= LEVEL_SAMPLES_MIN
            ),
            None,
        ),
    )


def _heights(samples: Sequence[float]) -> list[float]:
    """Each sample as a share of the level around it.

    The level is a closing by ranks: it fills valleys up to a width, however many there are, and keeps steps and slopes.
    """
    half = max(3, int(len(samples) * DIP_LONGEST_SHARE / 2))
    mirrored = [*_mirror(samples[: half + 1])[::-1], *samples, *_mirror(samples[: -half - 2 : -1])]
    crest = running_quantile(running_quantile(mirrored, half, _CREST), half, 1 - _CREST)[half:-half]
    heights = [sample / level if level > 0 else 1.0 for sample, level in zip(samples, crest, strict=True)]
    middle = median(height for height in heights if height > _CORE)
    return [height / middle for height in heights]


def _mirror(end: Sequence[float]) -> list[float]:
    """What would come beyond the first of these samples if the slope went on there: a crest needs both its sides."""
    pivot = 2 * median(end[:_PIVOT])
    return [pivot - sample for sample in end[1:]]


def _runs(depths: Sequence[float], least: float) -> list[range]:
    """Where depths reach `least`, each run widened to where half of it is made up for."""
    stays = least * DIP_END_SHARE
    runs: list[range] = []
    at = 0
    while at < len(depths):
        if depths[at] < least:
            at += 1
            continue
        start = end = at
        floor = runs[-1].stop if runs else 0
        while start > floor and depths[start - 1] >= stays:
            start -= 1
        while end < len(depths) and depths[end] >= stays:
            end += 1
        runs.append(range(start, end))
        at = end
    return runs


def _area(depths: Sequence[float], run: range) -> float:
    return sum(depths[index] for index in run)


def _dip(series: Series, depths: Sequence[float], run: range) -> Dip:
    end = series.places[run.stop] if run.stop < len(depths) else len(series.values)
    return Dip(series.places[run.start], end, max(depths[index] for index in run))
