"""The answer of `explain_gap`: one check in full, its findings page by page, the incidents behind it."""

from collections.abc import Sequence
from dataclasses import replace

from kubegap_checks.model import Check, Finding, Verdict
from kubegap_checks.text import Text
from kubegap_mcp.report import choices, fitting, notes, parts
from kubegap_mcp.report.fitting import Room
from kubegap_mcp.report.models import CheckPart, CitedIncident, GapAnswer, Note
from kubegap_mcp.report.paging import Key, page
from kubegap_mcp.report.words import cut

_MOST_STORY = 1200  # letters of an incident's story; lookup_incident has the whole
_UNREAD = 2  # a check in full lists more of what it lacks than an overview does


def gap_answer(
    verdict: Verdict,
    telling: parts.Telling,
    *,
    finding_id: str | None,
    limit: int,
    cursor: str | None,
) -> GapAnswer:
    """About a check, or about one finding of it, which is told also where it is silenced."""
    seen = parts.scoped(verdict, telling)
    told = choices.unsilenced(seen, telling.silences)
    findings = (
        list(told.findings) if finding_id is None else [it for it in seen.findings if seen.id_of(it) == finding_id]
    )

    def key(item: Finding) -> Key:
        return parts.rank(told, item)

    def build(room: Room) -> GapAnswer:
        shown = page(findings, key, of=told.check.id, cursor=cursor, limit=room.rows)
        unread = told.unread[: room.things * _UNREAD]
        return GapAnswer(
            cluster=parts.cluster_part(telling.reading),
            check=_check(replace(told, findings=tuple(findings)), telling, room),
            status=told.status,
            findings=[parts.finding_part(told, item, telling, room) for item in shown.rows],
            findings_total=len(findings),
            next_cursor=shown.next_cursor,
            unread=[parts.unread_part(item, telling, room) for item in unread],
            incidents=_incidents(told.check, telling, room),
            notes=[
                *notes.about(telling),
                *choices.notes([seen], telling, room),
                *choices.silenced_ids(seen, telling, room),
                *_unlisted(len(told.unread) - len(unread), telling),
                *_absent(finding_id, verdict, findings, telling),
                *fitting.shortened(room, telling.lang),
            ],
        )

    return fitting.fitted(build, telling.lang, rows=max(1, min(limit, len(findings))), least=1)


def _check(told: Verdict, telling: parts.Telling, room: Room) -> CheckPart:
    """As bad and as sure as these findings are; the check's own where there are none."""
    check = told.check
    severity, confidence = parts.worst(told)
    return CheckPart(
        id=check.id,
        title=room.brief(telling.say(check.title)),
        why=room.brief(telling.say(check.why)),
        fix=room.brief(telling.say(check.fix)),
        severity=severity.value,
        confidence=confidence.value,
        verify=list(check.verify[: room.names]),
        needs=[record.KIND.resource for record in check.reads],
        looks_like=[room.brief(telling.say(text)) for text in check.looks_like[: room.names]],
    )


def _incidents(check: Check, telling: parts.Telling, room: Room) -> list[CitedIncident]:
    return [
        CitedIncident(
            id=cite.incident,
            title=room.brief(parts.incident(telling, cite.incident).title.of(telling.lang)),
            what_happened=_story(telling, cite.incident, room),
            because=room.brief(telling.say(cite.because)),
        )
        for cite in check.cites[: room.names]
    ]


def _story(telling: parts.Telling, incident_id: str, room: Room) -> str:
    told = "\n\n".join(text.of(telling.lang) for text in parts.incident(telling, incident_id).what_happened)
    return cut(told, min(_MOST_STORY, room.sentence))


def _unlisted(more: int, telling: parts.Telling) -> list[Note]:
    if more <= 0:
        return []
    text = Text(
        en=f"{more} more of what this check lacks could not be read",
        ko=f"이 점검에 필요한 것 중 읽지 못한 것이 {more}개 더 있음",
    )
    return [Note(kind="left_out", text=telling.say(text))]


def _absent(
    finding_id: str | None, verdict: Verdict, findings: Sequence[Finding], telling: parts.Telling
) -> list[Note]:
    """About a finding that is not shown; it is not called gone where it may only not have been seen."""
    if finding_id is None or findings:
        return []
    name = cut(finding_id, 120)
    if any(verdict.id_of(item) == finding_id for item in verdict.findings):
        text = Text(
            en=f"{name} is in another namespace than the one asked about: ask without namespace to see it",
            ko=f"{name}: 물어본 네임스페이스 밖의 결과임. namespace 없이 물으면 볼 수 있음",
        )
    elif verdict.unread:
        text = Text(
            en=f"{name} is not among this reading's findings, but not everything was read: it may still be there",
            ko=f"{name}: 이번에 읽은 결과에 없음. 읽지 못한 것이 있어 아직 남아 있을 수 있음",
        )
    else:
        text = Text(
            en=f"{name} is not among this reading's findings: it is gone, or its object has another name",
            ko=f"{name}: 이번에 읽은 결과에 없음. 해결됐거나 오브젝트 이름이 바뀜",
        )
    return [Note(kind="left_out", text=telling.say(text), id=name)]
