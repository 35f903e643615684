"""`explain_gap` as text."""

from kubegap_checks.text import Lang, Text
from kubegap_mcp.report.markdown import prose
from kubegap_mcp.report.models import CitedIncident, GapAnswer
from kubegap_mcp.report.pages import fence
from kubegap_mcp.report.text import common
from kubegap_mcp.report.words import CONFIDENCE, FIX, LOOKS_LIKE, READS, SEVERITY, STATUS, VERIFY


def lines(answer: GapAnswer, lang: Lang) -> list[str]:
    check = answer.check
    status, severity, confidence = STATUS[answer.status], SEVERITY[check.severity], CONFIDENCE[check.confidence]
    told = [
        f"{prose(check.title)} ({check.id}): {status.of(lang)} · {severity.of(lang)} · {confidence.of(lang)}",
        "",
        common.cluster(answer.cluster, lang),
        "",
        prose(check.why),
        "",
        f"{FIX.of(lang)}: {prose(check.fix)}",
    ]
    if check.verify:
        told += ["", f"{VERIFY.of(lang)}:", "", *fence(check.verify)]
    told += ["", f"{READS.of(lang)}: {', '.join(check.needs)}"]
    if check.looks_like:
        told += ["", f"{LOOKS_LIKE.of(lang)}:", "", *(f"- {prose(text)}" for text in check.looks_like)]
    told += common.findings(answer.findings, answer.findings_total, lang)
    told += common.next_page(answer.next_cursor, lang)
    told += common.unread_lines(answer.unread, lang)
    for incident in answer.incidents:
        told += ["", *_incident(incident, lang)]
    return told + common.notes(answer.notes, lang)


def _incident(incident: CitedIncident, lang: Lang) -> list[str]:
    why = Text(en="Why it is cited", ko="근거로 삼은 이유").of(lang)
    story = [line for paragraph in incident.what_happened.split("\n\n") for line in ("", prose(paragraph))]
    return [f"## {prose(incident.title)} ({incident.id})", "", f"{why}: {prose(incident.because)}", *story]
