"""The course of a quantity over its window: what of it falls into a run, and for how long it stood above a limit."""

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from statistics import median

from kubegap_checks.facts.metrics import Measured
from kubegap_checks.facts.pods import Pod
from kubegap_checks.signals.quantities import quantity
from kubegap_checks.text import moment

Points = Sequence[tuple[float, float]]  # (unix seconds, value), by time


def middle(points: Points) -> float | None:
    """The median, which a few spikes do not move; None of nothing."""
    return median(value for _, value in points) if points else None


def warmed_up(points: Points, pods: Iterable[Pod], minutes: float) -> Points:
    """The points from so many minutes after the oldest of these pods was made; one that is replaced starts no run.

    Before, images are pulled, data is read for the first time, and workers fill their buffers.
    """
    made = min((pod.created for pod in pods if pod.created), default=None)
    begin = (made + timedelta(minutes=minutes)).timestamp() if made else 0.0
    return [(at, value) for at, value in points if at >= begin]


def above(points: Points, limit: float, but_at: Collection[float] = ()) -> Points:
    return [(at, value) for at, value in points if value >= limit and at not in but_at]


def minutes(row: Measured, points: Points) -> int:
    """How long these points of a course last."""
    return len(points) * quantity(row.quantity).step_minutes


def peak(points: Points) -> float:
    return max(value for _, value in points)


def first(points: Points) -> str | None:
    return moment(datetime.fromtimestamp(points[0][0], UTC))
