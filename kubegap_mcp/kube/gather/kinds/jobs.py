"""Objects that make the pods of a run -> what happens when one of them fails."""

from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

from kubegap_checks.facts import jobs as facts
from kubegap_mcp.foreign.clean import Names
from kubegap_mcp.kube.gather.fields import key, name, value
from kubegap_mcp.kube.gather.kind import gathers, keep_name
from kubegap_mcp.kube.gather.lenient import Losses, first
from kubegap_mcp.kube.wire import jobs as wire
from kubegap_mcp.kube.wire.meta import Meta, Top

W = TypeVar("W", bound=Top)

_PARTS: Final = 1000
_OWNERS: Final = 80
# https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/job-v1/
_BACKOFF_LIMIT: Final = 6
# kubeflow/training-operator:pkg/apis/kubeflow.org/v1/pytorch_types.go, PyTorchJobDefaultRestartPolicy
_PYTORCH_POLICY: Final = "OnFailure"
# kubernetes-sigs/lws:api/leaderworkerset/v1/leaderworkerset_types.go, the default of the CRD
_GROUP_POLICY: Final = "RecreateGroupOnPodRestart"
# Restarts the containers of all pods together, and has the Jobs never give up: kubernetes-sigs/jobset:pkg/webhooks
_IN_PLACE: Final = "InPlaceRestart"
# volcano-sh/apis:pkg/apis/bus/v1alpha1/events.go, those that come when a pod is lost
_LOST: Final = frozenset({"*", "PodFailed", "PodEvicted"})
_ALWAYS: Final = "Always"  # what the API server makes of a pod without a policy


def keep_owner(item: W, names: Names, losses: Losses) -> W:  # noqa: ARG001 (what every kind's reduce takes)
    meta = item.metadata
    item.metadata = Meta(name=meta.name, namespace=meta.namespace, owner_references=meta.owner_references)
    return item


def build_job(job: wire.Job, losses: Losses) -> facts.Job:  # noqa: ARG001
    spec = job.spec or wire.JobSpec()
    return facts.Job(
        namespace=name(job.metadata.namespace),
        name=name(job.metadata.name),
        pods=_one(spec.parallelism),
        on_failure=dict(_retries("spec", spec)),
    )


def _retries(path: str, spec: wire.JobSpec) -> Iterator[tuple[str, str]]:
    """How often a Job makes a pod again, unless a policy has it fail as a whole at the first."""
    policy = spec.pod_failure_policy or wire.PodFailurePolicy()
    if not any(rule.action == "FailJob" for rule in policy.rules or ()):
        yield f"{path}.backoffLimit", str(_BACKOFF_LIMIT if spec.backoff_limit is None else spec.backoff_limit)


def build_pytorchjob(job: wire.PyTorchJob, losses: Losses) -> facts.PyTorchJob:  # noqa: ARG001
    spec = job.spec or wire.PyTorchJobSpec()
    replicas = spec.pytorch_replica_specs or {}
    return facts.PyTorchJob(
        namespace=name(job.metadata.namespace),
        name=name(job.metadata.name),
        pods=sum(_one(part.replicas) for part in replicas.values()),
        on_failure={
            key(f"spec.pytorchReplicaSpecs[{kind}].restartPolicy"): value(part.restart_policy) or _PYTORCH_POLICY
            for kind, part in replicas.items()
        },
        elastic=spec.elastic_policy is not None,
    )


def build_jobset(made: wire.JobSet, losses: Losses) -> facts.JobSet:
    spec = made.spec or wire.JobSetSpec()
    jobs = first(_PARTS, spec.replicated_jobs, losses)
    return facts.JobSet(
        namespace=name(made.metadata.namespace),
        name=name(made.metadata.name),
        pods=sum(_one(job.replicas) * _one(_spec(job).parallelism) for job in jobs),
        on_failure=dict(_of_jobset(spec, jobs)),
        owner=_owner(made.metadata, losses),
    )


def _of_jobset(spec: wire.JobSetSpec, jobs: Sequence[wire.ReplicatedJob]) -> Iterator[tuple[str, str]]:
    policy = spec.failure_policy or wire.FailurePolicy()
    if sum(_one(job.replicas) for job in jobs) > 1:
        for place, rule in enumerate(policy.rules or ()):
            yield f"spec.failurePolicy.rules[{place}].action", value(rule.action)
    if policy.restart_strategy != _IN_PLACE:
        for job in jobs:
            yield from _retries(key(f"spec.replicatedJobs[{job.name}].template.spec"), _spec(job))


def _spec(job: wire.ReplicatedJob) -> wire.JobSpec:
    return (job.template or wire.JobTemplate()).spec or wire.JobSpec()


def build_group(made: wire.LeaderWorkerSet, losses: Losses) -> facts.LeaderWorkerSet:  # noqa: ARG001
    template = (made.spec or wire.LeaderWorkerSetSpec()).leader_worker_template or wire.LeaderWorkerTemplate()
    policy = value(template.restart_policy) or _GROUP_POLICY
    return facts.LeaderWorkerSet(
        namespace=name(made.metadata.namespace),
        name=name(made.metadata.name),
        pods=_one(template.size),
        on_failure={"spec.leaderWorkerTemplate.restartPolicy": policy},
    )


def build_volcano(job: wire.VolcanoJob, losses: Losses) -> facts.VolcanoJob:
    spec = job.spec or wire.VolcanoJobSpec()
    tasks = first(_PARTS, spec.tasks, losses)
    return facts.VolcanoJob(
        namespace=name(job.metadata.namespace),
        name=name(job.metadata.name),
        pods=sum(task.replicas or 0 for task in tasks),
        on_failure=dict(_of_volcano(spec, tasks)),
    )


def _of_volcano(spec: wire.VolcanoJobSpec, tasks: Sequence[wire.Task]) -> Iterator[tuple[str, str]]:
    """The actions of the policies; where a task has none, only the kubelet answers, by the policy of its pods."""
    common = dict(_actions("spec", spec.policies))
    yield from common.items()
    for task in tasks:
        path = f"spec.tasks[{task.name}]"
        own = dict(_actions(path, task.policies))
        yield from own.items()
        if not own and not common:
            pod = (task.template or wire.PodTemplate()).spec or wire.PodTemplateSpec()
            yield key(f"{path}.template.spec.restartPolicy"), value(pod.restart_policy) or _ALWAYS


def _actions(path: str, policies: list[wire.LifecyclePolicy] | None) -> Iterator[tuple[str, str]]:
    for policy in policies or ():
        for event in {policy.event, *(policy.events or ())} & _LOST:
            yield key(f"{path}.policies[{event}].action"), value(policy.action)


def build_podgroup_of_volcano(group: wire.PodGroup, losses: Losses) -> facts.VolcanoPodGroup:  # noqa: ARG001
    return facts.VolcanoPodGroup(
        namespace=name(group.metadata.namespace), name=name(group.metadata.name), least=_least(group)
    )


def build_podgroup(group: wire.PodGroup, losses: Losses) -> facts.CoschedulingPodGroup:  # noqa: ARG001
    return facts.CoschedulingPodGroup(
        namespace=name(group.metadata.namespace), name=name(group.metadata.name), least=_least(group)
    )


def _least(group: wire.PodGroup) -> int:
    return (group.spec or wire.PodGroupSpec()).min_member or 0


def build_workload(load: wire.Workload, losses: Losses) -> facts.KueueWorkload:
    return facts.KueueWorkload(
        namespace=name(load.metadata.namespace),
        name=name(load.metadata.name),
        owner=_owner(load.metadata, losses),
    )


def _owner(meta: Meta, losses: Losses) -> tuple[str, str] | None:
    owners = [owner for owner in first(_OWNERS, meta.owner_references, losses) if owner.controller]
    return (value(owners[0].kind), name(owners[0].name)) if owners else None


def _one(count: int | None) -> int:
    return 1 if count is None else count


GATHERERS: Final = (
    gathers(facts.Job, wire.Job, keep_name, build_job),
    gathers(facts.PyTorchJob, wire.PyTorchJob, keep_name, build_pytorchjob),
    gathers(facts.JobSet, wire.JobSet, keep_owner, build_jobset),
    gathers(facts.LeaderWorkerSet, wire.LeaderWorkerSet, keep_name, build_group),
    gathers(facts.VolcanoJob, wire.VolcanoJob, keep_name, build_volcano),
    gathers(facts.VolcanoPodGroup, wire.PodGroup, keep_name, build_podgroup_of_volcano),
    gathers(facts.CoschedulingPodGroup, wire.PodGroup, keep_name, build_podgroup),
    gathers(facts.KueueWorkload, wire.Workload, keep_owner, build_workload),
)
