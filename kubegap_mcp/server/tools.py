"""The tools as agents see them: when to use which, and when not."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations

from kubegap_mcp.server import outline
from kubegap_mcp.server.arguments import published
from kubegap_mcp.server.handlers import Handler, Handlers
from kubegap_mcp.server.strict_tool import StrictTool
from kubegap_mcp.server.topics import TOPICS

if TYPE_CHECKING:
    from kubegap_checks.text import Lang
    from kubegap_mcp.server.lazy import LazyApp

_READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One tool; `words` help a client's tool search, in English and Korean; `answer` names the outline."""

    name: str
    title: str
    description: str
    words: str
    answer: str
    handler: Handler


def all_tools(lazy: "LazyApp") -> list[Tool]:
    """Every tool, in the order in which an agent should think of them."""
    outlines = outline.published()
    return [_tool(card, outlines[card.answer], lazy.lang(None)) for card in _cards(Handlers(lazy))]


def _tool(card: Card, answer: outline.Schema, lang: "Lang") -> Tool:
    tool = StrictTool.from_function(
        card.handler,
        name=card.name,
        title=card.title,
        description=card.description,
        annotations=_READ_ONLY,
        # Claude Code's tool search reads it beside the name and the description.
        meta={"anthropic/searchHint": card.words},
        structured_output=False,
    )
    tool.parameters = published(tool.parameters)
    tool.fn_metadata.output_schema = answer
    return tool.model_copy(update={"lang": lang})


def _cards(handlers: Handlers) -> list[Card]:
    return [
        Card(
            name="audit_cluster",
            title="Audit the cluster",
            description=(
                "All checks: worst gaps first, unread, precedents. Start here (healthy? ready for a long "
                "run? why do jobs fail?), then check_<topic>."
            ),
            words="cluster health 클러스터 점검 진단",
            answer="AuditAnswer",
            handler=handlers.audit_cluster,
        ),
        *(
            Card(
                name=topic.tool,
                title=topic.title,
                description=topic.description,
                words=topic.words,
                answer="TopicAnswer",
                handler=handlers.check(topic.name),
            )
            for topic in TOPICS
        ),
        Card(
            name="list_gpu_nodes",
            title="List GPU nodes",
            description=(
                "GPU nodes, not ready ones first: ready for training or why not, GPU counts, driver, fabric; "
                "totals and free GPUs in summary. Use for capacity and inventory. For faults and their fix use "
                "check_gpu_health."
            ),
            words="inventory capacity free H100 노드 목록 여유 용량",
            answer="NodesAnswer",
            handler=handlers.list_gpu_nodes,
        ),
        Card(
            name="explain_gap",
            title="Explain a gap",
            description=(
                "One check in full: why, fix, commands to verify, look-alikes, all findings, what could not be "
                "read, the incidents behind it. Use with an id from audit_cluster or check_<topic>, not for a "
                "first look."
            ),
            words="why evidence remediation kubectl 원인 해결 조치",
            answer="GapAnswer",
            handler=handlers.explain_gap,
        ),
        Card(
            name="explain_throughput",
            title="Explain throughput",
            description=(
                "A job's throughput: its shape (drop, collapses, dips, decay, stall), since when, what moved with it "
                "(storage, links, memory, clocks), precedents. Use when training is slow or stuck. Needs Prometheus."
            ),
            words="tokens/s MFU slow training drop stall 처리량 저하 학습 느려짐",
            answer="ThroughputAnswer",
            handler=handlers.explain_throughput,
        ),
        Card(
            name="lookup_incident",
            title="Look up incidents",
            description=(
                "Searches public post-mortems of GPU training and serving: symptoms, causes, fixes, lessons. Use "
                "for precedents. Needs no cluster and says nothing about this one; for that use audit_cluster."
            ),
            words="postmortem outage root cause 장애 사례 사후 분석",
            answer="IncidentsAnswer",
            handler=handlers.lookup_incident,
        ),
        Card(
            name="list_contexts",
            title="List contexts",
            description=(
                "Names of the kubeconfig contexts that can be asked about, and the one in use. Use before passing "
                "context, or when an answer came from an unexpected cluster."
            ),
            words="kubeconfig clusters switch 컨텍스트 클러스터 목록",
            answer="ContextsAnswer",
            handler=handlers.list_contexts,
        ),
    ]
