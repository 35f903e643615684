"""Which series are of this cluster, where a source holds several: those with what goes with its nodes' names; pure.

Names of nodes tell a node's own series apart. etcd, API servers, claims and pods of another cluster look just like
ours: of these only those count that a label of the table, or the place that they run at, gives to this cluster.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from kubegap_checks.facts.metrics import measured_records
from kubegap_checks.facts.read import Measure, Unread
from kubegap_checks.signals.quantities import ClusterLabel, cluster_labels, quantities
from kubegap_checks.text import Text
from kubegap_mcp.metrics.join import Nodes
from kubegap_mcp.metrics.plan import NODE_LABELS
from kubegap_mcp.metrics.port import Series
from kubegap_mcp.metrics.promql import escaped

Whose = Literal["ours", "others", "unclear"]

_WHERE: Final = "node_uname_info"
_ON_NODES: Final = "node_exporter"  # publishes it
# These run on the nodes of Kubernetes clusters, and on no other machine.
_KUBELETS: Final = frozenset({"kubelet", "cadvisor"})
# Nodes that have just left are told for five minutes more; where more than so many are not of this cluster, there is
# another one.
_LEAVING: Final = 0.1


@dataclass(frozen=True, slots=True)
class _Published:
    """One series that something publishes now; `node` where it is of a node of this cluster."""

    labels: Mapping[str, str]
    exporter: str
    of_nodes: bool  # whether its exporter runs on each node
    node: str
    placed: str  # the node where it runs, whatever it is of


@dataclass(frozen=True, slots=True)
class _Split:
    """A label that others bear with other values than those that go with this cluster's nodes."""

    row: ClusterLabel
    ours: frozenset[str]
    namesakes: bool  # whether nodes of other clusters have the names of ours


class Clusters:
    """What a source publishes now tells whether it holds several, and what goes with the nodes of this one.

    `published` are series counted by name, by labels of nodes and by labels of clusters; `where` is node_uname_info.
    """

    def __init__(self, published: Iterable[Series], where: Iterable[Series], nodes: Nodes) -> None:
        self._nodes = nodes
        self._published = [
            *(_of(series, exporters().get(series.labels.get("__name__", ""), ""), nodes) for series in published),
            *(_of(series, _ON_NODES, nodes) for series in where),
        ]
        splits = (_split(row, self._published) for row in cluster_labels())
        self._splits = [split for split in splits if split is not None]
        self._crowded = not self._splits and _is_crowded(self._published)

    def whose(self, labels: Mapping[str, str], exporter: str, of: str) -> Whose:
        """Of a series that this exporter publishes of a node, a pod, a claim or a cluster."""
        if not self._crowded:
            return self._by_labels(labels, exporter)
        if of in {"node", "pod"}:
            return "ours" if self._nodes.of(labels) else "unclear"
        own = [one for one in self._published if one.exporter == exporter]
        return "ours" if all(one.placed for one in own) else "unclear"

    def _by_labels(self, labels: Mapping[str, str], exporter: str) -> Whose:
        told = not self._splits
        for split in self._splits:
            if split.namesakes or not split.ours:
                return "unclear"
            if labels.get(split.row.label, "") in split.ours:
                told = True
            elif exporter not in split.row.own:
                return "others"
        return "ours" if told else "unclear"

    @property
    def namesakes(self) -> bool:
        """Whether nodes of other clusters have the names of ours: then names tell nothing."""
        return any(split.namesakes for split in self._splits)

    @property
    def matchers(self) -> str | None:
        """Pick what is of this cluster; "" where all is, None where nothing tells it."""
        if self._crowded or any(split.namesakes or not split.ours for split in self._splits):
            return None
        return ", ".join(f'{split.row.label}=~"{"|".join(map(escaped, sorted(split.ours)))}"' for split in self._splits)

    @property
    def unclear(self) -> Unread:
        """What is said of series that may be of another cluster."""
        label = self._splits[0].row.label if self._splits else cluster_labels()[0].label
        return Unread(
            what=Text(en="which cluster these metrics are of", ko="메트릭이 어느 클러스터의 것인지"),
            reason="invalid",
            remedy=Text(
                en="the metrics source holds several clusters: set selector under [prometheus], as "
                f'{label}="NAME", so that only the series of this one are asked',
                ko=f'메트릭 소스에 여러 클러스터가 들어 있음. [prometheus]의 selector를 {label}="이름"처럼 적어 이 '
                "클러스터의 시계열만 조회한다",
            ),
            cause=True,
        )


@cache
def exporters() -> Mapping[str, str]:
    """By the name of a series that something is told by."""
    return {series.name: series.exporter for one in quantities() for series in one.series}


@cache
def of_nodes() -> frozenset[str]:
    """The exporters that run on each node, kubelets apart."""
    kinds = [record.KIND for record in measured_records()]
    groups = {kind.plural for kind in kinds if isinstance(kind, Measure) and kind.of == "node"}
    return frozenset(series.exporter for one in quantities() if one.group in groups for series in one.series)


def _of(series: Series, exporter: str, nodes: Nodes) -> _Published:
    placed = nodes.of(series.labels)
    runs_there = exporter in of_nodes() | _KUBELETS
    return _Published(series.labels, exporter, runs_there, placed if runs_there else "", placed)


def _split(row: ClusterLabel, published: Sequence[_Published]) -> _Split | None:
    """None where nothing shows that there is another cluster."""
    telling = [one for one in published if one.exporter not in row.own]
    ours: set[str] = set()
    others: set[str] = set()
    values: dict[tuple[str, str], set[str]] = {}
    for one in telling:
        value = one.labels.get(row.label, "")
        if one.node:
            ours.add(value)
            values.setdefault((one.labels.get("__name__", _WHERE), one.node), set()).add(value)
        elif value or one.of_nodes:  # etcd that bears no such label may be ours
            others.add(value)
    others -= ours
    namesakes = any(len(some) > 1 for some in values.values())
    several = bool(others) if ours else len(others - {""}) > 1
    return _Split(row, frozenset(ours), namesakes) if several or namesakes else None


def _is_crowded(published: Iterable[_Published]) -> bool:
    heard = [one for one in published if one.exporter in _KUBELETS]
    ours = {one.node for one in heard if one.node}
    others = {tuple(one.labels.get(label, "") for label in NODE_LABELS) for one in heard if not one.node}
    return bool(ours) and len(others) > _LEAVING * len(ours)
