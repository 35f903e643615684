"""Whether dips come at a regular period."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb
from statistics import median

from kubegap_checks.throughput.dips import Dip
from kubegap_checks.throughput.limits import (
    ALIKE_WITHIN,
    MISSED_MOST,
    REGULAR_BY_CHANCE_UNLIKE,
    REGULAR_OWN_MIN,
    REGULAR_SEEN_MIN,
    REGULAR_WITHIN,
)
from kubegap_checks.throughput.robust import quantile


@dataclass(frozen=True, slots=True)
class Rhythm:
    """`period` in steps; `dips` are those that keep it."""

    period: float
    dips: tuple[Dip, ...]


@dataclass(frozen=True, slots=True)
class _Walk:
    """One try: the periods that were found between dips, of `ticks` that passed; `within` is a share of the period."""

    periods: tuple[float, ...]
    members: tuple[int, ...]
    ticks: int
    within: float

    def by_chance(self, tries: int) -> float:
        """How often moments at random would keep one of so many periods as well.

        The first interval gave the period, so it proves nothing.
        """
        hit, ticks = min(1.0, 2 * self.within), self.ticks - 1
        hits = len(self.periods) - 1
        return tries * sum(comb(ticks, n) * hit**n * (1 - hit) ** (ticks - n) for n in range(hits, ticks + 1))


def rhythm_of(dips: Sequence[Dip], chance_most: float) -> Rhythm | None:
    """The period that most of the dips keep; None where moments at random might keep one as well."""
    starts = [dip.start for dip in dips]
    tries = sorted({later - earlier for earlier, later in pairwise(starts)})
    best: tuple[float, _Walk] | None = None
    for within in REGULAR_WITHIN:
        for period in tries:
            walk = _walk(starts, period, max(1.0, within * period))
            if len(walk.periods) < REGULAR_SEEN_MIN * walk.ticks or len(walk.members) < REGULAR_OWN_MIN * len(dips):
                continue
            chance = walk.by_chance(len(tries))
            if best is None or chance < best[0]:
                best = chance, walk
    if best is None:
        return None
    chance, walk = best
    own = tuple(dips[at] for at in walk.members)
    if chance > (chance_most if _alike(own) else REGULAR_BY_CHANCE_UNLIKE):
        return None
    return Rhythm(median(walk.periods), own)


def _walk(starts: Sequence[int], period: int, within: float) -> _Walk:
    """Goes from dip to dip by one period or a few; where none is, on to the next dip, the time between being missed."""
    periods: list[float] = []
    members = {0}
    at, ticks = 0, 0
    while at < len(starts) - 1:
        for times in range(1, MISSED_MOST + 1):
            following = _near(starts, starts[at] + times * period, within)
            if following is not None and following > at:
                periods.append((starts[following] - starts[at]) / times)
                members |= {at, following}
                ticks += times
                at = following
                break
        else:
            ticks += max(1, round((starts[at + 1] - starts[at]) / period))
            at += 1
    return _Walk(tuple(periods), tuple(sorted(members)), ticks, within / period)


def _near(starts: Sequence[int], goal: float, within: float) -> int | None:
    after = bisect_left(starts, goal)
    close = [at for at in (after - 1, after) if 0 <= at < len(starts) and abs(starts[at] - goal) <= within]
    return min(close, key=lambda at: abs(starts[at] - goal), default=None)


def _alike(dips: Sequence[Dip]) -> bool:
    """Whether depths and lengths differ little; a length is known to a step at either end."""
    depths, lengths = [dip.depth for dip in dips], [dip.end - dip.start for dip in dips]
    return _middle_half(depths) <= ALIKE_WITHIN * median(depths) and _middle_half(lengths) <= max(
        2, ALIKE_WITHIN * median(lengths)
    )


def _middle_half(values: Sequence[float]) -> float:
    return quantile(values, 0.75) - quantile(values, 0.25)
