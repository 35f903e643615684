"""The answer of audit_cluster: every gap in one line, the coverage, the closest incidents."""

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

from kubegap_checks.model import Cite, Confidence, Severity, Verdict
from kubegap_checks.text import Text
from kubegap_mcp.report.audit import Gap, audit_answer, examples
from kubegap_mcp.report.fitting import Room

CRITICAL, HIGH, MEDIUM, LOW = Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM, Severity.LOW


def ask(verdicts, lang="en", limit=15, min_severity=None, **fields):
    return audit_answer(verdicts, telling(lang, **fields), limit=limit, min_severity=min_severity)


def citing(status, rule, *incidents, severity=HIGH) -> Verdict:
    cites = tuple(Cite(incident=incident, because=said("x")) for incident in incidents)
    return verdict(status, rule, cites=cites, severity=severity)


MIXED = [
    verdict("gap", "bad"),
    verdict("clear", "fine"),
    verdict("not_applicable", "none"),
    verdict("unknown", "unseen"),
]


def test_the_fields_come_in_the_order_of_the_contract():
    answer = told(ask(MIXED))
    assert list(answer) == [
        "schema",
        "cluster",
        "status",
        "summary",
        "counts",
        "by_severity",
        "coverage",
        "gaps",
        "gaps_total",
        "omitted",
        "closest_incidents",
        "notes",
    ]
    assert list(answer["coverage"]) == ["evaluated", "total", "unread"]
    assert list(answer["gaps"][0]) == [
        "id",
        "severity",
        "confidence",
        "title",
        "findings_total",
        "examples",
        "incidents",
    ]
    assert list(answer["closest_incidents"][0]) == ["id", "title", "holds", "of", "unknown"]


def test_the_answer_is_whole():
    answer = told(ask(MIXED))
    assert answer["status"] == "gap"
    assert answer["counts"] == {"gap": 1, "clear": 1, "unknown": 1, "not_applicable": 1}
    assert answer["by_severity"] == {"critical": 0, "high": 1, "medium": 0, "low": 0}
    assert answer["coverage"] == {
        "evaluated": 3,
        "total": 4,
        "unread": [
            {
                "what": "pods",
                "reason": "forbidden",
                "remedy": "grant list on pods",
                "checks": ["storage_tiering.unseen"],
            }
        ],
    }
    assert answer["gaps"] == [
        {
            "id": "storage_tiering.bad",
            "severity": "high",
            "confidence": "certain",
            "title": "data on a slow tier",
            "findings_total": 1,
            "examples": "1 node: gpu-1",
            "incidents": [SMOLLM3],
        }
    ]
    assert answer["gaps_total"] == 1
    assert answer["omitted"] is None
    assert answer["notes"] == []


def test_gaps_are_ordered_by_severity_then_confidence_then_id():
    verdicts = [
        verdict(rule="e", severity=LOW),
        verdict(rule="d", severity=HIGH, confidence=Confidence.HINT),
        verdict(rule="c", severity=HIGH),
        verdict(rule="b", severity=HIGH),
        verdict(rule="a", severity=LOW, findings=[finding(severity=CRITICAL)]),
    ]
    assert [gap["id"][-1] for gap in told(ask(verdicts))["gaps"]] == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(
    ("limit", "shown"),
    [
        pytest.param(0, 4, id="none but those that are grave"),
        pytest.param(1, 4, id="fewer than are grave"),
        pytest.param(5, 5, id="one more"),
        pytest.param(50, 6, id="all"),
    ],
)
def test_every_critical_and_high_gap_is_named_whatever_the_limit(limit, shown):
    severities = [LOW, HIGH, CRITICAL, MEDIUM, HIGH, HIGH]
    verdicts = [verdict(rule=f"rule_{n}", severity=severity) for n, severity in enumerate(severities)]
    answer = told(ask(verdicts, limit=limit))
    assert len(answer["gaps"]) == shown
    assert {gap["severity"] for gap in answer["gaps"]} >= {"critical", "high"}
    assert answer["gaps_total"] == 6
    assert (answer["omitted"] or {"findings": 0})["findings"] == 6 - shown


def test_a_least_severity_shortens_the_list_and_nothing_else():
    verdicts = [verdict(rule="bad", severity=HIGH), verdict(rule="mild", severity=LOW)]
    answer = told(ask(verdicts, min_severity=MEDIUM))
    assert [gap["id"] for gap in answer["gaps"]] == ["storage_tiering.bad"]
    assert answer["gaps_total"] == 1
    assert answer["by_severity"] == {"critical": 0, "high": 1, "medium": 0, "low": 1}
    (note,) = answer["notes"]
    assert note["kind"] == "left_out"
    assert note["text"].startswith("1 gap below medium not listed")


def test_a_status_without_gaps_is_that_of_the_rest():
    assert told(ask([verdict("clear"), verdict("unknown")]))["status"] == "unknown"
    assert told(ask([verdict("clear"), verdict("not_applicable")]))["status"] == "clear"


def names(*subjects) -> Verdict:
    return verdict(findings=[finding(name, kind, namespace) for kind, namespace, name in subjects])


@pytest.mark.parametrize(
    ("found", "en", "ko"),
    [
        pytest.param(names(("Node", None, "gpu-1")), "1 node: gpu-1", "노드 1대: gpu-1", id="one node"),
        pytest.param(
            names(*(("Node", None, f"gpu-{n:02}") for n in range(37))),
            "37 nodes: gpu-00, gpu-01, +35",
            "노드 37대: gpu-00, gpu-01, +35",
            id="many nodes",
        ),
        pytest.param(
            names(("PyTorchJob", "ml", "a"), ("PyTorchJob", "ml", "b")),
            "2 PyTorchJobs: ml/a, ml/b",
            "PyTorchJob 2개: ml/a, ml/b",
            id="objects with a namespace",
        ),
        pytest.param(
            names(("Node", None, "gpu-1"), ("Node", None, "gpu-1"), ("Pod", "ml", "a")),
            "1 node: gpu-1; 1 Pod: ml/a",
            "노드 1대: gpu-1; Pod 1개: ml/a",
            id="two findings on one object, and another kind",
        ),
        pytest.param(
            names(*((f"Kind{n}", None, "x") for n in range(9))),
            "1 Kind0: x; 1 Kind1: x; 1 Kind2: x; +6",
            "Kind0 1개: x; Kind1 1개: x; Kind2 1개: x; +6",
            id="many kinds",
        ),
        pytest.param(names(("Node", None, "a\n\nb")), "1 node: a b", "노드 1대: a b", id="a name with line ends"),
    ],
)
def test_examples_are_one_grouped_line(found, en, ko):
    assert examples(Gap.of(found).names, "en", Room(rows=1)) == en
    assert examples(Gap.of(found).names, "ko", Room(rows=1)) == ko


def test_examples_name_the_worst_first():
    found = verdict(findings=[finding("a"), finding("b"), finding("z", severity=CRITICAL)])
    assert examples(Gap.of(found).names, "en", Room(rows=1)) == "3 nodes: z, a, +1"


@pytest.mark.parametrize(
    ("verdicts", "closest"),
    [
        pytest.param([citing("clear", "a", SMOLLM3)], [], id="nothing holds"),
        pytest.param(
            [citing("gap", "a", SMOLLM3, severity=LOW), citing("gap", "b", IMBUE, severity=HIGH)],
            [IMBUE, SMOLLM3],
            id="heavier gaps come first",
        ),
        pytest.param(
            [
                citing("gap", "a", SMOLLM3, severity=MEDIUM),
                citing("gap", "b", SMOLLM3, severity=MEDIUM),
                citing("gap", "c", IMBUE, severity=HIGH),
                citing("clear", "d", IMBUE),
            ],
            [SMOLLM3, IMBUE],
            id="as heavy, so the larger share comes first",
        ),
        pytest.param(
            [
                citing("gap", "a", SMOLLM3, severity=CRITICAL),
                *(citing("gap" if n == "b" else "clear", n, IMBUE, severity=LOW) for n in "bcd"),
            ],
            [IMBUE, SMOLLM3],
            id="cited by fewer than three checks, so last",
        ),
        pytest.param([citing("gap", "a", SMOLLM3, IMBUE)], [IMBUE, SMOLLM3], id="equal, so by id"),
    ],
)
def test_incidents_are_ordered_by_how_close_they_come(verdicts, closest):
    assert [incident["id"] for incident in told(ask(verdicts))["closest_incidents"]] == closest


def test_an_incident_tells_how_many_of_its_checks_hold():
    verdicts = [
        citing("gap", "a", SMOLLM3, SMOLLM3),
        citing("unknown", "b", SMOLLM3),
        citing("clear", "c", SMOLLM3),
        citing("not_applicable", "d", SMOLLM3),
    ]
    (near,) = told(ask(verdicts))["closest_incidents"]
    assert (near["holds"], near["of"], near["unknown"]) == (1, 4, 1)
    assert near["title"].startswith("SmolLM3")


def test_a_namespace_leaves_out_gaps_of_others():
    answer = told(ask([verdict(findings=[finding("train", "PyTorchJob", "theirs")])], namespace="mine"))
    assert answer["gaps"] == []
    assert answer["closest_incidents"] == []
    assert answer["status"] == "clear"


WORDY = {
    "title": Text(en="t" * 90, ko="제" * 60),
    "cites": tuple(Cite(incident=incident, because=said("x")) for incident in (SMOLLM3, IMBUE)),
}
VAST = [finding(f"{HOSTILE} {number} {LONG}", kind=f"Kind{number % 50} {LONG}") for number in range(5000)]
UNSEEN = [unread(f"{number} {LONG}", remedy=LONG) for number in range(500)]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(
    "verdicts",
    [
        pytest.param([verdict(findings=VAST, lacks=UNSEEN)], id="5,000 findings"),
        pytest.param(
            [
                verdict(rule=f"a_rather_long_name_{n}", findings=VAST[:99], severity=CRITICAL, **WORDY)
                for n in range(60)
            ],
            id="60 critical gaps",
        ),
        pytest.param([verdict("unknown", f"rule_{n}", lacks=UNSEEN) for n in range(60)], id="500 unread"),
    ],
)
def test_every_answer_fits_in_both_channels_and_names_every_grave_gap(verdicts, lang):
    answer = ask(verdicts, lang, limit=50, context=LONG, server_version=LONG, namespace=LONG)
    assert fits(answer, lang)
    assert len(answer.gaps) == sum(one.status == "gap" for one in verdicts)
    assert all(gap.id and gap.examples and gap.title for gap in answer.gaps)
    if any(one.unread for one in verdicts):
        assert any("more thing" in note.text or "읽지 못한 것" in note.text for note in answer.notes)


def test_twenty_ordinary_gaps_are_told_without_a_cut():
    verdicts = [verdict(rule=f"rule_{n}", findings=[finding(f"gpu-{i}") for i in range(99)]) for n in range(20)]
    answer = told(ask(verdicts, limit=20))
    assert len(answer["gaps"]) == 20
    assert answer["notes"] == []
