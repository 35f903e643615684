"""Measures that a few wild values do not move; `statistics` has the median, this the rest."""

import math
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

# Makes the median absolute deviation of normal noise equal to its standard deviation.
MAD_TO_SIGMA = 1.4826


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which this share lies (nearest rank)."""
    return sorted(values)[_rank(len(values), share)]


def scale(values: Sequence[float]) -> float:
    """The standard deviation as the middle half of the values tells it."""
    if not values:
        return 0.0
    middle = median(values)
    return MAD_TO_SIGMA * median(abs(value - middle) for value in values)


def running_quantile(values: Sequence[float], half: int, share: float) -> list[float]:
    """The quantile of each value's neighbourhood, `half` values to either side and fewer at the ends."""
    window = sorted(values[:half])
    found: list[float] = []
    for at in range(len(values)):
        if at + half < len(values):
            insort(window, values[at + half])
        if at - half - 1 >= 0:
            del window[bisect_left(window, values[at - half - 1])]
        found.append(window[_rank(len(window), share)])
    return found


def blocks(size: int, count: int) -> list[range]:
    """`count` neighbouring ranges that cover `size` places, as equal as they can be."""
    edges = [round(size * part / count) for part in range(count + 1)]
    return [range(left, right) for left, right in pairwise(edges) if right > left]


def held(values: Sequence[float], count: int) -> float:
    """The highest level that so many values in a row reach: a spike is none."""
    count = max(1, min(count, len(values)))
    lowest: deque[int] = deque()  # of the last `count` places those that may be the lowest, which is the first
    best = -math.inf
    for at, value in enumerate(values):
        while lowest and values[lowest[-1]] >= value:
            lowest.pop()
        lowest.append(at)
        if lowest[0] <= at - count:
            lowest.popleft()
        if at >= count - 1:
            best = max(best, values[lowest[0]])
    return best


def _rank(size: int, share: float) -> int:
    return min(size - 1, int(share * size))
