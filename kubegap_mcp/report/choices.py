"""What the owner of a cluster chose, as answers tell it: own thresholds, and findings that are silenced."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from kubegap_checks.model import Finding, Verdict
from kubegap_checks.signals.thresholds import Threshold, thresholds
from kubegap_checks.text import Text
from kubegap_mcp.report.fitting import Room
from kubegap_mcp.report.models import Note
from kubegap_mcp.report.parts import Telling
from kubegap_mcp.report.words import cut, plural
from kubegap_mcp.silences import Silence, Silences


def unsilenced(verdict: Verdict, silences: Silences) -> Verdict:
    """The verdict without what is silenced: never clear by it, and unknown still where something was not read."""
    holding = [silence for silence in silences.of(verdict.check.id) if silences.holds(silence)]
    kept = tuple(item for item in verdict.findings if not any(_is_of(one, verdict, item) for one in holding))
    if len(kept) == len(verdict.findings):
        return verdict
    return replace(verdict, findings=kept, status="gap" if kept else "unknown" if verdict.unread else "silenced")


def notes(seen: Iterable[Verdict], telling: Telling, room: Room) -> list[Note]:
    """Own thresholds that these verdicts compared with, and every silence that names their checks."""
    seen = list(seen)
    compared = {id_ for verdict in seen for id_ in verdict.thresholds}
    silenced = [
        Note(kind="silenced", id=silence.id, text=telling.say(text))
        for verdict in seen
        for silence in telling.silences.of(verdict.check.id)
        if (text := _said(silence, verdict, telling, room))
    ]
    return [*threshold_notes(compared, telling, room), *_first(silenced, telling, room)]


def threshold_notes(compared: Collection[str], telling: Telling, room: Room) -> list[Note]:
    """Own thresholds that a comparison was made with, where they are not the defaults."""
    own = telling.thresholds
    rows = [row for row in thresholds() if row.id in compared and own.get(row.id, row.value) != row.value]
    made = [Note(kind="threshold", id=row.id, text=room.brief(telling.say(_own(row, own[row.id])))) for row in rows]
    return _first(made, telling, room)


def silenced_ids(seen: Verdict, telling: Telling, room: Room) -> list[Note]:
    """The silenced findings by their ids, with which each can be asked about."""
    kept = {seen.id_of(item) for item in unsilenced(seen, telling.silences).findings}
    ids = [id_ for item in seen.findings if (id_ := seen.id_of(item)) not in kept]
    if not ids:
        return []
    named = ", ".join(ids[: room.things]) + (f", +{len(ids) - room.things}" if len(ids) > room.things else "")
    text = Text(
        en=f"not listed since silenced: {named}; explain_gap(finding id) shows one",
        ko=f"무시하도록 되어 있어 목록에서 뺌: {named}. explain_gap(결과 id)으로 볼 수 있음",
    )
    return [Note(kind="silenced", text=telling.say(text))]


def _own(row: Threshold, value: float) -> Text:
    return Text(
        en=f"{value:g} {row.unit}, set by the configuration (default {row.value:g}): {row.text.en}",
        ko=f"{value:g} {row.unit}, 설정 파일이 정함(기본값 {row.value:g}): {row.text.ko}",
    )


def _said(silence: Silence, verdict: Verdict, telling: Telling, room: Room) -> Text | None:
    about, reason, until = _about(silence, room), room.cut(silence.reason), silence.until
    if not telling.silences.holds(silence):
        return Text(
            en=f"silence{about} ended after {until} and silences nothing any more: {reason}",
            ko=f"{until}에 끝나 더는 무시하지 않음{about}: {reason}",
        )
    count = sum(_is_of(silence, verdict, item) for item in verdict.findings)
    if count:
        return Text(
            en=f"{plural(count, 'finding')}{about} silenced until {until}: {reason}",
            ko=f"결과 {count}건을 {until}까지 무시함{about}: {reason}",
        )
    if verdict.unread or telling.namespace or telling.reading.only_namespaces is not None:
        return None  # what it silences may only not have been seen
    return Text(
        en=f"silence{about} until {until} matches nothing here and can be taken out: {reason}",
        ko=f"{until}까지 무시하라는 설정에 해당하는 결과가 없으니 지워도 됨{about}: {reason}",
    )


def _about(silence: Silence, room: Room) -> str:
    return f" ({room.cut(silence.subject)})" if silence.subject else ""


def _is_of(silence: Silence, verdict: Verdict, finding: Finding) -> bool:
    if silence.finding is not None:
        return verdict.id_of(finding) == silence.finding
    return silence.subject in (None, str(finding.subject))


def _first(made: Sequence[Note], telling: Telling, room: Room) -> list[Note]:
    """As many notes as there is room for, and one that names the rest: none goes in silence."""
    shown, rest = list(made[: room.things]), made[room.things :]
    if not rest:
        return shown
    ids = cut(", ".join(dict.fromkeys(note.id or "" for note in rest)), room.sentence)
    text = Text(en=f"{len(rest)} more such: {ids}", ko=f"이 밖에 {len(rest)}건 더 있음: {ids}")
    return [*shown, Note(kind=rest[0].kind, text=telling.say(text))]
