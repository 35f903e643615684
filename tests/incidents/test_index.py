"""Search ranks what was meant, in either language, and returns nothing for what is not there."""

import datetime as dt
import unicodedata

import pytest

from kubegap_incidents import library, words
from kubegap_incidents.index import Index
from kubegap_incidents.library import Library
from kubegap_incidents.record import Span, Withdrawal
from kubegap_incidents.text import Text
from kubegap_incidents.vocabulary import UnknownTermError

# The two records that the library began with: small enough to say in full what must be found.
PACKAGED = Library(incident for incident in library.load(dt.date(2026, 11, 29)) if incident.aliases)
INDEX = Index(PACKAGED)
SMOLLM3, IMBUE = "2025-huggingface-smollm3-throughput", "2024-imbue-70b-cluster-bring-up"


def found(query: str | None = None, **filters: str | int | None) -> list[str]:
    return [hit.incident.id for hit in INDEX.search(query, **filters).hits]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("학습 시작하고 몇 시간 지나면 느려져요", SMOLLM3),
        ("throughput drops a few hours after start", SMOLLM3),
        ("weka s3 eviction", SMOLLM3),
        ("Weka가 S3로 내보내요", SMOLLM3),
        ("디스크 읽기 지연 급증", SMOLLM3),
        ("data loader shared memory grows with steps", SMOLLM3),
        ("데이터로더 인덱스가 커진다", SMOLLM3),
        ("로컬 NVMe 로 옮기기", SMOLLM3),
        ("InfiniBand 링크 플래핑", IMBUE),
        ("인피니밴드 링크가 자꾸 끊겨요", IMBUE),
        ("cabling errors", IMBUE),
        ("flapping links", IMBUE),
        ("IB", IMBUE),
        ("PCIe ACS GPUDirect", IMBUE),
        ("servers do not boot", IMBUE),
        ("서버가 부팅이 안 돼요", IMBUE),
        ("번인 테스트", IMBUE),
    ],
)
def test_plain_words_in_either_language_find_the_record_first(query, first):
    assert found(query)[0] == first


@pytest.mark.parametrize(
    "query",
    ["처리량 급락", "처리량급락", "처리량이 급락했다", "처리량  급락", unicodedata.normalize("NFD", "처리량 급락")],
)
def test_spacing_particles_and_unicode_form_do_not_matter(query):
    assert found(query)[0] == SMOLLM3


@pytest.mark.parametrize("query", ["WEKA S3", "weka s3", "ｗｅｋａ Ｓ３", "weka/s3", "weka-s3"])
def test_case_width_and_joints_do_not_matter(query):
    assert found(query) == [SMOLLM3]


@pytest.mark.parametrize("query", ["zzz", "???", "점심 메뉴 추천해주세요", "the and of", "왜", "espresso recipe", "🙂"])
def test_a_query_that_matches_nothing_returns_nothing(query):
    hits = INDEX.search(query)
    assert (hits.hits, hits.components, hits.symptoms, hits.causes) == ((), (), (), ())


@pytest.mark.parametrize("query", ["IL-0129", " il-0129 ", SMOLLM3, SMOLLM3.upper()])
def test_an_id_or_alias_finds_exactly_its_record(query):
    (hit,) = INDEX.search(query).hits
    assert hit.incident.id == SMOLLM3
    assert hit.matched == (f"id: {query.strip()}",)


def test_an_alias_among_words_is_found_first():
    assert found("IL-0025 후속 조치")[0] == IMBUE


@pytest.mark.parametrize("query", [None, "", "  "])
def test_without_a_query_the_newest_come_first(query):
    assert found(query) == [SMOLLM3, IMBUE]


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        pytest.param({"component": "infiniband_fabric"}, [IMBUE], id="component"),
        pytest.param({"component": "공유 네트워크 파일 시스템"}, [SMOLLM3], id="component by Korean name"),
        pytest.param({"component": "InfiniBand"}, [IMBUE], id="component by common word"),
        pytest.param({"component": "etcd"}, [], id="a component that no record has"),
        pytest.param({"symptom": "hang"}, [IMBUE], id="symptom"),
        pytest.param({"symptom": "처리량 저하"}, [SMOLLM3, IMBUE], id="symptom of both"),
        pytest.param({"cause": "storage_saturation"}, [SMOLLM3], id="cause"),
        pytest.param({"organization": "imbue"}, [IMBUE], id="organization"),
        pytest.param({"organization": "HuggingFace"}, [SMOLLM3], id="organization without the space"),
        pytest.param({"organization": "Nobody"}, [], id="unknown organization"),
        pytest.param({"organization": ""}, [], id="empty organization"),
        pytest.param({"year": 2024}, [IMBUE], id="year"),
        pytest.param({"year": 1999}, [], id="a year without records"),
        pytest.param({"symptom": "throughput_degradation", "year": 2025}, [SMOLLM3], id="two filters"),
        pytest.param({"query": "H100 GPU", "organization": "imbue"}, [IMBUE], id="filter and query"),
        pytest.param({"query": "IL-0129", "organization": "imbue"}, [], id="filter and id"),
    ],
)
def test_filters_narrow_the_hits(filters, ids):
    assert found(**filters) == ids


def test_a_filter_does_not_lose_a_record_to_a_better_one_outside():
    assert found("학습", organization="imbue") == [IMBUE]


@pytest.mark.parametrize("listing", ["symptom", "component", "cause"])
def test_an_unknown_term_as_filter_is_refused(listing):
    with pytest.raises(UnknownTermError, match="`flux capacitor` is not one of the"):
        INDEX.search(**{listing: "flux capacitor"})


def test_a_year_within_a_long_incident_finds_it():
    imbue = PACKAGED.by_id(IMBUE)
    assert imbue
    long = imbue.model_copy(update={"occurred": Span.model_validate({"from": "2021-11", "to": "2023-02"})})
    index = Index(Library([long]))
    assert [bool(index.search(year=year).hits) for year in range(2020, 2025)] == [False, True, True, True, False]


def test_a_record_without_dates_is_found_by_the_year_of_its_id():
    imbue = PACKAGED.by_id(IMBUE)
    assert imbue
    assert Index(Library([imbue.model_copy(update={"occurred": None, "published": None})])).search(year=2024).hits


def test_a_hit_says_which_words_matched_and_where():
    (hit,) = INDEX.search("weka s3 eviction").hits
    assert hit.matched == ("title: weka, s3, eviction",)
    (hit,) = INDEX.search("인피니밴드").hits
    assert hit.matched == ("component: 인피니밴드",)


def test_each_word_is_named_once_under_the_field_that_counts_most():
    hits = INDEX.search("학습 시작하고 몇 시간 지나면 느려져요").hits
    named = [word for said in hits[0].matched for word in said.split(": ")[1].split(", ")]
    assert len(named) == len(set(named))
    assert {"학습", "시간", "느려져요"} <= set(named)


def test_facets_count_over_all_hits_most_frequent_first():
    hits = INDEX.search("처리량 저하로 학습이 느려요")
    assert len(hits.hits) == 2
    assert [(term.id, count) for term, count in hits.symptoms if count == 2] == [("throughput_degradation", 2)]
    assert hits.symptoms[0][1] == 2
    counts = [count for _, count in hits.components]
    assert counts == sorted(counts, reverse=True)
    assert sum(counts) == sum(len(hit.incident.components) for hit in hits.hits)


def test_facets_of_one_hit_are_its_own_terms():
    hits = INDEX.search("weka s3 eviction")
    assert {term.id for term, _ in hits.causes} == set(hits.hits[0].incident.cause_classes)


def test_a_withdrawn_record_is_left_out_unless_asked_for_by_name():
    smollm3 = PACKAGED.by_id(SMOLLM3)
    assert smollm3
    withdrawn = smollm3.model_copy(update={"withdrawn": Withdrawal(on="2026", reason=Text(en="Wrong", ko="틀림"))})
    index = Index(Library([withdrawn]))
    assert index.search("weka").hits == ()
    assert index.search().hits == ()
    assert index.search("IL-0129").hits[0].incident.withdrawn


def test_an_empty_library_answers():
    assert Index(Library([])).search("weka").hits == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [("drops", "dropping"), ("evicted", "eviction"), ("cables", "cabling"), ("stall", "stalled"), ("class", "class")],
)
def test_forms_of_an_english_word_meet(one, other):
    assert words.terms(one) == words.terms(other)


def test_short_words_and_names_with_digits_stay_whole():
    assert words.terms("GPUs s3 h100 IB bus") == ["gpu", "s3", "h100", "ib", "bus"]
