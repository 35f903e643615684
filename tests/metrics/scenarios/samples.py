"""Two days of a cluster's metrics at five-minute steps, as OpenMetrics text for `promtool tsdb create-blocks-from`."""

import random
from collections.abc import Callable, Mapping
from typing import Final

from tests.whole_clusters.objects import NOW

STEP_S: Final = 300
STEPS: Final = 48 * 3600 // STEP_S
END: Final = int(NOW.timestamp())
START: Final = END - (STEPS - 1) * STEP_S

Value = float | Callable[[int], float | None]  # at a step; None where nothing was scraped
_TIMES = tuple(str(START + step * STEP_S) for step in range(STEPS))


def step_at(hours_ago: float) -> int:
    """The step that many hours before the end."""
    return STEPS - 1 - round(hours_ago * 3600 / STEP_S)


class Samples:
    """Series by metric; a series that is given again replaces the first, so that a story changes a healthy cluster."""

    def __init__(self, seed: int = 0) -> None:
        self.random = random.Random(seed)  # noqa: S311 (noise)
        self._series: dict[str, dict[tuple[tuple[str, str], ...], Value]] = {}

    def put(self, metric: str, labels: Mapping[str, str], value: Value) -> None:
        self._series.setdefault(metric, {})[tuple(sorted(labels.items()))] = value

    def drop(self, metric: str, after: int, **labels: str) -> None:
        """Nothing of these series was scraped after that step."""
        for found, value in self._series[metric].items():
            if labels.items() <= set(found):
                self._series[metric][found] = _until(after, value)

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(self._series)

    def noisy(self, mean: float, share: float) -> Callable[[int], float]:
        """A level with that share of noise, the same each time it is asked."""
        noise = [self.random.gauss(0, mean * share) for _ in range(96)]
        return lambda step: mean + noise[step % 96]

    def text(self) -> str:
        parts: list[str] = []
        for metric, series in self._series.items():
            parts.append(f"# TYPE {metric} unknown\n")
            for labels, value in series.items():
                parts.append(_lines(metric, labels, value))
        return "".join([*parts, "# EOF\n"])


def rising(per_hour: float, since: int = 0, start: float = 0.0) -> Callable[[int], float]:
    """A counter that rises evenly from that step on."""
    return lambda step: start + max(0, step - since) * per_hour * STEP_S / 3600


def _until(after: int, value: Value) -> Value:
    return lambda step: None if step > after else value(step) if callable(value) else value


def _lines(metric: str, labels: tuple[tuple[str, str], ...], value: Value) -> str:
    head = metric + "{" + ",".join(f'{name}="{text}"' for name, text in labels) + "} "
    if not callable(value):
        return head + f"\n{head}".join(f"{value:g} {time}" for time in _TIMES) + "\n"
    points = ((value(step), time) for step, time in enumerate(_TIMES))
    return "".join(f"{head}{point:.9g} {time}\n" for point, time in points if point is not None)
