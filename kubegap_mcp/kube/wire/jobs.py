"""Objects that make the pods of a run, as far as they say what happens when one fails."""

from kubegap_mcp.kube.wire.meta import Top, Wire


class FailureRule(Wire):
    action: str | None = None


class PodFailurePolicy(Wire):
    rules: list[FailureRule] | None = None


class PodTemplateSpec(Wire):
    restart_policy: str | None = None


class PodTemplate(Wire):
    spec: PodTemplateSpec | None = None


class JobSpec(Wire):
    parallelism: int | None = None
    backoff_limit: int | None = None
    pod_failure_policy: PodFailurePolicy | None = None


class Job(Top):
    spec: JobSpec | None = None


class ReplicaSpec(Wire):
    replicas: int | None = None
    restart_policy: str | None = None


class ElasticPolicy(Wire):
    """Only whether it is there."""


class PyTorchJobSpec(Wire):
    elastic_policy: ElasticPolicy | None = None
    pytorch_replica_specs: dict[str, ReplicaSpec] | None = None


class PyTorchJob(Top):
    spec: PyTorchJobSpec | None = None


class JobTemplate(Wire):
    spec: JobSpec | None = None


class ReplicatedJob(Wire):
    name: str | None = None
    replicas: int | None = None
    template: JobTemplate | None = None


class FailurePolicy(Wire):
    restart_strategy: str | None = None
    rules: list[FailureRule] | None = None


class JobSetSpec(Wire):
    replicated_jobs: list[ReplicatedJob] | None = None
    failure_policy: FailurePolicy | None = None


class JobSet(Top):
    spec: JobSetSpec | None = None


class LeaderWorkerTemplate(Wire):
    size: int | None = None
    restart_policy: str | None = None


class LeaderWorkerSetSpec(Wire):
    leader_worker_template: LeaderWorkerTemplate | None = None


class LeaderWorkerSet(Top):
    spec: LeaderWorkerSetSpec | None = None


class LifecyclePolicy(Wire):
    action: str | None = None
    event: str | None = None
    events: list[str] | None = None


class Task(Wire):
    name: str | None = None
    replicas: int | None = None
    template: PodTemplate | None = None
    policies: list[LifecyclePolicy] | None = None


class VolcanoJobSpec(Wire):
    tasks: list[Task] | None = None
    policies: list[LifecyclePolicy] | None = None


class VolcanoJob(Top):
    spec: VolcanoJobSpec | None = None


class PodGroupSpec(Wire):
    min_member: int | None = None


class PodGroup(Top):
    spec: PodGroupSpec | None = None


class Workload(Top):
    """Of Kueue."""
