"""One run, owned by what each platform's people use; each form restarts all workers together."""

from collections.abc import Iterable, Mapping
from typing import Any

from tests.whole_clusters.objects import Object, ago, reached, thing
from tests.whole_clusters.parts.queueing import QUEUE, admitted
from tests.whole_clusters.parts.site import Site
from tests.whole_clusters.parts.training import STAY, budget, trainer_spec, trainers
from tests.whole_clusters.parts.workloads import container, running, template

QUEUED = {"kueue.x-k8s.io/queue-name": QUEUE, "kueue.x-k8s.io/priority-class": "training"}


def pytorchjob(
    site: Site, annotations: Mapping[str, str] = STAY, pod: Object | None = None, **spec: Any
) -> Iterable[Object]:
    """kubeflow/training-operator:pkg/apis/kubeflow.org/v1; torchrun's elastic agents meet again after a loss."""
    pod, count = pod or trainer_spec(site, restartPolicy="OnFailure", **spec), len(site.trains_on)
    elastic = {"rdzvBackend": "c10d", "minReplicas": count, "maxReplicas": count, "maxRestarts": 100, "nProcPerNode": 8}
    policy = {"cleanPodPolicy": "None", "backoffLimit": 100, "suspend": False}
    workers = {"replicas": count, "restartPolicy": "OnFailure", "template": {"metadata": {}, "spec": pod}}
    wanted = {"elasticPolicy": elastic, "runPolicy": policy, "pytorchReplicaSpecs": {"Worker": workers}}
    status = {"conditions": _running("JobCreated", "JobRunning"), "replicaStatuses": {"Worker": {"active": count}}}
    job = thing("kubeflow.org/v1/PyTorchJob", site.run, site.team, labels=QUEUED, spec=wanted, status=status)
    yield job
    yield admitted(site, job, count)
    labels = {
        "training.kubeflow.org/job-name": site.run,
        "training.kubeflow.org/operator-name": "pytorchjob-controller",
    }
    labels |= {"training.kubeflow.org/replica-type": "worker"}
    yield from trainers(job, pod, site.trains_on, labels, "training.kubeflow.org/replica-index", annotations)


def mpijob(site: Site, annotations: Mapping[str, str] = STAY, **spec: Any) -> Iterable[Object]:
    """kubeflow/mpi-operator:pkg/apis/kubeflow/v2beta1; a launcher that fails starts mpirun over all workers again."""
    pod, count = trainer_spec(site, restartPolicy="Always", **spec), len(site.trains_on)
    policy = {"cleanPodPolicy": "Running", "backoffLimit": 100, "suspend": False}
    mpirun = container("launcher", "registry.example.com/llm/train:v1.14.2", command=["mpirun", "python", "train.py"])
    starts = template({"training.kubeflow.org/job-role": "launcher"}, [mpirun], restartPolicy="OnFailure")
    launcher = {"replicas": 1, "restartPolicy": "OnFailure", "template": starts}
    workers = {"replicas": count, "template": {"metadata": {"annotations": dict(annotations)}, "spec": pod}}
    wanted = {"slotsPerWorker": 8, "runPolicy": policy, "runLauncherAsWorker": False}
    wanted["mpiReplicaSpecs"] = {"Launcher": launcher, "Worker": workers}
    status = {
        "conditions": _running("MPIJobCreated", "MPIJobRunning"),
        "replicaStatuses": {"Worker": {"active": count}},
    }
    job = thing("kubeflow.org/v2beta1/MPIJob", site.run, site.team, labels=QUEUED, spec=wanted, status=status)
    yield job
    yield admitted(site, job, count)
    labels = {"training.kubeflow.org/job-name": site.run, "training.kubeflow.org/operator-name": "mpi-operator"}
    labels |= {"training.kubeflow.org/job-role": "worker"}
    yield running(f"{site.run}-launcher-x7k2p", site.team, starts, site.system[0], job)
    yield from trainers(job, pod, site.trains_on, labels, "training.kubeflow.org/replica-index", annotations)


def jobset(
    site: Site, annotations: Mapping[str, str] = STAY, owner: Object | None = None, **spec: Any
) -> Iterable[Object]:
    """kubernetes-sigs/jobset:api/jobset/v1alpha2; the set restarts as one."""
    pod, count = trainer_spec(site, **spec), len(site.trains_on)
    near = {"kueue.x-k8s.io/podset-preferred-topology": site.topology[-1]} if site.topology else {}
    annotations = {**annotations, **near}
    work = {"parallelism": count, "completions": count, "backoffLimit": 0, "completionMode": "Indexed"}
    template = {"spec": work | {"template": {"metadata": {"annotations": annotations}, "spec": pod}}}
    wanted = {"replicatedJobs": [{"name": "worker", "replicas": 1, "template": template}], "suspend": False}
    wanted |= {
        "failurePolicy": {"maxRestarts": 100, "restartStrategy": "Recreate"},
        "network": {"enableDNSHostnames": True},
    }
    counts = {"name": "worker", "ready": count, "active": 1, "failed": 0, "succeeded": 0, "suspended": 0}
    status = {"restarts": 0, "replicatedJobsStatus": [counts], "conditions": [reached("StartupPolicyCompleted")]}
    whole = {"owner": owner} if owner else {"labels": QUEUED}
    made = thing("jobset.x-k8s.io/v1alpha2/JobSet", site.run, site.team, spec=wanted, status=status, **whole)
    yield made
    if owner is None:
        yield admitted(site, made, count)
    labels = {"jobset.sigs.k8s.io/jobset-name": site.run, "jobset.sigs.k8s.io/replicatedjob-name": "worker"}
    labels |= {"jobset.sigs.k8s.io/job-index": "0", "jobset.sigs.k8s.io/restart-attempt": "0"}
    ready = {"active": count, "ready": count, "startTime": ago(days=9)}
    job = thing(
        "batch/v1/Job",
        f"{site.run}-worker-0",
        site.team,
        labels=labels,
        owner=made,
        spec=template["spec"],
        status=ready,
    )
    yield job
    yield budget(site, {"jobset.sigs.k8s.io/jobset-name": site.run})
    labels |= {"batch.kubernetes.io/job-name": f"{site.run}-worker-0", "job-name": f"{site.run}-worker-0"}
    number = "batch.kubernetes.io/job-completion-index"
    yield from trainers(job, pod, site.trains_on, labels, number, annotations, f"{site.run}-worker-0")


def trainjob(site: Site, annotations: Mapping[str, str] = STAY, **spec: Any) -> Iterable[Object]:
    """kubeflow/trainer:pkg/apis/trainer/v1alpha1; it makes a JobSet from a runtime."""
    count = len(site.trains_on)
    wanted: Object = {
        "runtimeRef": {"apiGroup": "trainer.kubeflow.org", "kind": "ClusterTrainingRuntime", "name": "torch"}
    }
    wanted |= {"trainer": {"numNodes": count, "numProcPerNode": 8}, "suspend": False}
    status = {
        "jobsStatus": [{"name": "node", "active": 1, "ready": count, "failed": 0, "succeeded": 0, "suspended": 0}]
    }
    job = thing(
        "trainer.kubeflow.org/v1alpha1/TrainJob", site.run, site.team, labels=QUEUED, spec=wanted, status=status
    )
    yield job
    yield admitted(site, job, count)
    policy = {"mlPolicy": {"numNodes": count, "torch": {"numProcPerNode": "auto"}}}
    yield thing("trainer.kubeflow.org/v1alpha1/ClusterTrainingRuntime", "torch", spec=policy)
    yield from jobset(site, annotations, owner=job, **spec)


def volcano(site: Site, annotations: Mapping[str, str] = STAY, **spec: Any) -> Iterable[Object]:
    """volcano-sh/volcano:installer, docs; all start or none, and one that is lost restarts all."""
    pod, count = (
        trainer_spec(site, **{"restartPolicy": "OnFailure", "schedulerName": "volcano", **spec}),
        len(site.trains_on),
    )
    policies = [{"event": event, "action": "RestartJob"} for event in ("PodFailed", "PodEvicted")]
    task = {"name": "worker", "replicas": count, "template": {"spec": pod}, "policies": policies}
    wanted = {"minAvailable": count, "schedulerName": "volcano", "queue": QUEUE, "maxRetry": 100, "tasks": [task]}
    wanted |= {"policies": policies, "priorityClassName": "training", "plugins": {"pytorch": [], "svc": []}}
    status = {"state": {"phase": "Running"}, "running": count, "minAvailable": count, "retryCount": 0}
    job = thing("batch.volcano.sh/v1alpha1/Job", site.run, site.team, spec=wanted, status=status)
    yield job
    group = {"minMember": count, "queue": QUEUE, "priorityClassName": "training"}
    phase = {"phase": "Running", "running": count}
    yield thing(
        "scheduling.volcano.sh/v1beta1/PodGroup", f"{site.run}-0a1b2", site.team, owner=job, spec=group, status=phase
    )
    capable = {name: str(amount * len(site.gpus)) for name, amount in site.asks.items()}
    state = {"state": "Open", "running": 1, "pending": 0}
    yield thing("scheduling.volcano.sh/v1beta1/Queue", QUEUE, spec={"weight": 1, "capability": capable}, status=state)
    labels = {"volcano.sh/job-name": site.run, "volcano.sh/queue-name": QUEUE, "volcano.sh/job-namespace": site.team}
    yield budget(site, {"volcano.sh/job-name": site.run})
    grouped = {**annotations, "scheduling.k8s.io/group-name": f"{site.run}-0a1b2"}
    yield from trainers(job, pod, site.trains_on, labels, "volcano.sh/task-index", grouped)


def rayjob(site: Site, annotations: Mapping[str, str] = STAY, **spec: Any) -> Iterable[Object]:
    """ray-project/kuberay:ray-operator/apis/ray/v1; a head off the GPU nodes, its state in an external Redis."""
    pod, count = trainer_spec(site, restartPolicy="Never", **spec), len(site.trains_on)
    workers = {"groupName": "gpu", "replicas": count, "minReplicas": count, "maxReplicas": count}
    workers["template"] = {"spec": pod}
    leads = template({"ray.io/cluster": site.run, "ray.io/node-type": "head"}, [container("ray-head", _RAY)])
    head = {"rayStartParams": {"num-gpus": "0"}, "template": leads}
    safe = {"redisAddress": "redis.ray:6379", "externalStorageNamespace": site.run}
    wanted: Object = {"rayVersion": "2.51.1", "headGroupSpec": head, "workerGroupSpecs": [workers]}
    wanted["gcsFaultToleranceOptions"] = safe
    run = {"entrypoint": "python train.py", "backoffLimit": 100, "shutdownAfterJobFinishes": False, "suspend": False}
    state = {"jobStatus": "RUNNING", "jobDeploymentStatus": "Running", "rayClusterName": site.run}
    job = thing(
        "ray.io/v1/RayJob", site.run, site.team, labels=QUEUED, spec=run | {"rayClusterSpec": wanted}, status=state
    )
    yield job
    yield admitted(site, job, count)
    ready = {"state": "ready", "readyWorkerReplicas": count, "desiredWorkerReplicas": count}
    cluster = thing("ray.io/v1/RayCluster", site.run, site.team, owner=job, spec=wanted, status=ready)
    yield cluster
    yield running(f"{site.run}-head", site.team, leads, site.system[0], cluster)
    labels = {"ray.io/cluster": site.run, "ray.io/node-type": "worker", "ray.io/group": "gpu"}
    yield budget(site, labels)
    yield from trainers(cluster, pod, site.trains_on, labels, "ray.io/replica-index", annotations)


_RAY = "registry.example.com/llm/ray:2.51.1"


def _running(created: str, started: str) -> list[Object]:
    return [reached("Created", created), reached("Running", started)]
