"""Where each thing that may move is watched: on a job's nodes, its pods, or in this cluster as a whole; pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kubegap_checks.facts.read import Unread
from kubegap_mcp.metrics import curve_jobs, curve_plan
from kubegap_mcp.metrics.clusters import Clusters
from kubegap_mcp.metrics.curve import Job
from kubegap_mcp.metrics.curve_plan import Place, Watch
from kubegap_mcp.metrics.join import Nodes
from kubegap_mcp.metrics.port import Series
from kubegap_mcp.metrics.promql import joined


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """`here` picks what is of this cluster, None where nothing tells it; what is left out for that has its reason."""

    places: tuple[Place, ...]
    nodes: Nodes
    here: str | None
    unread: tuple[Unread, ...]


def watched(
    watches: Iterable[Watch],
    rows: Sequence[Series],
    every: Sequence[str],
    job: Job | None,
    selector: str,
    *,
    failed: Sequence[Unread],
) -> Watched:
    """`rows` tell by their labels which nodes the series are of; `every` are the nodes of the cluster.

    On nodes a thing is watched only where a label names nodes of this cluster, elsewhere in this cluster alone.
    """
    labels: dict[str, list[Series]] = {}
    for row in rows:
        labels.setdefault(row.labels.get("__name__", ""), []).append(row)
    where = labels.get(curve_plan.WHERE, ())
    nodes = Nodes(every, where)
    clusters = Clusters(rows, where, nodes)
    here = None if failed else clusters.matchers
    wanted = job.nodes if job and job.nodes else every
    places: list[Place] = []
    for watch in watches:
        if watch.moving.of == "node":
            own = [row.labels for row in labels.get(watch.series, ())]
            if found := curve_jobs.node_matchers(own, nodes, wanted):
                places.append(Place(watch=watch, by=found[0], matchers=joined(found[1], selector)))
        elif here is None:
            continue
        elif watch.moving.of == "cluster":
            places.append(Place(watch=watch, by="", matchers=joined(here, selector)))
        elif job and job.pods:
            pods = curve_jobs.pod_matchers(((job.namespace, pod) for pod in job.pods), job)
            places.append(Place(watch=watch, by="pod", matchers=joined(pods, here, selector)))
    unread = () if here is not None else tuple(failed) or (clusters.unclear,)
    return Watched(places=tuple(places), nodes=nodes, here=here, unread=unread)
