"""What `kubegap doctor` tells of a metrics source: which exporters and quantities it has, on how many GPU nodes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from kubegap_checks import catalog
from kubegap_checks.facts.metrics import Exported, Measured, measured_records
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Record, Unread, UnreadError
from kubegap_checks.inventory.accelerators import has_accelerators, offered
from kubegap_checks.signals.quantities import MetricExporter, Quantity, group, metric_exporters, quantities
from kubegap_checks.text import Text
from kubegap_mcp.app import Kubegap
from kubegap_mcp.cluster import Ask
from kubegap_mcp.metrics.plan import plan
from kubegap_mcp.report.words import REASON, plural

_NAMED: Final = 10
Pair = tuple[str, str]  # a group and an exporter that publishes something of it

_NO_GPU_NODE: Final = Text(
    en="this cluster has no GPU node that anything could be measured on", ko="이 클러스터에는 측정할 GPU 노드가 없음"
)
_OF_NONE: Final = Text(en="of no GPU node", ko="GPU 노드와 무관")
_STALE: Final = Text(en="no fresh series", ko="최근 시계열 없음")
_NOT_ASKED: Final = Text(en="on which nodes is not asked", ko="어느 노드에 있는지는 묻지 않음")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """An exporter, a group of quantities or a quantity, and what is there of it."""

    name: str
    state: Text
    below: tuple[Text, ...] = ()


async def told(app: Kubegap, *, deadline_s: float) -> list[Line]:
    """The cluster is read only where a source is there and answers."""
    said = await app.metrics.ask((Exported,), deadline_s=deadline_s)
    answered = said.answers[Exported]
    if isinstance(answered, Unread):
        return [_unread(answered)]
    kinds: frozenset[type[Record]] = frozenset({Exported, Node, ResourceSlice})
    ask = Ask(kinds=kinds, context=app.settings.context, deadline_s=deadline_s)
    facts = (await app.metrics.read(app.reader, ask)).facts
    found = lines(facts, said.names)
    if any(item.cause for item in facts.unread(Exported)):
        found += _values(await app.metrics.picked(said.names, deadline_s=deadline_s))
    return found


def _values(by_label: Mapping[str, Sequence[str]]) -> Iterator[Line]:
    """What a selector could ask for, where there is none or it picks nothing."""
    for label, values in by_label.items():
        some = ", ".join(value or "-" for value in values[:_NAMED])
        more = f", +{len(values) - _NAMED}" if len(values) > _NAMED else ""
        state = Text(en=f"has the values {some}{more}", ko=f"레이블의 값: {some}{more}")
        yield Line(name=f"label {label}", state=state)


def lines(facts: Facts, names: frozenset[str]) -> list[Line]:
    """Needs `Exported`, and the kinds that tell which nodes have accelerators; `names` are all series of the source."""
    try:
        if not has_accelerators(facts):
            return [Line(name="metrics", state=_NO_GPU_NODE)]
        published = _Published(facts, names)
    except UnreadError as error:
        return [_unread(item) for item in error.unread]
    return [*published.exporters(), *published.groups()]


class _Published:
    """Which nodes each exporter publishes a group from now; "" stands for what is of no node of this cluster.

    Only what stands for a group is asked for (plan.py), so an exporter or a group may have series and no pair here.
    """

    def __init__(self, facts: Facts, names: frozenset[str]) -> None:
        self._names = names
        self._gpu_nodes = frozenset(one.node.name for one in offered(facts).devices)
        asked = plan(Exported, names, "").terms
        self._nodes: dict[Pair, set[str]] = {pair: set() for name in asked for pair in _pairs()[name]}
        for row in facts.known(Exported):
            for pair in _pairs()[row.labels["series"]]:
                self._nodes.setdefault(pair, set()).add(row.node)

    def exporters(self) -> Iterator[Line]:
        for exporter in metric_exporters():
            if not self._names.isdisjoint(_series_of(exporter)):
                state = self._where({pair for pair in self._nodes if pair[1] == exporter.id})
                lacks = state is _STALE or (state is _OF_NONE and exporter.expected)
                yield Line(name=exporter.name, state=state, below=(_unheard(exporter),) if lacks else ())

    def groups(self) -> Iterator[Line]:
        checks = _checks_by_group()
        for record in measured_records():
            wanted = [one for one in quantities() if one.group == record.KIND.plural]
            if wanted:
                yield self._group(record, wanted, checks[record.KIND.plural])

    def _group(self, record: type[Measured], wanted: list[Quantity], checks: int) -> Line:
        here, asked = [one for one in wanted if self._has(one)], group(record.KIND.plural)
        where = self._where({pair for pair in self._nodes if pair[0] == asked.id})
        used = Text(en=plural(checks, "check"), ko=f"점검 {checks}건")
        state = Text(
            en=f"{len(here)} of {plural(len(wanted), 'quantity')}{f', {where.en}' if here else ''} ({used.en})",
            ko=f"값 {len(wanted)}종 중 {len(here)}종{f', {where.ko}' if here else ''} ({used.ko})",
        )
        lacking = [one for one in wanted if one not in here and (one.essential or not here)]
        below = (asked.collect,) if lacking else ()
        return Line(name=record.KIND.resource, state=state, below=below)

    def _has(self, quantity: Quantity) -> bool:
        return any(one.name in self._names for one in quantity.series)

    def _where(self, pairs: set[Pair]) -> Text:
        nodes = {node for pair in pairs for node in self._nodes[pair]}
        here, all_of = len(nodes & self._gpu_nodes), len(self._gpu_nodes)
        if here:
            return Text(en=f"on {here} of {plural(all_of, 'GPU node')}", ko=f"GPU 노드 {all_of}대 중 {here}대")
        if nodes:
            return _OF_NONE
        return _STALE if pairs else _NOT_ASKED


@cache
def _pairs() -> Mapping[str, frozenset[Pair]]:
    """By the name of a series: one may carry several quantities, each of another group."""
    found: dict[str, frozenset[Pair]] = {}
    for quantity in quantities():
        for one in quantity.series:
            found[one.name] = found.get(one.name, frozenset()) | {(quantity.group, one.exporter)}
    return found


def _series_of(exporter: MetricExporter) -> frozenset[str]:
    return frozenset(exporter.witness) | {
        name for name, pairs in _pairs().items() if any(one == exporter.id for _, one in pairs)
    }


def _unheard(exporter: MetricExporter) -> Text:
    if not exporter.expected:
        return Text(
            en=f"{exporter.name}: none of its series is fresh; scrape it again",
            ko=f"{exporter.name}: 최근 값이 있는 시계열이 없음. 다시 수집한다",
        )
    return Text(
        en=f"{exporter.name}: none of its series names a GPU node or is fresh; scrape it on GPU nodes, and keep the "
        "node's name in a label `node`",
        ko=f"{exporter.name}: GPU 노드 이름이 있는 최근 시계열이 없음. GPU 노드에서 수집하고 `node` 레이블에 "
        "노드 이름을 남긴다",
    )


def _checks_by_group() -> Mapping[str, int]:
    checks = catalog.load()
    return {record.KIND.plural: sum(record in check.reads for check in checks) for record in measured_records()}


def _unread(unread: Unread) -> Line:
    said = Text(
        en=f"{REASON[unread.reason].en}: {unread.remedy.en}",
        ko=f"{REASON[unread.reason].ko}: {unread.remedy.ko}",
    )
    return Line(name="metrics", state=said)
