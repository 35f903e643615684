"""Curves that nobody would draw and everybody has: each by its name, what it is, and what may be said of it.

A curve is a value, or None, for each minute of the 24 hours before now (of seven days for those in WEEK).
"""

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Value = Callable[[int], float | None]

DAY = 24 * 60
WEEK_DAYS = 7


@dataclass(frozen=True)
class Odd:
    """`shapes` are what it may be called; `says` stands in the first notes, unless empty."""

    value: Value
    shapes: str
    confidence: str = ""
    says: str = ""


def noisy(level: float, seed: int = 1, noise: float = 0.01) -> Value:
    dice = random.Random(seed)  # noqa: S311 (noise)
    factors = [dice.gauss(1, noise) for _ in range(WEEK_DAYS * DAY + 1)]
    return lambda at: level * factors[at]


WORK = noisy(100)


def times(factor: Callable[[int], float], work: Value = WORK) -> Value:
    return lambda at: (work(at) or 0) * factor(at)


def within(begin: int, end: int, inside: float, outside: float = 1.0) -> Value:
    return times(lambda at: inside if begin <= at < end else outside)


def only(seen: Callable[[int], bool], value: Value = WORK) -> Value:
    return lambda at: value(at) if seen(at) else None


def drawn_at_random(seed: int, draw: Callable[[random.Random], float]) -> Value:
    return lambda at: 100 * max(0.0, draw(random.Random(seed * 100_000 + at)))  # noqa: S311 (noise)


def _walk() -> Value:
    dice, level, values = random.Random(5), 100.0, []  # noqa: S311 (noise)
    for _ in range(DAY + 1):
        level = max(5.0, level + dice.gauss(0, 1))
        values.append(level)
    return values.__getitem__


def _day(at: int) -> float:
    return at / DAY * 2 * math.pi


ODD: Mapping[str, Odd] = {
    # Values that are no numbers, or no throughput.
    "nan_every_other": Odd(lambda at: math.nan if at % 2 else WORK(at), "steady", "likely"),
    "infinite_now_and_then": Odd(lambda at: math.inf if at % 97 == 0 else WORK(at), "steady", "likely"),
    "minus_one_all_the_time": Odd(lambda _: -1, "unclear", "hint", "values are below zero, as -1 for unknown"),
    "minus_one_while_idle": Odd(lambda at: -1 if 400 < at < 700 else WORK(at), "unclear", "hint", "no samples"),
    "zeros": Odd(lambda _: 0, "unclear", "hint", "every sample is zero"),
    "zeros_with_blips": Odd(lambda at: 50 if at % 240 == 0 else 0, "unclear", "hint"),
    "huge": Odd(noisy(1e300), "steady", "likely"),
    "tiny": Odd(noisy(1e-300), "steady", "likely"),
    # Few samples, and gaps.
    "one_sample": Odd(only(lambda at: at > DAY - 2), "unclear", "hint", "only 1 sample:"),
    "twenty_minutes": Odd(only(lambda at: at > DAY - 20), "unclear", "hint", "only 4 samples"),
    "gaps_at_both_ends": Odd(
        only(lambda at: 70 < at < DAY - 8), "steady", "likely", "where work begins; before, there are no"
    ),
    "late_begin": Odd(only(lambda at: at > 300), "steady", "likely", "where work begins; before, there are no samples"),
    "scraped_every_ten_minutes": Odd(only(lambda at: at % 10 == 0), "steady", "likely"),
    "missing_in_the_middle": Odd(only(lambda at: not 300 < at < 900), "unclear", "hint", "there were no samples"),
    # Values that do not move.
    "constant": Odd(lambda _: 100, "steady", "likely"),
    "frozen": Odd(lambda at: WORK(at) if at < 1200 else 101.5, "unclear", "hint", "every sample is exactly the same"),
    "rounded_to_two_digits": Odd(lambda at: round((WORK(at) or 0) * 0.0043, 2), "steady", "likely"),
    # Spikes and rises.
    "giant_spike": Odd(within(500, 501, 1000), "steady", "likely"),
    "giant_spike_of_20_minutes": Odd(within(500, 520, 10), "unclear", "hint", "it was higher, at"),
    "rise_of_two_hours": Odd(within(500, 620, 10), "unclear", "hint", "it was higher, at"),
    "step_up": Odd(within(700, DAY + 1, 1.5), "unclear", "hint", "from the window's begin"),
    "slow_rise": Odd(times(lambda at: 1 + 0.3 * at / DAY), "unclear", "hint"),
    "ramp_at_first": Odd(times(lambda at: min(1, max(0.06, at / 360))), "unclear", "hint", "from the window's begin"),
    # Falls.
    "half_for_19_hours": Odd(within(60, 1200, 0.5), "passing_fall", "certain", "for 19.0 hours from"),
    "a_fifth_for_23_hours": Odd(within(30, 1410, 0.2), "passing_fall", "certain", "for 23.0 hours from"),
    "a_third_to_the_end": Odd(within(40, DAY + 1, 0.3), "step_down", "hint", "is there for 40 minutes only"),
    "a_tenth_to_the_end": Odd(within(40, DAY + 1, 0.1), "step_down", "hint", "is there for 40 minutes only"),
    "fell_just_now": Odd(within(DAY - 24, DAY + 1, 0.5), "unclear", "hint", "too short to tell whether that passes"),
    "two_minutes_out": Odd(within(500, 502, 0), "steady", "likely", "short falls that passed: 1"),
    "v": Odd(times(lambda at: 1 - 0.5 * max(0, 1 - abs(at - 720) / 400)), "passing_fall"),
    "stairs": Odd(times(lambda at: 1 - 0.1 * min(4, at // 300)), "slow_decay"),
    "exponential": Odd(times(lambda at: math.exp(-at / 500)), "slow_decay", "certain"),
    "stalled_for_16_minutes": Odd(within(DAY - 16, DAY + 1, 0), "stall", "certain"),
    "stalled_and_just_back": Odd(within(DAY - 300, DAY - 4, 0), "passing_fall", "hint", "its last sample is back"),
    "fell_and_then_stalled": Odd(
        times(lambda at: 1 if at < 400 else 0.6 if at < 1300 else 0), "stall", "certain", "a step down by"
    ),
    # What comes again.
    "five_minutes_on_five_off": Odd(times(lambda at: at // 5 % 2), "repeated_collapses periodic_dips unclear"),
    "restarts_each_hour": Odd(times(lambda at: at % 60 >= 6), "periodic_dips repeated_collapses"),
    "half_every_other_three_hours": Odd(times(lambda at: 0.5 if at // 180 % 2 else 1), "periodic_dips", "likely"),
    "saw": Odd(times(lambda at: 1 - 0.2 * (at % 400) / 400), "slow_decay", "likely", "it starts anew at times"),
    # The day.
    "day_of_5_percent": Odd(times(lambda at: 1 + 0.05 * math.sin(_day(at))), "steady", "hint", "it moves by 10%"),
    "day_of_20_percent": Odd(times(lambda at: 1 + 0.2 * math.sin(_day(at))), "unclear", "hint", "it moves by 40%"),
    # Noise of other kinds.
    "half_as_wide_as_high": Odd(drawn_at_random(2, lambda dice: dice.gauss(1, 0.5)), "unclear", "hint", "not steady"),
    "lognormal": Odd(drawn_at_random(3, lambda dice: dice.lognormvariate(0, 1)), "unclear", "hint", "not steady"),
    "random_walk": Odd(_walk(), "unclear slow_decay step_down passing_fall"),
}

WEEK: Mapping[str, Odd] = {
    "weekend": Odd(times(lambda at: 1.15 if at // DAY in {2, 3} else 1), "unclear", "hint", "it was higher, at 115%"),
    "business_hours": Odd(times(lambda at: 540 <= at % DAY < 1080), "periodic_dips stall", ""),
    "nights_without_samples": Odd(only(lambda at: at % DAY >= 420), "unclear", "hint", "shorter ones besides: 5"),
    "day_of_20_percent": Odd(times(lambda at: 1 + 0.2 * math.sin(_day(at))), "unclear", "hint", "it moves by"),
    "half_for_19_hours": Odd(within(6 * DAY, 6 * DAY + 1140, 0.5), "passing_fall", "certain", "for 19.0 hours from"),
}
