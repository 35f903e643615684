"""The parts that several answers share: the cluster, findings, what was unread, notes, citations."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property

from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread, UnreadError, came
from kubegap_checks.limits import using
from kubegap_checks.model import Check, Confidence, Finding, Seen, Severity, Status, Subject, Verdict
from kubegap_checks.text import Lang, Text
from kubegap_incidents.library import Library
from kubegap_incidents.record import Incident
from kubegap_mcp.cluster import Reading
from kubegap_mcp.errors import PackagedDataError
from kubegap_mcp.report.fitting import Room
from kubegap_mcp.report.models import CitePart, ClusterPart, Counts, FindingPart, Note, UnreadOf, UnreadPart
from kubegap_mcp.report.words import cut, plural
from kubegap_mcp.silences import Silences

INCIDENTS_A_CHECK = 2
_NAME = 63  # letters of a context or a namespace within a sentence
_CONTEXT = 253


@dataclass(frozen=True, kw_only=True)
class Telling:
    """What every builder needs to know: whose facts, in which language, about which namespace, by whose choices."""

    reading: Reading
    library: Library
    lang: Lang
    namespace: str | None = None
    thresholds: Mapping[str, float] = field(default_factory=dict[str, float])
    silences: Silences = field(default_factory=Silences)

    def say(self, text: Text) -> str:
        return text.of(self.lang)

    @cached_property
    def runs(self) -> frozenset[Subject]:
        """Each object that owns pods with accelerators, as far as pods were read."""
        facts = self.reading.facts
        pods = came(facts.seen(Pod))[0] if Pod in facts.kinds else ()
        return frozenset(Subject.of_run(pod.run) for pod in pods)

    @cached_property
    def own_facts(self) -> Facts:
        """The facts without the work of other namespaces, where one is asked about."""
        return self.reading.facts.within(self.namespace) if self.namespace else self.reading.facts


def timestamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def cluster_part(reading: Reading) -> ClusterPart:
    cluster = reading.cluster
    return ClusterPart(
        context=cut(cluster.context, _CONTEXT),
        server_version=None if cluster.server_version is None else cut(cluster.server_version, _NAME),
        source=cluster.source,
        read_at=timestamp(cluster.read_at),
        age_s=cluster.age_s,
    )


def scoped(verdict: Verdict, telling: Telling) -> Verdict:
    """The verdict on the work in one namespace, and on what belongs to no team: nodes, shared filesystems.

    An operator's objects lie in a namespace of its own, and what is wrong with them concerns everybody; the Deployment
    whose pods hold accelerators is its team's work. Where the namespace holds nothing that the check is about, the
    verdict is not applicable, not clear.
    """
    namespace = telling.namespace
    if namespace is None or verdict.status == "not_applicable":
        return verdict
    everybodys = {record.KIND.name for record in verdict.check.reads if not record.KIND.workload}
    findings = tuple(
        item
        for item in verdict.findings
        if item.subject.namespace in (None, namespace)
        or (item.subject.kind in everybodys and item.subject not in telling.runs)
    )
    if findings or verdict.unread:
        return replace(verdict, findings=findings, status="gap" if findings else "unknown")
    with using(telling.thresholds) as compared:
        status = _nothing_found(verdict, telling)
    return replace(verdict, findings=(), status=status, thresholds=verdict.thresholds | compared)


def _nothing_found(verdict: Verdict, telling: Telling) -> Status:
    check = verdict.check
    try:
        applies = check.applies(telling.own_facts.only(check.reads))
    except UnreadError:
        return "unknown"
    return "clear" if applies else "not_applicable"


def counts(verdicts: Iterable[Verdict]) -> Counts:
    return Counts(**Counter(str(verdict.status) for verdict in verdicts))


def overall(verdicts: Sequence[Verdict]) -> Status:
    """Gap if any gap; else unknown, silenced, clear if there is any such; else not applicable.

    Checks that lack nothing but a source of metrics count as unknown, and leave the status to the others.
    """
    tally = counts([verdict for verdict in verdicts if not lacks_metrics(verdict)] or verdicts)
    if tally.gap:
        return "gap"
    if tally.unknown:
        return "unknown"
    if tally.silenced:
        return "silenced"
    return "clear" if tally.clear else "not_applicable"


def lacks_metrics(verdict: Verdict) -> bool:
    """Whether the check would be known with a source of metrics, of which there is none at all."""
    return verdict.status == "unknown" and all(item.reason == "no_metrics_source" for item in verdict.unread)


def metrics_note(verdicts: Iterable[Verdict], telling: Telling) -> list[Note]:
    lacking = sum(lacks_metrics(verdict) for verdict in verdicts)
    if not lacking:
        return []
    text = Text(
        en=f"no metrics source: {plural(lacking, 'check')} unknown for that reason alone, and left out of the status",
        ko=f"메트릭 소스가 없다는 이유만으로 확인하지 못한 점검이 {lacking}건 있음. 전체 상태에는 반영하지 않음",
    )
    return [Note(kind="partial", text=telling.say(text))]


def worst(verdict: Verdict) -> tuple[Severity, Confidence]:
    """The severity of the worst finding, and the best confidence among those as bad."""
    if not verdict.findings:
        return verdict.check.severity, verdict.check.confidence
    severity = max((verdict.severity_of(item) for item in verdict.findings), key=lambda it: it.rank)
    confidences = [verdict.confidence_of(item) for item in verdict.findings if verdict.severity_of(item) == severity]
    return severity, max(confidences, key=lambda it: it.rank)


def rank(verdict: Verdict, finding: Finding) -> tuple[int, int, str, str]:
    """Sorts findings: the worst and surest first, then by subject."""
    severity, confidence = verdict.severity_of(finding), verdict.confidence_of(finding)
    return -severity.rank, -confidence.rank, str(finding.subject), finding.key


def ranked(verdict: Verdict) -> list[Finding]:
    return sorted(verdict.findings, key=lambda finding: rank(verdict, finding))


def finding_part(verdict: Verdict, finding: Finding, telling: Telling, room: Room) -> FindingPart:
    return FindingPart(
        id=verdict.id_of(finding),
        subject=cut(str(finding.subject), max(room.letters, _CONTEXT)),
        says=cut(telling.say(finding.says), room.letters * 2),
        evidence={room.cut(path): _seen(value, room) for path, value in list(finding.evidence.items())[: room.names]},
        since=None if finding.since is None else room.cut(finding.since),
    )


def _seen(value: Seen, room: Room) -> Seen:
    if isinstance(value, str):
        return room.cut(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no such number
    return value


def unread_part(unread: Unread, telling: Telling, room: Room) -> UnreadPart:
    return UnreadPart(
        what=room.cut(telling.say(unread.what)),
        reason=unread.reason,
        remedy=cut(telling.say(unread.remedy), room.letters * 2),
    )


def unread_of(verdicts: Iterable[Verdict], telling: Telling, room: Room) -> tuple[list[UnreadOf], list[Note]]:
    """Each thing that could not be seen once, with the checks that wanted it: causes, then the most wanted first.

    The note says how many are not listed.
    """
    wanted: dict[Unread, list[str]] = {}
    for verdict in verdicts:
        for unread in verdict.unread:
            wanted.setdefault(unread, []).append(verdict.check.id)
    most_wanted = sorted(
        wanted.items(), key=lambda item: (not item[0].cause, -len(item[1]), item[0].what.en, item[0].reason)
    )
    listed = [
        UnreadOf(**unread_part(unread, telling, room).model_dump(), checks=checks[: room.names])
        for unread, checks in most_wanted[: room.things]
    ]
    return listed, left_out_unread(len(wanted) - len(listed), telling)


def left_out_unread(more: int, telling: Telling) -> list[Note]:
    if more <= 0:
        return []
    text = Text(
        en=f"{plural(more, 'more thing')} could not be read; explain_gap(check id) lists what one check lacks",
        ko=f"이 밖에도 읽지 못한 것이 {more}개 있음. explain_gap(점검 id)이 점검별로 보여 줌",
    )
    return [Note(kind="left_out", text=telling.say(text))]


def incident(telling: Telling, incident_id: str) -> Incident:
    found = telling.library.by_id(incident_id)
    if found is None:
        raise PackagedDataError(
            Text(
                en=f"a check cites {incident_id}, which the incident library does not hold: please report it",
                ko=f"점검의 근거 사례 {incident_id}: 라이브러리에 없음. kubegap 결함이니 이슈로 알린다",
            )
        )
    return found


def cites(check: Check, telling: Telling, room: Room) -> list[CitePart]:
    return [
        CitePart(
            id=cite.incident,
            title=cut(incident(telling, cite.incident).title.of(telling.lang), max(32, room.sentence // 2)),
            because=room.brief(telling.say(cite.because)),
        )
        for cite in check.cites[: min(INCIDENTS_A_CHECK, room.things)]
    ]


def severity_counts(verdicts: Iterable[Verdict]) -> Mapping[str, int]:
    """Checks with a gap, by the severity of their worst finding."""
    tally = dict.fromkeys((severity.value for severity in reversed(Severity)), 0)
    for verdict in verdicts:
        if verdict.status == "gap":
            tally[worst(verdict)[0].value] += 1
    return tally
