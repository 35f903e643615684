"""Changes of whole clusters, each of which is one gap."""

from collections.abc import Callable
from typing import Any

from tests.whole_clusters.certificates.ending import bundle
from tests.whole_clusters.objects import Object, ago, thing
from tests.whole_clusters.parts.workloads import container

Change = Callable[[list[Object]], None]
GPU = "nvidia.com/gpu"


def of(objects: list[Object], kind: str, name: str = "") -> list[Object]:
    """Objects of the kind whose name begins so; a test that changes none of them fails here."""
    found = [item for item in objects if item["kind"] == kind and item["metadata"]["name"].startswith(name)]
    assert found, (kind, name)
    return found


def gpu_nodes(objects: list[Object]) -> list[Object]:
    return [node for node in of(objects, "Node") if any("gpu" in name for name in node["status"]["capacity"])]


def run(objects: list[Object]) -> list[Object]:
    """The pods of the run that trains there."""
    return [pod for pod in of(objects, "Pod", "llm") if pod["metadata"]["namespace"] == "train"]


def change(kind: str, name: str, how: Callable[[Object], None]) -> Change:
    """Changes the first of these objects."""
    return lambda objects: how(of(objects, kind, name)[0])


def drop_namespace(name: str) -> Change:
    def without(objects: list[Object]) -> None:
        objects[:] = [item for item in objects if item["metadata"].get("namespace") != name]

    return without


def drop(kind: str, name: str) -> Change:
    def without(objects: list[Object]) -> None:
        gone = of(objects, kind, name)
        objects[:] = [item for item in objects if item not in gone]

    return without


def both(*changes: Change) -> Change:
    def all_of(objects: list[Object]) -> None:
        for one in changes:
            one(objects)

    return all_of


def trainer(how: Callable[[Object], None]) -> Change:
    """Changes the container that trains in every pod of the run."""

    def each(objects: list[Object]) -> None:
        for pod in run(objects):
            how(pod["spec"]["containers"][0])

    return each


def env(name: str, value: str) -> Change:
    def put(one: Object) -> None:
        one["env"] = [item for item in one["env"] if item["name"] != name] + [{"name": name, "value": value}]

    return trainer(put)


def on_fourth(how: Callable[[Object], None]) -> Change:
    return lambda objects: how(gpu_nodes(objects)[3])


def label(key: str, value: str) -> Callable[[Object], None]:
    return lambda item: item["metadata"]["labels"].update({key: value})


def info(key: str, value: str) -> Callable[[Object], None]:
    return lambda node: node["status"]["nodeInfo"].update({key: value})


def webhook(objects: list[Object], **fields: Any) -> Object:
    """The admission of the Prometheus operator, made to judge every pod."""
    hook = of(objects, "ValidatingWebhookConfiguration", "kube-prometheus-stack-admission")[0]["webhooks"][0]
    pods = {"apiGroups": [""], "apiVersions": ["*"], "resources": ["pods"], "operations": ["CREATE"], "scope": "*"}
    hook.update({"failurePolicy": "Fail", "rules": [pods]} | fields)
    return hook


def ends_soon(objects: list[Object]) -> None:
    for kind in ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"):
        for hook in of(objects, kind, "jobset")[0]["webhooks"]:
            hook["clientConfig"]["caBundle"] = bundle()


def cleanup(objects: list[Object]) -> None:
    command = ["kubectl", "delete", "pods", "--all", "--all-namespaces"]
    pod = {"restartPolicy": "Never", "containers": [container("clean", "bitnami/kubectl:1.33", command=command)]}
    spec = {"schedule": "0 * * * *", "jobTemplate": {"spec": {"template": {"spec": pod}}}}
    objects.append(thing("batch/v1/CronJob", "cleanup", "platform", spec=spec))


def many_nodes(objects: list[Object]) -> None:
    """A hundred more of the nodes without GPUs."""
    one = of(objects, "Node", "dc1-infra")[0]
    labels = one["metadata"]["labels"]
    for place in range(100):
        name = f"dc1-more-{place:02}"
        meta = one["metadata"] | {"name": name, "labels": labels | {"kubernetes.io/hostname": name}}
        objects.append(one | {"metadata": meta})


def agent(name: str, image: str) -> Change:
    """One pod of it on every node."""

    def add(objects: list[Object]) -> None:
        count = len(of(objects, "Node"))
        pod = {"containers": [container(name, image)], "tolerations": [{"operator": "Exists"}]}
        counted = ("desiredNumberScheduled", "numberReady", "updatedNumberScheduled")
        spec = {"template": {"metadata": {"labels": {"app": name}}, "spec": pod}}
        status = dict.fromkeys(counted, count)
        objects.append(thing("apps/v1/DaemonSet", name, "monitoring", spec=spec, status=status))

    return add


def older_driver(node: Object) -> None:
    told = {"full": "570.172.08", "major": "570", "minor": "172", "revision": "08"}
    node["metadata"]["labels"] |= {f"nvidia.com/cuda.driver-version.{part}": value for part, value in told.items()}


def unhealthy_device(objects: list[Object]) -> None:
    """The kubelet says so of the pod: KEP-4680."""
    told = {"name": GPU, "resources": [{"resourceID": "GPU-7", "health": "Unhealthy"}]}
    status = {"name": "trainer", "restartCount": 0, "allocatedResourcesStatus": [told]}
    run(objects)[3]["status"]["containerStatuses"] = [status]


def put_back(node: Object) -> None:
    """NVSentinel's Xid condition still holds, and someone uncordoned the node by hand."""
    node["metadata"]["annotations"]["quarantinedNodeUncordonedManually"] = "True"
    for condition in node["status"]["conditions"]:
        if condition["type"] == "SysLogsXIDError":
            condition |= {"status": "True", "reason": "SysLogsXIDErrorIsNotHealthy", "message": "ErrorCode:79 GPU:0"}


def without_peer_memory(objects: list[Object]) -> None:
    """Of all nodes' modules only the first node's lack it."""
    features = of(objects, "NodeFeature")
    for place, feature in enumerate(features):
        modules = {"nvidia": {}, "mlx5_core": {}, "ib_core": {}} | ({"nvidia_peermem": {}} if place else {})
        feature["spec"]["features"].setdefault("flags", {})["kernel.loadedmodule"] = {"elements": modules}


def unwatched(node: Object) -> None:
    kept = {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"}
    node["status"]["conditions"] = [one for one in node["status"]["conditions"] if one["type"] in kept]


def caches_in_the_image(one: Object) -> None:
    one["env"] = [*one["env"], {"name": "HF_HOME", "value": "/root/.cache/huggingface"}]


def only_a_root_disk(objects: list[Object]) -> None:
    for node in gpu_nodes(objects):
        for name in ("capacity", "allocatable"):
            node["status"][name]["ephemeral-storage"] = "17Gi"


def ready(count: int) -> Callable[[Object], None]:
    return lambda item: item["status"].update({"numberReady": count, "numberAvailable": count})


def rolls_everywhere(item: Object) -> None:
    item["spec"]["updateStrategy"]["rollingUpdate"] = {"maxUnavailable": "100%"}
    item["spec"]["template"]["spec"]["containers"][0]["image"] = "quay.io/cilium/cilium:v1.18.4"


def held_back(objects: list[Object]) -> None:
    """An agent keeps work away from a node of the run, whose pods came later and tolerate everything."""
    pod = run(objects)[3]
    [node] = [one for one in gpu_nodes(objects) if one["metadata"]["name"] == pod["spec"]["nodeName"]]
    pod["metadata"]["creationTimestamp"] = ago(days=1)
    pod["spec"]["tolerations"] = [{"operator": "Exists"}]
    taint = {"key": "aiinfra/node-not-ready", "effect": "NoSchedule", "timeAdded": ago(days=3)}
    node["spec"].setdefault("taints", []).append(taint)


def shared(objects: list[Object]) -> None:
    for node in gpu_nodes(objects):
        node["metadata"]["labels"] |= {
            "nvidia.com/gpu.replicas": "2",
            "nvidia.com/gpu.sharing-strategy": "time-slicing",
        }
        node["metadata"]["labels"]["nvidia.com/gpu.product"] += "-SHARED"
        for name in ("capacity", "allocatable"):
            node["status"][name][GPU] = "16"


def islands(objects: list[Object]) -> None:
    for node in gpu_nodes(objects)[:10]:
        label("oci.oraclecloud.com/rdma.hpc_island_id", "another")(node)


def without_fabric(one: Object) -> None:
    for kind in ("limits", "requests"):
        one["resources"][kind].pop("vpc.amazonaws.com/efa", None)


def loops(objects: list[Object]) -> None:
    pod = run(objects)[3]
    ended = {"reason": "Error", "exitCode": 1, "finishedAt": ago(minutes=5)}
    state = {"state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": {"terminated": ended}}
    pod["status"]["containerStatuses"] = [{"name": "trainer", "restartCount": 40, **state}]


def stale(node: Object) -> None:
    for condition in node["status"]["conditions"]:
        if condition["type"] in {"KernelDeadlock", "ReadonlyFilesystem", "XidCriticalError"} | {
            "FrequentKubeletRestart",
            "FrequentContainerdRestart",
        }:
            condition["lastHeartbeatTime"] = ago(days=2)


def for_open_nodes(item: Object) -> None:
    item["spec"]["template"]["spec"].pop("tolerations")
    item["status"] = dict.fromkeys(item["status"], 4)


def untested(node: Object) -> None:
    labels = node["metadata"]["labels"]
    node["metadata"]["labels"] = {key: value for key, value in labels.items() if "health-checks" not in key}


def only_throttling(item: Object) -> None:
    for group in item["spec"]["groups"]:
        group["rules"] = [rule for rule in group["rules"] if rule["alert"] == "GpuThrottled"]


def serving(name: str, node: str, gpus: int) -> Object:
    """A replica of the Deployment `chat`."""
    asked = {"limits": {GPU: str(gpus)}, "requests": {GPU: str(gpus)}}
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "chat-5d4f", "uid": "1", "controller": True}
    pod = thing("v1/Pod", name, "serving", labels={"app": "chat", "pod-template-hash": "5d4f"}, spec={}, status={})
    pod["metadata"]["ownerReferences"] = [owner]
    pod["spec"] = {"containers": [container("vllm", "vllm/vllm-openai:v0.11.0", resources=asked)]}
    pod["spec"] |= {"nodeName": node} if node else {}
    pod["spec"]["tolerations"] = [{"key": GPU, "operator": "Exists"}]
    pod["status"] = {"phase": "Running" if node else "Pending"}
    return pod


def replicas_on_one_node(objects: list[Object]) -> None:
    idle = gpu_nodes(objects)[-1]["metadata"]["name"]
    objects += [serving(f"chat-{place}", idle, 2) for place in range(2)]


def pieces(objects: list[Object]) -> None:
    """Two nodes are half taken by replicas, and one more that needs a whole node waits."""
    nodes = [node["metadata"]["name"] for node in gpu_nodes(objects)][-2:]
    objects[:] = [item for item in objects if item["kind"] != "Pod" or item not in _on(objects, nodes)]
    waits = serving("chat-large", "", 8)
    told = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/20 nodes are available"}
    waits["status"]["conditions"] = [told | {"lastTransitionTime": ago(hours=2)}]
    objects += [*(serving(f"chat-{place}", node, 4) for place, node in enumerate(nodes)), waits]


def _on(objects: list[Object], nodes: list[str]) -> list[Object]:
    return [pod for pod in run(objects) if pod["spec"]["nodeName"] in nodes]


def quotas(objects: list[Object]) -> None:
    of(objects, "ResourceFlavor")[0]["spec"].pop("topologyName", None)
    for group in of(objects, "ClusterQueue")[0]["spec"]["resourceGroups"]:
        for quota in group["flavors"][0]["resources"]:
            if quota["name"] == GPU:
                quota["nominalQuota"] = "320"


def local_volumes(objects: list[Object]) -> None:
    """Every trainer reads the dataset from a volume of its node, and the spare node has none."""
    for rank, pod in enumerate(run(objects)):
        name, host = f"local-{rank}", pod["spec"]["nodeName"]
        for volume in pod["spec"]["volumes"]:
            if volume["name"] == "local":
                volume.clear()
                volume |= {"name": "local", "persistentVolumeClaim": {"claimName": name}}
        pod["spec"]["initContainers"] = []
        shape: Object = {"accessModes": ["ReadWriteOnce"], "storageClassName": "local-nvme", "volumeMode": "Filesystem"}
        objects.append(thing("v1/PersistentVolumeClaim", name, "train", spec=shape | {"volumeName": f"pv-{name}"}))
        match = {"key": "kubernetes.io/hostname", "operator": "In", "values": [host]}
        near = {"required": {"nodeSelectorTerms": [{"matchExpressions": [match]}]}}
        bound = {"claimRef": {"namespace": "train", "name": name}, "persistentVolumeReclaimPolicy": "Retain"}
        spec = shape | bound | {"local": {"path": "/mnt/nvme/data"}, "nodeAffinity": near}
        objects.append(thing("v1/PersistentVolume", f"pv-{name}", spec=spec))


def deletes(item: Object) -> None:
    item["metadata"]["annotations"] = {"pv.kubernetes.io/provisioned-by": item["spec"]["csi"]["driver"]}
    item["spec"]["persistentVolumeReclaimPolicy"] = "Delete"


def default_above_training(objects: list[Object]) -> None:
    item = of(objects, "PriorityClass", "research")[0]
    item |= {"globalDefault": True, "value": 2000000}


ALL_AT_ONCE = {"autoUpgrade": True, "maxParallelUpgrades": 0, "maxUnavailable": "100%"}
