"""The answer of check_<topic>, field by field."""

import pytest
from report.build import (
    HOSTILE,
    IMBUE,
    LANGS,
    LONG,
    SMOLLM3,
    finding,
    fits,
    said,
    telling,
    told,
    unread,
    verdict,
)

from kubegap_checks.model import Cite, Severity
from kubegap_checks.text import Text
from kubegap_mcp.report.topic import topic_answer

GAP = verdict(
    "gap",
    "with_gap",
    findings=[finding("gpu-2", since="2026-11-28T10:00:00Z"), finding("gpu-1")],
    lacks=[unread("volumes")],
)
VERDICTS = [verdict("clear", "clear"), verdict("not_applicable", "none"), verdict("unknown", "unseen"), GAP]


def ask(verdicts=VERDICTS, lang="en", limit=3, **fields):
    return topic_answer("storage_tiering", verdicts, telling(lang, **fields), limit=limit)


def test_the_fields_come_in_the_order_of_the_contract():
    answer = told(ask())
    assert list(answer) == [
        "schema",
        "cluster",
        "topic",
        "status",
        "summary",
        "counts",
        "checks",
        "unread",
        "omitted",
        "notes",
    ]
    assert answer["schema"] == 1
    assert list(answer["cluster"]) == ["context", "server_version", "source", "read_at", "age_s"]
    assert list(answer["checks"][0]) == [
        "id",
        "status",
        "title",
        "severity",
        "confidence",
        "why",
        "fix",
        "findings_total",
        "findings",
        "unread",
        "incidents",
    ]
    assert list(answer["checks"][0]["findings"][0]) == ["id", "subject", "says", "evidence", "since"]
    assert list(answer["checks"][0]["unread"][0]) == ["what", "reason", "remedy"]
    assert list(answer["checks"][0]["incidents"][0]) == ["id", "title", "because"]
    assert list(answer["unread"][0]) == ["what", "reason", "remedy", "checks"]


def test_the_answer_is_whole():
    answer = told(ask())
    assert answer["cluster"] == {
        "context": "lab",
        "server_version": "v1.36.1",
        "source": "live",
        "read_at": "2026-11-29T12:00:00Z",
        "age_s": 4,
    }
    assert answer["topic"] == "storage_tiering"
    assert answer["status"] == "gap"
    assert answer["summary"] == (
        "1 gap (1 high) in 4 checks: 1 clear, 1 not applicable; 1 could not be judged, "
        "which does not mean that they are fine"
    )
    assert answer["counts"] == {"gap": 1, "clear": 1, "unknown": 1, "not_applicable": 1}
    gap = answer["checks"][0]
    assert gap["findings"] == [
        {
            "id": GAP.id_of(finding("gpu-1")),
            "subject": "Node/gpu-1",
            "says": "is slow",
            "evidence": {"spec.x": 1},
            "since": None,
        },
        {
            "id": GAP.id_of(finding("gpu-2")),
            "subject": "Node/gpu-2",
            "says": "is slow",
            "evidence": {"spec.x": 1},
            "since": "2026-11-28T10:00:00Z",
        },
    ]
    assert gap["incidents"][0]["id"] == SMOLLM3
    assert answer["omitted"] is None
    assert answer["notes"] == []


def test_gaps_come_first_then_unknown_then_the_rest():
    assert [check["status"] for check in told(ask())["checks"]] == ["gap", "unknown", "clear", "not_applicable"]


def test_of_gaps_the_worst_comes_first():
    verdicts = [
        verdict(rule="a_mild_one", severity=Severity.LOW),
        verdict(rule="z_bad_one", severity=Severity.CRITICAL),
    ]
    assert [check["severity"] for check in told(ask(verdicts))["checks"]] == ["critical", "low"]


@pytest.mark.parametrize("status", ["clear", "not_applicable"])
def test_a_check_without_a_gap_carries_id_status_and_title_alone(status):
    (check,) = told(ask([verdict(status)]))["checks"]
    assert check == {"id": "storage_tiering.some_rule", "status": status, "title": "data on a slow tier"}


def test_an_unknown_check_says_what_it_lacks():
    (check,) = told(ask([verdict("unknown")]))["checks"]
    assert check["unread"] == [{"what": "pods", "reason": "forbidden", "remedy": "grant list on pods"}]
    assert check["findings"] == []
    assert check["findings_total"] == 0


def test_findings_beyond_the_limit_are_counted_in_the_check_and_in_omitted():
    many = verdict(findings=[finding(f"gpu-{number}") for number in range(7)])
    answer = told(ask([many, GAP], limit=2))
    assert {check["id"]: (len(check["findings"]), check["findings_total"]) for check in answer["checks"]} == {
        "storage_tiering.some_rule": (2, 7),
        "storage_tiering.with_gap": (2, 2),
    }
    assert answer["omitted"]["findings"] == 5
    assert "explain_gap" in answer["omitted"]["how"]


def test_a_namespace_leaves_out_the_work_of_others_and_says_so():
    theirs = verdict(findings=[finding("train", "PyTorchJob", "theirs")])
    answer = told(ask([theirs], namespace="mine"))
    assert answer["status"] == "clear"
    assert [note["kind"] for note in answer["notes"]] == ["partial"]
    assert "namespace mine" in answer["notes"][0]["text"]


def test_a_note_without_an_id_has_no_id():
    assert list(told(ask(namespace="mine"))["notes"][0]) == ["kind", "text"]


def test_korean_is_told_throughout():
    answer = told(ask(lang="ko"))
    assert answer["summary"] == (
        "점검 4건: 틈 1건(높음 1), 이상 없음 1건, 해당 없음 1건, 확인 못 함 1건(이상이 없다는 뜻은 아님)"
    )
    assert answer["checks"][0]["title"] == "한 data on a slow tier"
    assert answer["checks"][0]["findings"][0]["says"] == "한 is slow"
    assert answer["unread"][0]["remedy"] == "한 grant list on pods"


def test_nothing_applies_where_no_check_does():
    assert told(ask([verdict("not_applicable")]))["status"] == "not_applicable"


WORDY = {
    "title": Text(en="t" * 90, ko="제" * 60),
    "why": Text(en="w" * 300, ko="왜" * 250),
    "fix": Text(en="f" * 300, ko="조" * 250),
    "cites": tuple(Cite(incident=incident, because=said("이" * 200)) for incident in (SMOLLM3, IMBUE)),
}
VAST = [
    finding(f"{number} {HOSTILE}", says=Text(en=LONG, ko=LONG), evidence={f"{path}{LONG}": LONG for path in range(8)})
    for number in range(5000)
]
UNSEEN = [unread(f"{number} {LONG}", remedy=LONG) for number in range(500)]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(
    "verdicts",
    [
        pytest.param([verdict(findings=VAST)], id="5,000 findings of one check"),
        pytest.param([verdict(rule=f"rule_{n}", findings=VAST[:50], **WORDY) for n in range(12)], id="many checks"),
        pytest.param([verdict("unknown", f"rule_{n}", lacks=UNSEEN, **WORDY) for n in range(12)], id="500 unread"),
        pytest.param(
            [verdict(rule=f"rule_{n}", findings=VAST[:50], lacks=UNSEEN, **WORDY) for n in range(12)], id="all at once"
        ),
    ],
)
def test_every_answer_fits_in_both_channels(verdicts, lang):
    answer = ask(verdicts, lang, limit=100, context=LONG, server_version=LONG, namespace=LONG)
    assert fits(answer, lang)
    shown = told(answer)
    assert [check["findings_total"] for check in shown["checks"]] == [len(one.findings) for one in verdicts]
    told_findings = sum(len(check.get("findings", [])) for check in shown["checks"])
    hidden = (shown["omitted"] or {"findings": 0})["findings"]
    assert told_findings + hidden == sum(len(one.findings) for one in verdicts)


def test_ordinary_findings_are_not_cut_short():
    verdicts = [verdict(rule=f"rule_{n}", findings=[finding(f"gpu-{i}") for i in range(9)]) for n in range(8)]
    answer = told(ask(verdicts))
    assert [len(check["findings"]) for check in answer["checks"]] == [3] * 8
    assert answer["notes"] == []
