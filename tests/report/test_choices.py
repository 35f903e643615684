"""What the owner of a cluster chose: silenced findings are neither gaps nor forgotten, own thresholds are told."""

import datetime as dt
from dataclasses import replace

import pytest
from report.build import LANGS, LONG, finding, fits, telling, told, unread, verdict

from kubegap_mcp.report.audit import audit_answer
from kubegap_mcp.report.choices import unsilenced
from kubegap_mcp.report.gap import gap_answer
from kubegap_mcp.report.topic import topic_answer
from kubegap_mcp.silences import Silence, Silences

TODAY = dt.date(2026, 11, 29)
TWO = verdict(findings=[finding("gpu-1"), finding("gpu-2")])
ONE_ID = TWO.id_of(TWO.findings[0])


def silence(check="storage_tiering.some_rule", until=TODAY, **fields):
    return Silence(check=check, reason="the vendor knows", until=until, **fields)


def by(*given):
    return Silences(given=given, today=TODAY)


ALL = silence()
FIRST = silence(subject="Node/gpu-1")
FIRST_BY_ID = silence(finding=ONE_ID)
ENDED = silence(until=TODAY - dt.timedelta(days=1))


def ask(verdicts, *given, answer=topic_answer, lang="en", **where):
    teller = replace(telling(lang, **where), silences=by(*given))
    if answer is audit_answer:
        return audit_answer(verdicts, teller, limit=15, min_severity=None)
    return topic_answer("storage_tiering", verdicts, teller, limit=3)


def silenced(answer):
    return [(note.get("id"), note["text"]) for note in told(answer)["notes"] if note["kind"] == "silenced"]


@pytest.mark.parametrize(
    ("one", "given", "status", "left"),
    [
        pytest.param(TWO, [], "gap", 2, id="nothing is silenced"),
        pytest.param(TWO, [ALL], "silenced", 0, id="the whole check"),
        pytest.param(TWO, [FIRST], "gap", 1, id="one subject"),
        pytest.param(TWO, [FIRST_BY_ID], "gap", 1, id="one finding"),
        pytest.param(TWO, [FIRST, silence(subject="Node/gpu-2")], "silenced", 0, id="one subject after the other"),
        pytest.param(TWO, [silence(check="storage_tiering.another")], "gap", 2, id="another check"),
        pytest.param(TWO, [silence(subject="Node/gpu-3")], "gap", 2, id="another subject"),
        pytest.param(TWO, [silence(finding="storage_tiering.some_rule@00000000")], "gap", 2, id="another finding"),
        pytest.param(TWO, [ENDED], "gap", 2, id="a silence that has ended"),
        pytest.param(replace(TWO, unread=(unread(),)), [ALL], "unknown", 0, id="more may be there"),
        pytest.param(verdict("clear"), [ALL], "clear", 0, id="a clear check"),
        pytest.param(verdict("unknown"), [ALL], "unknown", 0, id="a check that could not be judged"),
        pytest.param(verdict("not_applicable"), [ALL], "not_applicable", 0, id="nothing that it is about"),
    ],
)
def test_what_is_left_decides_and_silence_makes_nothing_clear(one, given, status, left):
    judged = unsilenced(one, by(*given))

    assert (judged.status, len(judged.findings)) == (status, left)


def test_the_last_day_counts():
    assert by(silence(until=TODAY)).holds(silence(until=TODAY))
    assert not by(ENDED).holds(ENDED)


@pytest.mark.parametrize(
    ("others", "status"),
    [
        pytest.param([], "silenced", id="alone"),
        pytest.param([verdict("clear", "other")], "silenced", id="beside a clear check"),
        pytest.param([verdict("unknown", "other")], "unknown", id="beside an unknown one"),
        pytest.param([verdict("gap", "other")], "gap", id="beside a gap"),
        pytest.param([verdict("not_applicable", "other")], "silenced", id="beside one that does not apply"),
    ],
)
@pytest.mark.parametrize("answer", [topic_answer, audit_answer])
def test_an_answer_is_never_clear_by_silence(others, status, answer):
    structured = told(ask([TWO, *others], ALL, answer=answer))

    assert structured["status"] == status
    assert structured["counts"]["silenced"] == 1
    assert "1 silenced" in structured["summary"]


@pytest.mark.parametrize("answer", [topic_answer, audit_answer])
def test_without_silences_the_counts_are_those_that_scripts_know(answer):
    assert list(told(ask([TWO], answer=answer))["counts"]) == ["gap", "clear", "unknown", "not_applicable"]


def test_a_silenced_check_is_no_gap_of_an_audit():
    structured = told(ask([TWO, verdict("gap", "other")], ALL, answer=audit_answer))

    assert [gap["id"] for gap in structured["gaps"]] == ["storage_tiering.other"]
    assert structured["by_severity"]["high"] == 1
    assert structured["coverage"]["evaluated"] == structured["coverage"]["total"] == 2


def test_a_silenced_check_stays_among_the_checks_of_its_topic():
    (shown,) = told(ask([TWO], ALL))["checks"]

    assert shown == {"id": "storage_tiering.some_rule", "status": "silenced", "title": shown["title"]}


@pytest.mark.parametrize(
    ("one", "given", "said"),
    [
        pytest.param(TWO, ALL, "2 findings silenced until 2026-11-29: the vendor knows", id="a check"),
        pytest.param(TWO, FIRST, "1 finding (Node/gpu-1) silenced until 2026-11-29: the vendor knows", id="a subject"),
        pytest.param(TWO, FIRST_BY_ID, "1 finding silenced until 2026-11-29: the vendor knows", id="a finding"),
        pytest.param(
            TWO, ENDED, "silence ended after 2026-11-28 and silences nothing any more: the vendor knows", id="ended"
        ),
        pytest.param(
            verdict("clear"),
            ALL,
            "silence until 2026-11-29 matches nothing here and can be taken out: the vendor knows",
            id="nothing matches",
        ),
    ],
)
@pytest.mark.parametrize("answer", [topic_answer, audit_answer])
def test_every_silence_of_a_check_is_told(one, given, said, answer):
    assert silenced(ask([one], given, answer=answer)) == [(given.id, said)]


@pytest.mark.parametrize(
    ("one", "where"),
    [
        pytest.param(verdict("unknown"), {}, id="something was not read"),
        pytest.param(verdict("clear"), {"namespace": "ml"}, id="one namespace was asked about"),
        pytest.param(verdict("clear"), {"only_namespaces": ("ml",)}, id="one namespace was read"),
    ],
)
def test_a_silence_is_not_called_idle_where_its_finding_may_not_have_been_seen(one, where):
    assert silenced(ask([one], ALL, **where)) == []


def test_a_silence_of_a_check_that_was_not_asked_about_is_not_told():
    assert silenced(ask([TWO], silence(check="gpu_health.gpu_missing"))) == []


@pytest.mark.parametrize("lang", LANGS)
def test_many_silences_are_all_named_and_the_answer_fits(lang):
    many = [replace(silence(subject=f"Node/{LONG}"), reason=LONG) for _ in range(200)]
    answer = ask([TWO], *many, lang=lang)

    assert fits(answer, lang)
    assert any(str(len(many) - len(silenced(answer)) + 1) in text for _, text in silenced(answer))


def explain(*given, finding_id=None):
    teller = replace(telling(), silences=by(*given))
    return told(gap_answer(TWO, teller, finding_id=finding_id, limit=10, cursor=None))


def test_a_check_that_is_explained_names_what_it_leaves_out():
    answer = explain(FIRST)

    assert answer["status"] == "gap"
    assert [item["subject"] for item in answer["findings"]] == ["Node/gpu-2"]
    assert any(ONE_ID in note["text"] for note in answer["notes"])


def test_a_silenced_finding_can_still_be_asked_about():
    answer = explain(ALL, finding_id=ONE_ID)

    assert answer["status"] == "silenced"
    assert [item["id"] for item in answer["findings"]] == [ONE_ID]


def thresholds_told(verdicts, own, answer=topic_answer, lang="en"):
    teller = replace(telling(lang), thresholds=own)
    made = (
        audit_answer(verdicts, teller, limit=15, min_severity=None)
        if answer is audit_answer
        else topic_answer("storage_tiering", verdicts, teller, limit=3)
    )
    return [(note["id"], note["text"]) for note in told(made)["notes"] if note["kind"] == "threshold"]


COMPARED = replace(TWO, thresholds=frozenset({"gpu_peers_min"}))
MEANING = "how many other nodes of the same kind it takes to say how many devices a node should have"
SAID = ("gpu_peers_min", f"4 nodes, set by the configuration (default 3): {MEANING}")


@pytest.mark.parametrize("answer", [topic_answer, audit_answer])
@pytest.mark.parametrize(
    ("verdicts", "own", "said"),
    [
        pytest.param([COMPARED], {"gpu_peers_min": 4}, [SAID], id="a check compared with it"),
        pytest.param([COMPARED, COMPARED], {"gpu_peers_min": 4}, [SAID], id="two checks did"),
        pytest.param([TWO], {"gpu_peers_min": 4}, [], id="no check did"),
        pytest.param([COMPARED], {"gpu_peers_min": 3}, [], id="it is the default"),
        pytest.param([COMPARED], {"node_boot_grace": 4}, [], id="another is set"),
    ],
)
def test_an_own_threshold_is_told_where_it_was_compared_with(verdicts, own, said, answer):
    assert thresholds_told(verdicts, own, answer) == said
