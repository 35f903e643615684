"""Whatever a series holds, it is given a shape in time: no number is beyond what measures bear, and none goes out."""

import math
from collections.abc import Callable
from random import Random

import pytest

from kubegap_checks.throughput.coincidence import Signal, coincident
from kubegap_checks.throughput.series import Series
from kubegap_checks.throughput.shape import shape_of

SIZES = (0, 1, 2, 5, 11, 12, 13, 20, 40, 60, 100, 289, 361)
# The smallest and the largest numbers there are, and some between.
UNITS = (1.0, 0.4, 1e6, 5e-324, 1e-310, 1e-300, 1e300, 1e308)


def _levels(dice: Random) -> Callable[[int], float]:
    state = [1.0]

    def value(_: int) -> float:
        if dice.random() < 0.02:
            state[0] = dice.random()
        return state[0] * dice.gauss(1, 0.01)

    return value


KINDS: tuple[Callable[[Random], Callable[[int], float | None]], ...] = (
    lambda dice: lambda _: dice.random(),
    lambda dice: lambda _: float(dice.choice((0, 1))),
    lambda dice: lambda _: dice.choice((None, 0.0, 1.0, math.nan, math.inf, -1.0)),
    lambda dice: lambda _: 1.0 if dice.random() < 0.98 else dice.choice((0.0, None, 1e6, -5.0)),
    lambda dice: lambda _: abs(dice.gauss(0, 1)) ** 5,
    lambda _: float,
    lambda dice: lambda _: None if dice.random() < 0.7 else dice.gauss(1, 0.1),
    _levels,
)


def _any(dice: Random) -> Series:
    size, unit, value = dice.choice(SIZES), dice.choice(UNITS), dice.choice(KINDS)(dice)
    seen = (value(at) for at in range(size))
    return Series(1.76e9, dice.choice((15, 60, 120, 1800)), tuple(None if one is None else one * unit for one in seen))


@pytest.mark.parametrize("seed", range(12))
def test_any_series_has_a_shape(seed: int):
    dice = Random(seed)  # noqa: S311 (drawn to be the same each time)
    for _ in range(60):
        series = _any(dice)
        silent = ((series.time(series.places[-1]), series.end),) if series.places and dice.random() < 0.2 else ()
        expected = dice.choice((None, None, 1.0, 1e-300, 1e300))
        shape = shape_of(series, expected, idle=dice.choice((0.05, 0.25)), silent=silent)
        assert shape.drop_percent is None or 0 <= shape.drop_percent <= 100
        assert shape.since is None or series.started <= shape.since <= series.end
        assert shape.period_s is None or shape.period_s > 0
        assert all(first < last <= series.end for first, last in shape.dips)
        for one in coincident(series, shape, [Signal(name="a", subject="b", series=_any(dice))]):
            assert 0 <= one.score <= 1


def test_falls_beside_each_other_are_walked_through_to_the_end():
    """One step after the last one, the nearest fall may be the same again."""
    dice = Random(3)  # noqa: S311
    values = [0.0 if at % 2 and dice.random() < 0.8 else 1.0 for at in range(361)]
    assert shape_of(Series(1.76e9, 1800, tuple(values))).id


@pytest.mark.parametrize("unit", [1e-310, 1e-150, 1.0, 1e150, 1e307])
def test_the_unit_of_a_series_says_nothing(unit: float):
    dice = Random(1)  # noqa: S311
    values = tuple(unit * (0.5 if 200 <= at < 400 else 1.0) * dice.gauss(1, 0.01) for at in range(720))
    shape = shape_of(Series(1.76e9, 120, values))
    assert (shape.id, shape.drop_percent) == ("passing_fall", pytest.approx(50, abs=1))
