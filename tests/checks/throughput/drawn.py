"""Series of every shape, drawn with a seed: what trainers and exporters report, with its dirt.

Each has noise with heavy tails that remembers its last value, samples that are missing, and at times the load of a
shared cluster over the day and one restart with its warm-up, none of which changes the shape.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from kubegap_checks.throughput.series import Series

STEPS = (15, 30, 60, 120, 300)
# tokens/s, samples/s, MFU, tensor activity, watts over a job: with the share of it that an idle GPU still shows.
UNITS = ((13_800.0, 0.0), (412.0, 0.0), (0.43, 0.0), (0.61, 0.0), (660.0, 0.14), (2.4e6, 0.0), (0.07, 0.0))
START = 1_760_000_000.0
HOUR = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """`since` and `period_s` are what was put in, where the shape has them."""

    label: str
    series: Series
    expected: float | None
    since: float | None = None
    period_s: float | None = None


@dataclass(slots=True, kw_only=True)
class Sheet:
    """A series under the pencil: `factor` is the share of the level at each step, before noise."""

    random: Random
    step_s: int
    hours: float
    factor: list[float]
    spread: list[float]
    since: int | None = None
    period_s: float | None = None

    @property
    def size(self) -> int:
        return len(self.factor)

    def steps_of(self, seconds: float) -> int:
        return max(1, round(seconds / self.step_s))


def draw(label: str, seed: int) -> Drawn:
    random = Random(f"{label} {seed}")  # noqa: S311 (drawn to be the same each time)
    step_s = random.choice(STEPS)
    hours = random.uniform(2, 48)
    size = int(hours * HOUR / step_s)
    sheet = Sheet(
        random=random,
        step_s=step_s,
        hours=hours,
        factor=[1.0] * size,
        spread=[random.uniform(0.004, 0.04)] * size,
    )
    SHAPES[label](sheet)
    if random.random() < 0.35:
        _diurnal(sheet)
    level, idle = random.choice(UNITS)
    restart = random.random() < 0.35 and label != "stall"
    values = _with_noise(sheet, level, idle)
    if restart:
        _restart(sheet, values, level * idle)
    _gaps(sheet, values)
    expected = _expected(label, level, random)
    if label == "flat_low":
        share = random.uniform(0.4, 0.86)
        values = [value if value is None else value * share for value in values]
    return Drawn(
        label=label,
        series=Series(started=START, step_s=step_s, values=tuple(values)),
        expected=expected,
        since=None if sheet.since is None else START + sheet.since * step_s,
        period_s=sheet.period_s,
    )


def _expected(label: str, level: float, random: Random) -> float | None:
    if label == "flat_low":
        return level * random.uniform(0.99, 1.02)
    return level * random.uniform(0.97, 1.03) if random.random() < 0.4 else None


def _steady(sheet: Sheet) -> None:
    """Nothing happens."""


def _step_down(sheet: Sheet) -> None:
    sheet.since = int(sheet.size * sheet.random.uniform(0.12, 0.88))
    least = max(0.06, 2.5 * sheet.spread[0])
    drop = sheet.random.uniform(least, 0.6)
    for index in range(sheet.since, sheet.size):
        sheet.factor[index] *= 1 - drop


def _slow_decay(sheet: Sheet) -> None:
    sheet.since = int(sheet.size * sheet.random.choice((0.0, 0.0, 0.2, 0.4)))
    least = max(0.08, 3.5 * sheet.spread[0])
    drop = sheet.random.uniform(least, 0.55)
    bend = sheet.random.choice((0.8, 1.0, 1.0, 1.4))
    for index in range(sheet.since, sheet.size):
        sheet.factor[index] *= 1 - drop * ((index - sheet.since) / (sheet.size - sheet.since)) ** bend


def _repeated_collapses(sheet: Sheet) -> None:
    random = sheet.random
    at = sheet.steps_of(random.uniform(0.02, 0.35) * sheet.size * sheet.step_s)
    count = random.randint(3, 14)
    rest = (sheet.size - at) / count
    for _ in range(count):
        length = max(2, min(sheet.steps_of(random.uniform(120, 2700)), int(rest * 0.3)))
        if at + length + 1 >= sheet.size:
            break
        sheet.since = at if sheet.since is None else sheet.since
        _hollow(sheet, at, length, random.uniform(0.25, 0.92), ramp=random.random() < 0.4)
        at += 2 * length + max(2, round(random.uniform(0.3, 1.6) * (rest - 2 * length)))


def _periodic_dips(sheet: Sheet) -> None:
    random = sheet.random
    least = max(7 * sheet.step_s, 300)
    most = max(least * 1.3, sheet.hours * HOUR / 4.5)
    sheet.period_s = math.exp(random.uniform(math.log(least), math.log(most)))
    depth = random.uniform(max(0.12, 5 * sheet.spread[0]), 0.95)
    width_s = random.uniform(1, min(0.25 * sheet.period_s / sheet.step_s, 900 / sheet.step_s + 1)) * sheet.step_s
    phase = random.uniform(0, sheet.period_s)
    moment = phase
    while moment < sheet.size * sheet.step_s:
        at = int((moment + random.gauss(0, 0.02 * sheet.period_s)) / sheet.step_s)
        if 0 <= at < sheet.size:
            sheet.since = at if sheet.since is None else sheet.since
            _hollow(sheet, at, max(1, round(width_s / sheet.step_s)), depth * random.uniform(0.85, 1.0), ramp=False)
        moment += sheet.period_s


def _growing_noise(sheet: Sheet) -> None:
    first = sheet.random.uniform(0.005, 0.015)
    last = first * sheet.random.uniform(5, 12)
    bend = sheet.random.choice((1.0, 1.0, 2.0))
    one_sided = sheet.random.random() < 0.3
    for index in range(sheet.size):
        share = (index / sheet.size) ** bend
        sheet.spread[index] = first + (last - first) * share
        if one_sided:
            sheet.factor[index] *= 1 - abs(sheet.random.gauss(0, 1)) * sheet.spread[index]
            sheet.spread[index] = first


def _stall(sheet: Sheet) -> None:
    length = max(6, int(sheet.size * sheet.random.uniform(0.05, 0.6)))
    sheet.since = sheet.size - length
    for index in range(sheet.since, sheet.size):
        sheet.factor[index] = 0.0


SHAPES: dict[str, Callable[[Sheet], None]] = {
    "steady": _steady,
    "flat_low": _steady,
    "step_down": _step_down,
    "slow_decay": _slow_decay,
    "repeated_collapses": _repeated_collapses,
    "periodic_dips": _periodic_dips,
    "growing_noise": _growing_noise,
    "stall": _stall,
}


def _hollow(sheet: Sheet, at: int, length: int, depth: float, *, ramp: bool) -> None:
    back = length if ramp else 0
    for offset in range(length + back):
        if at + offset < sheet.size:
            filled = 0.0 if offset < length else (offset - length + 1) / (back + 1)
            sheet.factor[at + offset] *= 1 - depth * (1 - filled)


def _diurnal(sheet: Sheet) -> None:
    swing = sheet.random.uniform(0.004, 0.02)
    phase = sheet.random.uniform(0, 2 * math.pi)
    for index in range(sheet.size):
        sheet.factor[index] *= 1 + swing * math.sin(2 * math.pi * index * sheet.step_s / (24 * HOUR) + phase)


def _with_noise(sheet: Sheet, level: float, idle: float) -> list[float | None]:
    random = sheet.random
    memory = random.choice((0.0, 0.0, 0.3, 0.6, 0.8))
    heavy = random.random() < 0.5
    values: list[float | None] = []
    last = 0.0
    for factor, spread in zip(sheet.factor, sheet.spread, strict=True):
        fresh = random.gauss(0, 1)
        if heavy:  # a t distribution of four degrees of freedom, with the variance of the normal one
            fresh /= math.sqrt(random.gammavariate(2, 2) / 4) * math.sqrt(2)
        last = memory * last + math.sqrt(1 - memory**2) * fresh
        working = max(0.0, factor * (1 + spread * last))
        values.append(level * (idle + (1 - idle) * working))
    return values


def _restart(sheet: Sheet, values: list[float | None], idle: float) -> None:
    random = sheet.random
    away = min(sheet.steps_of(random.uniform(180, 2400)), sheet.size // 8)
    warm = min(sheet.steps_of(random.uniform(60, 900)), sheet.size // 12)
    at = random.randint(int(sheet.size * 0.1), int(sheet.size * 0.75))
    silent = random.random() < 0.5
    for index in range(at, at + away):
        values[index] = None if silent else idle
    for offset in range(warm):
        value = values[at + away + offset]
        if value is not None:
            values[at + away + offset] = value * (0.4 + 0.6 * (offset + 1) / (warm + 1))


def _gaps(sheet: Sheet, values: list[float | None]) -> None:
    random = sheet.random
    if random.random() < 0.5:
        missing = random.uniform(0, 0.06)
        values[:] = [None if random.random() < missing else value for value in values]
    for _ in range(random.choice((0, 0, 1, 2))):
        length = min(sheet.steps_of(random.uniform(60, 2400)), sheet.size // 12)
        at = random.randint(0, int(sheet.size * 0.85))
        values[at : at + length] = [None] * length
