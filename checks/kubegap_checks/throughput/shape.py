"""The shape of a throughput series, and since when it has it."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from kubegap_checks.model import Confidence
from kubegap_checks.text import Text
from kubegap_checks.throughput import doubts
from kubegap_checks.throughput.away import Before, Stall, from_start, stall_of
from kubegap_checks.throughput.dips import Dips, dips_of
from kubegap_checks.throughput.kinds import Shape, unclear
from kubegap_checks.throughput.level import level_of
from kubegap_checks.throughput.limits import (
    COLLAPSE_DEPTH_MIN,
    COLLAPSE_SIGMAS,
    COVERAGE_MIN,
    DIPS_MIN,
    LARGER_TIMES,
    SAMPLES_MIN,
    SAMPLES_SURE,
    SLOW_SHARE,
    STALLED_SHARE,
    STALLED_SHARE_OF_WORK,
    UNITS_APART,
)
from kubegap_checks.throughput.lows import least_places
from kubegap_checks.throughput.recurring import partial, recurring
from kubegap_checks.throughput.robust import quantile
from kubegap_checks.throughput.series import Series
from kubegap_checks.throughput.silence import Span
from kubegap_checks.throughput.spread import Growth, growth_of
from kubegap_checks.throughput.steadiness import summed_up


def shape_of(
    series: Series, expected: float | None = None, *, idle: float = STALLED_SHARE, silent: Sequence[Span] = ()
) -> Shape:
    """What one sees first in the series; `expected` is the level that it should have, in its own unit.

    `idle` is the share of the level that is still measured when nothing is done, and `silent` are the times at which
    the source had samples of nothing at all.
    """
    series, left_out = _sound(series)
    scaled, scaled_expected = _scaled(series, expected)
    if silent and series.places and silent[-1][0] >= series.time(series.places[-1]):
        shape = _until_silent(scaled, silent, scaled_expected, idle)
    else:
        shape = _told(scaled, scaled_expected, idle, silent)
    return shape.doubted(*_low_besides(series, shape, expected), *left_out)


def _sound(series: Series) -> tuple[Series, tuple[Text, ...]]:
    """Nothing goes backwards: what is below zero (-1 for unknown) is no sample."""
    values = tuple(None if value is not None and value < 0 else value for value in series.values)
    count = sum(value is None for value in values) - sum(value is None for value in series.values)
    if not count:
        return series, ()
    return Series(series.started, series.step_s, values), (doubts.negative(count),)


def _low_besides(series: Series, shape: Shape, expected: float | None) -> tuple[Text, ...]:
    """What has another shape may be low at its best as well, which is a second cause."""
    if expected is None or shape.id in {"flat_low", "steady", "unclear", "stall"}:
        return ()
    best = quantile(series.samples, 0.9)
    low = expected / UNITS_APART < best < SLOW_SHARE * expected
    return (doubts.low_at_best(best, expected),) if low else ()


def _scaled(series: Series, expected: float | None) -> tuple[Series, float | None]:
    """In units of its largest value, since squares of a series in an odd unit may be no numbers any more."""
    largest = max(series.samples, default=0.0)
    if largest <= 0:
        return series, expected
    sampled = dict(zip(series.places, series.samples, strict=True))
    values = tuple(sampled[at] / largest if at in sampled else None for at in range(len(series.values)))
    return Series(series.started, series.step_s, values), None if expected is None else expected / largest


def _until_silent(series: Series, silent: Sequence[Span], expected: float | None, idle: float) -> Shape:
    """Trouble that was seen stays; that all was well is not said of what nobody saw."""
    since = silent[-1][0]
    seen = Series(series.started, series.step_s, series.values[: series.places[-1] + 1])
    shape = _told(seen, expected, idle, silent[:-1])
    if shape.id not in {"steady", "unclear"}:
        why = doubts.source_silent(since, doubts.UNTIL_THEN_THIS)
        return replace(shape, confidence=shape.confidence.at_most(Confidence.LIKELY), doubts=(why, *shape.doubts))
    before = doubts.UNTIL_THEN_STEADY if shape.id == "steady" else doubts.UNTIL_THEN_UNCLEAR
    why = doubts.source_silent(since, before)
    return Shape(id="unclear", confidence=Confidence.HINT, since=since, doubts=(why, *shape.doubts))


def _told(series: Series, expected: float | None, idle: float, silent: Sequence[Span]) -> Shape:
    if len(series.samples) < SAMPLES_MIN:
        return unclear(doubts.few(series))
    if max(series.samples) <= 0:
        return unclear(doubts.NOTHING)
    if summed_up(series):
        return unclear(doubts.SUMMED_UP)
    begun, before = from_start(series, idle)
    if len(begun.samples) < SAMPLES_MIN:
        return unclear(doubts.few(begun))
    return _as_sure_as(series, _begun(begun, before, _shape(begun, expected, idle, silent)))


def _shape(series: Series, expected: float | None, idle: float, silent: Sequence[Span]) -> Shape:
    if stall := stall_of(series, idle):
        return _stalled(series, stall)
    dips = dips_of(series)
    growth = None if _plunging(dips) else growth_of(series)
    shape = level_of(series, dips, expected, silent)
    if growth:
        return shape if _certainly_moved(shape) else _noisier(series, growth, shape)
    again = recurring(series, dips)
    return _larger(series, again, shape) if again else shape


def _larger(series: Series, again: Shape, level: Shape) -> Shape:
    """Of what comes again and what happened to the level that which cost more; the other one is told beside it."""
    if level.confidence is not Confidence.CERTAIN or level.id not in {"step_down", "slow_decay", "passing_fall"}:
        return again
    if level.lost_s(series.end) <= LARGER_TIMES * again.lost_s(series.end):
        after = [first for first, _ in again.dips if level.since is not None and first >= level.since]
        # What the last fall may be is no step beside the falls.
        apart = level.id != "passing_fall" and len(after) > 1
        return again.doubted(doubts.beside(level)) if apart else again
    return level.doubted(doubts.beside(again))


def _certainly_moved(shape: Shape) -> bool:
    """Noise grows while the level stays, and by chance it seems to: a level that certainly changed goes first."""
    return shape.confidence is Confidence.CERTAIN and shape.id in {"step_down", "slow_decay", "flat_low"}


def _stalled(series: Series, stall: Stall) -> Shape:
    sure, why = Confidence.CERTAIN, None
    if stall.silent:
        sure, why = Confidence.HINT, doubts.SILENT
    elif stall.left > STALLED_SHARE_OF_WORK:
        sure, why = Confidence.LIKELY, doubts.work_goes_on(stall)
    before = Series(series.started, series.step_s, series.values[: stall.since])
    return Shape(
        id="stall",
        confidence=sure,
        since=series.time(stall.since),
        drop_percent=round(100 * (1 - stall.left), 1),
        doubts=(*([why] if why else []), *_wrong_in(before)),
    )


def _wrong_in(series: Series) -> tuple[Text, ...]:
    """What was wrong in the time before it stalled."""
    if len(series.samples) < SAMPLES_MIN:
        return ()
    shape = _shape(series, None, STALLED_SHARE, ())
    if shape.id in {"steady", "unclear", "growing_noise", "stall"}:
        return ()
    return (*shape.doubts, doubts.beside(shape))


def _noisier(series: Series, growth: Growth, level: Shape) -> Shape:
    return Shape(
        id="growing_noise",
        confidence=Confidence.LIKELY,
        since=series.time(growth.since),
        doubts=() if level.id == "unclear" else (*level.doubts, *([doubts.beside(level)] if level.dips else [])),
    )


def _plunging(found: Dips) -> bool:
    """Whether dips are so deep that growing noise cannot be what they are."""
    depths = [dip.depth for dip in partial(found.stand_out)]
    return len(depths) >= DIPS_MIN and median(depths) >= max(COLLAPSE_DEPTH_MIN, COLLAPSE_SIGMAS * found.sigma)


def _begun(series: Series, before: Before, shape: Shape) -> Shape:
    """With what was before work began, where that is long enough to matter; low work may have been slow work."""
    if before.places < least_places(series):
        return shape
    late = doubts.began_late(series, before)
    slow = before.left is not None and before.left > STALLED_SHARE_OF_WORK
    if slow and shape.id == "steady":
        return shape.doubted(late, at_most=Confidence.HINT)
    return shape.doubted(late)


def _as_sure_as(series: Series, shape: Shape) -> Shape:
    """The shape, no surer than its samples allow."""
    if series.coverage < COVERAGE_MIN and shape.id != "stall":
        return shape.doubted(doubts.gappy(series), at_most=Confidence.HINT)
    if len(series.samples) < SAMPLES_SURE:
        return shape.doubted(doubts.few(series), at_most=Confidence.LIKELY)
    return shape
