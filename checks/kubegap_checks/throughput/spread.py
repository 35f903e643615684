"""Noise that grows while the level stays."""

import math
from dataclasses import dataclass
from statistics import median

from kubegap_checks.throughput.away import usual_level
from kubegap_checks.throughput.limits import NOISE_GROWTH, NOISE_GROWTH_FEW, NOISE_TREND
from kubegap_checks.throughput.robust import blocks, running_quantile, scale
from kubegap_checks.throughput.series import Series

_BLOCKS = 9
_SAMPLES_PER_BLOCK = 6
# The level that noise is measured against: narrow, so that plateaus of any kind are level and not noise.
_HALF = 4
# Noise that is no noise at all: the resolution of what a trainer prints.
_LEAST = 1e-6


@dataclass(frozen=True, slots=True)
class Growth:
    """`since` is the place from where on the spread stays above that of the beginning; `times` is its growth."""

    since: int
    times: float


def growth_of(series: Series) -> Growth | None:
    """How the noise grew: the median slope of its logarithm, which a few wild blocks do not move.

    What stands still has no noise, so that only samples at work count, where most are.
    """
    least = usual_level(series) / 2
    working = [at for at, value in enumerate(series.samples) if value >= least]
    if len(working) < len(series.samples) / 2:
        return None
    samples = [series.samples[at] for at in working]
    level = running_quantile(samples, _HALF, 0.5)
    off = [sample / middle - 1 if middle > 0 else 0.0 for sample, middle in zip(samples, level, strict=True)]
    parts = blocks(len(samples), max(3, min(_BLOCKS, len(samples) // _SAMPLES_PER_BLOCK)))
    spreads = [math.log(max(_LEAST, scale([off[at] for at in part]))) for part in parts]
    pairs = [(early, late) for late in range(len(spreads)) for early in range(late)]
    slope = median((spreads[late] - spreads[early]) / (late - early) for early, late in pairs)
    rises = sum((spreads[late] > spreads[early]) - (spreads[late] < spreads[early]) for early, late in pairs)
    times = math.exp(slope * (len(spreads) - 1))
    if times < NOISE_GROWTH + NOISE_GROWTH_FEW / math.sqrt(len(samples)) or rises < NOISE_TREND * len(pairs):
        return None
    calm = max(spreads[: max(1, len(spreads) // 4)])
    last_calm = max(at for at, spread in enumerate(spreads) if spread <= calm)
    since = working[parts[min(last_calm + 1, len(parts) - 1)].start]
    return Growth(series.places[since], times)
