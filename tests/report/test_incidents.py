"""The answer of lookup_incident: hits, counts over all of them, one record whole."""

import datetime as dt
import re
from functools import cache

import pytest
from report.build import IMBUE, LANGS, LIBRARY, LONG, SMOLLM3, all_pages, check, fits, said, told

from kubegap_checks.model import Cite
from kubegap_incidents.index import Index
from kubegap_incidents.library import Library
from kubegap_incidents.record import Incident, Span
from kubegap_incidents.text import Text
from kubegap_incidents.vocabulary import Term, vocabulary
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.incident_folders import open_library
from kubegap_mcp.report.fitting import size
from kubegap_mcp.report.incidents import incidents_answer
from kubegap_mcp.report.record import name_of

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
    assert all("related" in note["text"] for note in answer["notes"])


def test_related_incidents_name_the_cause_that_they_share():
    answer = told(ask(record=SEED, library=copies(7)))
    assert len(answer["related"]) == 5
    assert list(answer["related"][0]) == ["id", "title", "cause"]


@pytest.mark.parametrize("lang", LANGS)
def test_records_of_the_same_cause_come_first_and_the_answer_says_how_many_are_left_out(lang):
    similar = [SEED.model_copy(update={"id": f"2023-similar-{n}", "aliases": (), "same_cause": ()}) for n in range(4)]
    answer = ask(record=SEED, library=Library([*copies(3), *similar]), lang=lang)
    assert [related.id for related in answer.related[:3]] == [f"2025-copy-{n:03}" for n in range(3)]
    (note,) = answer.notes
    assert note.kind == "left_out"
    assert "2" in note.text
    assert f"cause={SEED.causes[0].class_}" in note.text

    answer = ask(record=SEED, library=Library([*copies(7), *similar]), lang=lang)
    of_the_same, of_a_similar = answer.notes
    assert "2" in of_the_same.text
    assert f"kubegap://incidents/{SMOLLM3}" in of_the_same.text
    assert "4" in of_a_similar.text
    assert ask(record=SEED, library=copies(5), lang=lang).notes == []


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("group", [pytest.param(one, id=one.id) for one in vocabulary().groups.values()])
def test_a_search_for_the_name_of_a_group_finds_most_of_its_records(group: Term, lang):
    found = {hit.incident.id for hit in index_of(LIBRARY).search(name_of(group, lang)).hits}
    members = {incident.id for incident in LIBRARY if group.id in incident.same_cause}
    assert not members or len(members & found) > len(members) / 2


@pytest.mark.parametrize(("lang", "most_hits", "most_record"), [("en", 8_000, 14_000), ("ko", 12_000, 20_000)])
def test_common_answers_are_small(lang, most_hits, most_record):
    for words in ("NCCL hang", "학습이 느려져요", "GPU node not ready after driver upgrade", "storage weka"):
        assert size(ask(words, lang), lang) < most_hits
    for incident in LIBRARY:
        assert size(ask(record=incident, lang=lang), lang) < most_record, incident.id


def test_a_year_is_when_it_happened_or_else_when_it_was_published():
    happened = SEED.model_copy(
        update={"id": "2020-lab-happened", "aliases": (), "occurred": Span.model_validate({"from": "2018-11"})}
    )
    library = Library(
        [
            happened.model_copy(update={"published": "2020-01"}),
            SEED.model_copy(update={"id": "2020-lab-told", "aliases": (), "occurred": None, "published": "2020-01"}),
        ]
    )
    found = {year: [hit.id for hit in ask(library=library, year=year).hits] for year in (2018, 2019, 2020)}
    assert found == {2018: ["2020-lab-happened"], 2019: [], 2020: ["2020-lab-told"]}


@pytest.mark.parametrize("lang", LANGS)
def test_private_records_that_were_left_out_are_told_in_the_language(lang, tmp_path):
    (tmp_path / "2025-acme-broken-record.yaml").write_text("schema: 1\n", encoding="utf-8")
    opened = open_library([tmp_path, tmp_path / "none"], dt.date(2026, 11, 29))
    answer = incidents_answer(
        Index(opened.library).search("weka"),
        asked="weka",
        record=None,
        library=opened.library,
        checks=CHECKS,
        lang=lang,
        limit=1,
        cursor=None,
        left_out=opened.problems,
    )
    assert [note.kind for note in answer.notes] == ["left_out", "left_out"]
    korean = [bool(re.search("[가-힣]", note.text)) for note in answer.notes]
    assert korean == [lang == "ko"] * 2
    assert any("2025-acme-broken-record.yaml" in note.text for note in answer.notes)


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
    assert [note.text for note in answer.notes if "related" not in note.text] == []


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
