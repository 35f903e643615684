"""Answers of a metrics source -> records, joined to the nodes and pods that were read; pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from kubegap_checks.facts.metrics import Exported, ExporterSeen, Measured, measured_records
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Measure, Partial, Record, Rows, Unread, UnreadError
from kubegap_checks.signals.quantities import Group, group, quantities
from kubegap_checks.text import Text
from kubegap_mcp.metrics.join import Nodes, PodName, Pods
from kubegap_mcp.metrics.plan import Plan
from kubegap_mcp.metrics.port import Answer, Series
from kubegap_mcp.metrics.promql import TERM

_PART = {"gpu": "GPU {}"}  # how the value of a label reads as the name of a device; others stand for themselves


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What came of a plan's queries, and why some did not come."""

    plan: Plan
    answers: tuple[Answer, ...] = ()
    unread: tuple[Unread, ...] = ()


def rows(told: Mapping[type[Measured], Answered | Unread], where: Answer, facts: Facts) -> dict[type[Record], Rows]:
    """The rows of each record class; `where` are series of node_uname_info."""
    joined = _Joined(facts, where, told.get(Exported))
    return {
        record: answered if isinstance(answered, Unread) else joined.rows(record, answered)
        for record, answered in told.items()
    }


class _Joined:
    """The objects that series are joined to; what could not be read of them makes what rests on them unread."""

    def __init__(self, facts: Facts, where: Answer, exported: Answered | Unread | None) -> None:
        self._exported = exported.answers if isinstance(exported, Answered) else ()
        self._nodes: Nodes | tuple[Unread, ...]
        try:
            published = [series for answer in self._exported for series in answer.series]
            names = (node.name for node in facts.understood(Node).known(Node))
            self._nodes = Nodes(names, where.series, (*where.series, *published))
        except UnreadError as error:
            self._nodes = error.unread
        found: list[tuple[str, str]] = []
        self._lacking: tuple[Unread, ...] = ()
        try:
            found.extend((pod.namespace, pod.name) for pod in facts.seen(Pod))
        except UnreadError as error:
            self._lacking = error.unread
        self._pods = Pods(found)

    def rows(self, record: type[Measured], answered: Answered) -> Rows:
        kind = record.KIND
        if not isinstance(kind, Measure):
            raise TypeError(f"{record.__name__} is nothing that a metrics source is asked for")
        asked = group(kind.plural)
        if not answered.plan.queries:
            return _not_published(asked)
        if answered.unread and not answered.answers:
            return answered.unread[0]
        unread = (*answered.unread, *_lacks(answered, asked), *_missing(answered))
        if kind.of == "node" and not isinstance(self._nodes, Nodes):
            return self._nodes[0]
        if kind.of == "pod" and self._lacking:
            unread += self._lacking
        every = [series for answer in answered.answers for series in answer.series]
        made = tuple(self._each(record, kind, answered.plan, every))
        if not made and every and kind.of == "node" and not self._watched():
            return _of_another_cluster(asked)
        if kind.of in {"claim", "cluster"} and self._elsewhere():
            return _of_another_cluster(asked)
        return Partial(made, unread) if unread else made

    def _watched(self) -> bool:
        """Whether any series names a node of this cluster: then one that has none may have nothing to tell."""
        told = (series.labels for answer in self._exported for series in answer.series)
        return isinstance(self._nodes, Nodes) and any(map(self._nodes.of, told))

    def _elsewhere(self) -> bool:
        """Whether the source tells of nodes, and of none of this cluster: then etcd and claims are another's too."""
        told = (series.labels.get("__name__", "") for answer in self._exported for series in answer.series)
        return isinstance(self._nodes, Nodes) and not self._watched() and any(name in _of_nodes() for name in told)

    def _each(self, record: type[Measured], kind: Measure, plan: Plan, every: Iterable[Series]) -> Iterator[Measured]:
        for series in every:
            made = self._one(record, kind, plan, series)
            if made is not None:
                yield made

    def _one(self, record: type[Measured], kind: Measure, plan: Plan, series: Series) -> Measured | None:
        labels = series.labels
        term = plan.terms.get(labels.get("__name__", "") if record is Exported else labels.get(TERM, ""))
        if term is None and record is not ExporterSeen:
            return None
        node = self._nodes.of(labels) if isinstance(self._nodes, Nodes) else ""
        pod = self._pods.of(labels) or PodName("", "")
        whole = record is Exported
        if (kind.of == "node" and not node and not whole) or (kind.of == "pod" and not pod.name):
            return None  # of another cluster, or of what holds no accelerators
        kept = {} if term is None else {name: labels[name] for name in term.series.keep if labels.get(name)}
        if whole:
            kept = {"series": labels.get("__name__", "")}
        parts = [] if term is None or whole else [labels[name] for name in term.series.part if labels.get(name)]
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


@cache
def _of_nodes() -> frozenset[str]:
    """The series that nodes publish."""
    kinds = [record.KIND for record in measured_records()]
    groups = {kind.plural for kind in kinds if isinstance(kind, Measure) and kind.of == "node"}
    return frozenset(series.name for one in quantities() if one.group in groups for series in one.series)


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
