"""A training job before anything is wrong with it: its unit and level, its restarts, and the speed that they leave.

Times are seconds from the start of the window; a speed is the share of the job's full speed, 0 to 1.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

MINUTE = 60.0
HOUR = 3600.0

Speed = Callable[[float], float]


@dataclass(frozen=True)
class Unit:
    name: str
    least: float
    most: float
    idle: tuple[float, float] = (0.0, 0.0)
    """What is still measured of a job that stands: nothing of its progress, but a GPU without work draws power."""


UNITS = (
    Unit("tokens/s per GPU", 8_000, 14_000),  # 2025-huggingface-smollm3-throughput: 3B on H100
    Unit("samples/s", 40, 2_500),
    Unit("MFU", 0.30, 0.55),  # 2023-bytedance-megascale-mfu-decay: 55.2% after all improvements
    Unit("TFLOPs per GPU", 120, 155),  # 2022-bigscience-bloom-slow-gpu: 149 when healthy
    Unit("tensor activity", 0.25, 0.60),
    Unit("watts per A100", 280, 390, idle=(50, 65)),
    Unit("watts per H100", 550, 690, idle=(70, 120)),
)
WINDOW_HOURS = (2, 3, 4, 6, 8, 12, 18, 24, 36, 48)
STEPS_S = (15, 30, 60, 120, 300)
# Below, a plot shows too little to name a shape. Above, nobody asks one range query for it: Prometheus ends at 11,000
# points per series, and dashboards choose a wider step long before.
FEWEST_SAMPLES, MOST_SAMPLES = 60, 2_880


@dataclass(frozen=True)
class Spell:
    """A while at lower speed: `depth` of the full speed is lost, and comes back at once or as an exponential."""

    start_s: float
    length_s: float
    depth: float
    recovery_s: float = 0.0

    def speed(self, at: float) -> float:
        after = at - self.start_s - self.length_s
        if after < 0:
            return 1 - self.depth
        return 1 - self.depth * math.exp(-after / self.recovery_s) if self.recovery_s else 1.0


@dataclass(frozen=True)
class Restart:
    spell: Spell
    silent: bool
    """The trainer's own metric ends with its process; a metric of the GPU, or a rate, reads zero instead."""

    @property
    def end_s(self) -> float:
        return self.spell.start_s + self.spell.length_s

    def hides(self, at: float) -> bool:
        return self.silent and self.spell.start_s <= at < self.end_s


@dataclass(frozen=True)
class Job:
    unit: Unit
    level: float
    """In the unit, at full speed."""
    idle: float
    """Share of the level that is measured while the job stands."""
    started: float
    """Unix time."""
    step_s: int
    samples: int
    restarts: tuple[Restart, ...]

    @property
    def window_s(self) -> float:
        return float(self.step_s * self.samples)


def draw_job(rng: Random, *, least_hours: int = 2) -> Job:
    unit = rng.choice(UNITS)
    level = rng.uniform(unit.least, unit.most)
    window_s, step_s = _draw_window(rng, least_hours)
    return Job(
        unit=unit,
        level=level,
        idle=rng.uniform(*unit.idle) / level,
        started=float(rng.randrange(1_760_000_000, 1_790_000_000)),
        step_s=step_s,
        samples=int(window_s // step_s),
        restarts=draw_restarts(rng, window_s),
    )


def _draw_window(rng: Random, least_hours: int) -> tuple[float, int]:
    fitting = [
        (hours * HOUR, step_s)
        for hours in WINDOW_HOURS
        for step_s in STEPS_S
        if hours >= least_hours and FEWEST_SAMPLES <= hours * HOUR / step_s <= MOST_SAMPLES
    ]
    return rng.choice(fitting)


def draw_restarts(rng: Random, window_s: float) -> tuple[Restart, ...]:
    """One restart in a third of the jobs, two in some that are watched for a day or more.

    2024-meta-llama3-405b-interruptions counts one every three hours, on 16,384 GPUs; so many would be a shape of their
    own. 2023-bytedance-megascale-nic-flapping is back at work within 15 minutes, and
    2026-lablup-b200-nfs-rpc-slots needs 33 minutes on average to load a checkpoint.
    """
    count = 0 if rng.random() > 0.35 else 2 if window_s >= 24 * HOUR and rng.random() < 0.4 else 1
    # A restart at the very end has no recovery to be known by, and would be a stall to whoever looks.
    starts = sorted(rng.uniform(0.07, 0.86) * window_s for _ in range(count))
    if count == 2 and starts[1] - starts[0] < 0.15 * window_s:
        starts.pop()
    return tuple(draw_restart(rng, start, window_s) for start in starts)


def draw_restart(rng: Random, start_s: float, window_s: float) -> Restart:
    length_s = min(rng.uniform(3, 35) * MINUTE, 0.06 * window_s)
    # Speed returns over minutes: workers fill their buffers, caches are cold, kernels are tuned anew.
    return Restart(Spell(start_s, length_s, 1.0, recovery_s=rng.uniform(20, 240)), silent=rng.random() < 0.5)


def draw_warm_up(rng: Random, job: Job) -> Speed:
    """In two of five jobs the window begins with the job itself: compilation and cold caches, for some minutes."""
    if rng.random() > 0.4:
        return full_speed
    recovery_s = min(rng.uniform(1, 8) * MINUTE, 0.03 * job.window_s)
    return Spell(-float(job.step_s), 0.0, rng.uniform(0.3, 0.9), recovery_s).speed


def draw_day(rng: Random, job: Job, at_most: float) -> Speed:
    """A swing over the day, in each second job.

    2024-meta-llama3-405b-interruptions: 1-2% between night and noon, from heat. A shared cluster may double that, which
    is drawn only where the window holds the whole day: half a wave of 4% would pass for a decline.
    """
    if rng.random() < 0.5:
        return full_speed
    amplitude = min(rng.uniform(0.005, 0.02 if job.window_s >= 24 * HOUR else 0.01), at_most)
    phase = rng.uniform(0, math.tau)
    return lambda at: 1 + amplitude * math.sin(math.tau * at / (24 * HOUR) + phase)


def full_speed(_at: float) -> float:
    return 1.0


def interrupted(spells: Sequence[Spell]) -> Speed:
    """The speed with these spells, which follow each other in time."""
    if not spells:
        return full_speed
    starts = [spell.start_s for spell in spells]

    def speed(at: float) -> float:
        last = bisect_right(starts, at) - 1
        return spells[last].speed(at) if last >= 0 else 1.0

    return speed
