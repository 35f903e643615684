"""`lookup_incident` as text."""

from collections.abc import Sequence

from kubegap_checks.text import Lang, Text
from kubegap_mcp.report.markdown import inline, prose
from kubegap_mcp.report.models import FacetPart, Hit, IncidentsAnswer
from kubegap_mcp.report.pages import record_page
from kubegap_mcp.report.text import common
from kubegap_mcp.report.words import MATCHED


def lines(answer: IncidentsAnswer, lang: Lang) -> list[str]:
    total = Text(
        en=f"{answer.total} {'incident' if answer.total == 1 else 'incidents'} found.",
        ko=f"사례 {answer.total}건을 찾음.",
    )
    told = [total.of(lang)]
    told += _facets(
        Text(en="Most frequent components", ko="가장 많이 나오는 구성 요소"), answer.facets.components, lang
    )
    told += _facets(Text(en="Symptoms", ko="증상"), answer.facets.symptoms, lang)
    told += _facets(Text(en="Causes", ko="원인"), answer.facets.causes, lang)
    for hit in answer.hits:
        told += ["", *_hit(hit, lang)]
    told += common.next_page(answer.next_cursor, lang)
    if answer.record:
        told += ["", record_page(answer.record, lang)]
    if answer.related:
        told += ["", Text(en="Related incidents, the same cause first:", ko="관련 사례(같은 원인부터):").of(lang), ""]
        told += [f"- {prose(related.title)} ({related.id}): {prose(related.cause)}" for related in answer.related]
    if answer.checks:
        told += ["", Text(en="Checks that rest on it:", ko="이 사례를 근거로 한 점검:").of(lang), ""]
        told += [f"- {prose(check.title)} ({check.id})" for check in answer.checks]
    return told + common.notes(answer.notes, lang)


def _facets(heading: Text, facets: Sequence[FacetPart], lang: Lang) -> list[str]:
    """Names with their ids, since the ids are what a next search takes."""
    if not facets:
        return []
    told = ", ".join(f"{prose(facet.name)} {facet.count} ({facet.id})" for facet in facets)
    return ["", f"{heading.of(lang)}: {told}"]


def _hit(hit: Hit, lang: Lang) -> list[str]:
    about = [hit.id, *hit.aliases, hit.organization, *([hit.published] if hit.published else [])]
    told = [f"## {prose(hit.title)}", "", " · ".join(prose(part) for part in about), "", prose(hit.gist), ""]
    symptoms, components = Text(en="symptoms", ko="증상").of(lang), Text(en="components", ko="구성 요소").of(lang)
    told += [f"- {symptoms}: {', '.join(map(prose, hit.symptoms))}"]
    told += [f"- {components}: {', '.join(map(prose, hit.components))}"]
    if hit.matched:
        told.append(
            f"- {Text(en='matched', ko='일치').of(lang)}: {'; '.join(_matched(one, lang) for one in hit.matched)}"
        )
    return told


def _matched(matched: str, lang: Lang) -> str:
    """`title: weka`, with the field as a reader calls it."""
    field, mark, typed = matched.partition(": ")
    name = MATCHED[field].of(lang) if field in MATCHED else field
    return inline(f"{name}{mark}{typed}")
