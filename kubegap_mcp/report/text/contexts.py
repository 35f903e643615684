"""`list_contexts` as text."""

from kubegap_checks.text import Lang, Text
from kubegap_mcp.report.markdown import inline, opening
from kubegap_mcp.report.models import ContextPart, ContextsAnswer
from kubegap_mcp.report.text import common
from kubegap_mcp.report.words import SOURCE


def lines(answer: ContextsAnswer, lang: Lang) -> list[str]:
    text = Text(en="In use: none", ko="사용 중: 없음")
    if answer.in_use is not None:
        text = Text(en=f"In use: {inline(answer.in_use)}", ko=f"사용 중: {inline(answer.in_use)}")
    told = [f"{text.of(lang)} ({SOURCE[answer.source].of(lang)})."]
    if answer.contexts:
        told += ["", *(_context(context, lang) for context in answer.contexts)]
    return told + common.notes(answer.notes, lang)


def _context(context: ContextPart, lang: Lang) -> str:
    current = Text(en=" (current)", ko=" (현재)").of(lang) if context.current else ""
    return f"- {opening(context.name)}{current}"
