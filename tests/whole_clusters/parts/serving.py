"""Inference beside training."""

from collections.abc import Iterable, Mapping, Sequence

from tests.whole_clusters.objects import Object, reached, thing
from tests.whole_clusters.parts.site import Site
from tests.whole_clusters.parts.training import mounts
from tests.whole_clusters.parts.workloads import container, running, template


def leader_worker_set(site: Site, on: Sequence[str], annotations: Mapping[str, str]) -> Iterable[Object]:
    """kubernetes-sigs/lws:api/leaderworkerset/v1; a group is made again as a whole when one of its pods is lost."""
    asked = {"cpu": "100", "memory": "900Gi", **{resource: str(count) for resource, count in site.asks.items()}}
    runs = container("vllm", "docker.io/vllm/vllm-openai:v0.11.2", resources={"limits": asked, "requests": asked})
    runs["volumeMounts"] = mounts({"shm": "/dev/shm"})  # noqa: S108 (a mount)
    shm = [{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "64Gi"}}]
    tolerated = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
    pod = template({"app": "chat"}, [runs], volumes=shm, priorityClassName="research", tolerations=tolerated)
    pod["metadata"]["annotations"] = dict(annotations)
    group = {"size": len(on), "restartPolicy": "RecreateGroupOnPodRestart", "workerTemplate": pod}
    spec = {"replicas": 1, "leaderWorkerTemplate": group, "startupPolicy": "LeaderCreated"}
    counts = {
        "replicas": 1,
        "readyReplicas": 1,
        "updatedReplicas": 1,
        "conditions": [reached("Available", "AllGroupsReady")],
    }
    owner = thing("leaderworkerset.x-k8s.io/v1/LeaderWorkerSet", "chat", "serving", spec=spec, status=counts)
    yield owner
    for place, at in enumerate(on):
        name = "chat-0" if place == 0 else f"chat-0-{place}"
        made = running(name, "serving", pod, at, owner)
        labels = {"leaderworkerset.sigs.k8s.io/name": "chat", "leaderworkerset.sigs.k8s.io/group-index": "0"}
        made["metadata"]["labels"] |= labels | {"leaderworkerset.sigs.k8s.io/worker-index": str(place)}
        yield made
