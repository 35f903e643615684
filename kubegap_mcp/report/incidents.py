"""The answer of `lookup_incident`: hits with why they matched, counts over all of them, one record whole."""

from collections.abc import Sequence

from kubegap_checks.model import Check
from kubegap_checks.text import Lang, Text
from kubegap_incidents.index import Count, Hits
from kubegap_incidents.index import Hit as Found
from kubegap_incidents.library import Library
from kubegap_incidents.record import Incident
from kubegap_mcp.report import fitting
from kubegap_mcp.report.fitting import Room
from kubegap_mcp.report.models import CitingCheck, FacetPart, Facets, Hit, IncidentsAnswer, Note, RelatedIncident
from kubegap_mcp.report.paging import Key, page
from kubegap_mcp.report.record import name_of, names_of, record_in, shortened
from kubegap_mcp.report.relations import Relations, causes_of, in_common, relations
from kubegap_mcp.report.words import cut, plural

_FACETS = 8
_RELATED = 5
_GIST = 320
_MATCHED = 8  # fields that matched; there are no more than twice as many


def incidents_answer(
    hits: Hits,
    *,
    asked: str,
    record: Incident | None,
    library: Library,
    checks: Sequence[Check],
    lang: Lang,
    limit: int,
    cursor: str | None,
    left_out: Sequence[Text] = (),
) -> IncidentsAnswer:
    """`record` is the one asked for by id; then its relations and the checks that cite it are told too.

    `asked` tells one search from another: a page of one goes on only in the same.
    """
    ranked = list(enumerate(hits.hits))
    whole = record_in(record, lang) if record else None
    found = relations(record, library) if record else None

    def place(row: tuple[int, Found]) -> Key:
        return (row[0],)

    def build(room: Room) -> IncidentsAnswer:
        shown = page(ranked, place, of=f"incidents {asked}", cursor=cursor, limit=room.rows)
        return IncidentsAnswer(
            hits=[_hit(hit, lang, room) for _, hit in shown.rows],
            total=len(hits.hits),
            next_cursor=shown.next_cursor,
            facets=Facets(
                components=_facets(hits.components, lang),
                symptoms=_facets(hits.symptoms, lang),
                causes=_facets(hits.causes, lang),
            ),
            record=shortened(whole, room.sentence, room.names) if room.short else whole,
            related=_related(found, lang, room) if found else [],
            checks=_citing(record, checks, lang, room) if record else [],
            notes=[
                *_notes(record, lang, room),
                *(_unrelated(record, found, lang) if record and found else []),
                *_left_out(left_out, lang, room),
            ],
        )

    return fitting.fitted(build, lang, rows=max(1, min(limit, len(ranked))), least=1)


def _hit(found: Found, lang: Lang, room: Room) -> Hit:
    incident = found.incident
    return Hit(
        id=incident.id,
        aliases=list(incident.aliases),
        title=room.brief(incident.title.of(lang)),
        organization=incident.organization,
        published=incident.published,
        symptoms=names_of("symptoms", incident.symptoms[: room.names], lang),
        components=names_of("components", incident.components[: room.names], lang),
        gist=cut(incident.gist.of(lang), min(_GIST, room.sentence)),
        matched=[room.cut(text) for text in found.matched[:_MATCHED]],
    )


def _facets(counted: Sequence[Count], lang: Lang) -> list[FacetPart]:
    return [FacetPart(id=term.id, name=name_of(term, lang), count=count) for term, count in counted[:_FACETS]]


def _related(found: Relations, lang: Lang, room: Room) -> list[RelatedIncident]:
    return [
        RelatedIncident(
            id=related.incident.id, title=room.brief(related.incident.title.of(lang)), cause=in_common(related, lang)
        )
        for related in (*found.same, *found.similar)[:_RELATED]
    ]


def _unrelated(record: Incident, found: Relations, lang: Lang) -> list[Note]:
    """How many more there are, and how to reach them."""
    same = found.same[_RELATED:]
    similar = found.similar[max(0, _RELATED - len(found.same)) :]
    texts: list[Text] = []
    if same:
        # The name of a group is words of its records: a search for it finds most, and weighs the rest of the text too.
        groups = dict.fromkeys(name_of(other.cause, lang) for other in same)
        queries = ", ".join(f'query="{group}"' for group in groups)
        texts.append(
            Text(
                en=f"related leaves out {len(same)} more of the same cause: the resource "
                f"kubegap://incidents/{record.id} names them all, and {queries} finds most",
                ko=f"같은 원인의 사례 {len(same)}건을 related에서 생략함. 리소스 kubegap://incidents/{record.id} 에 "
                f"모두 있고, {queries} 검색으로 대부분 찾을 수 있음",
            )
        )
    if similar:
        causes = [f"cause={cause}" for cause in causes_of(similar)]
        texts.append(
            Text(
                en=f"related leaves out {len(similar)} more of a similar cause class: "
                f"search with {' or '.join(causes)}",
                ko=f"비슷한 종류의 원인을 가진 사례 {len(similar)}건을 related에서 생략함. "
                f"{' 또는 '.join(causes)} 조건으로 찾음",
            )
        )
    return [Note(kind="left_out", text=text.of(lang)) for text in texts]


def _citing(record: Incident, checks: Sequence[Check], lang: Lang, room: Room) -> list[CitingCheck]:
    citing = [check for check in checks if any(cite.incident == record.id for cite in check.cites)]
    return [CitingCheck(id=check.id, title=room.brief(check.title.of(lang))) for check in citing[: room.names]]


def _notes(record: Incident | None, lang: Lang, room: Room) -> list[Note]:
    if record is None or not room.short:
        return fitting.shortened(room, lang)
    text = Text(
        en=f"the record is too long for one answer and was cut; the resource kubegap://incidents/{record.id} is whole",
        ko=f"기록이 길어 줄여서 보여 줌. 전체는 리소스 kubegap://incidents/{record.id} 에 있음",
    )
    return [Note(kind="left_out", text=text.of(lang), id=record.id)]


def _left_out(problems: Sequence[Text], lang: Lang, room: Room) -> list[Note]:
    """Private records that are not in the library, so that nobody takes a hit list for all of it."""
    notes = [Note(kind="left_out", text=room.cut(problem.of(lang))) for problem in problems[: room.things]]
    if more := len(problems) - len(notes):
        text = Text(
            en=f"{plural(more, 'more private record')} left out: kubegap incidents lint names what to mend",
            ko=f"제외한 사내 사례 {more}건 더 있음. 고칠 곳은 kubegap incidents lint로 확인",
        )
        notes.append(Note(kind="left_out", text=text.of(lang)))
    return notes
