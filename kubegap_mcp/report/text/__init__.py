"""The text channel: each answer as short prose and tables, complete without the structured one."""

from functools import singledispatch

from kubegap_checks.text import Lang
from kubegap_mcp.report.models import (
    Answer,
    AuditAnswer,
    ContextsAnswer,
    GapAnswer,
    IncidentsAnswer,
    NodesAnswer,
    ThroughputAnswer,
    TopicAnswer,
)
from kubegap_mcp.report.text import audit, contexts, gap, incidents, nodes, throughput, topic

__all__ = ["render"]


def render(answer: Answer, lang: Lang) -> str:
    """Markdown in one language; what a cluster chose stays in its cell or its line."""
    return "\n".join(_lines(answer, lang)).strip() + "\n"


@singledispatch
def _lines(answer: Answer, lang: Lang) -> list[str]:  # noqa: ARG001
    raise TypeError(f"no text for {type(answer).__name__}")


_lines.register(TopicAnswer, topic.lines)
_lines.register(AuditAnswer, audit.lines)
_lines.register(NodesAnswer, nodes.lines)
_lines.register(GapAnswer, gap.lines)
_lines.register(IncidentsAnswer, incidents.lines)
_lines.register(ContextsAnswer, contexts.lines)
_lines.register(ThroughputAnswer, throughput.lines)
