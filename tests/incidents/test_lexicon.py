"""A word of a query is known by its other forms, names and synonyms, and only by those."""

import datetime as dt

import pytest

from kubegap_incidents import library, words
from kubegap_incidents.lexicon import Lexicon, lexicon, organizations_of
from kubegap_incidents.spelling import Spelling
from kubegap_incidents.vocabulary import vocabulary


def names(phrase, known=None):
    return [{meaning.name for meaning in meanings} for meanings in (known or lexicon()).meanings(words.split(phrase))]


def of(*synonyms):
    return Lexicon(vocabulary().model_copy(update={"synonyms": synonyms, "organizations": {}}))


@pytest.mark.parametrize("form", ["멈춰요", "멈췄습니다", "멈춘다", "멈춤", "멈추면", "멈추더라고요"])
def test_a_korean_verb_is_known_in_all_its_forms(form):
    assert names(form, of(("hang", "멈추다"))) == [{"hang", "멈추다"}]


@pytest.mark.parametrize("other", ["멈칫", "머무르다", "멈"])
def test_another_word_with_the_same_beginning_is_not_the_verb(other):
    assert names(other, of(("hang", "멈추다"))) == [set()]


@pytest.mark.parametrize(("said", "known"), [("노드", True), ("노드마다", True), ("노드장애", True), ("노동", False)])
def test_a_noun_is_known_with_particles_and_as_the_start_of_a_longer_one(said, known):
    assert names(said, of(("node", "노드"))) == [{"node", "노드"} if known else set()]


@pytest.mark.parametrize(("said", "known"), [("불", True), ("불이", True), ("불량", False)])
def test_a_noun_of_one_letter_is_known_with_particles_only(said, known):
    assert bool(names(said, of(("fire", "불")))[0]) is known


def test_a_phrase_means_something_at_each_of_its_words_and_they_alone_do_not():
    known = of(("OOM", "out of memory", "메모리 부족"))
    assert names("it ran out of memory today", known) == [
        set(),
        set(),
        *[{"OOM", "out of memory", "메모리 부족"}] * 3,
        set(),
    ]
    assert names("memory", known) == [set()]
    assert all(names("메모리 부족으로", known))
    assert names("메모리부족", known) == [{"OOM", "out of memory", "메모리 부족"}]
    assert names("메모리", known) == [set()]


def test_a_synonym_counts_less_than_another_name_of_an_organization():
    worths = {m.name: m.worth for found in lexicon().meanings(["오픈에이아이", "노드"]) for m in found}
    assert worths["OpenAI"] == 1
    assert worths["node"] < 1


def test_every_organization_of_the_vocabulary_has_a_record():
    known = vocabulary()
    said = {
        found
        for record in library.load(dt.date(2026, 12, 31))
        for found in organizations_of(record.organization, known)
    }
    assert set(known.organizations) == said


def test_an_organization_is_looked_for_in_whole_words():
    known = vocabulary().model_copy(update={"organizations": {"Meta": ("메타",), "Meta AI": ("메타",)}})
    assert organizations_of("Metaflow users", known) == []
    assert organizations_of("MinIO and meta ai", known) == ["Meta", "Meta AI"]


def test_no_group_of_synonyms_names_a_word_twice():
    for group in vocabulary().synonyms:
        folded = [member.casefold() for member in group]
        assert len(group) > 1
        assert len(set(folded)) == len(folded), group


def test_no_synonym_is_a_verb_whose_stem_is_one_open_letter():
    # 차다 would be found in 차단, 차이 and every other word that begins like it; 튀다 has no such neighbours.
    open_ = {
        verb
        for group in vocabulary().synonyms
        for verb in group
        if len(verb) == 2 and verb.endswith("다") and (ord(verb[0]) - ord("가")) % 28 == 0
    }
    assert open_ <= {"튀다"}


@pytest.mark.parametrize("typed", ["karpentr", "karpentter", "karpentar", "karpetner", "karpenter"])
def test_one_error_away_is_near(typed):
    assert Spelling(["karpenter", "container"]).near(typed) == ["karpenter"]


@pytest.mark.parametrize("typed", ["karpnetr", "carpentar", "", "k"])
def test_two_errors_away_is_not_near(typed):
    assert Spelling(["karpenter", "container"]).near(typed) == []


@pytest.mark.parametrize(
    ("typed", "bare"),
    [
        ("노드에서는", "노드"),
        ("재부팅했더니", "재부팅"),
        ("속도", "속도"),
        ("평가", "평가"),
        ("초기화됩니다", "초기화"),
        ("한", "한"),
    ],
)
def test_a_korean_word_loses_its_particle_or_verb_and_keeps_two_letters(typed, bare):
    assert words.bare(typed) == bare
