"""Which queries a question needs, given the series that exist: few, since a group is asked in one expression.

Each term of an expression carries the label promql.TERM, which says which row of the table it is; `or` joins them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kubegap_checks.facts.metrics import Exported, ExporterSeen, Measured
from kubegap_checks.facts.read import Measure
from kubegap_checks.signals.quantities import Group, Quantity, SeriesName, group, metric_exporters, quantities
from kubegap_mcp.metrics.port import Query
from kubegap_mcp.metrics.promql import TERM, chunks, marked, selected

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
        queries=tuple(_queries(kind, asked, terms, selector)),
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


def _queries(kind: Measure, asked: Group, terms: Sequence[Term], selector: str) -> Iterator[Query]:
    for step in sorted({term.quantity.step_minutes for term in terms}):
        some = [term for term in terms if term.quantity.step_minutes == step]
        by = _by(kind, some)
        for expressions in chunks([_expression(term, asked, selector) for term in some]):
            promql = f"max by ({by}) ({' or '.join(expressions)})"
            yield Query(promql, span_s=int(asked.window_hours * 3600) if step else 0, step_s=step * 60)


def _by(kind: Measure, terms: Iterable[Term]) -> str:
    labels = dict.fromkeys((TERM, *_LABELS.get(kind.of, ())))
    for term in terms:
        labels |= dict.fromkeys((*term.series.part, *term.series.keep))
    return ", ".join(labels)


def _expression(term: Term, asked: Group, selector: str) -> str:
    series = term.series
    written = (series.expr or term.quantity.expr).replace("{window}", f"{int(asked.window_hours * 60)}m")
    written = written.replace("{nodes}", ", ".join(NODE_LABELS))
    name, _, match = series.other.partition("{")
    written = written.replace("{other}", selected(name, match.removesuffix("}"), selector))
    written = written.replace("{series}", selected(series.name, series.match, selector))
    if series.scale != 1:
        written = f"({written}) * {series.scale:g}"
    return marked(written, term.id)


def _exported(names: frozenset[str], selector: str) -> Plan:
    """How many series a node has of what stands for each group: one look at the index, without any arithmetic."""
    terms = {term.series.name: term for term in _telling(names)}
    by = ", ".join(("__name__", *NODE_LABELS))
    queries = [
        # What is no number is nothing that was measured.
        Query(f"count by ({by}) ({selected('', f'__name__=~{chr(34)}{pattern}{chr(34)}', selector)} > -Inf)")
        for pattern in map("|".join, chunks(sorted(terms)))
    ]
    return Plan(record=Exported, queries=tuple(queries), terms=terms)


def _telling(names: frozenset[str]) -> Iterator[Term]:
    """Essential quantities, and of exporters without any the first of each group: one publishes all of it or nothing.

    Looking at every series of every node would take Prometheus as long as all rules together.
    """
    told = {(one.group, series.exporter) for one in quantities() if one.essential for series in one.series}
    for one in quantities():
        for term in _terms(one, names):
            whose = (one.group, term.series.exporter)
            if one.essential or whose not in told:
                yield term
            told.add(whose)


def _last_heard(name: str, one: str, selector: str, window: str) -> str:
    """Of what is fresh, to the second; of what has fallen silent, to the five minutes of a subquery's steps."""
    before = f"max_over_time(timestamp({selected(name, one, selector)})[{window}:5m])"
    return f"timestamp({selected(name, selector)}) or {before}"


def _exporter_seen(names: frozenset[str], selector: str) -> Plan:
    window = f"{int(group('exporter_seen').window_hours * 60)}m"
    by = ", ".join((TERM, *NODE_LABELS))
    expressions = [
        marked(_last_heard(name, one.one, selector, window), f"{one.id}/{name}")
        for one in metric_exporters()
        for name in one.witness
        if name in names
    ]
    queries = [Query(f"max by ({by}) ({' or '.join(some)})") for some in chunks(expressions)]
    return Plan(record=ExporterSeen, queries=tuple(queries), terms={})
