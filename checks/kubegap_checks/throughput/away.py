"""Times without work: where nothing is measured or next to nothing is done, and whether it ever came back."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median

from kubegap_checks.throughput.limits import (
    DIPS_MIN,
    STALL_AGAIN_TIMES,
    STALL_MIN_S,
    STALL_MIN_STEPS,
    STALLED_SHARE,
)
from kubegap_checks.throughput.robust import quantile
from kubegap_checks.throughput.series import Series


@dataclass(frozen=True, slots=True)
class Stall:
    """`since` is the first place without work; `left` is the share of the usual level that remained.

    `silent` where samples are missing from there on, rather than low.
    """

    since: int
    left: float
    silent: bool


def usual_level(samples: Sequence[float]) -> float:
    """The level of a series while it worked: the median of what reaches half of its best tenth, zeros aside."""
    best = quantile([value for value in samples if value > 0] or samples, 0.9)
    return median(value for value in samples if value >= best / 2)


def from_start(series: Series) -> Series:
    """The series from where work began in it: a job that starts late has no shape before."""
    least = STALLED_SHARE * usual_level(series.samples)
    begin = next(at for at, value in enumerate(series.values) if value is not None and value > least)
    return Series(series.time(begin), series.step_s, series.values[begin:])


def stall_of(series: Series) -> Stall | None:
    """The end of the series, where it is without work for longer than a restart or a collapse takes."""
    usual = usual_level(series.samples)
    idle = [value is None or value <= STALLED_SHARE * usual for value in series.values]
    since = len(idle) - next((back for back, one in enumerate(reversed(idle)) if not one), len(idle))
    seen = [value for value in series.values[since:] if value is not None]
    runs = _runs(idle[:since])
    least = max(STALL_MIN_STEPS, STALL_MIN_S / series.step_s)
    silent = len(seen) < STALL_MIN_STEPS
    if silent or len(runs) >= DIPS_MIN:
        least = max(least, *runs, 0) * STALL_AGAIN_TIMES
    if usual <= 0 or len(idle) - since < least:
        return None
    return Stall(since, median(seen) / usual if seen else 0.0, silent)


def _runs(idle: Sequence[bool]) -> list[int]:
    """The lengths of the times without work."""
    return [len(list(run)) for away, run in groupby(idle) if away]
