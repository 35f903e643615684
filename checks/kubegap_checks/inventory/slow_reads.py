"""When reads of a run took far longer than they usually do: from the disks of its nodes, and from its filesystems."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median

from kubegap_checks.facts.metrics import DiskLatency, Measured
from kubegap_checks.facts.pods import Pod
from kubegap_checks.inventory.courses import Points, above, middle, minutes, peak, warmed_up
from kubegap_checks.inventory.training import TrainingRun
from kubegap_checks.signals.thresholds import threshold

Courses = Mapping[tuple[str, str], DiskLatency]  # (node, quantity) -> its course


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowReads:
    """The points of a course at which a read took far longer than `usual` (seconds)."""

    row: Measured
    points: Points
    usual: float
    writes_known: bool = True

    @property
    def minutes(self) -> int:
        return minutes(self.row, self.points)

    @property
    def peak(self) -> float:
        return peak(self.points)


def courses(rows: Iterable[DiskLatency]) -> Courses:
    return {(row.node, row.quantity): row for row in rows}


def slow_nodes(run: TrainingRun, measured: Courses, *, whole: bool) -> Iterator[tuple[str, SlowReads]]:
    """The nodes of a run on which reads were slow, other than while a lot was written.

    Slow beside what is usual on the node, or, where the `whole` run was seen, on its other nodes if that is less: a
    disk may be slow all the time.
    """
    pods: dict[str, list[Pod]] = {}
    for pod in run.pods:
        pods.setdefault(pod.node, []).append(pod)
    rows = {node: row for node in pods if (row := measured.get((node, "disk_read_latency")))}
    usual = {node: value for node, row in rows.items() if (value := middle(row.points)) is not None}
    compares = whole and len(usual) > threshold("disk_read_peers").value
    common = [median(usual.values())] if compares else []
    for node, own in usual.items():
        writes = measured.get((node, "disk_writes"))
        found = _slow(rows[node], pods[node], min([own, *common]), writes)
        if found:
            yield node, found


def slow_filesystem(run: TrainingRun, row: Measured) -> SlowReads | None:
    usual = middle(row.points)
    return None if usual is None else _slow(row, run.pods, usual, None)


def _slow(row: Measured, pods: Iterable[Pod], usual: float, writes: Measured | None) -> SlowReads | None:
    limit = max(threshold("disk_read_floor").value / 1e3, threshold("disk_read_times").value * usual)
    under_way = warmed_up(row.points, pods, threshold("disk_read_warm_up").value)
    points = above(under_way, limit, but_at=_bursts(writes.points) if writes else ())
    found = SlowReads(row=row, points=points, usual=usual, writes_known=writes is not None)
    return found if found.minutes >= threshold("disk_read_minutes").value else None


def _bursts(points: Points) -> frozenset[float]:
    """When far more was written than usual: a checkpoint, an image that is pulled, a backup."""
    usual = middle(points) or 0
    limit = max(threshold("disk_write_burst").value * 1e6, threshold("disk_read_times").value * usual)
    return frozenset(at for at, _ in above(points, limit))
