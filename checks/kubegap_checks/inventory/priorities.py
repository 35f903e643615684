"""How training runs rank among the pods that may evict each other."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from kubegap_checks.facts.controllers import PriorityClass
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread, came
from kubegap_checks.inventory.training import TrainingRun, training_runs


class Ranked(Struct, frozen=True, kw_only=True):
    """A run by its lowest pod: the one that is evicted first stops all."""

    run: TrainingRun
    pod: Pod
    priority: int

    @property
    def path(self) -> str:
        return f"Pod[{self.pod.namespace}/{self.pod.name}].spec.priority"


def ranked_runs(facts: Facts) -> tuple[Sequence[Ranked], Sequence[Unread]]:
    """The runs that can be seen, but for those that are meant to give way; and what could not be read of them."""
    runs, unread = came(training_runs(facts))
    return [ranked for run in runs for ranked in _ranked(run)], unread


def _ranked(run: TrainingRun) -> Iterator[Ranked]:
    """One below zero, where pods without a class are, means to give way."""
    told = [(pod.priority, pod) for pod in run.pods if pod.priority is not None]
    if told:
        priority, pod = min(told, key=lambda item: item[0])
        if priority >= 0:
            yield Ranked(run=run, pod=pod, priority=priority)


def default_class(classes: Sequence[PriorityClass]) -> PriorityClass | None:
    """Of several defaults the API server takes the lowest.

    https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/#priorityclass
    """
    return min((row for row in classes if row.default), key=lambda row: row.value, default=None)
