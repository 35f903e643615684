"""The answer of `check_<topic>`: every check of the topic, the gaps with their proof."""

from collections.abc import Sequence

from kubegap_checks.model import Finding, Status, Verdict
from kubegap_checks.text import Text
from kubegap_mcp.report import choices, fitting, notes, parts
from kubegap_mcp.report.fitting import Room
from kubegap_mcp.report.models import CheckBrief, CheckFull, Omitted, TopicAnswer
from kubegap_mcp.report.words import SEVERITY, plural

_ORDER: tuple[Status, ...] = ("gap", "unknown", "silenced", "clear", "not_applicable")
USUAL = 3  # findings of a check; who asks for more takes a longer answer
_BUDGET: fitting.Budget = {"en": 13_900, "ko": 20_900}
_HOW = Text(
    en="explain_gap(check id) pages through all of a check's findings",
    ko="explain_gap(점검 id)으로 점검 하나의 결과를 모두 볼 수 있음",
)


def topic_answer(topic: str, verdicts: Sequence[Verdict], telling: parts.Telling, *, limit: int) -> TopicAnswer:
    """At most `limit` findings a check; fewer where the answer would grow past what clients show."""
    seen = [parts.scoped(verdict, telling) for verdict in verdicts]
    told = sorted((choices.unsilenced(verdict, telling.silences) for verdict in seen), key=_place)
    found = [parts.ranked(verdict) for verdict in told]
    rows = min(limit, max(map(len, found), default=0))

    def build(room: Room) -> TopicAnswer:
        unread, left_out = parts.unread_of(told, telling, room)
        hidden = sum(max(0, len(findings) - room.rows) for findings in found)
        return TopicAnswer(
            cluster=parts.cluster_part(telling.reading),
            topic=topic,
            status=parts.overall(told),
            summary=telling.say(summary(told)),
            counts=parts.counts(told),
            checks=[_check(verdict, findings, telling, room) for verdict, findings in zip(told, found, strict=True)],
            unread=unread,
            omitted=Omitted(findings=hidden, how=telling.say(_HOW)) if hidden else None,
            notes=[
                *notes.about(telling),
                *parts.metrics_note(told, telling),
                *choices.notes(seen, telling, room),
                *left_out,
                *fitting.shortened(room, telling.lang),
            ],
        )

    return fitting.fitted(build, telling.lang, rows=rows, budget=_BUDGET if limit <= USUAL else None)


def _place(verdict: Verdict) -> tuple[int, int, int, str]:
    severity, confidence = parts.worst(verdict)
    return _ORDER.index(verdict.status), -severity.rank, -confidence.rank, verdict.check.id


def _check(verdict: Verdict, findings: Sequence[Finding], telling: parts.Telling, room: Room) -> CheckFull | CheckBrief:
    check = verdict.check
    title = room.brief(telling.say(check.title))
    # What lacks nothing but a source of metrics is told once for all, in the answer's own `unread` and in a note.
    if verdict.status not in ("gap", "unknown") or parts.lacks_metrics(verdict):
        return CheckBrief(id=check.id, status=verdict.status, title=title)
    severity, confidence = parts.worst(verdict)
    return CheckFull(
        id=check.id,
        status=verdict.status,
        title=title,
        severity=severity.value,
        confidence=confidence.value,
        why=room.brief(telling.say(check.why)),
        fix=room.brief(telling.say(check.fix)),
        findings_total=len(findings),
        findings=[parts.finding_part(verdict, item, telling, room) for item in findings[: room.rows]],
        unread=[parts.unread_part(item, telling, room) for item in verdict.unread[: room.things]],
        incidents=parts.cites(check, telling, room),
    )


def summary(verdicts: Sequence[Verdict]) -> Text:
    """One sentence: how many gaps and how bad, and what could not be judged."""
    tally = parts.counts(verdicts)
    severities = {name: count for name, count in parts.severity_counts(verdicts).items() if count}
    en_split = ", ".join(f"{count} {SEVERITY[name].en}" for name, count in severities.items())
    ko_split = ", ".join(f"{SEVERITY[name].ko} {count}" for name, count in severities.items())
    en = f"{plural(tally.gap, 'gap')} ({en_split})" if tally.gap else "no gap found"
    ko = f"틈 {tally.gap}건({ko_split})" if tally.gap else "찾은 틈 없음"
    en += f" in {plural(len(verdicts), 'check')}: {tally.clear} clear, {tally.not_applicable} not applicable"
    ko = f"점검 {len(verdicts)}건: {ko}, 이상 없음 {tally.clear}건, 해당 없음 {tally.not_applicable}건"
    if tally.silenced:
        en += f", {tally.silenced} silenced"
        ko += f", 무시함 {tally.silenced}건"
    if tally.unknown:
        en += f"; {tally.unknown} could not be judged, which does not mean that they are fine"
        ko += f", 확인 못 함 {tally.unknown}건(이상이 없다는 뜻은 아님)"
    return Text(en=en, ko=ko)
