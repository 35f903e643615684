"""Which queries tell a job's throughput, and what may have moved with it; pure."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from kubegap_checks.signals.quantities import quantity
from kubegap_checks.signals.throughput import Asked, Moving, moving, proxies, trainer_metric, trainer_metrics
from kubegap_checks.throughput.limits import STALLED_SHARE_OF_WORK
from kubegap_mcp.metrics.curve import Metric, Window
from kubegap_mcp.metrics.curve_jobs import JOB_LABELS
from kubegap_mcp.metrics.plan import NODE_LABELS, of_clusters
from kubegap_mcp.metrics.port import Query
from kubegap_mcp.metrics.promql import chunks, marked, pattern, selected

ALIVE: Final = "up"  # https://prometheus.io/docs/concepts/jobs_instances/: of every target, at every scrape
WHERE: Final = "node_uname_info"  # says which node runs at which scraped address


def candidates(names: Collection[str]) -> tuple[Metric, ...]:
    """The metrics in which trainers publish throughput, the best first."""
    order = {row: at for at, row in enumerate(trainer_metrics())}
    known = [(order[row], name, row.unit) for name in names if (row := trainer_metric(name))]
    return tuple(Metric(name=name, unit=unit, at_rest=STALLED_SHARE_OF_WORK) for _, name, unit in sorted(known))


def stand_ins(names: Collection[str]) -> tuple[Metric, ...]:
    """The metrics of GPUs that stand in for throughput, the best first."""
    rows = [(proxy, quantity(proxy.quantity)) for proxy in proxies()]
    return tuple(
        Metric(name=one.name, unit=row.unit, proxy=proxy, at_rest=proxy.at_rest)
        for proxy, row in rows
        for one in row.series
        if one.name in names
    )


def owners_query(metrics: Sequence[Metric], window: Window, selector: str, *, gone: bool) -> Query:
    """Which pods, jobs and nodes have these metrics; with `gone` also those that had them in the window."""
    series = selected("", f'__name__=~"{pattern([one.name for one in metrics])}"', selector)
    if gone:
        series = f"last_over_time({series}[{window.span_s}s:{window.step_s}s])"
    labels = ", ".join(dict.fromkeys(("__name__", *JOB_LABELS, *NODE_LABELS)))
    return Query(f"count by ({labels}) ({series})")


def alive_query(window: Window, selector: str) -> Query:
    """When the source scraped anything, whatever came of it."""
    return window.query(f"count({selected(ALIVE, selector)})")


def curve_query(metric: Metric, matchers: str, window: Window, *, apart: bool = False) -> Query:
    """One course, or with `apart` one for each cluster that labels tell.

    It is the mean, since ranks mostly tell the same value, and of those that differ none counts more.
    """
    series = selected(metric.name, matchers)
    by = f" by ({', '.join(of_clusters())}) " if apart else ""
    if metric.name.endswith("_total"):  # as client libraries name counters
        return window.query(f"sum{by}(rate({series}[{window.rate_s}s]))")
    return window.query(f"avg{by}({series})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """One thing that may move, and the series that it is asked of here."""

    moving: Moving
    asked: Asked
    series: str
    match: str = ""
    other: str = ""
    scale: float = 1.0

    def expression(self, matchers: str, by: str, window: Window) -> str:
        """For the nodes or pods that the matchers pick; `by` is the label that names one."""
        other, _, other_match = self.other.partition("{")
        written = self.asked.expr.replace("{window}", f"{window.rate_s}s").replace("{by}", by)
        written = written.replace("{other}", selected(other, other_match.removesuffix("}"), matchers))
        written = written.replace("{series}", selected(self.series, self.match, matchers))
        return written if self.scale == 1 else f"({written}) * {self.scale:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where something is watched: matchers of the job's nodes or pods, and the label that names one."""

    watch: Watch
    matchers: str
    by: str

    def worst(self, window: Window) -> Query:
        """The node or pod that is worst, at the time that this is asked for."""
        combine = self.watch.moving.combine
        pick = "bottomk" if combine == "min" else "topk"
        return Query(f"{pick}(1, {combine} by ({self.by}) ({self.watch.expression(self.matchers, self.by, window)}))")


def watches(names: Collection[str]) -> tuple[Watch, ...]:
    """What can be watched with the series that exist, the most telling first."""
    found = (next(_watch(row, names), None) for row in moving())
    return tuple(one for one in found if one is not None)


def courses_queries(places: Iterable[Place], window: Window) -> Iterator[Query]:
    """The courses of all, in few queries; the term's label says whose course one is."""
    terms = [
        marked(
            f"{place.watch.moving.combine}({place.watch.expression(place.matchers, place.by, window)})",
            place.watch.moving.id,
        )
        for place in places
    ]
    for some in chunks(terms):
        yield window.query(" or ".join(some))


def labels_query(watched: Iterable[Watch], names: Collection[str], selector: str) -> Query | None:
    """Which labels name the nodes and clusters of the series that are watched, and which node runs at which address."""
    wanted = {one.series for one in watched if one.moving.of == "node"}
    if not wanted:
        return None
    matcher = f'__name__=~"{pattern(wanted | {WHERE} & set(names))}"'
    by = ", ".join(("__name__", *NODE_LABELS, *of_clusters()))
    return Query(f"count by ({by}) ({selected('', matcher, selector)})")


def _watch(row: Moving, names: Collection[str]) -> Iterator[Watch]:
    for asked in row.asks:
        if asked.series in names:
            yield Watch(moving=row, asked=asked, series=asked.series, match=asked.match)
        for one in quantity(asked.quantity).series if asked.quantity else ():
            if one.name in names and (not one.other or one.other.partition("{")[0] in names):
                yield Watch(moving=row, asked=asked, series=one.name, match=one.match, other=one.other, scale=one.scale)
