"""`list_contexts` as text."""

from kubegap_checks.text import Lang, Text
from kubegap_mcp.report.markdown import inline, opening
from kubegap_mcp.report.models import ContextPart, ContextsAnswer
from kubegap_mcp.report.text import common


def lines(answer: ContextsAnswer, lang: Lang) -> list[str]:
    in_use = inline(answer.in_use)
    told = [Text(en=f"In use: {in_use} ({answer.source}).", ko=f"사용 중: {in_use} ({answer.source}).").of(lang)]
    if answer.contexts:
        told += ["", *(_context(context, lang) for context in answer.contexts)]
    return told + common.notes(answer.notes)


def _context(context: ContextPart, lang: Lang) -> str:
    current = Text(en=" (current)", ko=" (현재)").of(lang) if context.current else ""
    return f"- {opening(context.name)}{current}"
