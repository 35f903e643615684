"""The other incidents that bear on one: those of the same cause, and those whose cause is of the same class."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from kubegap_checks.text import Lang, Text
from kubegap_incidents.library import Library, Related
from kubegap_incidents.record import Incident
from kubegap_incidents.vocabulary import vocabulary
from kubegap_mcp.report.markdown import prose
from kubegap_mcp.report.record import name_of

_MOST_SIMILAR = 8

Link = Callable[[Incident], str]


class Relations(NamedTuple):
    """Each in the library's order: the more that both hit, the nearer."""

    same: tuple[Related, ...]  # of a group that both belong to
    similar: tuple[Related, ...]  # of a class of cause only


def relations(incident: Incident, library: Library) -> Relations:
    related = library.related(incident)
    groups = frozenset(incident.same_cause)
    same = tuple(other for other in related if groups.intersection(other.incident.same_cause))
    return Relations(same, tuple(other for other in related if not groups.intersection(other.incident.same_cause)))


def in_common(related: Related, lang: Lang) -> str:
    """The cause that both share, and the components that both hit."""
    components = ", ".join(name_of(term, lang) for term in related.components)
    common = Text(en=f" · both hit {components}", ko=f" · 공통 {components}").of(lang) if components else ""
    return name_of(related.cause, lang) + common


def causes_of(related: Sequence[Related]) -> list[str]:
    """Ids of the causes that relate them, for a search that finds them all."""
    return list(dict.fromkeys(other.cause.id for other in related))


def by_id(incident: Incident, lang: Lang) -> str:
    return f"{prose(incident.title.of(lang))} (`{incident.id}`)"


def sections(incident: Incident, library: Library, lang: Lang, link: Link, *, level: int) -> list[str]:
    """Each group with its sentence and all its records, then the nearest of those that are only similar."""
    found = relations(incident, library)
    lines: list[str] = []
    if incident.same_cause:
        lines += ["", f"{'#' * level} {Text(en='Same cause', ko='같은 원인').of(lang)}"]
    for group in incident.same_cause:
        term = vocabulary().groups[group]
        lines += ["", f"**{prose(name_of(term, lang))}**: {prose(term.meaning.of(lang))}", ""]
        members = [f"- {link(other.incident)}" for other in found.same if group in other.incident.same_cause]
        lines += members or [Text(en="No other record of it yet.", ko="아직 다른 사례는 없다.").of(lang)]
    if found.similar:
        lines += ["", f"{'#' * level} {Text(en='Similar cause class', ko='비슷한 종류의 원인').of(lang)}", ""]
        lines += [
            f"- {link(other.incident)}: {prose(in_common(other, lang))}" for other in found.similar[:_MOST_SIMILAR]
        ]
        lines += _more(found.similar[_MOST_SIMILAR:], lang)
    return lines


def _more(hidden: Sequence[Related], lang: Lang) -> list[str]:
    if not hidden:
        return []
    commands = ", ".join(f"`kubegap incidents search --cause {cause}`" for cause in causes_of(hidden))
    text = Text(
        en=f"{len(hidden)} more, found by {commands}, or by the tool `lookup_incident` with `cause`.",
        ko=f"이 밖에 {len(hidden)}건이 더 있다. {commands} 명령이나 `lookup_incident` 도구의 `cause`로 찾는다.",
    )
    return ["", text.of(lang)]
