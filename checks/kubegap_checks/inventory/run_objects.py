"""The object that makes the pods of a training run."""

from collections.abc import Mapping
from functools import cached_property

from kubegap_checks.facts.derived import row_derived
from kubegap_checks.facts.jobs import Job, JobSet, LeaderWorkerSet, PyTorchJob, RunObject, VolcanoJob
from kubegap_checks.facts.pods import Container, Pod
from kubegap_checks.facts.read import Facts, Unread, UnreadError
from kubegap_checks.inventory.shelf import Shelf
from kubegap_checks.inventory.training import TrainingRun, workers
from kubegap_checks.signals.workloads import regroups
from kubegap_checks.text import Text

_KINDS: Mapping[str, type[RunObject]] = {
    "Job": Job,
    "PyTorchJob": PyTorchJob,
    "JobSet": JobSet,
    "LeaderWorkerSet": LeaderWorkerSet,
    "Job.batch.volcano.sh": VolcanoJob,
}
RUN_OBJECTS = tuple(_KINDS.values())


class RunObjects:
    """The objects of runs by the name that pods give them."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def of(self, run: TrainingRun) -> RunObject | None:
        """None for a run of a kind that is not looked at; UnreadError where the object is not to be seen."""
        shelf = self._shelves.get(run.run.kind)
        if shelf is None:
            return None
        found = shelf.get((run.run.namespace, run.run.name))
        if found is None:
            raise UnreadError(_gone(run))
        return found

    @cached_property
    def _shelves(self) -> Mapping[str, Shelf[RunObject]]:
        return {kind: Shelf(self._facts, record, _name) for kind, record in _KINDS.items()}


def _name(made: RunObject) -> tuple[str, str]:
    return made.namespace, made.name


def meets_again(pod: Pod) -> bool:
    """Whether the processes of the pod find each other again by themselves after one was lost."""
    return any(map(_meets_again, workers(pod)))


@row_derived
def _meets_again(container: Container) -> bool:
    return any(
        row.pattern.fullmatch(name) and value and row.value.fullmatch(value)
        for row in regroups()
        for name, value in (container.env if row.sign == "env" else container.flags).items()
    )


def _gone(run: TrainingRun) -> Unread:
    return Unread(
        what=Text(en=f"the object {run.subject}", ko=f"{run.subject} 객체"),
        reason="invalid",
        remedy=Text(
            en="ask again: its pods run, and the list does not hold it",
            ko="다시 조회: 이 객체의 파드는 있는데 목록에는 없음",
        ),
    )
