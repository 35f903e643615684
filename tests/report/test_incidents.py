"""The answer of lookup_incident: hits, counts over all of them, one record whole."""

from functools import cache

import pytest
from report.build import IMBUE, LANGS, LIBRARY, LONG, SMOLLM3, all_pages, check, fits, said, told

from kubegap_checks.model import Cite
from kubegap_incidents.index import Index
from kubegap_incidents.library import Library
from kubegap_incidents.record import Incident
from kubegap_incidents.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.report.incidents import incidents_answer

SEED = LIBRARY.by_id(SMOLLM3)
assert SEED
CHECKS = (check("one"), check("two", cites=(Cite(incident=IMBUE, because=said("x")),)))


@cache
def index_of(library: Library) -> Index:
    return Index(library)


def ask(words=None, lang="en", *, library=LIBRARY, record=None, asked=None, limit=5, cursor=None, **facets):
    hits = index_of(library).search(record.id if record else words, **facets)
    return incidents_answer(
        hits,
        asked=asked or str(words),
        record=record,
        library=library,
        checks=CHECKS,
        lang=lang,
        limit=limit,
        cursor=cursor,
    )


def copies(count: int, **changes: object) -> Library:
    return Library(
        [SEED, *(SEED.model_copy(update={"id": f"2025-copy-{n:03}", "aliases": (), **changes}) for n in range(count))]
    )


def test_the_fields_come_in_the_order_of_the_contract():
    answer = told(ask(record=SEED))
    assert list(answer) == [
        "schema",
        "hits",
        "total",
        "next_cursor",
        "facets",
        "record",
        "related",
        "checks",
        "notes",
    ]
    assert list(answer["hits"][0]) == [
        "id",
        "aliases",
        "title",
        "organization",
        "published",
        "symptoms",
        "components",
        "gist",
        "matched",
    ]
    assert list(answer["facets"]) == ["components", "symptoms", "causes"]
    assert list(answer["facets"]["components"][0]) == ["id", "name", "count"]
    assert list(answer["checks"][0]) == ["id", "title"]


@pytest.mark.parametrize("lang", LANGS)
def test_words_in_either_language_find_the_incident(lang):
    for words in ("weka eviction", "처리량 급락"):
        answer = told(ask(words, lang))
        assert answer["hits"][0]["id"] == SMOLLM3
        assert answer["hits"][0]["title"] == SEED.title.of(lang)
        assert answer["hits"][0]["matched"]
        assert answer["record"] is None
        assert answer["related"] == []
        assert answer["checks"] == []


def test_a_record_comes_whole_with_the_checks_that_rest_on_it():
    answer = told(ask(record=SEED))
    assert answer["record"]["id"] == SMOLLM3
    assert answer["record"]["what_happened"] == [text.en for text in SEED.what_happened]
    assert answer["checks"] == [{"id": "storage_tiering.one", "title": "data on a slow tier"}]
    assert answer["notes"] == []


def test_related_incidents_name_the_cause_that_they_share():
    answer = told(ask(record=SEED, library=copies(7)))
    assert len(answer["related"]) == 5
    assert list(answer["related"][0]) == ["id", "title", "cause"]


def test_facets_count_over_all_hits_and_not_over_the_page():
    answer = told(ask(limit=1))
    assert answer["total"] == len(LIBRARY)
    assert len(answer["hits"]) == 1
    counted = {facet["id"]: facet["count"] for facet in answer["facets"]["components"]}
    assert counted
    assert all(
        count == sum(component in incident.components for incident in LIBRARY) for component, count in counted.items()
    )
    counts = [facet["count"] for facet in answer["facets"]["components"]]
    assert counts == sorted(counts, reverse=True)


def test_pages_hold_every_hit_once_in_their_rank():
    library = copies(11)
    answers = all_pages(lambda cursor: ask("weka", library=library, limit=5, cursor=cursor))
    ids = [hit.id for answer in answers for hit in answer.hits]
    assert len(ids) == len(set(ids)) == 12
    assert ids == [hit.id for hit in ask("weka", library=library, limit=12).hits]


def test_a_cursor_goes_on_in_the_same_search_only():
    library = copies(11)
    first = ask("weka", library=library)
    with pytest.raises(ConfigError, match="ask again without it"):
        ask("storage", library=library, cursor=first.next_cursor)


def test_nothing_found_is_an_empty_answer():
    answer = told(ask("zzzz"))
    assert answer["hits"] == []
    assert answer["total"] == 0
    assert answer["next_cursor"] is None


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("incident", [pytest.param(one, id=one.id) for one in LIBRARY])
def test_a_packaged_record_fits_without_a_cut(incident: Incident, lang):
    answer = ask(record=incident, lang=lang)
    assert fits(answer, lang)
    assert answer.notes == []


@pytest.mark.parametrize("lang", LANGS)
def test_a_page_of_many_hits_ends_early_and_all_pages_hold_all(lang):
    long = Text(en="g" * 500, ko="긴" * 500)
    library = copies(60, gist=long, title=long)
    answers = all_pages(lambda cursor: ask("weka " + "x" * 400, lang, library=library, limit=100, cursor=cursor))
    assert all(fits(answer, lang) for answer in answers)
    assert sum(len(answer.hits) for answer in answers) == answers[0].total


@pytest.mark.parametrize("lang", LANGS)
def test_a_record_that_is_too_long_is_cut_and_says_where_it_is_whole(lang):
    story = tuple(Text(en=LONG * 3, ko=LONG * 3) for _ in range(30))
    huge = SEED.model_copy(update={"what_happened": story, "actions": story, "lessons": story})
    answer = ask(record=huge, lang=lang, library=Library([huge]))
    assert fits(answer, lang)
    (note,) = answer.notes
    assert note.kind == "left_out"
    assert f"kubegap://incidents/{SMOLLM3}" in note.text
