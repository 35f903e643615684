"""Which exporters a metrics source hears on which nodes, and on which it hears them no more, or never did."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from kubegap_checks.facts.metrics import Exported, ExporterSeen
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import offered
from kubegap_checks.inventory.devices import Devices
from kubegap_checks.inventory.exporters import exporters
from kubegap_checks.inventory.node_state import in_service, last_seen_stale
from kubegap_checks.inventory.placement import refused
from kubegap_checks.inventory.sources import examples
from kubegap_checks.signals.quantities import MetricExporter, group, metric_exporters, quantities
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text, moment

_MOST: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One exporter, and the nodes that it is heard on `now`.

    Of those in service: the `silent` with its last word, and the ones where it was `never` heard within the window.
    """

    exporter: MetricExporter
    now: frozenset[str]
    silent: Mapping[str, datetime]
    never: tuple[Node, ...]


def heard(facts: Facts) -> Iterator[Heard]:
    """Each exporter of the table; nodes that come, go or are out of service are left out."""
    newest, silent_after = _newest(facts) or facts.read_at, _silent_after()
    whole = not (facts.unread(Node) or offered(facts).unread)  # what most nodes have, a part of them does not tell
    for exporter in metric_exporters():
        last = _last(facts, exporter)
        nodes = _nodes(facts, exporter, last)
        silent = {name: at for name, at in last.items() if name in nodes and newest - at > silent_after}
        now = frozenset(name for name, at in last.items() if newest - at <= silent_after)
        never = _never(nodes, last, now, facts.read_at) if whole else ()
        yield Heard(exporter=exporter, now=now, silent=silent, never=never)


def source_stopped(facts: Facts) -> Unread | None:
    """Where the newest sample of any exporter is old, it is the source that has stopped, and no exporter."""
    newest = _newest(facts)
    return None if newest and facts.read_at - newest <= _silent_after() else stopped(newest)


def stopped(newest: datetime | None) -> Unread:
    """A source whose newest sample is as old as this; None where it tells none."""
    told = moment(newest) or "-"
    return Unread(
        what=Text(en=f"what exporters publish now (newest sample: {told})", ko=f"익스포터 현재 값(최신 샘플 {told})"),
        reason="stale",
        remedy=Text(
            en="look whether Prometheus still scrapes, or name another one",
            ko="Prometheus가 수집을 계속하는지 확인하거나 다른 Prometheus를 지정한다",
        ),
        cause=True,
    )


def unplaced(facts: Facts, exporter: MetricExporter) -> bool:
    """Whether fresh series of this exporter name no node: they may be of one that seems to have none."""
    published = {one.name for quantity in quantities() for one in quantity.series if one.exporter == exporter.id}
    return any(not row.node and row.labels.get("series") in published for row in facts.known(Exported))


def whose(exporter: MetricExporter, missed: Iterable[str]) -> Unread:
    """Of these nodes, where `unplaced` series may be theirs."""
    which = examples(missed)
    return Unread(
        what=Text(en=f"{exporter.name} on {which.en}", ko=f"{which.ko}의 {exporter.name}"),
        reason="invalid",
        remedy=Text(
            en="some series of it name no node of this cluster: keep the node's name in a label `node`, or set a "
            "selector for this cluster's series",
            ko="이 클러스터의 노드 이름이 없는 시계열이 있음. `node` 레이블에 노드 이름을 남기거나 selector로 이 "
            "클러스터의 시계열만 고른다",
        ),
    )


def refused_by_daemon_sets(facts: Facts, exporter: MetricExporter, node: Node) -> bool:
    """Whether every DaemonSet of such exporters refuses the node: the checks of these objects tell of it."""
    own = list(exporters(facts, "fabric" if exporter.expected == "accelerators" else "gpu"))
    return bool(own) and all(refused(one.daemon_set.template, node) for one in own)


def _newest(facts: Facts) -> datetime | None:
    return max((_moment(row) for row in facts.known(ExporterSeen)), default=None)


def _silent_after() -> timedelta:
    return timedelta(minutes=threshold("exporter_silent").value)


def _last(facts: Facts, exporter: MetricExporter) -> dict[str, datetime]:
    rows = sorted((row for row in facts.known(ExporterSeen) if row.quantity == exporter.id), key=_moment)
    return {row.node: _moment(row) for row in rows}


def _nodes(facts: Facts, exporter: MetricExporter, last: Collection[str]) -> dict[str, Node]:
    """The accelerator nodes in service on which the exporter was, or must be, heard."""
    return {
        one.node.name: one.node
        for one in offered(facts).devices
        if (one.node.name in last or _expects(exporter, one)) and _answers(one.node, facts.read_at)
    }


def _expects(exporter: MetricExporter, devices: Devices) -> bool:
    return exporter.expected in {"accelerators", devices.vendor} and not devices.idle


def _answers(node: Node, now: datetime) -> bool:
    """Whether it is in service, ready, and has been for long enough that its exporters should be back."""
    ready, grace = node.condition("Ready"), timedelta(minutes=threshold("node_boot_grace").value)
    settled = ready is not None and (ready.since is None or now - ready.since > grace)
    return node.ready and settled and in_service(node, now) and not last_seen_stale(node, now)


def _never(nodes: Mapping[str, Node], last: Collection[str], now: Collection[str], at: datetime) -> tuple[Node, ...]:
    """Where most of the nodes have it: what a few have, or a node younger than the window lacks, is no gap."""
    window = timedelta(hours=group(ExporterSeen.KIND.plural).window_hours)
    if sum(name in now for name in nodes) <= _MOST * len(nodes):
        return ()
    lacking = (node for name, node in nodes.items() if name not in last)
    return tuple(node for node in lacking if node.created is None or at - node.created > window)


def _moment(row: ExporterSeen) -> datetime:
    return datetime.fromtimestamp(row.value, UTC)
