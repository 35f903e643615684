"""Least squares over a handful of columns: enough for a level, the day's swing and one change."""

from collections.abc import Sequence
from operator import mul

Column = Sequence[float]
# A pivot smaller than this share of its column means that the column says nothing new.
_SINGULAR = 1e-9


def squares_left(columns: Sequence[Column], values: Sequence[float]) -> tuple[float, list[float]]:
    """The sum of squares that the best mix of the columns leaves, and the mix; a column that adds nothing has 0."""
    size = len(columns)
    rows = [
        [_dot(left, right) for right in columns] + [_dot(left, values)]  # the normal equations
        for left in columns
    ]
    scales = [rows[at][at] or 1.0 for at in range(size)]
    for at in range(size):
        if abs(rows[at][at]) <= _SINGULAR * scales[at]:
            rows[at] = [0.0] * (size + 1)
            continue
        rows[at] = [cell / rows[at][at] for cell in rows[at]]
        for other in range(size):
            if other != at:
                times = rows[other][at]
                rows[other] = [cell - times * own for cell, own in zip(rows[other], rows[at], strict=True)]
    mix = [row[-1] for row in rows]
    rest = list(values)
    for part, column in zip(mix, columns, strict=True):
        rest = [value - part * own for value, own in zip(rest, column, strict=True)]
    return _dot(rest, rest), mix


def _dot(left: Column, right: Column) -> float:
    return float(sum(map(mul, left, right)))
