"""The answer of `audit_cluster`: every gap in one line, what was not seen, and the incidents that come closest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kubegap_checks.model import Check, Confidence, Severity, Status, Verdict
from kubegap_checks.text import Lang, Text
from kubegap_mcp.report import choices, fitting, notes, parts
from kubegap_mcp.report.fitting import Room
from kubegap_mcp.report.models import (
    AuditAnswer,
    BySeverity,
    ClosestIncident,
    Coverage,
    GapPart,
    Note,
    Omitted,
    SeverityName,
)
from kubegap_mcp.report.topic import summary
from kubegap_mcp.report.words import SEVERITY, cut, objects, plural

USUAL = 15  # gaps; who asks for more takes a longer answer
_BUDGET: fitting.Budget = {"en": 11_900, "ko": 17_900}
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """What an audit tells of a check with findings, worked out once: an answer is built until it fits."""

    check: Check
    severity: Severity
    confidence: Confidence
    findings: int
    names: Mapping[str, Sequence[str]]  # of the objects, by kind, the worst first

    @classmethod
    def of(cls, verdict: Verdict) -> "Gap":
        severity, confidence = parts.worst(verdict)
        names: dict[str, dict[str, None]] = {}
        for subject in (finding.subject for finding in parts.ranked(verdict)):
            name = f"{subject.namespace}/{subject.name}" if subject.namespace else subject.name
            names.setdefault(subject.kind, {})[name] = None
        return cls(
            check=verdict.check,
            severity=severity,
            confidence=confidence,
            findings=len(verdict.findings),
            names={kind: list(named) for kind, named in names.items()},
        )

    def place(self) -> tuple[int, int, str]:
        return -self.severity.rank, -self.confidence.rank, self.check.id

    @property
    def is_grave(self) -> bool:
        return self.severity.rank >= Severity.HIGH.rank


def audit_answer(
    verdicts: Sequence[Verdict],
    telling: parts.Telling,
    *,
    limit: int,
    min_severity: Severity | None,
) -> AuditAnswer:
    """At most `limit` gaps, and every critical and high one whatever the limit: where that is too long, some by id."""
    seen = [parts.scoped(verdict, telling) for verdict in verdicts]
    told = [choices.unsilenced(verdict, telling.silences) for verdict in seen]
    tally, by_severity = parts.counts(told), BySeverity(**parts.severity_counts(told))
    every_gap = sorted((Gap.of(verdict) for verdict in told if verdict.status == "gap"), key=Gap.place)
    gaps = [gap for gap in every_gap if min_severity is None or gap.severity.rank >= min_severity.rank]
    closest = _closest(told, {gap.check.id: gap for gap in every_gap})
    grave = sum(gap.is_grave for gap in gaps)

    def build(room: Room, most: int) -> AuditAnswer:
        shown = gaps[: min(max(room.rows, grave), most)]
        also = gaps[len(shown) : grave]
        unread, left_out = parts.unread_of(told, telling, room)
        hidden = sum(gap.findings for gap in gaps[len(shown) + len(also) :])
        return AuditAnswer(
            cluster=parts.cluster_part(telling.reading),
            status=parts.overall(told),
            summary=telling.say(summary(told)),
            counts=tally,
            by_severity=by_severity,
            coverage=Coverage(
                evaluated=len(told) - tally.unknown,
                total=len(told),
                unread=unread,
                lacking_metrics=sum(map(parts.lacks_metrics, told)),
            ),
            gaps=[_part(gap, telling, room) for gap in shown],
            gaps_total=len(gaps),
            also=_also(also),
            omitted=Omitted(findings=hidden, how=telling.say(_HOW)) if hidden else None,
            closest_incidents=[_near(name, cited, telling, room) for name, cited in closest],
            notes=[
                *notes.about(telling),
                *parts.metrics_note(told, telling),
                *choices.notes(seen, telling, room),
                *_milder(len(every_gap) - len(gaps), min_severity, telling),
                *left_out,
                *fitting.shortened(room, telling.lang),
            ],
        )

    budget = _BUDGET if limit <= USUAL else None
    rows = min(limit, len(gaps))
    rows = rows if rows > grave else 0
    answer = fitting.fitted(lambda room: build(room, len(gaps)), telling.lang, rows=rows, budget=budget)
    if budget and grave > USUAL and fitting.size(answer, telling.lang) > budget[telling.lang]:
        answer = fitting.fitted(lambda room: build(room, USUAL), telling.lang, rows=rows, budget=budget)
    return answer


def _also(gaps: Sequence[Gap]) -> dict[SeverityName, list[str]]:
    """By their ids alone; explain_gap tells of each."""
    ids: dict[SeverityName, list[str]] = {}
    for gap in gaps:
        ids.setdefault(gap.severity.value, []).append(gap.check.id)
    return ids


def _milder(hidden: int, least: Severity | None, telling: parts.Telling) -> list[Note]:
    """Says how many gaps the asked severity leaves out of the list: status and counts are over all."""
    if not hidden or least is None:
        return []
    text = Text(
        en=f"{plural(hidden, 'gap')} below {least.value} not listed, as asked; status and counts include them",
        ko=f"요청대로 심각도 '{SEVERITY[least.value].ko}' 미만인 틈 {hidden}건은 목록에서 뺌. 상태와 건수에는 포함됨",
    )
    return [Note(kind="left_out", text=telling.say(text))]


def _part(gap: Gap, telling: parts.Telling, room: Room) -> GapPart:
    return GapPart(
        id=gap.check.id,
        severity=gap.severity.value,
        confidence=gap.confidence.value,
        title=room.brief(telling.say(gap.check.title)),
        findings_total=gap.findings,
        examples=examples(gap.names, telling.lang, room),
        incidents=[cite.incident for cite in gap.check.cites[: min(parts.INCIDENTS_A_CHECK, room.things)]],
    )


def examples(by_kind: Mapping[str, Sequence[str]], lang: Lang, room: Room) -> str:
    """One grouped line: `37 nodes: gpu-0003, gpu-0019, +35`, the worst first."""
    groups: list[str] = []
    for kind, names in list(by_kind.items())[:_KINDS]:
        few = [_one_line(name, room) for name in names[: min(_EXAMPLES, max(1, room.things))]]
        more = [f"+{len(names) - len(few)}"] if len(names) > len(few) else []
        groups.append(f"{objects(_one_line(kind, room), len(names), lang)}: {', '.join(few + more)}")
    if rest := sum(len(names) for names in list(by_kind.values())[_KINDS:]):
        groups.append(f"+{rest}")
    return cut("; ".join(groups), room.letters * 4)


def _one_line(name: str, room: Room) -> str:
    return room.cut(" ".join(name.split()))


def _closest(verdicts: Sequence[Verdict], gaps: Mapping[str, Gap]) -> list[tuple[str, list[Verdict]]]:
    """The incidents that come closest, each with the verdicts of the checks that cite it."""
    citing: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        for incident in dict.fromkeys(cite.incident for cite in verdict.check.cites):
            citing.setdefault(incident, []).append(verdict)

    def distance(name: str) -> tuple[bool, int, float, str]:
        cited = citing[name]
        weight = sum(_WEIGHT[gaps[verdict.check.id].severity] for verdict in cited if verdict.status == "gap")
        return len(cited) < _CITED_ENOUGH, -weight, -_having(cited, "gap") / len(cited), name

    close = sorted((name for name, cited in citing.items() if _having(cited, "gap")), key=distance)
    return [(name, citing[name]) for name in close[:_CLOSEST]]


def _near(name: str, cited: Sequence[Verdict], telling: parts.Telling, room: Room) -> ClosestIncident:
    return ClosestIncident(
        id=name,
        title=room.brief(parts.incident(telling, name).title.of(telling.lang)),
        holds=_having(cited, "gap"),
        of=len(cited),
        unknown=_having(cited, "unknown"),
    )


def _having(cited: Sequence[Verdict], status: Status) -> int:
    return sum(verdict.status == status for verdict in cited)
