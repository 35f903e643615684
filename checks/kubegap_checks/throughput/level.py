"""What is left to tell where nothing comes again: whether the level changed, is low, fell for a while, or held."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from statistics import median

from kubegap_checks.model import Confidence
from kubegap_checks.text import Text
from kubegap_checks.throughput import doubts
from kubegap_checks.throughput.away import frozen_from
from kubegap_checks.throughput.below import Below, below
from kubegap_checks.throughput.dips import Dip, Dips
from kubegap_checks.throughput.kinds import Shape, unclear
from kubegap_checks.throughput.limits import (
    DAY_SWING_MOST,
    DIPS_MIN,
    LASTING_SHARE,
    LEVEL_SAMPLES_MIN,
    LOW_SURE_TIMES,
    SLOW_SHARE,
    STALLED_SHARE,
    UNITS_APART,
)
from kubegap_checks.throughput.lows import Low, least_places
from kubegap_checks.throughput.recurring import recurring_long, times
from kubegap_checks.throughput.series import Series
from kubegap_checks.throughput.silence import Span
from kubegap_checks.throughput.steadiness import moving, swinging
from kubegap_checks.throughput.trend import Change, change_of


def level_of(series: Series, dips: Dips, expected: float | None, silent: Sequence[Span]) -> Shape:
    """The shape of the level, with what was seen beside it."""
    seen = below(series, dips)
    shape = _lasting(seen, dips, expected) or _passed(seen) or _doubtful(seen, dips, silent) or _steady(seen)
    if seen.lows and not seen.rise and seen.high_places < least_places(series):
        shape = shape.doubted(doubts.short_high(series, seen.high_places), at_most=Confidence.HINT)
    if expected is not None and not seen.usual / UNITS_APART < expected < seen.usual * UNITS_APART:
        shape = shape.doubted(doubts.units(expected / seen.usual), at_most=Confidence.HINT)
    return shape.doubted(*_beside(seen, shape, silent))


def _lasting(seen: Below, dips: Dips, expected: float | None) -> Shape | None:
    """What goes on at the end of the window."""
    if seen.rise:
        return unclear(doubts.rose(seen.series, seen.rise, seen.at_first.left if seen.at_first else 1.0))
    if change := _change(seen, dips):
        return _or_back(seen.series, _changed(seen, change))
    if seen.lasting:
        return _or_back(seen.series, _late(seen, seen.lasting))
    if expected is not None and seen.usual < SLOW_SHARE * expected:
        return _flat_low(seen, 1 - seen.usual / expected)
    return None


def _passed(seen: Below) -> Shape | None:
    if not seen.passed:
        return None
    series = seen.series
    falls = [Dip(low.places.start, low.places.stop, 1 - low.left) for low in seen.passed]
    if shape := recurring_long(series, falls):
        return shape
    longest = max(seen.passed, key=lambda low: len(low.places))
    sure = 1 - longest.left >= LOW_SURE_TIMES * longest.needed
    return Shape(
        id="passing_fall",
        confidence=Confidence.CERTAIN if sure else Confidence.LIKELY,
        since=series.time(longest.places.start),
        drop_percent=_percent(1 - longest.left),
        dips=tuple(times(series, fall) for fall in falls),
        doubts=(doubts.passed(series, seen.passed),),
    )


def _doubtful(seen: Below, dips: Dips, silent: Sequence[Span]) -> Shape | None:
    """What is not steady, and no shape either."""
    series, now = seen.series, seen.now
    if seen.at_first:
        return unclear(doubts.low_at_first(series, seen.at_first))
    if now:
        shape = unclear(doubts.low_now(series, now.start, 1 - now.depth))
        return replace(shape, since=series.time(now.start), drop_percent=_percent(now.depth))
    if (since := frozen_from(series)) is not None:
        return replace(unclear(doubts.frozen(series, since)), since=series.time(since))
    if seen.holes:
        return unclear(doubts.hole(series, seen.holes, silent))
    if (share := swinging(series)) and share > 2 * DAY_SWING_MOST:
        return unclear(doubts.swings(share))
    why = moving(series, dips.outside)
    return unclear(why) if why else None


def _steady(seen: Below) -> Shape:
    doubtful = len(seen.short) >= DIPS_MIN or swinging(seen.series)
    return Shape(id="steady", confidence=Confidence.HINT if doubtful else Confidence.LIKELY)


def _beside(seen: Below, shape: Shape, silent: Sequence[Span]) -> Iterator[Text]:
    """What was seen and is not what the shape says itself."""
    series = seen.series
    if seen.passed and shape.id not in {"passing_fall", "repeated_collapses", "periodic_dips"}:
        yield doubts.passed(series, seen.passed)
    if seen.at_first and shape.id != "unclear":
        yield doubts.low_at_first(series, seen.at_first)
    if seen.now and shape.id not in {"unclear", "step_down", "slow_decay"}:
        yield doubts.low_now(series, seen.now.start, 1 - seen.now.depth)
    if seen.holes and shape.id != "unclear":
        yield doubts.hole(series, seen.holes, silent)
    if seen.short:
        yield doubts.short_falls(series, seen.short)
    if shape.id in {"steady", "flat_low"} and (share := swinging(series)):
        yield doubts.swings(share)


def _changed(seen: Below, change: Change) -> Shape:
    confidence = Confidence.CERTAIN if change.sure else Confidence.LIKELY
    if seen.at_first:
        confidence = Confidence.HINT if change.kind == "step_down" else confidence.at_most(Confidence.LIKELY)
    stepped = (doubts.two_steps(seen.series, change.steps),) if change.steps else ()
    return Shape(
        id=change.kind,
        confidence=Confidence.HINT if stepped else confidence,
        since=seen.series.time(change.since),
        drop_percent=_percent(change.drop),
        doubts=((doubts.ANEW,) if change.anew else ()) + stepped,
    )


def _late(seen: Below, low: Low) -> Shape:
    """A step down that is too near an end of the window for a change of level to be seen in parts of it."""
    return Shape(
        id="step_down",
        confidence=Confidence.HINT if seen.at_first else Confidence.LIKELY,
        since=seen.series.time(low.places.start),
        drop_percent=_percent(1 - low.left),
    )


def _change(seen: Below, dips: Dips) -> Change | None:
    """A change of level beside what passed; with what is low now, or where that hides it, without."""
    series = seen.series
    passed = {place for low in seen.lows if low.ended for place in low.places}
    now = set(range(seen.now.start, seen.now.end) if seen.now else ())
    for away in (passed, passed | now) if now else (passed,):
        change = change_of(series, [at for at in dips.outside if series.places[at] not in away])
        if change and _lasts(seen, change):
            return change
    return None


def _lasts(seen: Below, change: Change) -> bool:
    """A young step may pass; and a change that is not sure goes behind falls that cost more."""
    age = len(seen.series.values) - change.since
    if change.kind == "step_down" and age < min(least_places(seen.series), LASTING_SHARE * len(seen.series.values)):
        return False
    return change.sure or _lost(seen.passed) <= change.drop * age


def _or_back(series: Series, shape: Shape) -> Shape:
    """A step down whose last samples are back may have passed; what stood still and works again has."""
    since = shape.since
    if shape.id != "step_down" or since is None or shape.drop_percent is None:
        return shape
    left = 1 - shape.drop_percent / 100
    first = next(at for at, place in enumerate(series.places) if series.time(place) >= since)
    before, after = median(series.samples[:first] or series.samples), median(series.samples[first:])
    middle = (after + (after / left if left > STALLED_SHARE else before)) / 2
    high = next((at for at, value in enumerate(reversed(series.samples)) if value < middle), 0)
    if not 0 < high < LEVEL_SAMPLES_MIN:
        return shape
    shape = shape.doubted(doubts.back(high), at_most=Confidence.HINT)
    if left > STALLED_SHARE:
        return shape
    return replace(shape, id="passing_fall", dips=((since, series.time(series.places[-high])),))


def _flat_low(seen: Below, lost: float) -> Shape:
    return Shape(
        id="flat_low",
        confidence=Confidence.LIKELY if seen.lows or seen.holes or seen.now else Confidence.CERTAIN,
        since=seen.series.time(seen.series.places[0]),
        drop_percent=_percent(lost),
    )


def _lost(lows: Collection[Low]) -> float:
    """In steps of the usual level."""
    return sum(len(low.places) * (1 - low.left) for low in lows)


def _percent(share: float) -> float:
    return round(100 * share, 1)
