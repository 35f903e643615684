"""`list_gpu_nodes` as text."""

from collections.abc import Mapping

from kubegap_checks.text import Lang, Text
from kubegap_mcp.report.markdown import inline, table
from kubegap_mcp.report.models import GpuCounts, NodePart, NodesAnswer
from kubegap_mcp.report.text import common
from kubegap_mcp.report.text.common import count
from kubegap_mcp.report.words import FABRIC, VERDICT

_HEAD = (
    Text(en="node", ko="노드"),
    Text(en="verdict", ko="판정"),
    Text(en="GPUs expected/capacity/allocatable/requested", ko="GPU 기대/보유/할당 가능/요청"),
    Text(en="product", ko="제품"),
    Text(en="instance type", ko="인스턴스 유형"),
    Text(en="driver", ko="드라이버"),
    Text(en="fabric devices/expected", ko="패브릭 장치/기대"),
    Text(en="zone", ko="존"),
    Text(en="topology", ko="토폴로지"),
)


def lines(answer: NodesAnswer, lang: Lang) -> list[str]:
    told = summary(answer, lang)
    if answer.nodes:
        told += ["", *table([name.of(lang) for name in _HEAD], [_row(node, lang) for node in answer.nodes])]
    text = Text(
        en=f"{len(answer.nodes)} of {answer.total} nodes that match are listed.",
        ko=f"조건에 맞는 노드 {answer.total}대 중 {len(answer.nodes)}대를 보여 줌.",
    )
    return [*told, "", text.of(lang), *common.next_page(answer.next_cursor, lang), *common.notes(answer.notes, lang)]


def summary(answer: NodesAnswer, lang: Lang) -> list[str]:
    """The totals over all GPU nodes, and which cluster they are of."""
    total, gpus = answer.summary, answer.summary.gpus
    text = Text(
        en=f"{total.nodes} GPU nodes: {total.ready} ready for training, {total.not_ready} not ready, "
        f"{total.unknown} unknown. GPUs: {count(gpus.expected)} expected, {count(gpus.capacity)} in capacity, "
        f"{count(gpus.allocatable)} allocatable, {count(gpus.requested)} requested, {count(gpus.free)} free.",
        ko=f"GPU 노드 {total.nodes}대: 학습 준비됨 {total.ready}, 준비 안 됨 {total.not_ready}, "
        f"확인 못 함 {total.unknown}. GPU: 기대 {count(gpus.expected)}, 보유 {count(gpus.capacity)}, "
        f"할당 가능 {count(gpus.allocatable)}, 요청 {count(gpus.requested)}, 여유 {count(gpus.free)}.",
    )
    return [
        text.of(lang),
        "",
        common.cluster(answer.cluster, lang),
        *_grouped(Text(en="Products", ko="제품"), total.by_product, lang),
        *_grouped(Text(en="Instance types", ko="인스턴스 유형"), total.by_instance_type, lang),
    ]


def _grouped(heading: Text, nodes: Mapping[str, int], lang: Lang) -> list[str]:
    if not nodes:
        return []
    return ["", f"{heading.of(lang)}: " + ", ".join(f"{inline(name)} {number}" for name, number in nodes.items())]


def _row(node: NodePart, lang: Lang) -> tuple[str | None, ...]:
    return (
        node.name,
        "; ".join([VERDICT[node.verdict].of(lang), *node.reasons]),
        _counts(node.gpus),
        node.product,
        node.instance_type,
        node.driver,
        f"{FABRIC[node.fabric.kind].of(lang)} {count(node.fabric.devices)}/{count(node.fabric.expected)}",
        node.zone,
        node.topology,
    )


def _counts(gpus: GpuCounts) -> str:
    return "/".join(count(number) for number in (gpus.expected, gpus.capacity, gpus.allocatable, gpus.requested))
