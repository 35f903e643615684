"""What moved when throughput did: how well other signals line up with its onsets and recoveries.

Two things that move together may have a third cause, or one the other way round: this ranks where to look first.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from kubegap_checks.throughput.kinds import Shape
from kubegap_checks.throughput.robust import blocks
from kubegap_checks.throughput.series import Series

# A signal may come this much earlier or later: a rate over five minutes lags by as much. Our own choice; so many lags
# to either side are tried.
LAG_MOST_S = 600
_LAGS = 4
# Fewer aligned samples than this tell nothing.
_ALIGNED_MIN = 12
# A signal in line with a few samples of trouble may be so by chance: scores shrink by n / (n + this). Our own choice.
_FEW = 2.0
# What only drifts in the same direction is weak evidence, since so much drifts: its score reaches this at most.
_DRIFT_MOST = 0.5
# And this at most beside dips that do not get worse with it: memory that fills up has no onset of its own.
_DRIFT_BESIDE_MOST = 0.3
# It is at least this share of the signal's level: our own choice; below it any counter of bytes creeps.
_DRIFT_MIN = 0.05
_BLOCKS = 12
# What one in a hundred unrelated signals reaches, beside dips and beside a step: measured with 2,000 signals of noise
# that remembers its last value.
SCORE_MIN = 0.25
SCORE_TELLING = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """Another measured series; `name` and `subject` are what a person reads."""

    name: str
    subject: str
    series: Series


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """Moments at which something happened, as unix seconds: evictions, node changes."""

    name: str
    subject: str
    times: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Coincident:
    """`onset_lag_s` is the signal's time minus the throughput's, None where it has no onset of its own.

    `held` of `dips` moved with it; `last_held` is the end of the last one.
    """

    signal: str
    subject: str
    score: float
    onset_lag_s: float | None
    held: int = 0
    dips: int = 0
    last_held: float | None = None


@dataclass(frozen=True, slots=True)
class _Trouble:
    """Whether each place of the throughput is in trouble; `spells` are (first, behind last) places."""

    series: Series
    spells: tuple[tuple[int, int], ...]
    lasting: bool


def coincident(
    throughput: Series, shape: Shape, signals: Iterable[Signal], happenings: Iterable[Happening] = ()
) -> tuple[Coincident, ...]:
    """What moved with the shape, best first; empty for a shape without an onset."""
    trouble = _trouble(throughput, shape)
    if trouble is None:
        return ()
    gradual = shape.id in {"slow_decay", "growing_noise"}
    found = [_drift(trouble, signal) if gradual else _in_line_or_worse(trouble, signal) for signal in signals]
    if not gradual:
        found += [_at_onsets(trouble, happening) for happening in happenings]
    kept = [one for one in found if one is not None and one.score >= SCORE_MIN]
    return tuple(sorted(kept, key=lambda one: (-one.score, one.signal, one.subject)))


def _trouble(series: Series, shape: Shape) -> _Trouble | None:
    if shape.since is None or shape.id in {"flat_low", "steady", "unclear"}:
        return None
    size = len(series.values)
    dips = shape.dips or ((shape.since, series.time(size)),)
    spells = [
        (_place(series, begin), min(size, max(_place(series, begin) + 1, _place(series, end)))) for begin, end in dips
    ]
    return _Trouble(series, tuple(spells), lasting=not shape.dips)


def _place(series: Series, time: float) -> int:
    return round((time - series.started) / series.step_s)


def _in_line(trouble: _Trouble, signal: Signal) -> Coincident | None:
    """The best of all lags and both directions: how much of the signal's extreme time is the time of trouble."""
    step = trouble.series.step_s
    best: tuple[float, int, list[bool]] | None = None
    for lag in _lags(step):
        aligned = _aligned(trouble.series, signal.series, lag * step)
        for side in (1.0, -1.0):
            heights = [None if value is None else side * value for value in aligned]
            overlaps = _overlaps(trouble, heights)
            if overlaps is None:
                continue
            score = overlaps[0] * (_sharpness(trouble, heights) if len(trouble.spells) == 1 else 1.0)
            if best is None or score > best[0] + 1e-9:
                best = score, lag, overlaps[1]
    if best is None:
        return None
    score, lag, held = best
    ends = [trouble.series.time(end) for (_, end), one in zip(trouble.spells, held, strict=True) if one]
    return Coincident(
        signal=signal.name,
        subject=signal.subject,
        score=round(score, 2),
        onset_lag_s=float(lag * step),
        held=len(ends),
        dips=0 if trouble.lasting else len(held),
        last_held=ends[-1] if ends else None,
    )


def _lags(step_s: int) -> list[int]:
    """In steps, the smallest first."""
    stride = max(1, LAG_MOST_S // (_LAGS * step_s))
    reach = max(1, min(_LAGS, LAG_MOST_S // step_s))
    return sorted((stride * lag for lag in range(-reach, reach + 1)), key=abs)


def _aligned(series: Series, other: Series, lag_s: float) -> list[float | None]:
    """The other series' nearest value at each place of this one, `lag_s` later."""
    offset = (series.started + lag_s - other.started) / other.step_s
    ratio = series.step_s / other.step_s
    places = (round(offset + ratio * at) for at in range(len(series.values)))
    sampled = dict(zip(other.places, other.samples, strict=True))
    return [sampled.get(at) for at in places]


def _overlaps(trouble: _Trouble, heights: Sequence[float | None]) -> tuple[float, list[bool]] | None:
    """Of as many extreme samples as there are in trouble, the share that is in trouble, less what chance gives.

    And whether each spell is extreme. Equal samples at the edge count by their part.
    """
    seen = sorted((value for value in heights if value is not None), reverse=True)
    inside = [[value for value in heights[begin:end] if value is not None] for begin, end in trouble.spells]
    count = sum(len(values) for values in inside)
    if len(seen) < _ALIGNED_MIN or not 0 < count < len(seen) or seen[0] == seen[-1]:
        return None
    edge = seen[count - 1]
    above = bisect_left(seen, -edge, key=lambda value: -value)
    at_edge = sum(value == edge for value in seen)
    part = (count - above) / at_edge
    hits = sum((value > edge) + part * (value == edge) for values in inside for value in values)
    chance = count / len(seen)
    score = max(0.0, (hits / count - chance) / (1 - chance)) * count / (count + _FEW)
    high = (sum(value / count for value in seen[:count]) + seen[len(seen) // 2]) / 2
    return score, [bool(values) and median(values) > high for values in inside]


def _sharpness(trouble: _Trouble, heights: Sequence[float | None]) -> float:
    """How much of the difference is there right at the onset, and at the recovery: 1 for a step, next to 0 for a drift.

    Of many spells the overlap tells that well enough.
    """
    begin, end = trouble.spells[0]
    at_onset = _edge(heights[:begin], heights[begin:end])
    return at_onset if trouble.lasting else min(at_onset, _edge(heights[end:][::-1], heights[begin:end][::-1]))


def _edge(outside: Sequence[float | None], inside: Sequence[float | None]) -> float:
    """From what is before an edge to what is behind it."""
    width = max(4, min(len(outside), len(inside)) // 6)
    before, after = _median(outside), _median(inside)
    close, beyond = _median(outside[-width:]), _median(inside[:width])
    if before is None or after is None or close is None or beyond is None or after == before:
        return 0.0
    return max(0.0, min(1.0, (beyond - close) / (after - before)))


def _median(values: Sequence[float | None]) -> float | None:
    seen = [value for value in values if value is not None]
    return median(seen) if seen else None


def _in_line_or_worse(trouble: _Trouble, signal: Signal) -> Coincident | None:
    in_line = _in_line(trouble, signal)
    beside = () if trouble.lasting else (_worsening(trouble, signal), _all_along(trouble, signal))
    return max((one for one in (in_line, *beside) if one is not None), key=lambda one: one.score, default=None)


def _worsening(trouble: _Trouble, signal: Signal) -> Coincident | None:
    """Whether the signal went one way while more and more of the time was lost, as memory does that fills up."""
    size = len(trouble.series.values)
    parts = blocks(size, _BLOCKS)
    lost = [
        float(sum(max(0, min(end, part.stop) - max(begin, part.start)) for begin, end in trouble.spells))
        for part in parts
    ]
    return _weak(signal, lost, _levels(trouble, signal, parts))


def _all_along(trouble: _Trouble, signal: Signal) -> Coincident | None:
    """Whether the signal went one way through the whole window, dips or not."""
    parts = blocks(len(trouble.series.values), _BLOCKS)
    levels = _levels(trouble, signal, parts)
    seen = [level for level in levels if level is not None]
    if not seen or abs(seen[-1] - seen[0]) < _DRIFT_MIN * max(abs(seen[0]), abs(seen[-1])):
        return None
    return _weak(signal, [float(at) for at in range(len(parts))], levels, _DRIFT_BESIDE_MOST)


def _drift(trouble: _Trouble, signal: Signal) -> Coincident | None:
    """Whether the signal goes one way from the onset on, as the throughput does."""
    onset = trouble.spells[0][0]
    parts = [
        range(onset + part.start, onset + part.stop) for part in blocks(len(trouble.series.values) - onset, _BLOCKS)
    ]
    return _weak(signal, [float(at) for at in range(len(parts))], _levels(trouble, signal, parts))


def _levels(trouble: _Trouble, signal: Signal, parts: Sequence[range]) -> list[float | None]:
    aligned = _aligned(trouble.series, signal.series, 0)
    return [_median(aligned[part.start : part.stop]) for part in parts]


def _weak(
    signal: Signal, course: Sequence[float], levels: Sequence[float | None], most: float = _DRIFT_MOST
) -> Coincident | None:
    """How steadily the levels follow the course (Kendall's tau-b); drifts often agree, so it counts little."""
    seen = [(one, level) for one, level in zip(course, levels, strict=True) if level is not None]
    if len(seen) < _BLOCKS / 2:
        return None
    pairs = [(late[0] - early[0], late[1] - early[1]) for at, late in enumerate(seen) for early in seen[:at]]
    moved = sum(one != 0 for one, _ in pairs) * sum(level != 0 for _, level in pairs)
    agree = sum(_sign(one) * _sign(level) for one, level in pairs)
    score = most * max(0.0, 2 * abs(agree) / math.sqrt(moved) - 1) if moved else 0.0
    return Coincident(signal=signal.name, subject=signal.subject, score=round(score, 2), onset_lag_s=None)


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _at_onsets(trouble: _Trouble, happening: Happening) -> Coincident | None:
    """Of what happened, how much lies at an onset, and of the onsets, how many have it."""
    onsets = [trouble.series.time(begin) for begin, _ in trouble.spells]
    begin, end = trouble.series.time(0), trouble.series.time(len(trouble.series.values))
    times = sorted({time for time in happening.times if begin <= time < end})
    lags = [lag for onset in onsets if (lag := _nearest(times, onset)) is not None and abs(lag) <= LAG_MOST_S]
    if not lags:
        return None
    at_onset = sum(any(abs(time - onset) <= LAG_MOST_S for onset in onsets) for time in times)
    chance = min(1.0, len(times) * 2 * LAG_MOST_S / (end - begin))
    close = 1 - median(abs(lag) for lag in lags) / (2 * LAG_MOST_S)
    score = len(lags) / len(onsets) * at_onset / len(times) * close * (1 - chance)
    return Coincident(
        signal=happening.name,
        subject=happening.subject,
        score=round(max(0.0, score), 2),
        onset_lag_s=round(median(lags), 1),
        held=len(lags),
        dips=0 if trouble.lasting else len(onsets),
    )


def _nearest(times: Sequence[float], moment: float) -> float | None:
    return min((time - moment for time in times), key=abs, default=None)
