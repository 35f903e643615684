"""What a platform's parts need to know of the cluster that they run in."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tests.whole_clusters.objects import Object, ago, thing
from tests.whole_clusters.parts.nodes import node


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """GPU nodes in one zone, of which the last is the idle spare, and CPU nodes over three zones."""

    gpus: tuple[str, ...]
    system: tuple[str, ...]
    zones: tuple[str, str, str] = ("zone-a", "zone-b", "zone-c")
    machine: str = ""  # the GPU nodes' instance type; the label that tells it is `machine_label`
    asks: Mapping[str, int] = field(default_factory=dict)  # extended resources of one trainer pod
    topology: tuple[str, ...] = ()  # labels from the widest to the narrowest network domain
    driver: str = "580.95.05"
    team: str = "train"
    alerts: tuple[str, ...] = ("gpu", "fabric", "storage", "training", "platform")  # of alerts.yaml
    run: str = "llm"
    kueue: str = "v1beta1"  # the version that its API serves first
    idle: frozenset[str] | None = None  # GPU nodes on which the run has no trainer; the last one where it is None

    @property
    def trains_on(self) -> tuple[str, ...]:
        idle = frozenset(self.gpus[-1:]) if self.idle is None else self.idle
        return tuple(name for name in self.gpus if name not in idle)

    @property
    def nodes(self) -> tuple[str, ...]:
        return (*self.gpus, *self.system)

    @property
    def two(self) -> tuple[str, ...]:
        """CPU nodes of two zones, for what has two replicas."""
        return self.system[:2]

    @property
    def three(self) -> tuple[str, ...]:
        return self.system[:3]


def system_nodes(site: Site, labels: Mapping[str, str], **rest: str) -> Iterable[Object]:
    for place, name in enumerate(site.system):
        made = node(name, labels, {}, storage="190Gi", zone=site.zones[place % 3], **rest)
        made["status"]["capacity"] |= {"cpu": "16", "memory": "65032Mi"}
        made["status"]["allocatable"] |= {"cpu": "15890m", "memory": "61180Mi"}
        yield made


def namespaces(*names: str, labels: Mapping[str, str] | None = None) -> Iterable[Object]:
    for name in ("default", "kube-system", "kube-public", "kube-node-lease", *names):
        marks = {"kubernetes.io/metadata.name": name} | dict(labels or {})
        yield thing("v1/Namespace", name, labels=marks, created=ago(days=200), spec={}, status={"phase": "Active"})
