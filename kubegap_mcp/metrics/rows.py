"""Answers of a metrics source -> records, joined to the nodes and pods that were read; pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from kubegap_checks.facts.metrics import Exported, ExporterSeen, Measured
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Measure, Partial, Record, Rows, Unread, UnreadError, came
from kubegap_checks.inventory.heard import stopped
from kubegap_checks.signals.quantities import Group, group
from kubegap_checks.text import Text
from kubegap_mcp.foreign.clean import short_hash
from kubegap_mcp.metrics import unread
from kubegap_mcp.metrics.clusters import Clusters, exporters, of_nodes
from kubegap_mcp.metrics.join import Nodes, PodName, Pods
from kubegap_mcp.metrics.plan import Plan
from kubegap_mcp.metrics.port import Answer, Series
from kubegap_mcp.metrics.promql import TERM

_FRESH_S: Final = 300  # how far Prometheus looks back
_PART: Final = {"gpu": "GPU {}", "gpu_id": "GPU {}"}  # how such a label reads as the name of a device
# What devices, jobs, verbs and filesystems are called. Whatever else a label holds may be meant for who reads it.
_NAME: Final = re.compile(r"[\w./:@-]{1,64}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What came of a plan's queries, and why some did not come."""

    plan: Plan
    answers: tuple[Answer, ...] = ()
    unread: tuple[Unread, ...] = ()


def rows(
    told: Mapping[type[Measured], Answered | Unread], where: Answer, facts: Facts, selector: str = ""
) -> dict[type[Record], Rows]:
    """The rows of each record class; `where` are series of node_uname_info, `selector` the owner's label matchers.

    What everything rests on is `Exported`: what publishes anything now, and of which cluster.
    """
    joined = _Joined(facts, where, told.get(Exported))
    stopped = _stopped(told, where, selector)
    return {
        record: answered if isinstance(answered, Unread) else stopped or joined.rows(record, answered)
        for record, answered in told.items()
    }


class _Joined:
    """The objects that series are joined to; what could not be read of them makes what rests on them unread."""

    def __init__(self, facts: Facts, where: Answer, exported: Answered | Unread | None) -> None:
        self._exported = exported.answers if isinstance(exported, Answered) else ()
        self._untold = _why(exported)
        self._nodes: Nodes | tuple[Unread, ...]
        published = [series for answer in self._exported for series in answer.series]
        try:
            names = (node.name for node in facts.understood(Node).known(Node))
            self._nodes = Nodes(names, where.series, (*where.series, *published))
        except UnreadError as error:
            self._nodes = error.unread
        nodes = self._nodes if isinstance(self._nodes, Nodes) else Nodes(())
        self._clusters = Clusters(published, where.series, nodes)
        pods, self._lacking = came(facts.seen(Pod))
        self._pods = Pods((pod.namespace, pod.name) for pod in pods)

    def rows(self, record: type[Measured], answered: Answered) -> Rows:
        kind = record.KIND
        if not isinstance(kind, Measure):
            raise TypeError(f"{record.__name__} is nothing that a metrics source is asked for")
        asked = group(kind.plural)
        if why := self._unread(kind, asked, answered):
            return why
        every = [series for answer in answered.answers for series in answer.series]
        made, unclear = self._each(record, kind, answered.plan, every)
        if (not made and every and kind.of == "node" and not self._watched()) or (
            kind.of in {"claim", "cluster"} and self._elsewhere()
        ):
            return _of_another_cluster(asked)
        lacking = (*answered.unread, *_lacks(answered, asked), *_missing(answered))
        if kind.of == "pod":
            lacking += self._lacking
        if unclear and kind.of != "node":
            lacking = (self._clusters.unclear, *lacking)
        return Partial(made, lacking) if lacking else made

    def _unread(self, kind: Measure, asked: Group, answered: Answered) -> Unread | None:
        """Why nothing that came can be used."""
        if not answered.plan.queries:
            return _not_published(asked)
        if answered.unread and not answered.answers:
            return answered.unread[0]
        if kind.of == "node" and not isinstance(self._nodes, Nodes):
            return self._nodes[0]
        if kind.of != "node" and self._untold:
            return self._untold
        return self._clusters.unclear if self._clusters.namesakes else None

    def _watched(self) -> bool:
        """Whether any series names a node of this cluster: then one that has none may have nothing to tell."""
        told = (series.labels for answer in self._exported for series in answer.series)
        return isinstance(self._nodes, Nodes) and any(map(self._nodes.of, told))

    def _elsewhere(self) -> bool:
        """Whether the source tells of nodes, and of none of this cluster: then etcd and claims are another's too."""
        told = (series.labels.get("__name__", "") for answer in self._exported for series in answer.series)
        of_some_node = any(exporters().get(name) in of_nodes() for name in told)
        return isinstance(self._nodes, Nodes) and of_some_node and not self._watched()

    def _each(
        self, record: type[Measured], kind: Measure, plan: Plan, every: Iterable[Series]
    ) -> tuple[tuple[Measured, ...], bool]:
        """The records of this cluster, and whether there are series of which nothing tells whose they are."""
        made: list[Measured] = []
        unclear = False
        for series in every:
            one = self._one(record, kind, plan, series)
            if one is None:
                continue
            whose = self._clusters.whose(series.labels, _exporter(record, plan, series), kind.of)
            unclear = unclear or whose == "unclear"
            if whose == "ours" or (whose == "unclear" and one.node):  # whose name tells
                made.append(one)
        return tuple(made), unclear

    def _one(self, record: type[Measured], kind: Measure, plan: Plan, series: Series) -> Measured | None:
        labels = series.labels
        term = plan.terms.get(labels.get("__name__", "") if record is Exported else labels.get(TERM, ""))
        if term is None and record is not ExporterSeen:
            return None
        if record is ExporterSeen and not _is_past(series):
            return None
        node = self._nodes.of(labels) if isinstance(self._nodes, Nodes) else ""
        pod = self._pods.of(labels) or PodName("", "")
        whole = record is Exported
        if (kind.of == "node" and not node and not whole) or (kind.of == "pod" and not pod.name):
            return None  # of another cluster, or of what holds no accelerators
        kept = {} if term is None else {name: as_name(labels[name]) for name in term.series.keep if labels.get(name)}
        if whole:
            kept = {"series": labels.get("__name__", "")}
        parts = (
            [] if term is None or whole else [as_name(labels[name]) for name in term.series.part if labels.get(name)]
        )
        template = _PART.get(term.series.part[0], "{}") if term and parts else "{}"
        return record(
            quantity=term.quantity.id if term else labels.get(TERM, "").partition("/")[0],
            node=node,
            namespace=_namespace(labels) if kind.of == "claim" else pod.namespace,
            pod=pod.name,
            container=pod.container,
            claim=labels.get("persistentvolumeclaim", "") if kind.of == "claim" else "",
            part=template.format("/".join(parts)) if parts else "",
            labels=kept,
            value=series.value,
            points=series.points if len(series.points) > 1 else (),
        )


def _namespace(labels: Mapping[str, str]) -> str:
    """A claim's own: where the target has a label of this name too, Prometheus keeps the series' under another one."""
    return labels.get("exported_namespace") or labels.get("namespace", "")


def _is_past(series: Series) -> bool:
    """Whether its value is a time, at the latest that of its sample: else everything would be silent beside it."""
    return 0 <= series.value <= series.points[-1][0]


def as_name(value: str) -> str:
    """As it stands where it can be nothing but a name; else a sign that is the same for the same text."""
    return value if _NAME.fullmatch(value) else short_hash(value)


def _exporter(record: type[Measured], plan: Plan, series: Series) -> str:
    """Whose series it is."""
    if record is ExporterSeen:
        return series.labels.get(TERM, "").partition("/")[0]
    term = plan.terms.get(series.labels.get("__name__" if record is Exported else TERM, ""))
    return term.series.exporter if term else ""


def _why(exported: Answered | Unread | None) -> Unread | None:
    """Why it is not known what publishes anything, or not in full."""
    if isinstance(exported, Unread):
        return exported
    return exported.unread[0] if exported and exported.unread else None


def _stopped(told: Mapping[type[Measured], Answered | Unread], where: Answer, selector: str) -> Unread | None:
    """Where nothing at all is fresh, no exporter fell silent, but the source itself did, or its selector is wrong."""
    exported, heard = told.get(Exported), told.get(ExporterSeen)
    if not isinstance(exported, Answered) or exported.unread or not exported.plan.queries or where.series:
        return None
    if any(answer.series or answer.lacks for answer in exported.answers):
        return None
    seen = [series for answer in heard.answers for series in answer.series] if isinstance(heard, Answered) else []
    seen = [series for series in seen if _is_past(series)]
    if any(series.points[-1][0] - series.value < _FRESH_S for series in seen):
        return None
    if selector and not seen:
        return unread.selects_nothing()
    newest = max((series.value for series in seen), default=None)
    return stopped(None if newest is None else datetime.fromtimestamp(newest, UTC))


def _not_published(asked: Group) -> Unread:
    return Unread(what=asked.text, reason="invalid", remedy=_remedy(asked))


def _remedy(asked: Group) -> Text:
    return Text(
        en=f"the metrics source has no series for it: {asked.collect.en}",
        ko=f"메트릭 소스에 해당 시계열이 없음. {asked.collect.ko}",
    )


def _missing(answered: Answered) -> Iterator[Unread]:
    for quantity in answered.plan.missing:
        names = ", ".join(dict.fromkeys(series.name for series in quantity.series))
        yield Unread(
            what=quantity.text,
            reason="invalid",
            remedy=Text(
                en=f"the metrics source has none of {names}: collect one of them",
                ko=f"메트릭 소스에 다음 시계열이 없음: {names}. 그중 하나를 수집한다",
            ),
        )


def _lacks(answered: Answered, asked: Group) -> Iterator[Unread]:
    for lack in dict.fromkeys(lack for answer in answered.answers for lack in answer.lacks):
        yield Unread(what=asked.text, reason="invalid", remedy=lack)


def _of_another_cluster(asked: Group) -> Unread:
    return Unread(
        what=asked.text,
        reason="invalid",
        remedy=Text(
            en="no label of these series names a node of this cluster: name the Prometheus that watches it, or keep "
            "the node's name in a label `node`",
            ko="이 시계열의 레이블 중에 이 클러스터의 노드 이름이 없음. 이 클러스터를 보는 Prometheus를 지정하거나 "
            "`node` 레이블에 노드 이름을 남긴다",
        ),
    )
