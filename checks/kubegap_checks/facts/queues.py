"""Who may use how much: Kueue's queues and flavors, and what a node's NUMA zones still have."""

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct

from kubegap_checks.facts.read import Kind, Record

_KUEUE = "kueue.x-k8s.io"
_KUEUE_VERSIONS = ("v1beta2", "v1beta1")


class Quota(Struct, frozen=True, kw_only=True):
    """`nominalQuota` of one extended resource in one flavor, in whole units."""

    flavor: str
    resource: str
    nominal: int


class ClusterQueue(Record, frozen=True, kw_only=True):
    """What Kueue lets in at once; `checked` where an admission check (autoscaling, another cluster) has a say too.

    `stopped` is a queue that lets nothing in (`stopPolicy`).
    """

    KIND: ClassVar[Kind] = Kind(name="ClusterQueue", plural="clusterqueues", group=_KUEUE, versions=_KUEUE_VERSIONS)

    name: str
    cohort: str = ""
    quotas: tuple[Quota, ...] = ()
    checked: bool = False
    stopped: bool = False


class ResourceFlavor(Record, frozen=True, kw_only=True):
    """The nodes that a flavor stands for: those with all these labels.

    With a `topology` Kueue looks at what is free on the nodes themselves before it lets a workload in.
    """

    KIND: ClassVar[Kind] = Kind(name="ResourceFlavor", plural="resourceflavors", group=_KUEUE, versions=_KUEUE_VERSIONS)

    name: str
    node_labels: Mapping[str, str]
    topology: str = ""


class NumaZone(Struct, frozen=True, kw_only=True):
    """What pods may still take of each extended resource in one NUMA zone."""

    name: str
    available: Mapping[str, int]


class NodeResourceTopology(Record, frozen=True, kw_only=True):
    """A node's NUMA zones as an agent reports them; it has the node's name.

    `single` is True where the kubelet takes a pod only if one zone holds all that it asks for.
    """

    KIND: ClassVar[Kind] = Kind(
        name="NodeResourceTopology",
        plural="noderesourcetopologies",
        group="topology.node.k8s.io",
        versions=("v1alpha2",),
        page=200,
    )

    name: str
    single: bool
    zones: tuple[NumaZone, ...] = ()
