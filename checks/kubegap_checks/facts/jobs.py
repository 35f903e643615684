"""The objects that make the pods of a run, and those that hold the pods together when they are placed."""

from collections.abc import Mapping
from typing import ClassVar

from kubegap_checks.facts.read import Kind, Record


class RunObject(Record, frozen=True, kw_only=True):
    """What rules compare of every kind that makes the pods of a run.

    `pods` is how many it makes while it is whole. `on_failure` holds the fields that decide what happens when one of
    them fails, by their path in the object and as the API spells them, with the API's default where a field may be
    left out; signals/restarts.yaml says what each means. `owner` is the kind and name of the controller above.
    """

    namespace: str
    name: str
    pods: int
    on_failure: Mapping[str, str]
    elastic: bool = False
    owner: tuple[str, str] | None = None

    @property
    def kind(self) -> str:
        """As it stands in the `Run` of a pod."""
        return self.KIND.name


class Job(RunObject, frozen=True, kw_only=True):
    KIND: ClassVar[Kind] = Kind(name="Job", plural="jobs", group="batch", namespaced=True, workload=True)


class PyTorchJob(RunObject, frozen=True, kw_only=True):
    """`elastic` says that torchrun's agents meet again by themselves after one was lost."""

    KIND: ClassVar[Kind] = Kind(
        name="PyTorchJob", plural="pytorchjobs", group="kubeflow.org", namespaced=True, workload=True, page=100
    )


class JobSet(RunObject, frozen=True, kw_only=True):
    KIND: ClassVar[Kind] = Kind(
        name="JobSet",
        plural="jobsets",
        group="jobset.x-k8s.io",
        versions=("v1alpha2",),
        namespaced=True,
        workload=True,
        page=100,
    )


class LeaderWorkerSet(RunObject, frozen=True, kw_only=True):
    """`pods` is the size of one group: groups are copies that do not wait for each other."""

    KIND: ClassVar[Kind] = Kind(
        name="LeaderWorkerSet",
        plural="leaderworkersets",
        group="leaderworkerset.x-k8s.io",
        namespaced=True,
        workload=True,
        page=100,
    )


class VolcanoJob(RunObject, frozen=True, kw_only=True):
    KIND: ClassVar[Kind] = Kind(
        name="Job",
        plural="jobs",
        group="batch.volcano.sh",
        versions=("v1alpha1",),
        namespaced=True,
        workload=True,
        page=100,
    )

    @property
    def kind(self) -> str:
        return f"{self.KIND.name}.{self.KIND.group}"


class PodGroup(Record, frozen=True, kw_only=True):
    """Pods that a scheduler places together; `least` is how many of them it takes to start any."""

    namespace: str
    name: str
    least: int


class VolcanoPodGroup(PodGroup, frozen=True, kw_only=True):
    KIND: ClassVar[Kind] = Kind(
        name="PodGroup",
        plural="podgroups",
        group="scheduling.volcano.sh",
        versions=("v1beta1",),
        namespaced=True,
        workload=True,
    )


class CoschedulingPodGroup(PodGroup, frozen=True, kw_only=True):
    """Of the coscheduling plugin."""

    KIND: ClassVar[Kind] = Kind(
        name="PodGroup",
        plural="podgroups",
        group="scheduling.x-k8s.io",
        versions=("v1alpha1",),
        namespaced=True,
        workload=True,
    )


class KueueWorkload(Record, frozen=True, kw_only=True):
    """What Kueue lets in as a whole; `owner` is the kind and name of the object that it stands for."""

    KIND: ClassVar[Kind] = Kind(
        name="Workload",
        plural="workloads",
        group="kueue.x-k8s.io",
        versions=("v1beta2", "v1beta1"),
        namespaced=True,
        workload=True,
    )

    namespace: str
    name: str
    owner: tuple[str, str] | None = None
