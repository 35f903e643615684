"""What `kubegap doctor` tells of a metrics source: which exporters and quantities it has, on how many GPU nodes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kubegap_checks import catalog
from kubegap_checks.facts.metrics import Exported, Measured, measured_records
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread, UnreadError
from kubegap_checks.inventory.accelerators import offered
from kubegap_checks.signals.quantities import Quantity, group, metric_exporters, quantities
from kubegap_checks.text import Text
from kubegap_mcp.app import Kubegap
from kubegap_mcp.cluster import Ask
from kubegap_mcp.report.words import REASON, plural


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
    kinds = frozenset({Exported, Node, ResourceSlice})
    ask = Ask(kinds=kinds, context=app.settings.context, deadline_s=deadline_s)
    return lines((await app.metrics.read(app.reader, ask)).facts, said.names)


def lines(facts: Facts, names: frozenset[str]) -> list[Line]:
    """Needs `Exported`, and the kinds that tell which nodes have accelerators; `names` are all series of the source."""
    try:
        published = _Published(facts, names)
    except UnreadError as error:
        return [_unread(item) for item in error.unread]
    return [*published.exporters(), *published.groups()]


class _Published:
    """Which nodes each exporter publishes a group from now; "" stands for what is of no node of this cluster."""

    def __init__(self, facts: Facts, names: frozenset[str]) -> None:
        self._names = names
        self._gpu_nodes = frozenset(one.node.name for one in offered(facts).devices)
        self._nodes: dict[tuple[str, str], set[str]] = {}
        exporters = {one.name: one.exporter for quantity in quantities() for one in quantity.series}
        groups = {quantity.id: quantity.group for quantity in quantities()}
        for row in facts.known(Exported):
            whose = groups[row.quantity], exporters[row.labels["series"]]
            self._nodes.setdefault(whose, set()).add(row.node)

    def exporters(self) -> Iterator[Line]:
        for exporter in metric_exporters():
            if nodes := {node for (_, one), some in self._nodes.items() if one == exporter.id for node in some}:
                yield Line(name=exporter.name, state=self._where(nodes))

    def groups(self) -> Iterator[Line]:
        checks = _checks_by_group()
        for record in measured_records():
            wanted = [one for one in quantities() if one.group == record.KIND.plural]
            if wanted:
                yield self._group(record, wanted, checks[record.KIND.plural])

    def _group(self, record: type[Measured], wanted: list[Quantity], checks: int) -> Line:
        here, asked = [one for one in wanted if self._has(one)], group(record.KIND.plural)
        nodes = {node for (one, _), some in self._nodes.items() if one == asked.id for node in some}
        where, used = self._where(nodes), Text(en=plural(checks, "check"), ko=f"점검 {checks}건")
        state = Text(
            en=f"{len(here)} of {plural(len(wanted), 'quantity')}{f', {where.en}' if here else ''} ({used.en})",
            ko=f"값 {len(wanted)}종 중 {len(here)}종{f', {where.ko}' if here else ''} ({used.ko})",
        )
        lacking = [one for one in wanted if one not in here and (one.essential or not here)]
        below = (asked.collect,) if lacking else ()
        return Line(name=record.KIND.resource, state=state, below=below)

    def _has(self, quantity: Quantity) -> bool:
        return any(one.name in self._names for one in quantity.series)

    def _where(self, nodes: set[str]) -> Text:
        here, all_of = len(nodes & self._gpu_nodes), len(self._gpu_nodes)
        if not here and "" in nodes:
            return Text(en="of no GPU node", ko="GPU 노드와 무관")
        return Text(en=f"on {here} of {plural(all_of, 'GPU node')}", ko=f"GPU 노드 {all_of}대 중 {here}대")


def _checks_by_group() -> Mapping[str, int]:
    checks = catalog.load()
    return {record.KIND.plural: sum(record in check.reads for check in checks) for record in measured_records()}


def _unread(unread: Unread) -> Line:
    said = Text(
        en=f"{REASON[unread.reason].en}: {unread.remedy.en}",
        ko=f"{REASON[unread.reason].ko}: {unread.remedy.ko}",
    )
    return Line(name="metrics", state=said)
