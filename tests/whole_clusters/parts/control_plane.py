"""What the control plane itself keeps: leases, and how requests share it."""

from collections.abc import Iterable

from tests.whole_clusters.objects import Object, ago, reached, thing

# kubernetes/apiserver:pkg/apis/flowcontrol/bootstrap/default.go: name, level, precedence.
FLOWS = (
    ("exempt", "exempt", 1),
    ("probes", "exempt", 2),
    ("system-leader-election", "leader-election", 100),
    ("endpoint-controller", "workload-high", 150),
    ("workload-leader-election", "leader-election", 200),
    ("system-node-high", "node-high", 400),
    ("system-nodes", "system", 500),
    ("kube-controller-manager", "workload-high", 800),
    ("kube-scheduler", "workload-high", 800),
    ("kube-system-service-accounts", "workload-high", 900),
    ("service-accounts", "workload-low", 9000),
    ("global-default", "global-default", 9900),
    ("catch-all", "catch-all", 10000),
)


def flow_control() -> Iterable[Object]:
    for name, level, precedence in FLOWS:
        spec = {"priorityLevelConfiguration": {"name": level}, "matchingPrecedence": precedence, "rules": []}
        status = {"conditions": [reached("Dangling", "Found", "False")]}
        yield thing("flowcontrol.apiserver.k8s.io/v1/FlowSchema", name, spec=spec, status=status)


def lease(name: str, namespace: str, holder: str, seconds: int = 15) -> Object:
    """Whoever holds it renews it every few seconds."""
    renewed = f"{ago(seconds=3)[:-1]}.000000Z"
    spec = {"holderIdentity": holder, "leaseDurationSeconds": seconds, "renewTime": renewed}
    return thing("coordination.k8s.io/v1/Lease", name, namespace, spec=spec)


def node_lease(name: str) -> Object:
    return lease(name, "kube-node-lease", name, 40)
