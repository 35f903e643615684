"""`check_<topic>` as text."""

from kubegap_checks.text import Lang, Text
from kubegap_mcp.report.markdown import prose, table
from kubegap_mcp.report.models import CheckFull, TopicAnswer
from kubegap_mcp.report.text import common
from kubegap_mcp.report.words import CONFIDENCE, FIX, SEVERITY, STATUS, headline


def lines(answer: TopicAnswer, lang: Lang) -> list[str]:
    told = [
        f"{answer.topic}: {headline(answer.status, answer.summary, lang)}",
        "",
        common.cluster(answer.cluster, lang),
    ]
    brief = [check for check in answer.checks if not isinstance(check, CheckFull)]
    for check in answer.checks:
        if isinstance(check, CheckFull):
            told += ["", *_check(check, lang)]
    if brief:
        head = [
            Text(en="check", ko="점검").of(lang),
            Text(en="status", ko="상태").of(lang),
            Text(en="about", ko="내용").of(lang),
        ]
        told += ["", *table(head, [(check.id, STATUS[check.status].of(lang), check.title) for check in brief])]
    if answer.omitted:
        text = Text(
            en=f"{answer.omitted.findings} more findings: {answer.omitted.how}",
            ko=f"결과 {answer.omitted.findings}건 더 있음: {answer.omitted.how}",
        )
        told += ["", text.of(lang)]
    return told + common.unread_table(answer.unread, lang) + common.notes(answer.notes, lang)


def _check(check: CheckFull, lang: Lang) -> list[str]:
    status, severity, confidence = STATUS[check.status], SEVERITY[check.severity], CONFIDENCE[check.confidence]
    told = [
        f"## {prose(check.title)} ({check.id})",
        "",
        f"{status.of(lang)} · {severity.of(lang)} · {confidence.of(lang)}",
        "",
        prose(check.why),
        "",
        f"{FIX.of(lang)}: {prose(check.fix)}",
        *common.findings(check.findings, check.findings_total, lang),
        *common.unread_lines(check.unread, lang),
    ]
    if check.incidents:
        precedent = Text(en="Precedent", ko="선례").of(lang)
        cites = (f"- {precedent}: {prose(cite.title)} ({cite.id}): {prose(cite.because)}" for cite in check.incidents)
        told += ["", *cites]
    return told
