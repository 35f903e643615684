"""The answer of `audit_cluster`: every gap in one line, what was not seen, and the incidents that come closest."""

from collections.abc import Sequence

from kubegap_checks.model import Severity, Status, Verdict
from kubegap_checks.text import Lang, Text
from kubegap_mcp.report import choices, fitting, parts
from kubegap_mcp.report.fitting import Room
from kubegap_mcp.report.models import AuditAnswer, BySeverity, ClosestIncident, Coverage, GapPart, Note, Omitted
from kubegap_mcp.report.topic import summary
from kubegap_mcp.report.words import SEVERITY, cut, objects, plural

_EXAMPLES = 2
_KINDS = 3  # of objects in one line of examples
_CLOSEST = 3
# A critical gap weighs as much as two high ones, and so on down: our choice, only the order rests on it.
_WEIGHT = {Severity.LOW: 1, Severity.MEDIUM: 2, Severity.HIGH: 4, Severity.CRITICAL: 8}
# An incident that one or two checks cite is "all there" too easily to stand before the others.
_CITED_ENOUGH = 3
_HOW = Text(
    en="ask again with a higher limit, or about one topic",
    ko="limit를 올리거나 주제 하나만 물으면 볼 수 있음",
)


def audit_answer(
    verdicts: Sequence[Verdict],
    telling: parts.Telling,
    *,
    limit: int,
    min_severity: Severity | None,
) -> AuditAnswer:
    """At most `limit` gaps, and every critical and high one whatever the limit."""
    seen = [parts.scoped(verdict, telling) for verdict in verdicts]
    told = [choices.unsilenced(verdict, telling.silences) for verdict in seen]
    tally = parts.counts(told)
    every_gap = _gaps(told)
    gaps = [verdict for verdict in every_gap if min_severity is None or _severity(verdict).rank >= min_severity.rank]

    def build(room: Room) -> AuditAnswer:
        shown = [verdict for place, verdict in enumerate(gaps) if place < room.rows or _grave(verdict)]
        unread, left_out = parts.unread_of(told, telling, room)
        hidden = sum(len(verdict.findings) for verdict in gaps) - sum(len(verdict.findings) for verdict in shown)
        return AuditAnswer(
            cluster=parts.cluster_part(telling.reading),
            status=parts.overall(told),
            summary=telling.say(summary(told)),
            counts=tally,
            by_severity=BySeverity(**parts.severity_counts(told)),
            coverage=Coverage(evaluated=len(told) - tally.unknown, total=len(told), unread=unread),
            gaps=[_gap(verdict, telling, room) for verdict in shown],
            gaps_total=len(gaps),
            omitted=Omitted(findings=hidden, how=telling.say(_HOW)) if hidden else None,
            closest_incidents=_closest(told, telling, room),
            notes=[
                *parts.notes(telling),
                *parts.metrics_note(told, telling),
                *choices.notes(seen, telling, room),
                *_milder(len(every_gap) - len(gaps), min_severity, telling),
                *left_out,
                *fitting.shortened(room, telling.lang),
            ],
        )

    return fitting.fitted(build, telling.lang, rows=min(limit, len(gaps)))


def _milder(hidden: int, least: Severity | None, telling: parts.Telling) -> list[Note]:
    """Says how many gaps the asked severity leaves out of the list: status and counts are over all."""
    if not hidden or least is None:
        return []
    text = Text(
        en=f"{plural(hidden, 'gap')} below {least.value} not listed, as asked; status and counts include them",
        ko=f"요청대로 심각도 '{SEVERITY[least.value].ko}' 미만인 틈 {hidden}건은 목록에서 뺌. 상태와 건수에는 포함됨",
    )
    return [Note(kind="left_out", text=telling.say(text))]


def _gaps(verdicts: Sequence[Verdict]) -> list[Verdict]:
    gaps = [verdict for verdict in verdicts if verdict.status == "gap"]
    return sorted(gaps, key=lambda item: (*(-it.rank for it in parts.worst(item)), item.check.id))


def _severity(verdict: Verdict) -> Severity:
    return parts.worst(verdict)[0]


def _grave(verdict: Verdict) -> bool:
    return _severity(verdict).rank >= Severity.HIGH.rank


def _gap(verdict: Verdict, telling: parts.Telling, room: Room) -> GapPart:
    severity, confidence = parts.worst(verdict)
    return GapPart(
        id=verdict.check.id,
        severity=severity.value,
        confidence=confidence.value,
        title=room.brief(telling.say(verdict.check.title)),
        findings_total=len(verdict.findings),
        examples=examples(verdict, telling.lang, room),
        incidents=[cite.incident for cite in verdict.check.cites[: min(parts.INCIDENTS_A_CHECK, room.things)]],
    )


def examples(verdict: Verdict, lang: Lang, room: Room) -> str:
    """One grouped line: `37 nodes: gpu-0003, gpu-0019, +35`, the worst first."""
    by_kind: dict[str, dict[str, None]] = {}
    for finding in parts.ranked(verdict):
        subject = finding.subject
        name = f"{subject.namespace}/{subject.name}" if subject.namespace else subject.name
        by_kind.setdefault(subject.kind, {})[name] = None
    groups: list[str] = []
    for kind, names in list(by_kind.items())[:_KINDS]:
        few = [_one_line(name, room) for name in list(names)[:_EXAMPLES]]
        more = [f"+{len(names) - len(few)}"] if len(names) > len(few) else []
        groups.append(f"{objects(_one_line(kind, room), len(names), lang)}: {', '.join(few + more)}")
    if rest := sum(len(names) for names in list(by_kind.values())[_KINDS:]):
        groups.append(f"+{rest}")
    return cut("; ".join(groups), room.letters * 4)


def _one_line(name: str, room: Room) -> str:
    return room.cut(" ".join(name.split()))


def _closest(verdicts: Sequence[Verdict], telling: parts.Telling, room: Room) -> list[ClosestIncident]:
    citing: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        for incident in dict.fromkeys(cite.incident for cite in verdict.check.cites):
            citing.setdefault(incident, []).append(verdict)
    close = [(name, cited) for name, cited in citing.items() if any(item.status == "gap" for item in cited)]
    close.sort(key=lambda item: (*_distance(item[1]), item[0]))
    return [
        ClosestIncident(
            id=name,
            title=room.brief(parts.incident(telling, name).title.of(telling.lang)),
            holds=_having(cited, "gap"),
            of=len(cited),
            unknown=_having(cited, "unknown"),
        )
        for name, cited in close[:_CLOSEST]
    ]


def _distance(cited: Sequence[Verdict]) -> tuple[bool, int, float]:
    weight = sum(_WEIGHT[_severity(verdict)] for verdict in cited if verdict.status == "gap")
    return len(cited) < _CITED_ENOUGH, -weight, -_having(cited, "gap") / len(cited)


def _having(cited: Sequence[Verdict], status: Status) -> int:
    return sum(verdict.status == status for verdict in cited)
