"""The answer of `list_gpu_nodes`: what each GPU node has, and whether training may start on it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.read import Facts, Unread, UnreadError
from kubegap_checks.inventory.readiness import GpuNode, gpu_nodes
from kubegap_checks.limits import using
from kubegap_checks.text import Text
from kubegap_mcp.errors import NotReadError
from kubegap_mcp.report import choices, fitting, notes, parts, selector
from kubegap_mcp.report.fitting import Room
from kubegap_mcp.report.models import Fabric, GpuCounts, GpuTotals, NodePart, NodesAnswer, NodesSummary, Note
from kubegap_mcp.report.paging import Key, page
from kubegap_mcp.report.words import REASON, cut, plural

_ORDER = ("not_ready", "unknown", "ready")
_GROUPS = 12  # products or instance types named in the summary


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFilter:
    """`product` is part of the product's name in any case; `selector` a label selector as for kubectl."""

    verdict: str | None = None
    product: str | None = None
    selector: str | None = None


def nodes_answer(telling: parts.Telling, chosen: NodeFilter, *, limit: int, cursor: str | None) -> NodesAnswer:
    """One page of nodes, not ready and unknown ones first; the summary is over all GPU nodes.

    Raises NotReadError where the nodes themselves could not be read: no list is not an empty one.
    """
    facts = telling.reading.facts.understood(Node)
    try:
        with using(telling.thresholds) as compared:
            nodes = gpu_nodes(facts)
        wanted = _chosen(nodes, chosen, facts)
    except UnreadError as error:
        raise _not_read(error) from error
    damaged = facts.unread(Node)

    def build(room: Room) -> NodesAnswer:
        shown = page(wanted, _key, of="nodes", cursor=cursor, limit=room.rows)
        summary, left_out = _summary(nodes, telling, room)
        return NodesAnswer(
            cluster=parts.cluster_part(telling.reading),
            summary=summary,
            nodes=[_node(node, telling, room) for node in shown.rows],
            total=len(wanted),
            next_cursor=shown.next_cursor,
            # Nodes belong to no namespace: one asked about leaves nothing out here.
            notes=[
                *notes.about(replace(telling, namespace=None)),
                *(Note(kind="partial", text=room.cut(telling.say(_missing(unread)))) for unread in damaged),
                *choices.threshold_notes(compared, telling, room),
                *left_out,
                *fitting.shortened(room, telling.lang),
            ],
        )

    return fitting.fitted(build, telling.lang, rows=max(1, min(limit, len(wanted))), least=1)


def _missing(unread: Unread) -> Text:
    return Text(
        en=f"not listed, {unread.what.en}: {unread.remedy.en}",
        ko=f"{unread.what.ko} 가운데 일부가 목록에 없음: {unread.remedy.ko}",
    )


def _not_read(error: UnreadError) -> NotReadError:
    unread = error.unread[0]
    what, reason, remedy = unread.what, REASON[unread.reason], unread.remedy
    return NotReadError(
        Text(
            en=f"GPU nodes cannot be listed, since {what.en} could not be read ({reason.en}): {remedy.en}",
            ko=f"GPU 노드를 나열할 수 없음. 읽지 못한 것: {what.ko}({reason.ko}). {remedy.ko}",
        )
    )


def _key(node: GpuNode) -> Key:
    return (_ORDER.index(node.verdict), node.name)


def _chosen(nodes: Sequence[GpuNode], chosen: NodeFilter, facts: Facts) -> list[GpuNode]:
    wanted = [node for node in nodes if chosen.verdict in (None, node.verdict)]
    if chosen.product:
        product = chosen.product.casefold()
        wanted = [node for node in wanted if product in (node.product or "").casefold()]
    if chosen.selector:
        matches = selector.parse(chosen.selector)
        selected = {node.name for node in facts.known(Node) if matches(node.labels)}
        wanted = [node for node in wanted if node.name in selected]
    return wanted


def _node(node: GpuNode, telling: parts.Telling, room: Room) -> NodePart:
    def told(text: str | None) -> str | None:
        return None if text is None else room.cut(text)

    return NodePart(
        name=cut(node.name, 253),
        verdict=node.verdict,
        reasons=[room.cut(telling.say(reason)) for reason in node.reasons[: room.names]],
        product=told(node.product),
        instance_type=told(node.instance_type),
        gpus=GpuCounts(
            expected=node.gpus.expected,
            capacity=node.gpus.capacity,
            allocatable=node.gpus.allocatable,
            requested=node.gpus.requested,
        ),
        driver=told(node.driver),
        fabric=Fabric(kind=node.fabric.kind, devices=node.fabric.devices, expected=node.fabric.expected),
        zone=told(node.zone),
        topology=told(node.topology),
    )


def _summary(nodes: Sequence[GpuNode], telling: parts.Telling, room: Room) -> tuple[NodesSummary, list[Note]]:
    tally = Counter(node.verdict for node in nodes)
    ready = [node for node in nodes if node.verdict == "ready"]
    allocatable = _sum(node.gpus.allocatable for node in ready)
    requested = _sum(node.gpus.requested for node in ready)
    products = Counter(room.cut(node.product) for node in nodes if node.product)
    types = Counter(room.cut(node.instance_type) for node in nodes if node.instance_type)
    summary = NodesSummary(
        nodes=len(nodes),
        ready=tally["ready"],
        not_ready=tally["not_ready"],
        unknown=tally["unknown"],
        gpus=GpuTotals(
            expected=_sum(node.gpus.expected for node in nodes),
            capacity=_sum(node.gpus.capacity for node in nodes),
            allocatable=_sum(node.gpus.allocatable for node in nodes),
            requested=_sum(node.gpus.requested for node in nodes),
            free=None if allocatable is None or requested is None else allocatable - requested,
        ),
        by_product=_most_frequent(products),
        by_instance_type=_most_frequent(types),
    )
    return summary, _unnamed(max(len(products), len(types)) - _GROUPS, telling)


def _unnamed(more: int, telling: parts.Telling) -> list[Note]:
    if more <= 0:
        return []
    text = Text(
        en=f"the summary names the {_GROUPS} most frequent products and instance types; "
        f"{plural(more, 'rarer one')} not named",
        ko=f"요약에는 가장 많은 제품과 인스턴스 유형을 {_GROUPS}개씩만 실음. 드문 {more}개는 뺌",
    )
    return [Note(kind="left_out", text=telling.say(text))]


def _sum(counts: Iterable[int | None]) -> int | None:
    """None as soon as one count is not known: a sum without it would be a wrong number."""
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total


def _most_frequent(names: Counter[str]) -> dict[str, int]:
    return dict(sorted(names.items(), key=lambda item: (-item[1], item[0]))[:_GROUPS])
