"""Whether a series is steady: how far its level moves, and whether it is a level at all."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from kubegap_checks.text import Text
from kubegap_checks.throughput import doubts
from kubegap_checks.throughput.limits import (
    DAY_SWING_USUAL,
    LOW_DEPTH_MIN,
    LOW_SIGMAS,
    STEADY_WITHIN,
    SUMMED_FALLS_MOST,
    SUMMED_RISES,
)
from kubegap_checks.throughput.lows import smoothed, wander
from kubegap_checks.throughput.robust import quantile
from kubegap_checks.throughput.series import Series
from kubegap_checks.throughput.trend import swing_of

# A tenth of the time may be anything: restarts, warm-up, what was named already.
_TENTH = 0.1


def moving(series: Series, indexes: Sequence[int]) -> Text | None:
    """Why the samples at these indexes are not steady; None where noise and the day's swing explain how they move."""
    samples = [series.samples[index] for index in indexes]
    level = smoothed(series)
    levels = [level[index] for index in indexes]
    middle = median(levels)
    if middle <= 0:
        return doubts.moves(0.0, 1.0)
    far = max(LOW_DEPTH_MIN, LOW_SIGMAS * wander(series, levels) / middle, swing_of(series, indexes))
    for values, most in ((levels, far), (samples, STEADY_WITHIN * 2)):
        low, high = quantile(values, _TENTH), quantile(values, 1 - _TENTH)
        if high - low > most * middle:
            return doubts.moves(low / middle, high / middle)
    return None


def swinging(series: Series) -> float | None:
    """How far the day's swing goes, where it is further than heat takes it."""
    share = swing_of(series, range(len(series.samples)))
    return share if share > 2 * DAY_SWING_USUAL else None


def summed_up(series: Series) -> bool:
    """Whether it counts all work so far, which no name told: its rate may be anything, however little it moves."""
    neighbours = list(pairwise(series.samples))
    rises = sum(later > earlier for earlier, later in neighbours)
    falls = sum(later < earlier for earlier, later in neighbours)
    return rises >= SUMMED_RISES * len(neighbours) and falls <= SUMMED_FALLS_MOST * len(neighbours)
