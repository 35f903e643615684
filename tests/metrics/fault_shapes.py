"""What happens to a job, one function per shape: a story from the incident library, turned into a speed over time.

A case that a careful person could not label from the plot is not drawn: noise stays well below the loss, and a fault
has room to show.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from statistics import mean, median, pstdev

from tests.metrics.fault_stories import (
    COLLAPSES,
    DECLINE_LOSS,
    DECLINES,
    FLAT_LOSSES,
    GROWING_NOISE,
    RHYTHMS,
    STALLS,
    STEADY,
    STEP_LOSSES,
    Rhythm,
)
from tests.metrics.healthy_job import (
    MINUTE,
    Job,
    Restart,
    Speed,
    Spell,
    draw_job,
    draw_restart,
    full_speed,
    interrupted,
)

MOST_NOISE = 0.04


@dataclass(frozen=True)
class Fault:
    """What makes the shape. Losses are shares of the full speed; times are seconds from the start of the window."""

    job: Job
    what: str
    speed: Speed = full_speed
    since_s: float | None = None
    """None where nothing is wrong, or where it was so before the window began."""
    period_s: float | None = None
    loss: float | None = None
    noise_at_most: float = MOST_NOISE
    noise_at_least: float = 0.0
    noise_growth: Speed | None = None
    """Factor on the noise over time."""
    day_at_most: float = 0.02
    ends_s: float | None = None
    """The metric itself is gone from here on."""
    expected_is_known: bool = False


def steady(rng: Random) -> Fault:
    """Nothing wrong: noise, the day's swing, a warm-up, a restart, and at most two pauses.

    Checkpoint pauses belong to a steady job as long as they make no rhythm: BLOOM and IDEFICS saved every three hours
    (2021-bigscience-13b-checkpoint-bloat), which a short window sees once or twice. Pauses that come regularly are
    `periodic_dips`, however harmless.
    """
    job = draw_job(rng)
    # With the restarts two in all: more would be collapses to whoever looks.
    count = rng.choice((0, 0, 1, 2)) - len(job.restarts)
    pauses = [
        Spell(
            (part + rng.uniform(0, 0.15)) * job.window_s,
            min(rng.uniform(20, 180), 2.0 * job.step_s),
            rng.uniform(0.2, 1),
        )
        for part in sorted(rng.sample((0.15, 0.45, 0.75), max(0, count)))
    ]
    return Fault(job, rng.choice(STEADY), interrupted(pauses))


# Below it would be a matter of taste: 2024-bytedance-straggler-study calls a job straggling from 1.1 times its time,
# which is 9.1% less speed, and what is expected is known to 3% only.
FLAT_LOSS_AT_LEAST = 0.14


def flat_low(rng: Random) -> Fault:
    story = rng.choice(FLAT_LOSSES)
    job = draw_job(rng)
    loss = rng.uniform(story.least, story.most)
    # So deep that watts come down to those of an idle GPU: a person would think of a stall.
    if job.idle and loss > 0.6:
        loss = 0.6
    loss = max(loss, FLAT_LOSS_AT_LEAST / (1 - job.idle))
    return Fault(job, story.what, lambda _at: 1 - loss, loss=loss, expected_is_known=True)


def step_down(rng: Random) -> Fault:
    story = rng.choice(STEP_LOSSES)
    job = draw_job(rng)
    loss = rng.uniform(story.least, story.most)
    onset_s = rng.uniform(0.15, 0.80) * job.window_s
    job = _restarts_apart(job, onset_s, 0.08 * job.window_s)
    if story.joins_at_restart:
        restart = draw_restart(rng, onset_s, job.window_s)
        job = replace(job, restarts=tuple(sorted((*job.restarts, restart), key=lambda one: one.end_s)))
        onset_s = restart.end_s
    transition_s = rng.choice((0.0, rng.uniform(1, 8) * MINUTE))

    def speed(at: float) -> float:
        done = (at - onset_s) / transition_s if transition_s else float(at >= onset_s)
        return 1 - loss * min(1.0, max(0.0, done))

    # 149 to 140 can be seen in BLOOM's log since its iterations hardly differ from each other.
    return Fault(job, story.what, speed, onset_s, loss=loss, noise_at_most=loss / 7, day_at_most=loss / 8)


def repeated_collapses(rng: Random) -> Fault:
    story = rng.choice(COLLAPSES)
    job = draw_job(rng, least_hours=3)
    # At least two samples of the longest, and the collapsed state never the usual one.
    longest_s = min(max(story.minutes[1] * MINUTE, 2.0 * job.step_s), job.window_s / 30)
    shortest_s = min(max(story.minutes[0] * MINUTE, 1.5 * job.step_s), longest_s)
    # From the first hours on, as with SmolLM3, or out of a run that was long well.
    first_s = rng.choice((rng.uniform(0.03, 0.15), rng.uniform(0.15, 0.4))) * job.window_s
    count = rng.randint(*story.count)
    starts = _irregular_times(rng, job, count, first_s, apart_s=1.6 * longest_s + 2 * job.step_s)
    spells = [
        Spell(
            start,
            rng.uniform(shortest_s, longest_s),
            rng.uniform(*story.depth),
            recovery_s=rng.uniform(0.1, 0.3) * longest_s if story.gradual else 0.0,
        )
        for start in starts
    ]
    depth = median(spell.depth for spell in spells)
    return Fault(job, story.what, interrupted(spells), starts[0], loss=depth, noise_at_most=0.03)


def _irregular_times(rng: Random, job: Job, count: int, first_s: float, *, apart_s: float) -> list[float]:
    """`count` times, or as many as find room, that nobody would call regular, restarts counted in.

    At least four: three have two intervals, which may be equal by chance or not.
    """
    last_s = 0.93 * job.window_s
    count = max(4, min(count, int((last_s - first_s) / (2 * apart_s))))
    restarts = [restart.spell.start_s for restart in job.restarts]
    for attempt in range(10_000):
        fewer = max(4, count - attempt // 1_000)
        times = [first_s, *sorted(rng.uniform(first_s, last_s) for _ in range(fewer - 1))]
        if min(_intervals(times)) >= apart_s and _is_irregular(times) and _is_irregular(sorted(times + restarts)):
            return times
    raise ValueError(f"no room for {count} irregular times, {apart_s:.0f} s apart, in {last_s - first_s:.0f} s")


def _is_irregular(times: list[float]) -> bool:
    intervals = _intervals(times)
    return pstdev(intervals) >= 0.6 * mean(intervals)


def _intervals(times: list[float]) -> list[float]:
    return [later - earlier for earlier, later in pairwise(times)]


FEWEST_DIPS, MOST_DIPS = 5, 150
FEWEST_SAMPLES_IN_PERIOD = 5


def periodic_dips(rng: Random) -> Fault:
    while True:
        story = rng.choice(RHYTHMS)
        job = draw_job(rng)
        period_s = (
            rng.choice(story.period_s) if story.by_the_clock else rng.uniform(story.period_s[0], story.period_s[-1])
        )
        length_s = rng.uniform(*story.length_s)
        depth = rng.uniform(*story.depth)
        # From before the window, or from a time in it when the interval was set or the agent came.
        onset_s = rng.choice((0.0, 0.0, rng.uniform(0.15, 0.5))) * job.window_s
        # What a dip takes from the one sample that it falls into.
        seen = depth * min(1.0, length_s / job.step_s)
        starts = _beat(rng, story, job, period_s, onset_s)
        if (
            FEWEST_DIPS <= len(starts) <= MOST_DIPS
            and period_s >= FEWEST_SAMPLES_IN_PERIOD * job.step_s
            and seen >= 0.15
            and length_s <= 0.3 * period_s
        ):
            break
    dips = [Spell(start, length_s * rng.uniform(0.85, 1.15), depth) for start in starts]
    since_s = dips[0].start_s if onset_s else None
    # A dip that two samples share is half as deep in each.
    return Fault(job, story.what, interrupted(dips), since_s, period_s, loss=seen, noise_at_most=seen / 6)


def _beat(rng: Random, story: Rhythm, job: Job, period_s: float, onset_s: float) -> list[float]:
    """Starts of the dips. What counts steps goes a little unevenly, and begins its count anew after a restart."""
    starts: list[float] = []
    start = onset_s + rng.uniform(0.05, 0.95) * period_s
    while start < job.window_s:
        starts.append(start)
        following = start + period_s
        if not story.by_the_clock:
            following += rng.gauss(0, 0.012) * period_s
            resumed = [restart.end_s for restart in job.restarts if start <= restart.end_s < following]
            following = resumed[-1] + period_s if resumed else following
        start = following
    return starts


DECLINE_FORMS: tuple[Callable[[float], float], ...] = (
    lambda part: part,
    lambda part: (1 - math.exp(-2.2 * part)) / (1 - math.exp(-2.2)),
    lambda part: part**1.6,
)


def slow_decay(rng: Random) -> Fault:
    story = rng.choice(DECLINES)
    job = draw_job(rng, least_hours=6)
    loss = rng.uniform(*DECLINE_LOSS)
    form = rng.choice(DECLINE_FORMS)
    from_start = rng.random() < 0.5
    onset_s = 0.0 if from_start else rng.uniform(0.15, 0.45) * job.window_s
    if story.restart_cures:  # ranks start together again: with a restart in it, this would be a saw
        job = replace(job, restarts=tuple(restart for restart in job.restarts if restart.end_s < onset_s))

    def speed(at: float) -> float:
        return 1 - loss * form(max(0.0, at - onset_s) / (job.window_s - onset_s))

    since_s = None if from_start else onset_s
    return Fault(job, story.what, speed, since_s, loss=loss, noise_at_most=loss / 5, day_at_most=loss / 10)


FEWEST_SAMPLES_IN_FUNNEL = 240


def growing_noise(rng: Random) -> Fault:
    """Steps take now more, now less time, ever more so, as the launches of MegaScale's ranks did.

    The mean hardly moves, by 3% at most. Six times the noise at the end, and samples enough to fill the funnel, are
    what an eye sees without a ruler.
    """
    job = draw_job(rng, least_hours=3)
    while job.samples < FEWEST_SAMPLES_IN_FUNNEL:
        job = draw_job(rng, least_hours=3)
    growth = rng.uniform(6, 10)
    sag = rng.uniform(0, 0.03)
    from_start = rng.random() < 0.5
    onset_s = 0.0 if from_start else rng.uniform(0.15, 0.5) * job.window_s

    def grown(at: float) -> float:
        return max(0.0, at - onset_s) / (job.window_s - onset_s)

    return Fault(
        job,
        rng.choice(GROWING_NOISE),
        lambda at: 1 - sag * grown(at),
        None if from_start else onset_s,
        noise_at_most=0.011,
        noise_at_least=0.006,
        noise_growth=lambda at: 1 + (growth - 1) * grown(at),
        day_at_most=0.007,
    )


def stall(rng: Random) -> Fault:
    """To (almost) zero for good, or the metric ends.

    At least a fifth of the window shows it: 24 minutes of two hours. 2026-marin-nccl-silent-hang stood for 34 minutes
    until it was killed, BLOOM for three hours.
    """
    job = draw_job(rng)
    onset_s = rng.uniform(0.15, 0.80) * job.window_s
    kept = tuple(restart for restart in job.restarts if restart.end_s < onset_s - 0.08 * job.window_s)
    job = replace(job, restarts=kept)
    if rng.random() < 0.35:
        return Fault(job, rng.choice(STALLS), full_speed, onset_s, loss=1.0, ends_s=onset_s)
    left = rng.choice((0.0, 0.0, rng.uniform(0.002, 0.02)))
    return Fault(job, rng.choice(STALLS), lambda at: 1.0 if at < onset_s else left, onset_s, loss=1 - left)


def _restarts_apart(job: Job, from_s: float, by_s: float) -> Job:
    def apart(restart: Restart) -> bool:
        return abs(restart.spell.start_s - from_s) > by_s and abs(restart.end_s - from_s) > by_s

    return replace(job, restarts=tuple(filter(apart, job.restarts)))


_ALL = (steady, flat_low, step_down, repeated_collapses, periodic_dips, slow_decay, growing_noise, stall)
SHAPES: Mapping[str, Callable[[Random], Fault]] = {shape.__name__: shape for shape in _ALL}
