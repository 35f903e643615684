"""DaemonSets, Deployments and StatefulSets that are whole, with their pods, budgets and services."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.whole_clusters.objects import Object, ago, reached, thing

NODE_CRITICAL, CLUSTER_CRITICAL = "system-node-critical", "system-cluster-critical"
ANYWHERE = [{"operator": "Exists"}]


def container(name: str, image: str, **rest: Any) -> Object:
    resources = {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "512Mi"}}
    made = {"name": name, "image": image, "imagePullPolicy": "IfNotPresent", "resources": resources}
    return made | {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"} | rest


def template(labels: Mapping[str, str], containers: Sequence[Object], **spec: Any) -> Object:
    common = {"restartPolicy": "Always", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst"}
    common |= {"schedulerName": "default-scheduler", "securityContext": {}, "serviceAccountName": "default"}
    return {"metadata": {"labels": dict(labels)}, "spec": common | {"containers": list(containers), **spec}}


def daemonset(
    name: str,
    namespace: str,
    image: str,
    on: Sequence[str],
    *,
    labels: Mapping[str, str] | None = None,
    update: Object | None = None,
    containers: Sequence[Object] = (),
    **spec: Any,
) -> Iterable[Object]:
    """One that runs on all of these nodes, replaced a few at a time; `update` is its strategy."""
    marks = dict(labels or {"app": name})
    spec = {"priorityClassName": NODE_CRITICAL, "tolerations": ANYWHERE, **spec}
    pod = template(marks, containers or [container(name, image)], **spec)
    count = len(on)
    status: Object = {"desiredNumberScheduled": count, "currentNumberScheduled": count, "numberReady": count}
    status |= {"numberAvailable": count, "updatedNumberScheduled": count, "numberMisscheduled": 0}
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}}
    wanted = {"selector": {"matchLabels": marks}, "updateStrategy": update or rolling, "revisionHistoryLimit": 10}
    owner = thing(
        "apps/v1/DaemonSet",
        name,
        namespace,
        labels=marks,
        spec=wanted | {"template": pod},
        status=status | {"observedGeneration": 1},
    )
    yield owner
    yield from (running(f"{name}-{place:05d}", namespace, pod, at, owner) for place, at in enumerate(on))


def deployment(
    name: str,
    namespace: str,
    image: str,
    on: Sequence[str],
    *,
    labels: Mapping[str, str] | None = None,
    containers: Sequence[Object] = (),
    port: int = 0,
    serves: str = "",
    budget: Object | None = None,
    **spec: Any,
) -> Iterable[Object]:
    """As many replicas as nodes; with a port, a Service (called `serves`) and its slice; with more than one, a PDB."""
    marks = dict(labels or {"app.kubernetes.io/name": name})
    pod = template(marks, containers or [container(name, image)], **{**_apart(marks), **spec})
    replicas = {name: len(on) for name in ("replicas", "readyReplicas", "availableReplicas", "updatedReplicas")}
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}}
    wanted = {"replicas": len(on), "selector": {"matchLabels": marks}, "strategy": rolling, "template": pod}
    whole = [reached("Available", "MinimumReplicasAvailable"), reached("Progressing", "NewReplicaSetAvailable")]
    status = replicas | {"conditions": whole, "observedGeneration": 1}
    owner = thing("apps/v1/Deployment", name, namespace, labels=marks, spec=wanted, status=status)
    yield owner
    replica = thing(
        "apps/v1/ReplicaSet",
        f"{name}-6d4cf56db6",
        namespace,
        labels=marks,
        owner=owner,
        spec={"replicas": len(on), "selector": {"matchLabels": marks}, "template": pod},
        status={"replicas": len(on), "readyReplicas": len(on), "availableReplicas": len(on), "observedGeneration": 1},
    )
    yield replica
    pods = [running(f"{name}-6d4cf56db6-{place:05d}", namespace, pod, at, replica) for place, at in enumerate(on)]
    yield from pods
    if len(on) > 1:
        yield disruption_budget(name, namespace, marks, len(on), budget or {"maxUnavailable": 1})
    if port:
        yield from service(serves or name, namespace, marks, port, pods)


def statefulset(
    name: str,
    namespace: str,
    image: str,
    on: Sequence[str],
    labels: Mapping[str, str],
    containers: Sequence[Object] = (),
    **spec: Any,
) -> Iterable[Object]:
    runs = containers or [container(name.split("-", maxsplit=1)[0], image)]
    pod = template(labels, runs, **{**_apart(labels), **spec})
    wanted = {"replicas": len(on), "selector": {"matchLabels": dict(labels)}, "serviceName": name, "template": pod}
    counts = {name: len(on) for name in ("replicas", "readyReplicas", "availableReplicas", "updatedReplicas")}
    owner = thing("apps/v1/StatefulSet", name, namespace, labels=labels, spec=wanted, status=counts)
    yield owner
    yield from (running(f"{name}-{place}", namespace, pod, at, owner) for place, at in enumerate(on))
    if len(on) > 1:
        yield disruption_budget(name, namespace, labels, len(on), {"maxUnavailable": 1})


def disruption_budget(name: str, namespace: str, labels: Mapping[str, str], pods: int, allows: Object) -> Object:
    healthy = {"currentHealthy": pods, "desiredHealthy": pods - 1, "expectedPods": pods, "disruptionsAllowed": 1}
    status = healthy | {"observedGeneration": 1, "conditions": [reached("DisruptionAllowed", "SufficientPods")]}
    spec = {"selector": {"matchLabels": dict(labels)}, **allows}
    return thing("policy/v1/PodDisruptionBudget", name, namespace, spec=spec, status=status)


def service(
    name: str, namespace: str, labels: Mapping[str, str], port: int, pods: Sequence[Object]
) -> Iterable[Object]:
    ports = [{"name": "https", "port": 443, "targetPort": port, "protocol": "TCP"}]
    spec = {"type": "ClusterIP", "clusterIP": "10.100.7.9", "selector": dict(labels), "ports": ports}
    yield thing("v1/Service", name, namespace, labels=labels, spec=spec, status={"loadBalancer": {}})
    ready = {"ready": True, "serving": True, "terminating": False}
    endpoints = [
        {
            "addresses": [pod["status"]["podIP"]],
            "conditions": ready,
            "nodeName": pod["spec"]["nodeName"],
            "targetRef": {"kind": "Pod", "name": pod["metadata"]["name"], "namespace": namespace},
        }
        for pod in pods
    ]
    yield thing(
        "discovery.k8s.io/v1/EndpointSlice",
        f"{name}-abcde",
        namespace,
        labels={"kubernetes.io/service-name": name},
        addressType="IPv4",
        endpoints=endpoints,
        ports=[{"name": "https", "port": port, "protocol": "TCP"}],
    )


def running(name: str, namespace: str, made_from: Object, on: str, owner: Object) -> Object:
    """A pod of the template that has run for weeks without a restart."""
    states = [
        {
            "name": item["name"],
            "image": item["image"],
            "imageID": f"{item['image'].partition(':')[0]}@sha256:5feceb66ffc86f38d952786c6d696c79",
            "ready": True,
            "started": True,
            "restartCount": 0,
            "state": {"running": {"startedAt": ago(days=19)}},
            "lastState": {},
        }
        for item in made_from["spec"]["containers"]
    ]
    conditions = [reached(kind) for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")]
    status = {"phase": "Running", "podIP": "10.1.2.3", "hostIP": "10.200.0.1", "startTime": ago(days=19)}
    return thing(
        "v1/Pod",
        name,
        namespace,
        created=ago(days=19),
        owner=owner,
        **{key: made_from["metadata"][key] for key in ("labels", "annotations") if key in made_from["metadata"]},
        spec=made_from["spec"] | {"nodeName": on},
        status=status | {"qosClass": "Burstable", "conditions": conditions, "containerStatuses": states},
    )


def _apart(labels: Mapping[str, str]) -> Object:
    """Replicas on different nodes, and in different zones where there are any."""
    selector = {"labelSelector": {"matchLabels": dict(labels)}}
    keys = ("topology.kubernetes.io/zone", "kubernetes.io/hostname")
    spread = [{"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "ScheduleAnyway", **selector} for key in keys]
    return {"topologySpreadConstraints": spread, "priorityClassName": CLUSTER_CRITICAL}
