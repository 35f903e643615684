"""Falls that come again: at a regular period, or at any time."""

from collections.abc import Sequence
from statistics import median

from kubegap_checks.model import Confidence
from kubegap_checks.throughput.dips import Dip, Dips
from kubegap_checks.throughput.kinds import Shape
from kubegap_checks.throughput.limits import (
    COLLAPSE_DEPTH_MIN,
    COLLAPSE_DEPTH_SIGMAS,
    DIPS_MIN,
    OUTAGES_MIN,
    PERIOD_SURE_MIN,
    REGULAR_BY_CHANCE,
    REGULAR_BY_CHANCE_UNLIKE,
)
from kubegap_checks.throughput.rhythm import Rhythm, rhythm_of
from kubegap_checks.throughput.series import Series


def recurring(series: Series, found: Dips) -> Shape | None:
    """Dips that keep a period, else deep ones that are too many for chance."""
    rhythm = (
        rhythm_of(partial(found.stand_out), REGULAR_BY_CHANCE)
        or rhythm_of(found.stand_out, REGULAR_BY_CHANCE)
        or rhythm_of(partial(found.all), REGULAR_BY_CHANCE_UNLIKE)
    )
    if rhythm:
        return _periodic(series, rhythm)
    least = max(COLLAPSE_DEPTH_MIN, COLLAPSE_DEPTH_SIGMAS * found.sigma)
    return collapsing(series, [dip for dip in found.stand_out if dip.depth >= least])


def recurring_long(series: Series, falls: Sequence[Dip]) -> Shape | None:
    """The same of falls that are each as long as matters, however deep."""
    if len(falls) < DIPS_MIN:
        return None
    rhythm = rhythm_of(falls, REGULAR_BY_CHANCE)
    return _periodic(series, rhythm) if rhythm else collapsing(series, falls)


def partial(dips: Sequence[Dip]) -> list[Dip]:
    """Without outages, which may be restarts."""
    return [dip for dip in dips if not dip.is_outage]


def collapsing(series: Series, dips: Sequence[Dip]) -> Shape | None:
    if len(partial(dips)) < DIPS_MIN and len(dips) < OUTAGES_MIN:
        return None
    return Shape(
        id="repeated_collapses",
        confidence=Confidence.CERTAIN if len(dips) > DIPS_MIN else Confidence.LIKELY,
        since=series.time(dips[0].start),
        drop_percent=round(100 * median(dip.depth for dip in dips), 1),
        dips=tuple(times(series, dip) for dip in dips),
    )


def times(series: Series, dip: Dip) -> tuple[float, float]:
    return series.time(dip.start), series.time(dip.end)


def _periodic(series: Series, rhythm: Rhythm) -> Shape:
    return Shape(
        id="periodic_dips",
        confidence=Confidence.CERTAIN if len(rhythm.dips) >= PERIOD_SURE_MIN else Confidence.LIKELY,
        since=series.time(rhythm.dips[0].start),
        drop_percent=round(100 * median(dip.depth for dip in rhythm.dips), 1),
        period_s=round(rhythm.period * series.step_s, 1),
        dips=tuple(times(series, dip) for dip in rhythm.dips),
    )
