"""Facts for tests: each function makes one record with quiet defaults, and a kind not given was read and is empty."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace

from kubegap_checks.facts.adapters import NicDevice, SriovNetworkNodeState
from kubegap_checks.facts.admission import (
    MutatingWebhookConfiguration,
    Namespace,
    Service,
    ValidatingWebhookConfiguration,
    Webhook,
    WebhookRule,
)
from kubegap_checks.facts.controllers import (
    DaemonSet,
    Deployment,
    PodDisruptionBudget,
    PriorityClass,
    StatefulSet,
    Template,
)
from kubegap_checks.facts.jobs import RunObject
from kubegap_checks.facts.metrics import measured_records
from kubegap_checks.facts.nodes import (
    Condition,
    NicClusterPolicy,
    Node,
    NodeFeature,
    PciDevice,
    ResourceSlice,
    SliceDevice,
)
from kubegap_checks.facts.operators import ClusterPolicy, NVIDIADriver, Operand
from kubegap_checks.facts.pods import Container, Pod, Run
from kubegap_checks.facts.queues import ClusterQueue, NodeResourceTopology, NumaZone, Quota, ResourceFlavor
from kubegap_checks.facts.read import Facts, Record, Rows, Unread
from kubegap_checks.facts.selectors import Selector
from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_checks.text import Text
from kubegap_mcp.kube.gather.registry import records

READ_AT = datetime(2026, 11, 29, 12, tzinfo=UTC)
LONG_AGO = READ_AT - timedelta(days=30)
JUST_NOW = READ_AT - timedelta(minutes=1)

KINDS: tuple[type[Record], ...] = (*records(), *measured_records())


def forbidden(kind: type[Record]) -> Unread:
    grant = f"grant list on {kind.KIND.resource}"
    return Unread(what=Text.same(kind.KIND.resource), reason="forbidden", remedy=Text(en=grant, ko=grant))


def damaged(kind: type[Record]) -> Unread:
    """What stands beside the rows of a kind of which one object made no sense."""
    return Unread(what=forbidden(kind).what, reason="invalid", remedy=forbidden(kind).remedy)


def facts(*records: Record, unread: Collection[type[Record]] = (), read_at: datetime = READ_AT) -> Facts:
    """These records and no others; the kinds of `unread` could not be read."""
    rows: dict[type[Record], Rows] = {
        kind: tuple(record for record in records if type(record) is kind) for kind in KINDS
    }
    return Facts(rows | {kind: forbidden(kind) for kind in unread}, read_at=read_at)


def ready(status: str = "True", *, since: datetime = LONG_AGO, heartbeat: datetime | None = JUST_NOW) -> Condition:
    return Condition(type="Ready", status=status, reason="KubeletReady", since=since, heartbeat=heartbeat)


def node(
    name: str = "gpu-1",
    labels: Mapping[str, str] | None = None,
    devices: Mapping[str, int] | None = None,
    **fields: Any,
) -> Node:
    """A ready node, whose capacity and allocatable both hold `devices`."""
    return replace(
        Node(
            name=name,
            labels=labels or {},
            annotations={},
            created=LONG_AGO,
            capacity=devices or {},
            allocatable=devices or {},
            conditions=(ready(),),
            boot_id="boot-1",
        ),
        **fields,
    )


def node_feature(node: str, pci: Mapping[tuple[str, str, str], int] | None = None, **fields: Any) -> NodeFeature:
    """`pci` says how many devices there are of (vendor, class, device)."""
    devices = tuple(
        PciDevice(vendor=vendor, cls=cls, device=device)
        for (vendor, cls, device), count in (pci or {}).items()
        for _ in range(count)
    )
    return replace(NodeFeature(node=node, pci=devices), **fields)


def resource_slice(node: str, driver: str, *devices: SliceDevice, **fields: Any) -> ResourceSlice:
    """The only slice of the node's pool."""
    return replace(
        ResourceSlice(
            name=f"{node}-{driver}",
            driver=driver,
            node=node,
            pool=node,
            generation=1,
            slices_in_pool=1,
            devices=devices,
        ),
        **fields,
    )


def pod(name: str = "train-0", namespace: str = "ml", **fields: Any) -> Pod:
    """A running pod of the PyTorchJob `train`."""
    return replace(
        Pod(
            namespace=namespace,
            name=name,
            node="gpu-1",
            phase="Running",
            run=Run(kind="PyTorchJob", namespace=namespace, name="train"),
            created=LONG_AGO,
            labels={},
            annotations={},
            resources={},
        ),
        **fields,
    )


def container(name: str = "trainer", **fields: Any) -> Container:
    return replace(Container(name=name, env={}, flags={}, limits={}), **fields)


def template(*containers: Container, **fields: Any) -> Template:
    return replace(Template(labels={}, containers=containers), **fields)


def daemon_set(name: str = "agent", namespace: str = "kube-system", **fields: Any) -> DaemonSet:
    """One that runs, ready, on the three nodes that want it."""
    made = DaemonSet(namespace=namespace, name=name, labels={}, template=template(), created=LONG_AGO)
    return replace(made, **{"desired": 3, "ready": 3, "updated": 3, **fields})


def deployment(name: str = "operator", namespace: str = "kube-system", **fields: Any) -> Deployment:
    """One with a single replica, which is ready."""
    made = Deployment(namespace=namespace, name=name, labels={}, template=template(), created=LONG_AGO)
    return replace(made, **{"ready": 1, "updated": 1, **fields})


def stateful_set(name: str = "store", namespace: str = "kube-system", **fields: Any) -> StatefulSet:
    """One with a single replica, which is ready."""
    made = StatefulSet(namespace=namespace, name=name, labels={}, template=template(), created=LONG_AGO)
    return replace(made, **{"ready": 1, "updated": 1, **fields})


def budget(selector: Mapping[str, str], name: str = "pdb", namespace: str = "kube-system", **fields: Any) -> Record:
    """A PodDisruptionBudget over the pods with these labels."""
    made = PodDisruptionBudget(namespace=namespace, name=name, selector=Selector(labels=selector))
    return replace(made, **fields)


def priority_class(name: str = "training", value: int = 1000, **fields: Any) -> PriorityClass:
    return replace(PriorityClass(name=name, value=value, created=LONG_AGO), **fields)


def cluster_queue(name: str = "training", quotas: Mapping[tuple[str, str], int] | None = None, **fields: Any) -> Record:
    """`quotas` says how many units there are of (flavor, resource)."""
    listed = tuple(
        Quota(flavor=flavor, resource=what, nominal=count) for (flavor, what), count in (quotas or {}).items()
    )
    return replace(ClusterQueue(name=name, quotas=listed), **fields)


def flavor(name: str = "gpu", labels: Mapping[str, str] | None = None, **fields: Any) -> ResourceFlavor:
    return replace(ResourceFlavor(name=name, node_labels=labels or {}), **fields)


def numa(node: str, *zones: Mapping[str, int], single: bool = True) -> NodeResourceTopology:
    """A node whose zones still have so much of each resource."""
    listed = tuple(NumaZone(name=f"node-{place}", available=zone) for place, zone in enumerate(zones))
    return NodeResourceTopology(name=node, single=single, zones=listed)


def claim(name: str = "data", namespace: str = "ml", volume: str = "pv-data", **fields: Any) -> Claim:
    return replace(Claim(namespace=namespace, name=name, volume=volume, annotations={}), **fields)


def volume(name: str = "pv-data", driver: str = "", **fields: Any) -> Volume:
    return replace(Volume(name=name, driver=driver, attributes={}, annotations={}), **fields)


def storage_class(name: str = "shared", provisioner: str = "", **fields: Any) -> StorageClass:
    return replace(StorageClass(name=name, provisioner=provisioner, parameters={}), **fields)


def weka(name: str = "weka", namespace: str = "weka", **fields: Any) -> WekaCluster:
    return replace(WekaCluster(namespace=namespace, name=name, stats_updated=JUST_NOW), **fields)


def cluster_policy(name: str = "cluster-policy", **fields: Any) -> ClusterPolicy:
    return replace(ClusterPolicy(name=name, state="ready", operands={"driver": Operand(enabled=True)}), **fields)


def nvidia_driver(name: str = "default", **fields: Any) -> NVIDIADriver:
    return replace(NVIDIADriver(name=name, state="ready", type="gpu", node_selector={}, operands={}), **fields)


def namespace(name: str, labels: Mapping[str, str] | None = None) -> Namespace:
    return Namespace(name=name, labels={"kubernetes.io/metadata.name": name, **(labels or {})})


def service(selector: Mapping[str, str], name: str = "webhook", namespace: str = "policy") -> Service:
    return Service(namespace=namespace, name=name, selector=selector)


def webhook(name: str = "check.example.com", **fields: Any) -> Webhook:
    """One that must admit every pod, served by the Service policy/webhook."""
    rule = WebhookRule(operations=("CREATE",), groups=("",), resources=("pods",))
    everything = Selector(labels={})
    made = Webhook(
        name=name,
        fails_closed=True,
        rules=(rule,),
        namespaces=everything,
        objects=everything,
        service=("policy", "webhook"),
    )
    return replace(made, **fields)


def validating(*webhooks: Webhook, name: str = "policy") -> ValidatingWebhookConfiguration:
    return ValidatingWebhookConfiguration(name=name, webhooks=webhooks)


def mutating(*webhooks: Webhook, name: str = "policy") -> MutatingWebhookConfiguration:
    return MutatingWebhookConfiguration(name=name, webhooks=webhooks)


def run_object(kind: type[RunObject], name: str = "train", namespace: str = "ml", **fields: Any) -> Any:
    """The object of a run of two pods, which restarts none of them alone."""
    return replace(kind(namespace=namespace, name=name, pods=2, on_failure={}), **fields)


def nic_cluster_policy(name: str = "nic-cluster-policy", **fields: Any) -> NicClusterPolicy:
    """One that is ready and names no resources."""
    made = NicClusterPolicy(name=name, state="ready", shared_resources=frozenset(), counted_resources=frozenset())
    return replace(made, **fields)


def node_state(name: str = "gpu-1", namespace: str = "network-operator", **fields: Any) -> SriovNetworkNodeState:
    return replace(SriovNetworkNodeState(namespace=namespace, name=name, sync_status="Succeeded"), **fields)


def nic_device(name: str, namespace: str = "network-operator", **fields: Any) -> NicDevice:
    made = NicDevice(namespace=namespace, name=name, node="gpu-1", board="mt_0000000838", firmware="28.39.3004")
    return replace(made, **fields)
