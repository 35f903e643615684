"""Which queries a question needs, given the series that exist: few, since a group is asked in one expression.

Each term of an expression carries the label promql.TERM, which says which row of the table it is; `or` joins them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from kubegap_checks.facts.metrics import Exported, ExporterSeen, Measured
from kubegap_checks.facts.read import Measure
from kubegap_checks.signals.quantities import (
    Group,
    Quantity,
    SeriesName,
    cluster_labels,
    group,
    metric_exporters,
    quantities,
)
from kubegap_mcp.metrics.port import Query
from kubegap_mcp.metrics.promql import LABEL_OF_A_MATCHER, TERM, chunks, marked, selected

# Labels that may name a node; which of them does is seen by comparing their values with the nodes of the cluster.
# `node` of kubelet and kube-state-metrics monitors, `Hostname` and `hostname` of dcgm-exporter (older and newer),
# `nodename` of node_uname_info, `host_name` of weka/export, `kubernetes_node` of common relabelling; `instance` is the
# address that was scraped, or a name.
NODE_LABELS: Final = (
    "node",
    "Hostname",
    "hostname",
    "kubernetes_node",
    "nodename",
    "exported_node",
    "host_name",
    "instance",
)
POD_LABELS: Final = ("namespace", "pod", "container", "exported_namespace", "exported_pod", "exported_container")
_LABELS: Final = {
    "node": (*NODE_LABELS, *POD_LABELS),
    "pod": ("node", *POD_LABELS),
    "claim": ("namespace", "exported_namespace", "persistentvolumeclaim"),
}


@cache
def of_clusters() -> tuple[str, ...]:
    """The labels that may tell which cluster a series is of (clusters.py)."""
    return tuple(one.label for one in cluster_labels())


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One row of the table that can be asked, as the source knows it."""

    quantity: Quantity
    series: SeriesName

    @property
    def id(self) -> str:
        return f"{self.quantity.id}/{self.series.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The queries for one record class, and its terms by id; `missing` are essential quantities without series."""

    record: type[Measured]
    queries: tuple[Query, ...]
    terms: Mapping[str, Term]
    missing: tuple[Quantity, ...] = ()


def plan(record: type[Measured], names: frozenset[str], selector: str) -> Plan:
    """How to ask for a record class where only these series exist; `selector` are the owner's own label matchers."""
    if record is Exported:
        return _exported(names, selector)
    if record is ExporterSeen:
        return _exporter_seen(names, selector)
    kind = _measure(record)
    asked = group(kind.plural)
    wanted = [one for one in quantities() if one.group == asked.id]
    terms = [term for one in wanted for term in _terms(one, names)]
    found = {term.quantity.id for term in terms}
    return Plan(
        record=record,
        queries=tuple(_queries(kind, asked, terms, names, selector)),
        terms={term.id: term for term in terms},
        missing=tuple(one for one in wanted if one.essential and one.id not in found),
    )


def _measure(record: type[Measured]) -> Measure:
    kind = record.KIND
    if not isinstance(kind, Measure):
        raise TypeError(f"{record.__name__} is nothing that a metrics source is asked for")
    return kind


def _terms(quantity: Quantity, names: frozenset[str]) -> Iterator[Term]:
    for series in quantity.series:
        if series.name in names and (not series.other or series.other.partition("{")[0] in names):
            yield Term(quantity=quantity, series=series)


def _queries(
    kind: Measure, asked: Group, terms: Sequence[Term], names: frozenset[str], selector: str
) -> Iterator[Query]:
    for step in sorted({term.quantity.step_minutes for term in terms}):
        some = [term for term in terms if term.quantity.step_minutes == step]
        by = _by(kind, some)
        for expressions in chunks([_expression(term, asked, names, selector) for term in some]):
            promql = f"max by ({by}) ({' or '.join(expressions)})"
            yield Query(promql, span_s=int(asked.window_hours * 3600) if step else 0, step_s=step * 60)


def _by(kind: Measure, terms: Iterable[Term]) -> str:
    labels = dict.fromkeys((TERM, *_LABELS.get(kind.of, ()), *of_clusters()))
    for term in terms:
        labels |= dict.fromkeys((*term.series.part, *term.series.keep))
    return ", ".join(labels)


def _expression(term: Term, asked: Group, names: frozenset[str], selector: str) -> str:
    series = term.series
    written = _filled(series.expr or term.quantity.expr, asked)
    name, _, match = series.other.partition("{")
    written = written.replace("{other}", selected(name, match.removesuffix("}"), selector))
    written = written.replace("{series}", selected(series.name, series.match, selector))
    if refuted := " or ".join(_refutations(term, asked, names, selector)):
        device = ", ".join((*NODE_LABELS, *of_clusters(), *series.part))
        written = f"{written} unless on ({device}) ({refuted})"
    if series.scale != 1:
        written = f"({written}) * {series.scale:g}"
    return marked(written, term.id)


def _refutations(term: Term, asked: Group, names: frozenset[str], selector: str) -> Iterator[str]:
    """Of other series that the same exporter publishes of the device."""
    for one in term.quantity.unless:
        if one.name in names and one.name != term.series.name and one.exporter == term.series.exporter:
            yield _filled(one.expr, asked).replace("{series}", selected(one.name, selector))


def _filled(expr: str, asked: Group) -> str:
    """With what does not depend on the series."""
    written = expr.replace("{window}", f"{int(asked.window_hours * 60)}m")
    return written.replace("{nodes}", ", ".join(NODE_LABELS)).replace("{clusters}", ", ".join(of_clusters()))


def _exported(names: frozenset[str], selector: str) -> Plan:
    """How many series a node has of what stands for each group: one look at the index, without any arithmetic."""
    terms = {term.series.name: term for term in _telling(names)}
    queries = _counted(terms, ("__name__", *NODE_LABELS, *of_clusters()), selector)
    return Plan(record=Exported, queries=tuple(queries), terms=terms)


def picked(names: frozenset[str], selector: str) -> tuple[Query, ...]:
    """Which values the labels of a selector have, whether it picks them or not; without one, those of clusters."""
    labels = dict.fromkeys(LABEL_OF_A_MATCHER.findall(selector)) or of_clusters()
    return tuple(_counted({term.series.name for term in _telling(names)}, labels, ""))


def _counted(names: Iterable[str], by: Iterable[str], selector: str) -> Iterator[Query]:
    for pattern in map("|".join, chunks(sorted(names))):
        series = selected("", f'__name__=~"{pattern}"', selector)
        # What is no number is nothing that was measured.
        yield Query(f"count by ({', '.join(by)}) ({series} > -Inf)")


def _telling(names: frozenset[str]) -> Iterator[Term]:
    """Essential quantities, and of exporters without any the first of each group: one publishes all of it or nothing.

    Looking at every series of every node would take Prometheus as long as all rules together.
    """
    told = {(one.group, series.exporter) for one in quantities() if one.needed for series in one.series}
    for one in quantities():
        for term in _terms(one, names):
            whose = (one.group, term.series.exporter)
            if one.needed or whose not in told:
                yield term
            told.add(whose)


def _last_heard(name: str, one: str, selector: str, window: str) -> str:
    """Of what is fresh, to the second; of what has fallen silent, to the five minutes of a subquery's steps."""
    before = f"max_over_time(timestamp({selected(name, one, selector)})[{window}:5m])"
    return f"timestamp({selected(name, selector)}) or {before}"


def _exporter_seen(names: frozenset[str], selector: str) -> Plan:
    window = f"{int(group('exporter_seen').window_hours * 60)}m"
    by = ", ".join((TERM, *NODE_LABELS, *of_clusters()))
    expressions = [
        marked(_last_heard(name, one.one, selector, window), f"{one.id}/{name}")
        for one in metric_exporters()
        for name in one.witness
        if name in names
    ]
    queries = [Query(f"max by ({by}) ({' or '.join(some)})") for some in chunks(expressions)]
    return Plan(record=ExporterSeen, queries=tuple(queries), terms={})
