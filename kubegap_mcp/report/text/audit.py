"""`audit_cluster` as text."""

from kubegap_checks.text import Lang, Text
from kubegap_mcp.report.markdown import inline, prose, table
from kubegap_mcp.report.models import AuditAnswer, ClosestIncident
from kubegap_mcp.report.text import common
from kubegap_mcp.report.words import CONFIDENCE, SEVERITY, headline, plural

_HEAD = (
    Text(en="severity", ko="심각도"),
    Text(en="sure", ko="확신도"),
    Text(en="gap", ko="틈"),
    Text(en="findings", ko="결과"),
    Text(en="where", ko="위치"),
    Text(en="check", ko="점검"),
    Text(en="precedents", ko="선례"),
)


def lines(answer: AuditAnswer, lang: Lang) -> list[str]:
    told = [headline(answer.status, answer.summary, lang), "", common.cluster(answer.cluster, lang)]
    if answer.gaps:
        rows = [
            (
                SEVERITY[gap.severity].of(lang),
                CONFIDENCE[gap.confidence].of(lang),
                gap.title,
                gap.findings_total,
                gap.examples,
                gap.id,
                ", ".join(gap.incidents),
            )
            for gap in answer.gaps
        ]
        told += ["", *table([name.of(lang) for name in _HEAD], rows)]
    for severity, also in answer.also.items():
        ids = ", ".join(map(inline, also))
        text = Text(en=f"Also {severity}: {ids}", ko=f"그 밖에 {SEVERITY[severity].ko}: {ids}")
        told += ["", text.of(lang)]
    if answer.omitted:
        more = unnamed(answer)
        text = Text(
            en=f"{plural(more, 'more gap')} with {plural(answer.omitted.findings, 'finding')}: {answer.omitted.how}",
            ko=f"틈 {more}건(결과 {answer.omitted.findings}건) 더 있음: {answer.omitted.how}",
        )
        told += ["", text.of(lang)]
    if answer.closest_incidents:
        told += ["", Text(en="Closest incidents:", ko="가장 가까운 사고 사례:").of(lang), ""]
        told += [_near(incident, lang) for incident in answer.closest_incidents]
    coverage = Text(
        en=f"Coverage: {answer.coverage.evaluated} of {answer.coverage.total} checks could be judged.",
        ko=f"점검 범위: 점검 {answer.coverage.total}건 중 {answer.coverage.evaluated}건을 판단함.",
    )
    told += ["", coverage.of(lang)]
    return told + common.unread_table(answer.coverage.unread, lang) + common.notes(answer.notes, lang)


def unnamed(answer: AuditAnswer) -> int:
    """How many gaps are in no list."""
    return answer.gaps_total - len(answer.gaps) - sum(map(len, answer.also.values()))


def _near(incident: ClosestIncident, lang: Lang) -> str:
    title = f"- {prose(incident.title)} ({incident.id}): "
    share = Text(
        en=f"{incident.holds} of the {incident.of} checks that cite it are gaps here",
        ko=f"이 사례를 근거로 한 점검 {incident.of}건 중 {incident.holds}건이 여기서도 틈임",
    )
    unknown = Text(en=f", {incident.unknown} unknown", ko=f", {incident.unknown}건은 확인 못 함")
    return title + share.of(lang) + (unknown.of(lang) if incident.unknown else "")
