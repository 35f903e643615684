"""The library as pages: one for each record and language, and an index by what records have in common."""

from collections.abc import Callable, Sequence

from kubegap_checks.model import Check
from kubegap_checks.text import Lang, Text
from kubegap_incidents.library import Library
from kubegap_incidents.record import Incident
from kubegap_incidents.vocabulary import Listing, vocabulary
from kubegap_mcp.report import check_docs
from kubegap_mcp.report.markdown import cell, linked_table, made_from, prose
from kubegap_mcp.report.pages import incident_page
from kubegap_mcp.report.record import name_of

SOURCE = "incident_library/kubegap_incidents/records"
FOLDER = "incidents"
_LONG_YEARS = 3


def pages(library: Library, checks: Sequence[Check]) -> dict[str, str]:
    """By path under docs/."""
    made: dict[str, str] = {}
    for lang in ("en", "ko"):
        made[_named("incidents", lang)] = _index(library, lang)
        for incident in library:
            made[f"{FOLDER}/{_named(incident.id, lang)}"] = _page(incident, library, checks, lang)
    return made


def _named(name: str, lang: Lang) -> str:
    return f"{name}.ko.md" if lang == "ko" else f"{name}.md"


def _page(incident: Incident, library: Library, checks: Sequence[Check], lang: Lang) -> str:
    def link(other: Incident) -> str:
        return f"[{prose(other.title.of(lang))}]({_named(other.id, lang)})"

    lines = [made_from(SOURCE), "", incident_page(incident, library, lang, link=link).rstrip()]
    if resting := [check for check in checks if any(cite.incident == incident.id for cite in check.cites)]:
        lines += ["", f"## {Text(en='Checks that rest on it', ko='이 사례를 근거로 한 점검').of(lang)}", ""]
        lines += [
            f"- [`{check.id}`]({check_docs.address(check, lang)}): {prose(check.title.of(lang))}" for check in resting
        ]
    return "\n".join(lines) + "\n"


def _index(library: Library, lang: Lang) -> str:
    incidents = sorted(library, key=lambda incident: (incident.latest, incident.id), reverse=True)
    intro = Text(
        en=f"{len(incidents)} public incidents of GPU training and serving. Each record names its sources and says "
        "how far they were read.",
        ko=f"GPU 학습과 서빙에서 공개된 사고 사례 {len(incidents)}건. "
        "기록마다 출처를 밝히고, 그 출처를 어디까지 읽었는지 적어 둔다.",
    )
    head = (
        Text(en="incident", ko="사례"),
        Text(en="organization", ko="조직"),
        Text(en="when", ko="시기"),
        Text(en="what", ko="내용"),
    )
    rows = [
        [_link(incident, lang), cell(incident.organization), incident.latest, cell(incident.title.of(lang))]
        for incident in incidents
    ]
    lines = [made_from(SOURCE), "", f"# {Text(en='Incidents', ko='사고 사례').of(lang)}", "", intro.of(lang), ""]
    lines += linked_table([text.of(lang) for text in head], rows)
    lines += _by_term(Text(en="By symptom", ko="증상별"), "symptoms", incidents, lambda it: it.symptoms, lang)
    lines += _by_term(
        Text(en="By component", ko="구성 요소별"), "components", incidents, lambda it: it.components, lang
    )
    lines += _by_term(Text(en="By same cause", ko="같은 원인별"), "groups", incidents, lambda it: it.same_cause, lang)
    lines += _by_organization(incidents, lang)
    lines += _by_year(incidents, lang)
    return "\n".join(lines) + "\n"


def _by_term(
    heading: Text,
    listing: Listing,
    incidents: Sequence[Incident],
    terms_of: Callable[[Incident], Sequence[str]],
    lang: Lang,
) -> list[str]:
    """In the vocabulary's order, each term with what it means."""
    lines = ["", f"## {heading.of(lang)}"]
    for term in vocabulary().terms(listing).values():
        if having := [incident for incident in incidents if term.id in terms_of(incident)]:
            lines += ["", f"**{name_of(term, lang)}** ({len(having)}): {prose(term.meaning.of(lang))}", ""]
            lines += [", ".join(_link(incident, lang) for incident in having)]
    return lines


def _by_organization(incidents: Sequence[Incident], lang: Lang) -> list[str]:
    having: dict[str, list[str]] = {}
    for incident in incidents:
        having.setdefault(incident.organization, []).append(_link(incident, lang))
    lines = ["", f"## {Text(en='By organization', ko='조직별').of(lang)}", ""]
    return lines + [f"- {prose(name)}: {', '.join(links)}" for name, links in sorted(having.items())]


def _by_year(incidents: Sequence[Incident], lang: Lang) -> list[str]:
    """Latest first; what went on for long would stand in every year, so it stands in its first."""
    having: dict[int, list[str]] = {}
    for incident in incidents:
        years = incident.years
        if len(years) < _LONG_YEARS:
            for year in years:
                having.setdefault(year, []).append(_link(incident, lang))
        else:
            having.setdefault(years[0], []).append(f"{_link(incident, lang)} ({years[0]}~{years[-1]})")
    intro = Text(
        en="What spans three years or more stands once, at its first year.",
        ko="3년 이상 이어진 사례는 첫해에만 한 번 적고 기간을 함께 적는다.",
    )
    lines = ["", f"## {Text(en='By year', ko='연도별').of(lang)}", "", intro.of(lang), ""]
    return lines + [f"- {year}: {', '.join(links)}" for year, links in sorted(having.items(), reverse=True)]


def _link(incident: Incident, lang: Lang) -> str:
    return f"[{incident.id}]({FOLDER}/{_named(incident.id, lang)})"
