"""What grew in the memory of a run's containers, hour after hour: memory that processes share, or private memory."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from kubegap_checks.facts.metrics import ContainerMemory
from kubegap_checks.facts.pods import Container, Pod
from kubegap_checks.inventory.training import TrainingRun, workers
from kubegap_checks.signals.quantities import group
from kubegap_checks.signals.thresholds import threshold

Memory = Mapping[tuple[str, str, str], Mapping[str, float]]  # (namespace, pod, container) -> quantity -> bytes

_RECENT_HOURS = 2  # of working_set_recent_growth


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """How far the memory of a container grew within the window, in bytes.

    `shared` is what neither private memory nor page cache explains; `cache_known` says whether the page cache was
    measured, without which files that are mapped and read look the same.
    """

    pod: Pod
    container: Container
    total: float
    private: float
    shared: float
    now: float
    cache_known: bool

    @property
    def is_shared(self) -> bool:
        return self.shared > self.private

    @property
    def bytes(self) -> float:
        return max(self.shared, self.private)

    @property
    def hours_left(self) -> float | None:
        """Until the memory limit is reached at this pace; None where there is none."""
        limit, window = self.container.memory_limit, group(ContainerMemory.KIND.plural).window_hours
        return None if limit is None else (limit - self.now) * window / self.total


def by_container(rows: Iterable[ContainerMemory]) -> Memory:
    found: dict[tuple[str, str, str], dict[str, float]] = {}
    for row in rows:
        found.setdefault((row.namespace, row.pod, row.container), {})[row.quantity] = row.value
    return found


def growths(run: TrainingRun, memory: Memory, *, cache_known: bool) -> Iterator[Growth]:
    """The workers of a run whose memory grows by more than is let pass, and steadily."""
    for pod in run.pods:
        for container in workers(pod):
            grown = memory.get((pod.namespace, pod.name, container.name), {})
            growth = _growth(pod, container, grown, cache_known=cache_known)
            if _is_much(growth.bytes) and _is_steady(grown) and _is_mapped(growth, grown):
                yield growth


def _growth(pod: Pod, container: Container, grown: Mapping[str, float], *, cache_known: bool) -> Growth:
    total = grown.get("working_set_growth", 0)
    private = min(total, grown.get("rss_growth", 0))
    return Growth(
        pod=pod,
        container=container,
        total=total,
        private=private,
        shared=total - private - grown.get("active_file_growth", 0),
        now=grown.get("working_set", 0),
        cache_known=cache_known,
    )


def _is_steady(grown: Mapping[str, float]) -> bool:
    """Neither a warm-up that has levelled off nor a buffer that was just filled."""
    even = grown["working_set_growth"] * _RECENT_HOURS / group(ContainerMemory.KIND.plural).window_hours
    times = threshold("memory_growth_pace").value
    return even / times <= grown.get("working_set_recent_growth", 0) <= even * times


def _is_mapped(growth: Growth, grown: Mapping[str, float]) -> bool:
    """Where the page cache is not known, memory counts as shared only as far as it is mapped."""
    if growth.cache_known or not growth.is_shared:
        return True
    return _is_much(grown.get("mapped_file_growth", 0))


def _is_much(size: float) -> bool:
    return size >= threshold("memory_growth").value * 1e9
