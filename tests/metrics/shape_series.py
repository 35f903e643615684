"""Labelled throughput series, drawn from what the incident library tells: the answers that a classifier is held to."""

import math
from dataclasses import dataclass
from random import Random

from tests.metrics.fault_shapes import SHAPES, Fault
from tests.metrics.healthy_job import Job, Speed, draw_day, draw_warm_up, full_speed, interrupted

# Moments of which a sample is the mean: a rate covers the whole step before it, so a short dip is diluted.
MOMENTS_PER_SAMPLE = 8


@dataclass(frozen=True)
class LabelledSeries:
    shape: str
    started: float
    """Unix time of the first sample."""
    step_s: int
    values: tuple[float | None, ...]
    """None where there is no sample."""
    expected: float | None
    """In the unit of the values, of an earlier run or of peers: within 3% of what the healthy job does."""
    since: float | None
    """Unix time at which the fault began. None where there is none, or where it began before the window."""
    period_s: float | None
    drop_percent: float | None
    """What is lost of the healthy value: for dips as one sample shows it, for collapses the median of their depths, for
    a decay all of it at the end of the window."""
    name: str
    """What it imitates, with the id of the incident, and the unit."""


def generate(seed: int) -> LabelledSeries:
    """The series of this seed. Its shape is `seed` modulo the number of shapes."""
    rng = Random(seed)  # noqa: S311  # test data, which must be the same again
    shape = tuple(SHAPES)[seed % len(SHAPES)]
    fault = SHAPES[shape](rng)
    job = fault.job
    return LabelledSeries(
        shape=shape,
        started=job.started,
        step_s=job.step_s,
        values=_observe(rng, fault),
        expected=_expected(rng, fault),
        since=None if fault.since_s is None else job.started + fault.since_s,
        period_s=fault.period_s,
        drop_percent=None if fault.loss is None else 100 * fault.loss * (1 - job.idle),
        name=f"{fault.what}; {job.unit.name}",
    )


def corpus(count: int = 240, seed: int = 0) -> tuple[LabelledSeries, ...]:
    """`count` series, the shapes in turn; two seeds share no series as long as `count` is under 100,000."""
    return tuple(generate(seed * 100_000 + index) for index in range(count))


def _expected(rng: Random, fault: Fault) -> float | None:
    if not fault.expected_is_known and rng.random() < 0.5:
        return None
    # Between runs of one configuration some percent are usual; all shapes but flat_low have to live with that.
    return fault.job.level * rng.uniform(0.97, 1.03)


def _observe(rng: Random, fault: Fault) -> tuple[float | None, ...]:
    job = fault.job
    speed = _together(
        fault.speed,
        draw_warm_up(rng, job),
        draw_day(rng, job, fault.day_at_most),
        interrupted([restart.spell for restart in job.restarts]),
    )
    noise = _noise(rng, fault)
    seen = _seen(rng, fault)
    values: list[float | None] = []
    for index in range(job.samples):
        share = job.idle + (1 - job.idle) * _over_step(job, speed, index)
        value = max(0.0, job.level * share * (1 + noise[index]))
        values.append(value if seen[index] else None)
    return tuple(values)


def _together(*speeds: Speed) -> Speed:
    slowing = [speed for speed in speeds if speed is not full_speed]
    return lambda at: math.prod(speed(at) for speed in slowing)


def _over_step(job: Job, speed: Speed, index: int) -> float:
    """Mean over the step that ends with this sample."""
    moments = (job.step_s * (index - (part + 0.5) / MOMENTS_PER_SAMPLE) for part in range(MOMENTS_PER_SAMPLE))
    return sum(map(speed, moments)) / MOMENTS_PER_SAMPLE


def _noise(rng: Random, fault: Fault) -> list[float]:
    """Relative noise per sample: 0.5% to 4%, often with a memory, now and then with single samples far out.

    A loss of 5% was plain in BLOOM's log (2022-bigscience-bloom-slow-gpu), so its noise was a percent or less. No
    record has the other end; some percent stand for batches of uneven length, as in 2024-bytedance-straggler-study.
    """
    job = fault.job
    sigma = max(fault.noise_at_least, min(0.005 * 8 ** rng.random(), fault.noise_at_most * (1 - job.idle)))
    # With much memory, much noise would wander like a fault of its own.
    memory = rng.choice((0.0, rng.uniform(0.2, 0.6), rng.uniform(0.6, 0.85) if sigma < 0.015 else 0.3))
    far_out = 0.02 if rng.random() < 0.15 else 0.0
    grow = fault.noise_growth
    if grow:  # with few independent samples, or some far out at its thin end, a funnel is none to the eye
        memory, far_out = min(memory, 0.3), 0.0
    noise: list[float] = []
    state = 0.0
    for index in range(job.samples):
        fresh = max(-3.0, min(3.0, rng.gauss(0, 1)))
        state = memory * state + math.sqrt(1 - memory * memory) * fresh
        scale = sigma * (grow(index * job.step_s) if grow else 1.0)
        noise.append(scale * (state * 3.5 if rng.random() < far_out else state))
    return noise


def _seen(rng: Random, fault: Fault) -> list[bool]:
    """Which samples exist: scrapes fail one by one or for a while, silent restarts and ended metrics have none."""
    job = fault.job
    lost_share = rng.choice((0.0, 0.0, 0.0, rng.uniform(0.002, 0.03)))
    seen = [rng.random() >= lost_share for _ in range(job.samples)]
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
        length = max(2, int(rng.uniform(0.01, 0.04) * job.samples))
        # A gap at the end could not be told from a metric that ended.
        start = rng.randrange(int(0.86 * job.samples))
        seen[start : start + length] = [False] * length
    return [exists and _is_reported(fault, index) for index, exists in enumerate(seen)]


def _is_reported(fault: Fault, index: int) -> bool:
    at = (index - 0.5) * fault.job.step_s
    if fault.ends_s is not None and at >= fault.ends_s:
        return False
    return not any(restart.hides(at) for restart in fault.job.restarts)
