"""What the picture shows and where, in pixels: the curve, when it changed, its dips, and the level expected of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Literal

from kubegap_checks.throughput.kinds import Shape
from kubegap_checks.throughput.series import Series

WIDTH, HEIGHT = 640, 240
LEFT, RIGHT, TOP, BOTTOM = 64, 12, 30, 26
_ROOM_ABOVE = 1.08
_TITLE_LETTERS = 84

Role = Literal["curve", "axis", "since", "expected", "dip"]


@dataclass(frozen=True, slots=True)
class Line:
    role: Role
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Band:
    """From top to bottom of the plot."""

    role: Role
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Label:
    """`anchor` is the point beside which the text begins, is centred or ends; y is its baseline."""

    text: str
    x: float
    y: float
    anchor: Literal["start", "middle", "end"] = "start"
    role: Role = "axis"


@dataclass(frozen=True, slots=True)
class Scene:
    bands: tuple[Band, ...]
    lines: tuple[Line, ...]
    labels: tuple[Label, ...]


def scene_of(series: Series, shape: Shape, *, title: str, expected: float | None = None) -> Scene:
    """The scene for a series; the title is data that a cluster chose and is drawn as text, cut to one line."""
    plot = _Plot(series, expected)
    since = [] if shape.since is None else [_upright("since", plot.x(shape.since))]
    level = (
        [] if expected is None else [Line("expected", ((LEFT, plot.y(expected)), (WIDTH - RIGHT, plot.y(expected))))]
    )
    axes = (
        Line("axis", ((LEFT, TOP), (LEFT, HEIGHT - BOTTOM))),
        Line("axis", ((LEFT, HEIGHT - BOTTOM), (WIDTH - RIGHT, HEIGHT - BOTTOM))),
    )
    return Scene(
        bands=tuple(Band("dip", plot.x(begin), max(plot.x(begin) + 1, plot.x(end))) for begin, end in shape.dips),
        lines=(*axes, *level, *(Line("curve", run) for run in plot.runs()), *since),
        labels=tuple(_labels(series, shape, plot, title, expected)),
    )


class _Plot:
    """Places times and values; the scale begins at zero, so that a small drop looks small."""

    def __init__(self, series: Series, expected: float | None) -> None:
        self.series = series
        self.top = max([*series.samples, expected or 0.0, 0.0]) * _ROOM_ABOVE or 1.0

    def x(self, time: float) -> float:
        share = (time - self.series.started) / max(1, self.series.span_s)
        return round(LEFT + min(1.0, max(0.0, share)) * (WIDTH - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        return round(HEIGHT - BOTTOM - max(0.0, value) / self.top * (HEIGHT - BOTTOM - TOP), 1)

    def runs(self) -> Iterator[tuple[tuple[float, float], ...]]:
        """The curve, broken where samples are missing; of many samples in one pixel the lowest and the highest."""
        placed = [(round(self.x(self.series.time(at))), value) for at, value in enumerate(self.series.values)]
        columns = [
            (x, [value for _, value in group if value is not None]) for x, group in groupby(placed, lambda p: p[0])
        ]
        for seen, run in groupby(columns, lambda column: bool(column[1])):
            if seen:
                points = [point for x, values in run for point in self._column(x, values)]
                alone = [(x + 1, y) for x, y in points if len(points) == 1]
                yield (*points, *alone)

    def _column(self, x: float, values: Sequence[float]) -> list[tuple[float, float]]:
        first, last = self.y(values[0]), self.y(values[-1])
        extremes = sorted({self.y(max(values)), self.y(min(values))} - {first, last}, reverse=first > last)
        return [(x, y) for y in dict.fromkeys([first, *extremes, last])]


def _labels(series: Series, shape: Shape, plot: _Plot, title: str, expected: float | None) -> Iterator[Label]:
    yield Label(title[:_TITLE_LETTERS], LEFT, TOP - 14)
    yield Label(_number(plot.top / _ROOM_ABOVE), LEFT - 4, plot.y(plot.top / _ROOM_ABOVE) + 4, "end")
    yield Label("0", LEFT - 4, HEIGHT - BOTTOM + 4, "end")
    yield Label(_moment(series.started), LEFT, HEIGHT - 8)
    yield Label(_moment(series.started + series.span_s), WIDTH - RIGHT, HEIGHT - 8, "end")
    if expected is not None:
        yield Label("expected", WIDTH - RIGHT, plot.y(expected) - 3, "end", "expected")
    if shape.since is not None:
        x = plot.x(shape.since)
        anchor: Literal["start", "end"] = "end" if x > WIDTH / 2 else "start"
        yield Label(f"since {_moment(shape.since)}", x + (4 if anchor == "start" else -4), TOP - 2, anchor, "since")


def _upright(role: Role, x: float) -> Line:
    return Line(role, ((x, TOP), (x, HEIGHT - BOTTOM)))


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"  # noqa: PLR2004 (three digits in both cases)


def _moment(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%m-%d %H:%MZ")
