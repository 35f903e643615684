"""The run that a pod belongs to, from the labels and owners that each controller writes."""

import json

import pytest

from kubegap_checks.facts.pods import Pod, Run
from kubegap_mcp.kube.gather.registry import gatherers

PODS = gatherers()[Pod]


def owner(kind: str, name: str) -> dict[str, object]:
    return {"kind": kind, "name": name, "controller": True}


@pytest.mark.parametrize(
    ("labels", "owned_by", "kind", "name"),
    [
        pytest.param({"batch.kubernetes.io/job-name": "sft"}, owner("Job", "sft"), "Job", "sft", id="a Job"),
        pytest.param(
            {
                "batch.kubernetes.io/job-name": "llm-workers-0",
                "jobset.sigs.k8s.io/jobset-name": "llm",
                "jobset.sigs.k8s.io/replicatedjob-name": "workers",
            },
            owner("Job", "llm-workers-0"),
            "JobSet",
            "llm",
            id="a JobSet",
        ),
        # A TrainJob and its JobSet have one name, and pods carry the labels of the JobSet only.
        pytest.param(
            {"batch.kubernetes.io/job-name": "llm-node-0", "jobset.sigs.k8s.io/jobset-name": "llm"},
            owner("Job", "llm-node-0"),
            "JobSet",
            "llm",
            id="a TrainJob",
        ),
        pytest.param(
            {
                "training.kubeflow.org/job-name": "llm",
                "training.kubeflow.org/operator-name": "pytorchjob-controller",
                "training.kubeflow.org/replica-type": "worker",
            },
            owner("PyTorchJob", "llm"),
            "PyTorchJob",
            "llm",
            id="a PyTorchJob",
        ),
        pytest.param(
            {"training.kubeflow.org/job-name": "nccl", "training.kubeflow.org/operator-name": "mpi-operator"},
            owner("MPIJob", "nccl"),
            "MPIJob",
            "nccl",
            id="a worker of an MPIJob",
        ),
        pytest.param(
            {
                "batch.kubernetes.io/job-name": "nccl-launcher",
                "training.kubeflow.org/job-name": "nccl",
                "training.kubeflow.org/operator-name": "mpi-operator",
            },
            owner("Job", "nccl-launcher"),
            "MPIJob",
            "nccl",
            id="the launcher of an MPIJob, which a Job owns",
        ),
        pytest.param(
            {"ray.io/cluster": "tune-x7", "ray.io/node-type": "worker", "ray.io/group": "gpu"},
            owner("RayCluster", "tune-x7"),
            "RayCluster",
            "tune-x7",
            id="a RayCluster",
        ),
        pytest.param(
            {"leaderworkerset.sigs.k8s.io/name": "vllm", "leaderworkerset.sigs.k8s.io/group-index": "0"},
            owner("StatefulSet", "vllm-0"),
            "LeaderWorkerSet",
            "vllm",
            id="a LeaderWorkerSet",
        ),
        pytest.param(
            {"volcano.sh/job-name": "llm", "volcano.sh/task-spec": "worker"},
            owner("Job", "llm"),
            "Job.batch.volcano.sh",
            "llm",
            id="a Job of Volcano",
        ),
        pytest.param(
            {"kueue.x-k8s.io/pod-group-name": "llm", "kueue.x-k8s.io/queue-name": "gpu"},
            None,
            "Workload",
            "llm",
            id="pods that Kueue takes as one group",
        ),
        pytest.param(
            {"app.kubernetes.io/name": "slurmd", "app.kubernetes.io/component": "worker"},
            owner("NodeSet", "slurm-worker-h100"),
            "NodeSet",
            "slurm-worker-h100",
            id="Slurm in pods, by Slinky",
        ),
        pytest.param(
            {"app.kubernetes.io/name": "slurmcluster", "slurm.nebius.ai/nodeset": "h100"},
            owner("StatefulSet", "h100"),
            "NodeSet",
            "h100",
            id="Slurm in pods, by soperator",
        ),
    ],
)
def test_a_pod_names_its_outermost_run(
    labels: dict[str, str], owned_by: dict[str, object] | None, kind: str, name: str
) -> None:
    meta = {"name": "p", "namespace": "ml", "labels": labels, "ownerReferences": [owned_by] if owned_by else None}
    gpus = {"name": "c", "resources": {"limits": {"nvidia.com/gpu": "8"}}}

    (row,) = PODS.objects([json.dumps({"metadata": meta, "spec": {"containers": [gpus]}}).encode()]).rows

    assert isinstance(row, Pod)
    assert row.run == Run(kind=kind, namespace="ml", name=name)
