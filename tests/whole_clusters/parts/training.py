"""What the trainers of a run that does it right look like; jobs.py has the jobs that own them."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.whole_clusters.objects import Object, merged, thing
from tests.whole_clusters.parts.site import Site
from tests.whole_clusters.parts.workloads import container, running

# pytorch/pytorch:docs/source/torch_nccl_environment_variables.md
FLIGHT_RECORDER = {"TORCH_NCCL_TRACE_BUFFER_SIZE": "20000", "TORCH_NCCL_DUMP_ON_TIMEOUT": "true"}
WATCHDOG = {"TORCH_NCCL_ASYNC_ERROR_HANDLING": "3", "TORCH_NCCL_ENABLE_MONITORING": "1", "NCCL_DEBUG": "WARN"}
MOUNTED = {"shm": "/dev/shm", "local": "/local/data", "checkpoints": "/checkpoints"}  # noqa: S108 (a mount)
# Only what stands on these nodes is drained by hand, with the run's consent.
STAY = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}


def trainer_spec(site: Site, env: Mapping[str, str] | None = None, **spec: Any) -> Object:
    """The dataset is copied to the node first, shared memory is bounded, and the fabric is asked for."""
    asked = {"cpu": "180", "memory": "1800Gi", **{resource: str(count) for resource, count in site.asks.items()}}
    image = "registry.example.com/llm/train:v1.14.2"
    volumes: list[Object] = [
        {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "512Gi"}},
        {"name": "local", "emptyDir": {}},
        {"name": "source", "persistentVolumeClaim": {"claimName": "tokens", "readOnly": True}},
        {"name": "checkpoints", "persistentVolumeClaim": {"claimName": "checkpoints"}},
    ]
    told = {"MASTER_ADDR": f"{site.run}-worker-0", "MASTER_PORT": "29500", **FLIGHT_RECORDER, **WATCHDOG, **(env or {})}
    trainer = container(
        "trainer",
        image,
        command=["torchrun"],
        args=["train.py", "--data-path=/local/data/tokens", "--save=/checkpoints/llm", "--load=/checkpoints/llm"],
        env=[{"name": key, "value": value} for key, value in told.items()],
        resources={"limits": asked, "requests": asked},
        ports=[{"name": "metrics", "containerPort": 9400, "protocol": "TCP"}],
        securityContext={"capabilities": {"add": ["IPC_LOCK"]}},
        volumeMounts=mounts(MOUNTED),
    )
    stage = container("stage", image, args=["/source/tokens", "/local/data"])
    stage["volumeMounts"] = mounts({"source": "/source", "local": "/local/data"})
    common: Object = {"restartPolicy": "Never", "priorityClassName": "training", "priority": 1000000}
    common |= {
        "initContainers": [stage],
        "containers": [trainer],
        "volumes": volumes,
        "preemptionPolicy": "PreemptLowerPriority",
    }
    common |= {"tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]}
    common |= {"terminationGracePeriodSeconds": 600, "schedulerName": "default-scheduler", "enableServiceLinks": False}
    return merged(common, spec)


def mounts(paths: Mapping[str, str]) -> list[Object]:
    return [{"name": name, "mountPath": path} for name, path in paths.items()]


def trainers(
    owner: Object,
    spec: Object,
    on: Sequence[str],
    labels: Mapping[str, str],
    numbered: str,
    annotations: Mapping[str, str],
    name: str = "",
) -> list[Object]:
    """One pod a node; the label `numbered` is its rank."""
    prefix = name or f"{owner['metadata']['name']}-worker"
    made: list[Object] = []
    for rank, at in enumerate(on):
        meta = {"labels": {"app": "llm", **labels, numbered: str(rank)}, "annotations": dict(annotations)}
        pod = running(f"{prefix}-{rank}", owner["metadata"]["namespace"], {"metadata": meta, "spec": spec}, at, owner)
        pod["status"]["qosClass"] = "Guaranteed"
        made.append(pod)
    return made


def budget(site: Site, labels: Mapping[str, str]) -> Object:
    """No drain takes a worker of the run; whoever has to asks first."""
    spec = {"selector": {"matchLabels": dict(labels)}, "maxUnavailable": 0}
    count = len(site.trains_on)
    status = {"currentHealthy": count, "desiredHealthy": count, "expectedPods": count, "disruptionsAllowed": 0}
    return thing("policy/v1/PodDisruptionBudget", site.run, site.team, spec=spec, status=status)
