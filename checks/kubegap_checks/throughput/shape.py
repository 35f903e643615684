"""The shape of a throughput series, and since when it has it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import median
from typing import Literal

from kubegap_checks.model import Confidence
from kubegap_checks.text import Text, moment
from kubegap_checks.throughput.away import Stall, from_start, stall_of, usual_level
from kubegap_checks.throughput.dips import Dip, Dips, dips_of
from kubegap_checks.throughput.limits import (
    CHANGE_F,
    COLLAPSE_DEPTH_MIN,
    COLLAPSE_DEPTH_SIGMAS,
    COLLAPSE_SIGMAS,
    COVERAGE_MIN,
    DIPS_MIN,
    LOW_SHARE,
    OUTAGES_MIN,
    REGULAR_BY_CHANCE,
    REGULAR_BY_CHANCE_UNLIKE,
    SAMPLES_MIN,
    SAMPLES_SURE,
)
from kubegap_checks.throughput.passing import Fall, falls_of
from kubegap_checks.throughput.rhythm import Rhythm, rhythm_of
from kubegap_checks.throughput.series import Series
from kubegap_checks.throughput.spread import Growth, growth_of
from kubegap_checks.throughput.trend import Change, change_of

ShapeId = Literal[
    "flat_low",
    "step_down",
    "repeated_collapses",
    "periodic_dips",
    "slow_decay",
    "growing_noise",
    "stall",
    "steady",
    "unclear",  # too few samples, or a long fall that passed: a doubt, not a shape
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """`since` is unix seconds; `dips` are what collapses and periodic dips consist of, as (begin, end) in unix seconds.

    `doubt` says why nothing surer can be said.
    """

    id: ShapeId
    confidence: Confidence
    since: float | None = None
    drop_percent: float | None = None
    period_s: float | None = None
    dips: tuple[tuple[float, float], ...] = ()
    doubt: Text | None = None


def shape_of(series: Series, expected: float | None = None) -> Shape:
    """What one sees first in the series; `expected` is the level that it should have, in its own unit."""
    if len(series.samples) < SAMPLES_MIN:
        return Shape(id="unclear", confidence=Confidence.HINT, doubt=_few(series))
    if max(series.samples) <= 0:
        return Shape(id="unclear", confidence=Confidence.HINT, doubt=_NOTHING)
    begun = from_start(series)
    if len(begun.samples) < SAMPLES_MIN:
        return Shape(id="unclear", confidence=Confidence.HINT, doubt=_few(begun))
    return _as_sure_as(series, _shape(begun, expected))


def _shape(series: Series, expected: float | None) -> Shape:
    if stall := stall_of(series):
        return _stalled(series, stall)
    dips = dips_of(series)
    if not _plunging(dips) and (growth := growth_of(series)):
        return _noisier(series, growth)
    if shape := _dipping(series, dips):
        return shape
    return _level(series, dips, expected)


def _level(series: Series, dips: Dips, expected: float | None) -> Shape:
    """What is left to tell where nothing comes again: whether the level changed, is low, fell for a while, or held."""
    falls = falls_of(series)
    fallen = {at for fall in falls for at in fall.places}
    if change := change_of(series, [index for index in dips.outside if series.places[index] not in fallen]):
        return _changed(series, change)
    level = usual_level(series.samples)
    if expected is not None and level < LOW_SHARE * expected:
        return Shape(
            id="flat_low",
            confidence=Confidence.CERTAIN,
            since=series.time(series.places[0]),
            drop_percent=_percent(1 - level / expected),
        )
    if falls:
        return Shape(id="unclear", confidence=Confidence.HINT, doubt=_passed(series, falls))
    return Shape(id="steady", confidence=Confidence.LIKELY)


def _stalled(series: Series, stall: Stall) -> Shape:
    return Shape(
        id="stall",
        confidence=Confidence.HINT if stall.silent else Confidence.CERTAIN,
        since=series.time(stall.since),
        drop_percent=_percent(1 - stall.left),
        doubt=_SILENT if stall.silent else None,
    )


def _noisier(series: Series, growth: Growth) -> Shape:
    return Shape(id="growing_noise", confidence=Confidence.LIKELY, since=series.time(growth.since))


def _plunging(found: Dips) -> bool:
    """Whether dips are so deep that growing noise cannot be what they are."""
    depths = [dip.depth for dip in _partial(found.stand_out)]
    return len(depths) >= DIPS_MIN and median(depths) >= max(COLLAPSE_DEPTH_MIN, COLLAPSE_SIGMAS * found.sigma)


def _dipping(series: Series, found: Dips) -> Shape | None:
    rhythm = (
        rhythm_of(_partial(found.stand_out), REGULAR_BY_CHANCE)
        or rhythm_of(found.stand_out, REGULAR_BY_CHANCE)
        or rhythm_of(_partial(found.all), REGULAR_BY_CHANCE_UNLIKE)
    )
    if rhythm:
        return _periodic(series, rhythm)
    deep = [dip for dip in found.stand_out if dip.depth >= max(COLLAPSE_DEPTH_MIN, COLLAPSE_DEPTH_SIGMAS * found.sigma)]
    if len(_partial(deep)) >= DIPS_MIN or len(deep) >= OUTAGES_MIN:
        return _collapsing(series, deep)
    return None


def _partial(dips: Sequence[Dip]) -> list[Dip]:
    """Without outages, which may be restarts."""
    return [dip for dip in dips if not dip.is_outage]


def _periodic(series: Series, rhythm: Rhythm) -> Shape:
    return Shape(
        id="periodic_dips",
        confidence=Confidence.CERTAIN,
        since=series.time(rhythm.dips[0].start),
        drop_percent=_percent(median(dip.depth for dip in rhythm.dips)),
        period_s=round(rhythm.period * series.step_s, 1),
        dips=tuple(_times(series, dip) for dip in rhythm.dips),
    )


def _collapsing(series: Series, dips: list[Dip]) -> Shape:
    return Shape(
        id="repeated_collapses",
        confidence=Confidence.CERTAIN if len(dips) > DIPS_MIN else Confidence.LIKELY,
        since=series.time(dips[0].start),
        drop_percent=_percent(median(dip.depth for dip in dips)),
        dips=tuple(_times(series, dip) for dip in dips),
    )


def _changed(series: Series, change: Change) -> Shape:
    return Shape(
        id=change.kind,
        confidence=Confidence.CERTAIN if change.margin > 2 * CHANGE_F else Confidence.LIKELY,
        since=series.time(change.since),
        drop_percent=_percent(change.drop),
    )


def _as_sure_as(series: Series, shape: Shape) -> Shape:
    """The shape, no surer than its samples allow."""
    if series.coverage < COVERAGE_MIN and shape.id != "stall":
        return replace(shape, confidence=Confidence.HINT, doubt=shape.doubt or _gappy(series))
    if len(series.samples) < SAMPLES_SURE:
        confidence = shape.confidence.at_most(Confidence.LIKELY)
        return replace(shape, confidence=confidence, doubt=shape.doubt or _few(series))
    return shape


def _few(series: Series) -> Text:
    count = len(series.samples)
    return Text(
        en=f"only {count} samples: ask for a longer window or a finer step",
        ko=f"표본이 {count}개뿐임: 더 긴 구간이나 더 촘촘한 간격으로 다시 확인",
    )


def _gappy(series: Series) -> Text:
    percent = round(100 * series.coverage)
    return Text(
        en=f"only {percent}% of the samples are there, and what is missing may be what happened",
        ko=f"표본이 {percent}%뿐이며, 빠진 부분에 문제가 있었을 수 있음",
    )


def _passed(series: Series, falls: Sequence[Fall]) -> Text:
    """What was seen of the longest."""
    fall = max(falls, key=lambda one: len(one.places))
    begin = moment(datetime.fromtimestamp(series.time(fall.places.start), UTC))
    hours = f"{len(fall.places) * series.step_s / 3600:.1f}"
    if not fall.seen:
        what = Text(en="there were no samples", ko="표본이 없었고")
    elif fall.seen < COVERAGE_MIN:
        what = Text(en=f"only {fall.seen:.0%} of the samples were there", ko=f"표본이 {fall.seen:.0%}만 있었고")
    else:
        what = Text(en=f"it was at {fall.left:.0%} of its usual level", ko=f"평소 수준의 {fall.left:.0%}였고")
    more = len(falls) - 1
    return Text(
        en=f"not steady: for {hours} hours from {begin} {what.en}, then it recovered"
        + (f"; shorter ones besides: {more}" if more else ""),
        ko=f"안정이 아님: {begin}부터 {hours}시간 동안 {what.ko} 그 뒤 회복됨"
        + (f". 더 짧은 경우도 {more}번 있음" if more else ""),
    )


_SILENT = Text(
    en="the end has no samples, rather than zeros: the job, only its exporter or the metrics source may have stopped",
    ko="끝부분은 0이 아니라 표본 자체가 없음. 작업이 멈췄거나 익스포터 또는 메트릭 소스만 멈췄을 수 있음",
)

_NOTHING = Text(
    en="every sample is zero: the metric counts nothing, or the job did no work in the whole window",
    ko="모든 표본이 0임: 지표가 아무것도 세지 않거나, 구간 내내 작업이 진행되지 않음",
)


def _times(series: Series, dip: Dip) -> tuple[float, float]:
    return series.time(dip.start), series.time(dip.end)


def _percent(share: float) -> float:
    return round(100 * share, 1)
