"""Pods that ask for accelerators or claim devices -> records; of all others nothing is kept."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from kubegap_checks.facts import pods as facts
from kubegap_checks.signals.accelerators import accelerators
from kubegap_mcp.foreign.clean import KEY, Names, sentence
from kubegap_mcp.kube.gather.containers import build_container, build_tolerations
from kubegap_mcp.kube.gather.fields import is_extended, kept, name, strings, value, when
from kubegap_mcp.kube.gather.kind import Sieve, gathers
from kubegap_mcp.kube.gather.lenient import Losses, first, whole
from kubegap_mcp.kube.gather.pod_volumes import build_pod_volume, reduce_pod_volume
from kubegap_mcp.kube.gather.selectors import node_terms
from kubegap_mcp.kube.gather.workloads import known_env, known_flags, run_of
from kubegap_mcp.kube.wire import pods as wire
from kubegap_mcp.kube.wire.meta import Meta

_ENDED: Final = frozenset({"Succeeded", "Failed"})
_CONTAINERS: Final = 200
_VOLUMES: Final = 500
_PLACED: Final = "PodScheduled"

# What rules about caches, networks, gangs and disruption look at.
_ANNOTATIONS: Final = (
    "gke-gcsfuse/",  # the sidecar's cache sizes: GoogleCloudPlatform/gcs-fuse-csi-driver
    "k8s.v1.cni.cncf.io/networks",  # secondary networks: k8snetworkplumbingwg/multus-cni
    "networking.gke.io/",  # interfaces and default-interface of GKE multi-networking
    "cluster-autoscaler.kubernetes.io/safe-to-evict",
    "karpenter.sh/do-not-disrupt",
    "scheduling.k8s.io/group-name",  # gangs: volcano-sh/volcano
    "kueue.x-k8s.io/",
    "jobset.sigs.k8s.io/",
    "nvsentinel.nvidia.com/preflight-checks",
)


def reduce(pod: wire.Pod, names: Names, losses: Losses) -> wire.Pod | None:
    spec = pod.spec
    if spec is None or (pod.status is not None and pod.status.phase in _ENDED):
        return None
    if not _asks(spec):
        return None
    meta = pod.metadata
    pod.metadata = Meta(
        name=meta.name,
        namespace=meta.namespace,
        labels=meta.labels,
        annotations=kept(meta.annotations, _keeps_annotation),
        creation_timestamp=meta.creation_timestamp,
        deletion_timestamp=meta.deletion_timestamp,
        owner_references=meta.owner_references,
    )
    for container in _all(spec):
        container.env = known_env(container.env, names, losses)
        container.args = known_flags(container.command, container.args, names, losses)
        container.command = None
    for volume in spec.volumes or ():
        reduce_pod_volume(volume, names)
    if pod.status is not None:
        pod.status.conditions = [told for told in pod.status.conditions or () if told.type == _PLACED] or None
    return pod


def _keeps_annotation(text: str) -> bool:
    return text.startswith(_ANNOTATIONS)


def _all(spec: wire.PodSpec) -> Iterable[wire.Container]:
    yield from spec.containers or ()
    yield from spec.init_containers or ()


def asks(pod: wire.PodGlance) -> bool:
    return pod.spec is not None and _asks(pod.spec)


def _asks(spec: wire.PodSpec | wire.SpecGlance) -> bool:
    return bool(spec.resource_claims) or _limited(spec.containers) or _limited(spec.init_containers)


def _limited(containers: Sequence[wire.Container | wire.ContainerGlance] | None) -> bool:
    """Plain loops: nine of ten pods of a large cluster are looked at here and nowhere else."""
    for container in containers or ():
        if container.resources is not None and container.resources.limits is not None:
            for resource in container.resources.limits:
                if is_extended(resource) and len(resource) <= KEY and _is_accelerator(resource):
                    return True
    return False


@lru_cache(maxsize=4096)
def _is_accelerator(resource: str) -> bool:
    return any(
        pattern is not None and pattern.fullmatch(resource) is not None
        for row in accelerators()
        for pattern in (row.whole, row.shared, row.sliced)
    )


def build(pod: wire.Pod, losses: Losses) -> facts.Pod:
    meta, spec, status = pod.metadata, pod.spec or wire.PodSpec(), pod.status or wire.PodStatus()
    containers = (
        *_containers(spec.containers, status.container_statuses, init=False, losses=losses),
        *_containers(spec.init_containers, status.init_container_statuses, init=True, losses=losses),
    )
    unplaced = next((told for told in status.conditions or () if told.type == _PLACED and told.status == "False"), None)
    return facts.Pod(
        namespace=name(meta.namespace),
        name=name(meta.name),
        node=name(spec.node_name),
        phase=value(status.phase),
        run=run_of(meta, losses),
        created=when(meta.creation_timestamp),
        labels=strings(meta.labels, losses),
        annotations=strings(meta.annotations, losses),
        resources=_resources(containers, spec.init_containers or ()),
        device_claims=len(spec.resource_claims or ()),
        containers=containers,
        volumes=tuple(
            build_pod_volume(volume, meta.name or "", losses)
            for volume in whole(_VOLUMES, spec.volumes, ("name",), losses)
        ),
        host_network=bool(spec.host_network),
        host_ipc=bool(spec.host_ipc),
        deleting=meta.deletion_timestamp is not None,
        priority=spec.priority,
        priority_class=name(spec.priority_class_name),
        scheduler=name(spec.scheduler_name),
        restart_policy=value(spec.restart_policy),
        node_selector=strings(spec.node_selector, losses),
        node_terms=node_terms(spec.affinity.node_affinity if spec.affinity else None, losses),
        tolerations=build_tolerations(spec.tolerations, losses),
        scheduling_group=_group(spec),
        unplaced_since=when(unplaced.last_transition_time) if unplaced else None,
        unplaced=sentence(unplaced.message or "") if unplaced else "",
    )


def _group(spec: wire.PodSpec) -> str:
    group = spec.scheduling_group or spec.workload_ref or wire.SchedulingGroup()
    return name(group.pod_group_name or group.name)


def _containers(
    listed: Sequence[wire.Container] | None,
    statuses: Sequence[wire.ContainerStatus] | None,
    *,
    init: bool,
    losses: Losses,
) -> Iterable[facts.Container]:
    told = {status.name: status for status in first(_CONTAINERS, statuses, losses)}
    for container in first(_CONTAINERS, listed, losses):
        yield build_container(container, told.get(container.name), init=init, losses=losses)


def _resources(containers: Sequence[facts.Container], init: Sequence[wire.Container]) -> Mapping[str, int]:
    """What the scheduler reserves: containers and sidecars together, or the largest init container if that is more.

    https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers
    """
    running: dict[str, int] = {}
    starting: dict[str, int] = {}
    restarts = [container.restart_policy == "Always" for container in init]
    started = 0
    for container in containers:
        sidecar = False
        if container.init:
            sidecar = restarts[started]
            started += 1
        for resource, amount in container.limits.items():
            if container.init and not sidecar:
                starting[resource] = max(starting.get(resource, 0), amount)
            else:
                running[resource] = running.get(resource, 0) + amount
    return {resource: max(running.get(resource, 0), starting.get(resource, 0)) for resource in {**running, **starting}}


GATHERERS: Final = (gathers(facts.Pod, wire.Pod, reduce, build, Sieve(wire.PodGlance, asks)),)
