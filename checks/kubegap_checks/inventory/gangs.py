"""Which pods of a run are placed together, and how many of them it takes."""

from collections import Counter
from collections.abc import Iterator, Mapping

from kubegap_checks.facts.derived import row_derived
from kubegap_checks.facts.jobs import CoschedulingPodGroup, KueueWorkload, PodGroup, VolcanoPodGroup
from kubegap_checks.facts.pods import Container, Pod
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.shelf import Shelf
from kubegap_checks.inventory.training import TrainingRun, workers
from kubegap_checks.signals.gangs import Group, gangs
from kubegap_checks.signals.workloads import owner_kind, ranges

GANG_KINDS = (VolcanoPodGroup, CoschedulingPodGroup, KueueWorkload)
_GROUPS: Mapping[Group, type[PodGroup]] = {"volcano": VolcanoPodGroup, "coscheduling": CoschedulingPodGroup}
_BUILT_IN = "default-scheduler"


class Gangs:
    """The gangs of a cluster; what could not be read is an UnreadError when it is needed."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._groups = {name: Shelf(facts, record, _name) for name, record in _GROUPS.items()}

    def too_small(self, run: TrainingRun) -> Iterator[tuple[PodGroup, int]]:
        """The groups that start with fewer pods than the run has in them, and how many it has."""
        members = Counter(
            (mark.group, pod.namespace, name)
            for pod in run.pods
            for mark in gangs()
            if mark.group and (name := mark.in_(pod.labels, pod.annotations))
        )
        for (group, namespace, name), count in members.items():
            found = self._groups[group].get((namespace, name))
            if found and 0 < found.least < count:  # at 0 it is not told: Volcano fills it in
                yield found, count

    def none_holds(self, run: TrainingRun) -> bool:
        """Whether the scheduler of Kubernetes places the pods, each by itself, and no queue lets them in as one.

        What a scheduler of its own does with pods is not for labels to say.
        """
        return not any(_is_held(pod) for pod in run.pods) and not any(
            load.namespace == run.run.namespace and load.owner and load.owner[1] == run.run.name
            for load in self._facts.seen(KueueWorkload)
        )


def _name(group: PodGroup) -> tuple[str, str]:
    return group.namespace, group.name


def _is_held(pod: Pod) -> bool:
    return (
        pod.scheduler not in {"", _BUILT_IN}
        or bool(pod.scheduling_group)
        or any(mark.in_(pod.labels, pod.annotations) for mark in gangs())
    )


def needs_all(run: TrainingRun) -> bool:
    """Whether the run waits until all of its pods are there: not one that scales, or that begins with fewer."""
    owner = owner_kind(run.run.kind)
    begins = (_begins_with_fewer(container) for pod in run.pods for container in workers(pod))
    return not (owner and owner.scales) and not any(begins)


@row_derived
def _begins_with_fewer(container: Container) -> bool:
    for row in ranges():
        for name, value in (container.env if row.sign == "env" else container.flags).items():
            least, _, most = (value or "").partition(":")
            if row.pattern.fullmatch(name) and most and least != most:
                return True
    return False
