"""What shows that nodes were tested before they trained: a job that comes back, and that ended well."""

from collections.abc import Iterable, Mapping

from tests.whole_clusters.objects import Object, ago, reached, thing
from tests.whole_clusters.parts.workloads import container


def cron_job(
    name: str, namespace: str, image: str, *, schedule: str = "0 3 * * *", labels: Mapping[str, str] | None = None
) -> Iterable[Object]:
    """One that ran last night, and its Job."""
    pod = {"restartPolicy": "Never", "priorityClassName": "burn-in", "containers": [container(name, image)]}
    work = {"backoffLimit": 1, "ttlSecondsAfterFinished": 172800, "template": {"spec": pod}}
    spec = {"schedule": schedule, "concurrencyPolicy": "Forbid", "suspend": False, "startingDeadlineSeconds": 300}
    spec |= {"successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 3, "jobTemplate": {"spec": work}}
    times = {"lastScheduleTime": ago(hours=9), "lastSuccessfulTime": ago(hours=8)}
    marks = labels or {}
    owner = thing("batch/v1/CronJob", name, namespace, labels=marks, spec=spec, status=times)
    yield owner
    done = {"succeeded": 1, "startTime": ago(hours=9), "completionTime": ago(hours=8)}
    done["conditions"] = [
        reached("SuccessCriteriaMet", "CompletionsReached"),
        reached("Complete", "CompletionsReached"),
    ]
    yield thing(
        "batch/v1/Job",
        f"{name}-29939220",
        namespace,
        labels=marks,
        owner=owner,
        spec=work | {"completions": 1},
        status=done,
    )


def nccl_test(
    site_nodes: int, resources: Mapping[str, int], namespace: str, image: str, name: str = "nccl-tests"
) -> Object:
    """kubeflow/mpi-operator:pkg/apis/kubeflow/v2beta1, finished yesterday over all nodes that were idle."""
    limits = {resource: str(count) for resource, count in resources.items()}
    pods = [container("worker", image, resources={"limits": limits, "requests": limits})]
    workers = {"replicas": site_nodes, "template": {"spec": {"containers": pods, "priorityClassName": "burn-in"}}}
    launch = container(
        "launcher", image, command=["mpirun", "/opt/nccl-tests/build/all_reduce_perf", "-b", "8", "-e", "8G"]
    )
    launcher = {"replicas": 1, "template": {"spec": {"containers": [launch]}}}
    spec = {"slotsPerWorker": 8, "runPolicy": {"cleanPodPolicy": "All"}, "mpiReplicaSpecs": {}}
    spec["mpiReplicaSpecs"] = {"Launcher": launcher, "Worker": workers}
    done = [reached("Created", "MPIJobCreated"), reached("Succeeded", "MPIJobSucceeded", since=ago(hours=30))]
    status = {"startTime": ago(hours=31), "completionTime": ago(hours=30), "conditions": done}
    return thing("kubeflow.org/v2beta1/MPIJob", name, namespace, created=ago(hours=31), spec=spec, status=status)
