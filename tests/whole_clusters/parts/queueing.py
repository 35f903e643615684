"""Who may run and when: Kueue's queues, priority classes, quotas."""

from collections.abc import Iterable, Mapping
from typing import Any

from tests.whole_clusters.objects import Object, reached, thing
from tests.whole_clusters.parts import admission
from tests.whole_clusters.parts.control_plane import lease
from tests.whole_clusters.parts.site import Site
from tests.whole_clusters.parts.workloads import deployment

QUEUE = "training"


def kueue(site: Site) -> Iterable[Object]:
    """kubernetes-sigs/kueue:site/static/examples; a Topology where the site has labels for one."""
    group = f"kueue.x-k8s.io/{site.kueue}"
    older = "kueue.x-k8s.io/v1alpha1" if site.kueue == "v1beta1" else group
    flavor: Object = {"nodeLabels": {"node.kubernetes.io/instance-type": site.machine}} if site.machine else {}
    flavor |= {"tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]}
    if site.topology:
        levels = [{"nodeLabel": label} for label in (*site.topology, "kubernetes.io/hostname")]
        yield thing(f"{older}/Topology", "fabric", spec={"levels": levels})
        flavor["topologyName"] = "fabric"
    yield thing(f"{group}/ResourceFlavor", "gpu", spec=flavor)
    count = len(site.gpus)
    total = {"cpu": str(192 * count), "memory": f"{1900 * count}Gi"}
    total |= {name: str(asked * count) for name, asked in site.asks.items()}
    quota = [{"name": name, "nominalQuota": value} for name, value in total.items()]
    groups = [{"coveredResources": list(total), "flavors": [{"name": "gpu", "resources": quota}]}]
    spec: Object = {"namespaceSelector": {}, "queueingStrategy": "BestEffortFIFO", "resourceGroups": groups}
    spec |= {
        "preemption": {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Never"},
        "stopPolicy": "None",
    }
    active = {"conditions": [reached("Active", "Ready")], "admittedWorkloads": 1, "pendingWorkloads": 0}
    yield thing(f"{group}/ClusterQueue", QUEUE, spec=spec, status=active | {"reservingWorkloads": 1})
    local = {"clusterQueue": QUEUE, "stopPolicy": "None"}
    yield thing(f"{group}/LocalQueue", QUEUE, site.team, spec=local, status=active)
    image = "registry.k8s.io/kueue/kueue:v0.14.4"
    labels = {"app.kubernetes.io/name": "kueue", "control-plane": "controller-manager"}
    yield from deployment(
        "kueue-controller-manager",
        "kueue-system",
        image,
        site.two,
        labels=labels,
        port=9443,
        serves="kueue-webhook-service",
    )
    yield lease("c1f6bfd2.kueue.x-k8s.io", "kueue-system", "kueue-controller-manager-6d4cf56db6-00000")
    yield from admission.kueue()


def admitted(site: Site, job: Object, pods: int) -> Object:
    """The Workload that Kueue keeps for a job, all of whose pods it let in together."""
    meta = job["metadata"]
    name = f"{job['kind'].lower()}-{meta['name']}-0a1b2"
    spec = {"queueName": QUEUE, "active": True, "priority": 1000000, "podSets": [{"name": "worker", "count": pods}]}
    spec["priorityClassName"] = "training"
    flavors = {"nvidia.com/gpu": "gpu"}
    given = {"clusterQueue": QUEUE, "podSetAssignments": [{"name": "worker", "count": pods, "flavors": flavors}]}
    reasons = {"QuotaReserved": "QuotaReserved", "Admitted": "Admitted", "PodsReady": "Started"}
    status = {"admission": given, "conditions": [reached(kind, reason) for kind, reason in reasons.items()]}
    return thing(f"kueue.x-k8s.io/{site.kueue}/Workload", name, meta["namespace"], owner=job, spec=spec, status=status)


def priority_classes() -> Iterable[Object]:
    built_in = {"system-cluster-critical": 2000000000, "system-node-critical": 2000001000}
    for name, value in (built_in | {"training": 1000000, "research": 1000, "burn-in": -100000}).items():
        policy = "Never" if name == "burn-in" else "PreemptLowerPriority"
        rest: dict[str, Any] = {"globalDefault": False, "preemptionPolicy": policy, "description": name}
        yield thing("scheduling.k8s.io/v1/PriorityClass", name, value=value, **rest)


def quota(site: Site, used: Mapping[str, int]) -> Iterable[Object]:
    """GPUs of the team, and how many small things a loop may make."""
    hard = {f"requests.{name}": str(count * len(site.gpus)) for name, count in site.asks.items() if name in used}
    hard |= {"count/jobs.batch": "500", "pods": "2000", "persistentvolumeclaims": "50"}
    taken = dict.fromkeys(hard, "1") | {f"requests.{name}": str(count) for name, count in used.items()}
    yield thing("v1/ResourceQuota", "team", site.team, spec={"hard": hard}, status={"hard": hard, "used": taken})
    limits = [{"type": "Container", "default": {"memory": "4Gi"}, "defaultRequest": {"cpu": "100m", "memory": "256Mi"}}]
    yield thing("v1/LimitRange", "defaults", site.team, spec={"limits": limits})
