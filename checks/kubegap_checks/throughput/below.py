"""What of a series lies below its level: what matters, what is short, what goes on, and where samples are missing."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from kubegap_checks.throughput.away import holes_of, usual_level
from kubegap_checks.throughput.dips import Dip, Dips
from kubegap_checks.throughput.limits import (
    DIP_DEPTH_MIN,
    DIP_END_SHARE,
    DIP_SIGMAS,
    LEVEL_SAMPLES_MIN,
    LOW_SHARE_TOGETHER,
    LOW_SURE_TIMES,
)
from kubegap_checks.throughput.lows import Low, least_places, lows_of
from kubegap_checks.throughput.series import Series
from kubegap_checks.throughput.trend import explained_by

# The level just before the end is the median of so many samples outside dips.
_LATELY = 40


@dataclass(frozen=True, slots=True)
class Below:
    """`lows` matter and `short` falls do not; `now` is one at the end, too short to tell whether it lasts."""

    series: Series
    lows: tuple[Low, ...]
    short: tuple[Dip, ...]
    now: Dip | None
    holes: tuple[range, ...]

    @property
    def passed(self) -> tuple[Low, ...]:
        return tuple(low for low in self.lows if low.began and low.ended)

    @property
    def at_first(self) -> Low | None:
        """Longer than work takes to warm up."""
        least = least_places(self.series)
        return next((low for low in self.lows if not low.began and len(low.places) >= least), None)

    @property
    def lasting(self) -> Low | None:
        return next((low for low in self.lows if not low.ended), None)

    @property
    def rise(self) -> range | None:
        """Where the level is the same at first and at last, and higher only between: then that is the exception."""
        first, last = self.at_first, self.lasting
        if first is None or last is None or abs(first.left - last.left) > (1 - max(first.left, last.left)) / 2:
            return None
        return range(first.places.stop, last.places.start)

    @property
    def high_places(self) -> int:
        """How long it was not low, samples or not."""
        return len(self.series.values) - sum(len(low.places) for low in self.lows)

    @property
    def usual(self) -> float:
        """The usual level, of the time that was not low."""
        low = {place for one in self.lows for place in one.places}
        values = (None if at in low else value for at, value in enumerate(self.series.values))
        return usual_level(Series(self.series.started, self.series.step_s, tuple(values)))


def below(series: Series, dips: Dips) -> Below:
    lows = lows_of(series)
    if lows and not explained_by(series, lows):
        lows = ()
    now = None if any(not low.ended for low in lows) else _now(series, dips)
    taken = {place for low in lows for place in low.places} | set(range(now.start, now.end) if now else ())
    apart = [dip for dip in dips.stand_out if taken.isdisjoint(range(dip.start, dip.end))]
    long, short = _that_matter(series, apart)
    ordered = sorted([*lows, *map(_as_low, long)], key=lambda low: low.places.start)
    return Below(series, tuple(ordered), tuple(short), now, holes_of(series))


def _that_matter(series: Series, dips: Sequence[Dip]) -> tuple[list[Dip], list[Dip]]:
    """Those that are long, or all where they are several and long together; and the others."""
    least = least_places(series)
    long = [dip for dip in dips if dip.end - dip.start >= least]
    short = [dip for dip in dips if dip.end - dip.start < least]
    together = sum(dip.end - dip.start for dip in short)
    if len(short) > 1 and together >= max(least, LOW_SHARE_TOGETHER * len(series.values)):
        return list(dips), []
    return long, short


def _as_low(dip: Dip) -> Low:
    return Low(range(dip.start, dip.end), 1 - dip.depth, began=True, ended=True, needed=dip.depth / LOW_SURE_TIMES)


def _now(series: Series, dips: Dips) -> Dip | None:
    """The last samples, where they are as far below the level just before as a dip is."""
    samples = series.samples
    least = max(DIP_DEPTH_MIN, DIP_SIGMAS * dips.sigma)
    most = min(math.ceil(least_places(series)) - 1, len(samples) // 4)
    for count in range(most, LEVEL_SAMPLES_MIN - 1, -1):
        before = [at for at in dips.outside if at < len(samples) - count][-_LATELY:]
        if not before:
            continue
        usual = median(samples[at] for at in before)
        last = samples[-count:]
        if max(last) < usual * (1 - least * DIP_END_SHARE) and median(last) <= usual * (1 - least):
            return Dip(series.places[-count], len(series.values), 1 - median(last) / usual)
    return None
