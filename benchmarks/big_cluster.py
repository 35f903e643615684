"""Clusters of any size, as bytes: the healthy on-premises cluster of the tests, again and again, with sick parts in it.

An object is what `kubectl get -o json` prints, with all that a real one carries and kubegap does not read:
managedFields, the labels of NFD, image lists, the kernel's configuration. A part is twenty GPU nodes with twelve
pods on each, a run over nineteen of them, and a replica that serves on most of the spares; one part in ten is sick.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from tests.whole_clusters import changes
from tests.whole_clusters.objects import NOW, Object, thing
from tests.whole_clusters.parts import storage
from tests.whole_clusters.parts.workloads import container
from tests.whole_clusters.platforms.on_prem import SITE, on_prem

PART: Final = 20  # GPU nodes
_SICK: Final = 10  # one part in so many
_BUSY: Final = 4  # of the spares, one in so many serves nothing
_MARK: Final = "@PART@"
# Agents of which the tests' cluster has more than the twelve pods a node that are usual.
_LEFT_OUT: Final = ("node-local-dns", "nvidia-mig-manager", "nvidia-operator-validator", "gpu-feature-discovery")
_LEFT_OUT += ("nvidia-container-toolkit-daemonset", "syslog-health-monitor-regular", "platform-connectors")
_TIME: Final = re.compile(r"\b2026-\d\d-\d\dT\d\d:\d\d:\d\dZ")

Lists = Mapping[tuple[str, str], list[bytes]]  # (apiVersion, kind) -> objects


def big_cluster(nodes: int) -> Lists:
    """A cluster of so many GPU nodes; they come in twenties."""
    once, part = _divided([])
    _, sick = _divided(_FAULTS)
    spare = _templates([_serving()])
    lists: dict[tuple[str, str], list[bytes]] = {}
    for number in range(max(1, nodes // PART)):
        templates = sick if number % _SICK == _SICK // 3 else part
        if number % _BUSY:
            templates = [*templates, *spare]
        for key, template in templates:
            lists.setdefault(key, []).append(template.replace(_MARK.encode(), b"%04d" % number))
    for key, template in once:
        lists.setdefault(key, []).append(template)
    return lists


def _divided(faults: Iterable[changes.Change]) -> tuple[list[tuple[tuple[str, str], bytes]], ...]:
    """What there is once, and what there is in each part, as templates."""
    objects = [item for item in on_prem() if not _is_left_out(item)]
    for fault in faults:
        fault(objects)
    once = [item for item in objects if not _is_of_a_part(item)]
    return _templates(once), _templates([*filter(_is_of_a_part, objects), *_of_each_part()])


def _is_left_out(item: Object) -> bool:
    return item["kind"] in {"Pod", "DaemonSet"} and item["metadata"]["name"].startswith(_LEFT_OUT)


def _is_of_a_part(item: Object) -> bool:
    name, kind = item["metadata"]["name"], item["kind"]
    on_gpu_node = item.get("spec", {}).get("nodeName", "").startswith("dc1-gpu")
    return on_gpu_node or name.startswith("dc1-gpu") or (name.startswith("llm") and kind != "PersistentVolume")


def _of_each_part() -> Iterator[Object]:
    for name in (f"scratch-{_MARK}", f"results-{_MARK}"):
        handle = {
            "driver": "csi.weka.io",
            "volumeHandle": f"dir/v1/llm/{name}",
            "volumeAttributes": {"volumeType": "dir/v1"},
        }
        yield from storage.shared(name, SITE.team, handle)
    for node in SITE.gpus:
        yield from (_event(node, place) for place in range(2))


def _event(node: str, place: int) -> Object:
    about = {"kind": "Node", "name": node, "uid": node}
    told = {"type": "Normal", "reason": "NodeHasSufficientPID", "message": f"Node {node} status is now: fine"}
    times = {"firstTimestamp": "2026-11-29T11:58:00Z", "lastTimestamp": "2026-11-29T11:59:00Z", "count": 3}
    return thing("v1/Event", f"{node}.{place:016x}", "default", involvedObject=about, **told, **times)


def _serving() -> Object:
    resources = {kind: {"nvidia.com/gpu": "2", "memory": "128Gi"} for kind in ("limits", "requests")}
    labels = {"app": "chat", "pod-template-hash": "5d4f"}
    pod = thing("v1/Pod", f"chat-5d4f-{_MARK}", "serving", labels=labels, spec={}, status={"phase": "Running"})
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "chat-5d4f", "uid": "1", "controller": True}
    pod["metadata"]["ownerReferences"] = [owner]
    pod["spec"] = {"containers": [container("vllm", "vllm/vllm-openai:v0.11.0", resources=resources)]}
    pod["spec"] |= {"nodeName": SITE.gpus[-1], "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}]}
    return pod


def _templates(objects: Iterable[Object]) -> list[tuple[tuple[str, str], bytes]]:
    return [((item["apiVersion"], item["kind"]), _template(item)) for item in objects]


def _template(item: Object) -> bytes:
    """The object as an item of a list, with the mark where each part has a name of its own."""
    whole = _as_served(item)
    meta = whole["metadata"]
    if _is_of_a_part(item) and not any(known in meta["name"] for known in ("dc1-gpu-", "llm", _MARK)):
        meta["name"] += f"-{_MARK}"
    text = json.dumps(
        {key: value for key, value in whole.items() if key not in {"apiVersion", "kind"}}, separators=(",", ":")
    )
    if _is_of_a_part(item):
        for old, new in _NAMES.items():
            text = text.replace(old, new)
    return _TIME.sub(lambda found: _moved(found[0]), text).encode()


# Each part has racks, a leaf switch and a run of its own; the label `app` is what all runs are monitored by.
_NAMES: Final = {
    "dc1-gpu-": f"dc1-{_MARK}-gpu-",
    '"leaf-': f'"leaf-{_MARK}-',
    '"topology.kubernetes.io/rack":"r': f'"topology.kubernetes.io/rack":"r{_MARK}-',
    '"llm"': f'"llm-{_MARK}"',
    f'"app":"llm-{_MARK}"': '"app":"llm"',
    "llm-worker": f"llm-{_MARK}-worker",
    "llm-0a1b2": f"llm-{_MARK}-0a1b2",
    "/checkpoints/llm": f"/checkpoints/llm-{_MARK}",
}


def _moved(time: str) -> str:
    """As long before this moment as it is before the tests' one."""
    return (datetime.now(UTC) - NOW + datetime.fromisoformat(time)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _as_served(item: Object) -> Object:
    """With what the API server and the kubelet add and no test needs."""
    meta = {**item["metadata"]}
    whole = item | {"metadata": meta}
    if item["kind"] == "NodeFeature":
        attributes = {
            "kernel.config": {"elements": _KERNEL},
            "cpu.topology": {"elements": {"hardware_multithreading": "true"}},
        }
        features = item["spec"]["features"]
        whole["spec"] = item["spec"] | {"features": features | {"attributes": attributes}}
    if item["kind"] == "Node":
        whole["status"] = item["status"] | {"images": [*item["status"]["images"], *_IMAGES]}
    if item["kind"] == "Pod":
        whole["spec"] = item["spec"] | _added_to_spec(item["spec"])
    fields = [_fields({"metadata": meta, "spec": whole.get("spec", {})}), _fields({"status": whole.get("status", {})})]
    managers = ("kube-controller-manager", "kubelet")
    meta.setdefault(
        "managedFields",
        [
            {
                "manager": manager,
                "operation": "Update",
                "apiVersion": item["apiVersion"],
                "fieldsType": "FieldsV1",
                "fieldsV1": owned,
            }
            for manager, owned in zip(managers, fields, strict=True)
        ],
    )
    return whole


def _added_to_spec(spec: Object) -> Object:
    """The volume of the service account's token, and the tolerations that a DaemonSet's controller writes."""
    sources: list[Object] = [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {
            "downwardAPI": {
                "items": [{"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}]
            }
        },
    ]
    volume: Object = {"name": "kube-api-access-7xk2p", "projected": {"defaultMode": 420, "sources": sources}}
    mount = {"name": volume["name"], "readOnly": True, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}
    field = {"fieldRef": {"apiVersion": "v1", "fieldPath": "spec.nodeName"}}
    env = [
        {"name": f"OTEL_RESOURCE_ATTRIBUTES_{place}", "value": "service.name=agent,deployment=prod"}
        for place in range(9)
    ]
    added = [{"name": "NODE_NAME", "valueFrom": field}, *env]
    containers = [
        one | {"env": [*one.get("env", []), *added], "volumeMounts": [*one.get("volumeMounts", []), mount]}
        for one in spec["containers"]
    ]
    pressures = ("not-ready", "unreachable", "disk-pressure", "memory-pressure", "pid-pressure", "unschedulable")
    tolerations = [
        {"key": f"node.kubernetes.io/{name}", "operator": "Exists", "effect": "NoSchedule"} for name in pressures
    ]
    return {
        "containers": containers,
        "volumes": [*spec.get("volumes", []), volume],
        "tolerations": [*spec.get("tolerations", []), *tolerations],
    }


def _fields(value: Any) -> Object:
    """FieldsV1: the paths of all that is set (kubernetes-sigs/structured-merge-diff:fieldpath/serialize.go)."""
    if isinstance(value, dict):
        return {f"f:{key}": _fields(inner) for key, inner in value.items()}
    if isinstance(value, list):
        named = [item for item in value if isinstance(item, dict) and ("name" in item or "type" in item)]
        keys = ("name" if "name" in item else "type" for item in named)
        return {
            f'k:{{"{key}":"{item[key]}"}}': {".": {}} | _fields(item) for key, item in zip(keys, named, strict=True)
        }
    return {}


# The kubelet reports the fifty largest images, each by digest and by tag.
_IMAGES: Final = [
    {"names": [f"registry.example.com/team/image-{n}@sha256:{n:064x}", f"registry.example.com/team/image-{n}:v1.{n}"]}
    | {"sizeBytes": 900_000_000 + n}
    for n in range(20)
]
# NFD lists every option of the running kernel: kubernetes-sigs/node-feature-discovery:source/kernel.
_KERNEL: Final = {f"CONFIG_OPTION_{place:04}": "y" if place % 3 else "m" for place in range(1100)}


def _some(places: Iterable[int], how: Callable[[Object], None]) -> changes.Change:
    def change(objects: list[Object]) -> None:
        nodes = changes.gpu_nodes(objects)
        for place in places:
            how(nodes[place])

    return change


def _loses_a_gpu(node: Object) -> None:
    node["status"]["allocatable"]["nvidia.com/gpu"] = "7"


def _loses_adapters(node: Object) -> None:
    for name in ("capacity", "allocatable"):
        node["status"][name]["rdma/hca_shared_devices_a"] = "0"


def _is_cordoned(node: Object) -> None:
    node["spec"]["unschedulable"] = True


_FAULTS: Final = (
    changes.held_back,
    changes.unhealthy_device,
    changes.loops,
    _some((4, 5), changes.older_driver),
    _some((6,), changes.put_back),
    _some((7,), changes.stale),
    _some((8,), changes.unwatched),
    _some((9, 10), _loses_a_gpu),
    _some((11,), _loses_adapters),
    _some((12,), _is_cordoned),
    _some((13,), changes.info("kernelVersion", "5.15.0-1010-nvidia")),
    changes.env("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0"),
)
