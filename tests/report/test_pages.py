"""Pages about one check or one incident hold all that is known of it."""

import datetime as dt
import re

import pytest
from report.build import IMBUE, LANGS, LIBRARY, SMOLLM3, check

from kubegap_checks.model import Cite
from kubegap_checks.text import Lang, Text
from kubegap_incidents.library import Library
from kubegap_incidents.record import Incident, Withdrawal
from kubegap_incidents.text import Text as LibraryText
from kubegap_incidents.vocabulary import vocabulary
from kubegap_mcp.errors import PackagedDataError
from kubegap_mcp.report.markdown import prose
from kubegap_mcp.report.pages import check_page, incident_page
from kubegap_mcp.report.record import record_in
from kubegap_mcp.report.words import LEVEL, RECORD_KIND, SOURCE_KIND

SEED = LIBRARY.by_id(SMOLLM3)
assert SEED


WORDS = {"kind": {**RECORD_KIND, **SOURCE_KIND}, "level": LEVEL}


def texts(value: object, lang: Lang, field: str = "") -> list[str]:
    if isinstance(value, dict):
        members = {"": value["name"]} if "name" in value else value
        return [text for name, item in members.items() for text in texts(item, lang, name)]
    if isinstance(value, list):
        return [text for item in value for text in texts(item, lang)]
    if field in WORDS:
        return [WORDS[field][str(value)].of(lang)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("incident", [pytest.param(one, id=one.id) for one in LIBRARY])
def test_every_text_of_a_record_is_on_its_page(incident: Incident, lang):
    told = record_in(incident, lang)
    page = incident_page(incident, LIBRARY, lang)
    for text in texts(told, lang):
        assert prose(text) in page


def test_a_page_begins_with_its_title_and_tells_who_and_when():
    lines = incident_page(SEED, LIBRARY, "en").splitlines()
    assert lines[0] == f"# {prose(SEED.title.en)}"
    assert lines[2].startswith(f"{SMOLLM3} · IL-0129 · one incident · {SEED.organization}")


def test_a_withdrawn_record_says_so_before_anything_else():
    reason = LibraryText(en="it was another fault", ko="다른 장애였다")
    withdrawn = SEED.model_copy(update={"withdrawn": Withdrawal(on=dt.date(2026, 1, 2).isoformat(), reason=reason)})
    page = incident_page(withdrawn, LIBRARY, "en")
    assert page.index("## Withdrawn") < page.index("## What happened")
    assert "2026-01-02 · it was another fault" in page


def test_scale_is_told_with_its_units():
    imbue = LIBRARY.by_id(IMBUE)
    assert imbue
    assert "GPUs 4,088 · nodes 511" in incident_page(imbue, LIBRARY, "en")


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("incident", [pytest.param(one, id=one.id) for one in LIBRARY])
def test_no_heading_stands_twice_on_a_page(incident: Incident, lang):
    headings = re.findall("^#.*", incident_page(incident, LIBRARY, lang), re.MULTILINE)
    assert len(headings) == len(set(headings))


@pytest.mark.parametrize("lang", LANGS)
def test_the_same_cause_is_told_apart_from_a_similar_one(lang):
    groups = vocabulary().groups
    for incident in LIBRARY:
        page = incident_page(incident, LIBRARY, lang)
        _, _, told = page.partition({"en": "\n## Same cause\n", "ko": "\n## 같은 원인\n"}[lang])
        same, _, similar = told.partition({"en": "\n## Similar cause class\n", "ko": "\n## 비슷한 종류의 원인\n"}[lang])
        for group in incident.same_cause:
            assert prose(groups[group].meaning.of(lang)) in same
        others = [
            other for other in LIBRARY if other is not incident and set(other.same_cause) & set(incident.same_cause)
        ]
        assert {one for one in LIBRARY.ids() if f"(`{one}`)" in same} == {other.id for other in others}
        assert not any(f"(`{other.id}`)" in similar for other in others)
        assert similar.count("\n- ") <= 8


def test_a_long_list_of_similar_causes_says_how_many_more_there_are():
    cause = SEED.causes[0]
    others = [
        SEED.model_copy(update={"id": f"2023-copy-{n:02}", "aliases": (), "same_cause": (), "causes": (cause,)})
        for n in range(11)
    ]
    library = Library([SEED, *others])
    english, korean = (incident_page(SEED, library, lang) for lang in LANGS)
    assert f"\n3 more, found by `kubegap incidents search --cause {cause.class_}`" in english
    assert f"\n이 밖에 3건이 더 있다. `kubegap incidents search --cause {cause.class_}` 명령" in korean
    assert "No other record of it yet." in english


@pytest.mark.parametrize("lang", LANGS)
def test_a_check_page_holds_the_whole_check(lang):
    one = check()
    page = check_page(one, LIBRARY, lang)
    texts = (one.title, one.why, one.fix, *one.looks_like, one.cites[0].because)
    codes = (one.id, "kubectl get nodes", "`wekaclusters.weka.weka.io`", SMOLLM3)
    assert [text for text in (*codes, *(text.of(lang) for text in texts)) if text not in page] == []


def test_levels_of_headings_can_be_lowered_to_stand_in_a_longer_page():
    assert re.findall("^#+", incident_page(SEED, LIBRARY, "en", level=3), re.MULTILINE)[:2] == ["###", "####"]
    assert check_page(check(), LIBRARY, "en", level=3).startswith("### ")


def test_markup_in_a_text_is_shown_as_letters():
    page = check_page(check(why=Text(en="a <b>*c*</b> `d <e>`", ko="가")), LIBRARY, "en")
    assert r"a \<b>\*c\*\</b> `d <e>`" in page


def test_a_citation_that_the_library_lacks_is_a_fault_of_kubegap():
    lost = check(cites=(Cite(incident="2020-nobody-nothing", because=Text(en="x", ko="가")),))
    with pytest.raises(PackagedDataError, match=r"storage_tiering\.some_rule cites 2020-nobody-nothing"):
        check_page(lost, LIBRARY, "en")


def test_a_korean_page_holds_no_english_word_of_the_schema():
    page = incident_page(SEED, LIBRARY, "ko")
    words = [*RECORD_KIND.values(), *SOURCE_KIND.values(), *LEVEL.values()]
    assert [word.en for word in words if f"{word.en} ·" in page or f"· {word.en}" in page] == []
    assert "playbook · 웹 페이지 · https://" in page
    assert "전체 확인 · " in page
