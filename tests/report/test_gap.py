"""The answer of explain_gap: one check in full, its findings page by page."""

import pytest
from report.build import (
    HOSTILE,
    IMBUE,
    LANGS,
    LONG,
    SMOLLM3,
    all_pages,
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
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.report.gap import gap_answer

MANY = verdict(findings=[finding(f"gpu-{number:02}") for number in range(25)])


def ask(one=MANY, lang="en", *, finding_id=None, limit=10, cursor=None, **fields):
    return gap_answer(one, telling(lang, **fields), finding_id=finding_id, limit=limit, cursor=cursor)


def test_the_fields_come_in_the_order_of_the_contract():
    answer = told(ask())
    assert list(answer) == [
        "schema",
        "cluster",
        "check",
        "status",
        "findings",
        "findings_total",
        "next_cursor",
        "unread",
        "incidents",
        "notes",
    ]
    assert list(answer["check"]) == [
        "id",
        "title",
        "why",
        "fix",
        "severity",
        "confidence",
        "verify",
        "needs",
        "looks_like",
    ]
    assert list(answer["incidents"][0]) == ["id", "title", "what_happened", "because"]


def test_the_check_is_told_whole():
    answer = told(ask())
    assert answer["check"] == {
        "id": "storage_tiering.some_rule",
        "title": "data on a slow tier",
        "why": "GPUs wait",
        "fix": "move it",
        "severity": "high",
        "confidence": "certain",
        "verify": ["kubectl get nodes"],
        "needs": ["nodes", "pods", "wekaclusters.weka.weka.io"],
        "looks_like": ["a full disk"],
    }
    (incident,) = answer["incidents"]
    assert incident["id"] == SMOLLM3
    assert incident["because"] == "the same stall"
    assert incident["what_happened"]


@pytest.mark.parametrize("status", ["clear", "not_applicable", "unknown"])
def test_a_check_without_a_gap_is_explained_as_well(status):
    answer = told(ask(verdict(status)))
    assert answer["status"] == status
    assert answer["findings"] == []
    assert answer["next_cursor"] is None
    assert answer["check"]["fix"] == "move it"


def test_pages_hold_every_finding_once_the_worst_first():
    bad = finding("gpu-99", severity=Severity.CRITICAL)
    one = verdict(findings=[*MANY.findings, bad])
    answers = all_pages(lambda cursor: ask(one, cursor=cursor))
    shown = [item.subject for answer in answers for item in answer.findings]
    assert shown == ["Node/gpu-99", *(f"Node/gpu-{number:02}" for number in range(25))]
    assert {answer.findings_total for answer in answers} == {26}


def test_a_cursor_survives_a_changed_reading():
    first = ask()
    changed = verdict(findings=[item for item in MANY.findings if item.subject.name not in ("gpu-09", "gpu-10")])
    after = ask(changed, cursor=first.next_cursor)
    assert after.findings[0].subject == "Node/gpu-11"


@pytest.mark.parametrize("rule", ["another_rule", "some"])
def test_the_cursor_of_another_check_is_refused(rule):
    other = verdict(rule=rule, findings=MANY.findings)
    with pytest.raises(ConfigError, match="ask again without it"):
        ask(other, cursor=ask().next_cursor)


def test_one_finding_is_found_by_its_id():
    wanted = MANY.id_of(MANY.findings[17])
    answer = told(ask(finding_id=wanted))
    assert [item["id"] for item in answer["findings"]] == [wanted]
    assert answer["findings_total"] == 1
    assert answer["notes"] == []


@pytest.mark.parametrize(
    ("one", "namespace", "says"),
    [
        pytest.param(verdict("clear"), None, "it is gone, or its object has another name", id="gone"),
        pytest.param(MANY, None, "it is gone, or its object has another name", id="others remain"),
        pytest.param(verdict("unknown"), None, "it may still be there", id="not all was read"),
        pytest.param(
            verdict(findings=[finding("t", "Job", "theirs")]), "mine", "ask without namespace", id="another namespace"
        ),
    ],
)
def test_a_finding_that_is_not_there_is_said_so_and_never_called_gone_without_looking(one, namespace, says):
    wanted = one.id_of(one.findings[0]) if namespace else f"{one.check.id}@00000000"
    answer = told(ask(one, finding_id=wanted, namespace=namespace))
    assert answer["findings"] == []
    note = answer["notes"][-1]
    assert note["kind"] == "left_out"
    assert note["id"] == wanted
    assert says in note["text"]


def test_what_a_check_lacks_is_listed_and_the_rest_counted():
    answer = told(ask(verdict("unknown", lacks=[unread(f"thing-{n}") for n in range(20)])))
    assert len(answer["unread"]) == 16
    assert answer["notes"][0]["text"].startswith("4 more")


def test_a_long_story_is_cut():
    (incident,) = told(ask())["incidents"]
    assert len(incident["what_happened"]) <= 1200
    assert incident["what_happened"].endswith("…")


VAST = [
    finding(
        f"{number} {HOSTILE} {LONG}",
        key=f"{LONG}{number}",
        says=Text(en=LONG, ko=LONG),
        evidence={f"{path}{LONG}": LONG for path in range(8)},
        since=LONG,
    )
    for number in range(20)
]
WORDY = {
    "why": Text(en="w" * 400, ko="왜" * 300),
    "fix": Text(en="f" * 400, ko="조" * 300),
    "looks_like": tuple(said("닮" * 120) for _ in range(8)),
    "cites": tuple(Cite(incident=incident, because=said("이" * 200)) for incident in (SMOLLM3, IMBUE) * 4),
    "verify": ("kubectl get pods -A -o yaml " * 8,) * 4,
}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(
    ("findings", "lacks"),
    [
        pytest.param(VAST, [], id="long findings"),
        pytest.param([], [unread(f"{n} {LONG}", remedy=LONG) for n in range(500)], id="500 unread"),
        pytest.param(VAST, [unread(f"{n} {LONG}", remedy=LONG) for n in range(500)], id="both"),
    ],
)
def test_every_page_fits_in_both_channels_and_together_they_hold_all(findings, lacks, lang):
    one = verdict("gap" if findings else "unknown", findings=findings, lacks=lacks, **WORDY)
    answers = all_pages(lambda cursor: ask(one, lang, limit=100, cursor=cursor, context=LONG))
    assert all(fits(answer, lang) for answer in answers)
    shown = [item.id for answer in answers for item in answer.findings]
    assert sorted(shown) == sorted(one.id_of(item) for item in findings)
