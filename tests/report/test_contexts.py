"""The answer of list_contexts: names only."""

import pytest
from report.build import LANGS, fits, told

from kubegap_mcp.cluster import Contexts
from kubegap_mcp.report.contexts import contexts_answer
from kubegap_mcp.report.text import render


def test_names_and_the_current_one_are_listed_in_their_order():
    contexts = Contexts(names=("prod", "lab"), current="lab", in_use="prod", source="kubeconfig")
    assert told(contexts_answer(contexts, "en")) == {
        "schema": 1,
        "contexts": [{"name": "prod", "current": False}, {"name": "lab", "current": True}],
        "in_use": "prod",
        "source": "kubeconfig",
        "notes": [],
    }


def test_without_any_source_nothing_is_listed():
    answer = told(contexts_answer(Contexts(names=(), current=None, in_use=None, source="none"), "en"))
    assert answer["contexts"] == []
    assert answer["in_use"] is None


@pytest.mark.parametrize(
    ("lang", "none"), [("en", "In use: none (kubeconfig)."), ("ko", "사용 중: 없음 (kubeconfig).")]
)
def test_a_context_that_does_not_exist_is_told_and_not_in_use(lang, none):
    contexts = Contexts(names=("lab",), current=None, in_use=None, source="kubeconfig", missing="prod")
    answer = contexts_answer(contexts, lang)
    assert answer.in_use is None
    assert [context.current for context in answer.contexts] == [False]
    (note,) = answer.notes
    assert "prod" in note.text
    assert none in render(answer, lang)


def test_the_demo_says_that_it_is_one():
    answer = told(contexts_answer(Contexts(names=("demo",), current="demo", in_use="demo", source="demo"), "ko"))
    assert [note["kind"] for note in answer["notes"]] == ["demo"]


@pytest.mark.parametrize("lang", LANGS)
def test_of_very_many_the_one_in_use_is_listed_and_the_rest_counted(lang):
    names = tuple(f"arn:aws:eks:ap-northeast-2:123456789012:cluster/\ud800{'가' * 80}-{n}" for n in range(5000))
    answer = contexts_answer(Contexts(names=names, current=names[-1], in_use=names[-2], source="kubeconfig"), lang)
    assert fits(answer, lang)
    assert answer.in_use in {context.name for context in answer.contexts}
    assert any(context.current for context in answer.contexts)
    (note,) = answer.notes
    assert str(5000 - len(answer.contexts)) in note.text
