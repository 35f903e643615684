"""Pages of Markdown about one check or one incident, for resources, the generated docs and the text channel."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

from kubegap_checks.comparisons import compared
from kubegap_checks.model import Check
from kubegap_checks.signals.thresholds import Threshold
from kubegap_checks.text import Lang, Text
from kubegap_incidents.library import Library
from kubegap_incidents.record import Incident
from kubegap_mcp.errors import PackagedDataError
from kubegap_mcp.report.markdown import prose
from kubegap_mcp.report.record import record_in
from kubegap_mcp.report.relations import Link, by_id, sections
from kubegap_mcp.report.words import (
    COMPARES,
    CONFIDENCE,
    FIX,
    LEVEL,
    LOOKS_LIKE,
    READS,
    RECORD_KIND,
    SEVERITY,
    SOURCE_KIND,
    VERIFY,
)

_NO_OWN: Mapping[str, float] = MappingProxyType({})
# The record's parts in the order in which a reader asks about them.
_PARTS: Mapping[str, Text] = {
    "withdrawn": Text(en="Withdrawn", ko="철회됨"),
    "what_happened": Text(en="What happened", ko="무슨 일이 있었나"),
    "symptom": Text(en="Symptom", ko="증상"),
    "trigger": Text(en="Trigger", ko="계기"),
    "causes": Text(en="Causes", ko="원인"),
    "components": Text(en="Components", ko="구성 요소"),
    "contributing_factors": Text(en="Contributing factors", ko="키운 요인"),
    "detection": Text(en="Detection", ko="감지"),
    "actions": Text(en="Actions", ko="조치"),
    "follow_ups": Text(en="Follow-ups", ko="후속 조치"),
    "lessons": Text(en="Lessons", ko="교훈"),
    "figures": Text(en="Figures", ko="수치"),
    "scale": Text(en="Scale", ko="규모"),
    "same_cause": Text(en="Same cause", ko="같은 원인"),
    "sources": Text(en="Sources", ko="출처"),
    "verification": Text(en="How far verified", ko="확인 정도"),
}
# Symptom and trigger carry their class from the vocabulary beside the sentence.
_CLASSES = {"symptom": "symptoms", "trigger": "trigger_class"}
# Words of the record's schema that stand for something, by their field.
_WORDS: Mapping[str, Mapping[str, Text]] = {"kind": SOURCE_KIND, "level": LEVEL}
_UNITS: Mapping[str, Text] = {
    "gpus": Text(en="GPUs", ko="GPU"),
    "nodes": Text(en="nodes", ko="노드"),
}


def incident_page(incident: Incident, library: Library, lang: Lang, *, level: int = 1, link: Link | None = None) -> str:
    """One incident whole, and after it the others that bear on it, each told by `link`."""
    # The groups are told with their records, after the rest.
    record = {part: told for part, told in record_in(incident, lang).items() if part != "same_cause"}
    others = sections(incident, library, lang, link or (lambda other: by_id(other, lang)), level=level + 1)
    return "\n".join([record_page(record, lang, level=level).rstrip(), *others]) + "\n"


def record_page(record: Mapping[str, Any], lang: Lang, *, level: int = 1) -> str:
    """The same from a record that is in one language already."""
    lines = [f"{'#' * level} {prose(record['title'])}", "", _about(record, lang), "", prose(record["gist"])]
    for part, heading in _PARTS.items():
        beside = record.get(_CLASSES.get(part, ""))
        if part in record or beside:
            lines += ["", f"{'#' * (level + 1)} {heading.of(lang)}", ""]
            lines += [_told(beside, lang), ""] if beside else []
            lines += _part(part, record, lang)
    return "\n".join(lines).rstrip() + "\n"


def _about(record: Mapping[str, Any], lang: Lang) -> str:
    dates: list[str] = []
    if span := record.get("occurred"):
        dates.append("~".join(span[end] for end in ("from", "to") if end in span))
    if published := record.get("published"):
        dates.append(Text(en=f"published {published}", ko=f"게시 {published}").of(lang))
    about = [
        record["id"],
        *record.get("aliases", []),
        RECORD_KIND[record["kind"]].of(lang),
        record["organization"],
        *dates,
    ]
    return " · ".join(prose(part) for part in [*about, *record.get("tags", [])])


def _part(part: str, record: Mapping[str, Any], lang: Lang) -> list[str]:
    value = record.get(part)
    if value is None:
        return []
    if not isinstance(value, list):
        return [_told(value, lang)]
    items = [_told(item, lang) for item in cast("list[object]", value)]
    if part == "what_happened":
        return "\n\n".join(items).split("\n")
    return [f"- {item}" for item in items]


def _told(value: object, lang: Lang) -> str:
    """A value of a record in one line: vocabulary terms by name, the rest in the order of their fields."""
    if isinstance(value, Mapping):
        members = cast("Mapping[str, object]", value)
        if "name" in members:
            return prose(str(members["name"]))
        return " · ".join(_member(key, item, lang) for key, item in members.items())
    if isinstance(value, list):
        return ", ".join(_told(item, lang) for item in cast("list[object]", value))
    return prose(str(value))


def _member(key: str, value: object, lang: Lang) -> str:
    if key in _UNITS and isinstance(value, int):
        return f"{_UNITS[key].of(lang)} {value:,}"
    word = _WORDS.get(key, {}).get(str(value))
    return word.of(lang) if word else _told(value, lang)


def check_page(
    check: Check,
    library: Library,
    lang: Lang,
    *,
    level: int = 1,
    link: Link | None = None,
    own: Mapping[str, float] = _NO_OWN,
) -> str:
    """One check in full, with the incidents that it rests on; `own` are thresholds that are not the defaults."""

    def say(text: Text) -> str:
        return prose(text.of(lang))

    lines = [
        f"{'#' * level} {say(check.title)}",
        "",
        f"`{check.id}` · {say(SEVERITY[check.severity])} · {say(CONFIDENCE[check.confidence])}",
        "",
        say(check.why),
        "",
        f"**{say(FIX)}**: {say(check.fix)}",
        "",
        f"**{say(VERIFY)}**:",
        "",
        *fence(check.verify),
        "",
        f"**{say(READS)}**: {', '.join(f'`{record.KIND.resource}`' for record in check.reads)}",
    ]
    if check.looks_like:
        lines += ["", f"**{say(LOOKS_LIKE)}**:", "", *(f"- {say(text)}" for text in check.looks_like)]
    if rows := compared(check):
        lines += ["", f"**{say(COMPARES)}**:", "", *(_threshold(row, own, lang) for row in rows)]
    lines += ["", f"**{say(Text(en='Rests on', ko='근거 사례'))}**:", ""]
    for cite in check.cites:
        incident = library.by_id(cite.incident)
        if incident is None:
            raise PackagedDataError(
                Text(
                    en=f"{check.id} cites {cite.incident}, which the incident library does not hold: please report it",
                    ko=f"점검 {check.id}의 근거 사례 {cite.incident}: 라이브러리에 없음. kubegap 결함이니 알린다",
                )
            )
        told = link(incident) if link else f"{prose(incident.title.of(lang))} (`{incident.id}`)"
        lines.append(f"- {told}: {say(cite.because)}")
    return "\n".join(lines) + "\n"


def _threshold(row: Threshold, own: Mapping[str, float], lang: Lang) -> str:
    value = Text.same(f"{row.value:g} {row.unit}")
    if row.id in own:
        value = Text(
            en=f"{own[row.id]:g} {row.unit}, set by the configuration; the default is {row.value:g}",
            ko=f"{own[row.id]:g} {row.unit}, 설정 파일이 정함. 기본값은 {row.value:g}",
        )
    source = Text(en="source", ko="출처").of(lang)
    return f"- `{row.id}` = {prose(value.of(lang))}: {prose(row.text.of(lang))} ({source}: {prose(row.source)})"


def fence(commands: tuple[str, ...] | list[str]) -> list[str]:
    return ["```sh", *commands, "```"]
