"""What several answers share: the algebra of status, namespaces, order, what was unread."""

import math
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from checks.build import pod
from report.build import (
    HOSTILE,
    LANGS,
    LONG,
    READ_AT,
    SMOLLM3,
    check,
    finding,
    said,
    telling,
    unread,
    verdict,
)

from kubegap_checks.facts.controllers import Deployment
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod, Run
from kubegap_checks.facts.read import Facts
from kubegap_checks.facts.storage import WekaCluster
from kubegap_checks.model import Cite, Confidence, Severity, Verdict
from kubegap_checks.signals.thresholds import threshold
from kubegap_mcp.errors import PackagedDataError
from kubegap_mcp.report import notes, parts
from kubegap_mcp.report.fitting import Room

NO_METRICS = verdict("unknown", "metric", lacks=[unread("gpu utilisation", "no_metrics_source", "name a source")])
GAP, CLEAR, UNKNOWN, NONE = verdict("gap"), verdict("clear"), verdict("unknown"), verdict("not_applicable")
ROOM = Room(rows=10)


@pytest.mark.parametrize(
    ("verdicts", "status"),
    [
        pytest.param([GAP, UNKNOWN, CLEAR, NONE], "gap", id="a gap beats all"),
        pytest.param([UNKNOWN, CLEAR, NONE], "unknown", id="unknown beats clear"),
        pytest.param([CLEAR, NONE], "clear", id="clear beats not applicable"),
        pytest.param([NONE, NONE], "not_applicable", id="nothing applies"),
        pytest.param([NO_METRICS, CLEAR], "clear", id="no metrics leaves the status to the others"),
        pytest.param([NO_METRICS, GAP], "gap", id="no metrics beside a gap"),
        pytest.param([NO_METRICS, NONE], "not_applicable", id="no metrics beside nothing"),
        pytest.param([NO_METRICS, UNKNOWN], "unknown", id="no metrics beside a read that failed"),
        pytest.param([NO_METRICS], "unknown", id="nothing but metrics"),
        pytest.param(
            [verdict("unknown", lacks=[*NO_METRICS.unread, unread()]), CLEAR], "unknown", id="lacks more than metrics"
        ),
    ],
)
def test_the_status_of_several_checks(verdicts, status):
    assert parts.overall(verdicts) == status
    assert parts.overall(verdicts[::-1]) == status


def test_without_metrics_the_checks_count_as_unknown_and_one_note_says_so():
    verdicts = [NO_METRICS, NO_METRICS, CLEAR]
    assert parts.counts(verdicts).model_dump() == {"gap": 0, "clear": 1, "unknown": 2, "not_applicable": 0}
    (note,) = parts.metrics_note(verdicts, telling())
    assert note.kind == "partial"
    assert "2 checks" in note.text
    assert parts.metrics_note([CLEAR, UNKNOWN], telling()) == []


MINE, THEIRS = finding("a", "PyTorchJob", "mine"), finding("b", "PyTorchJob", "theirs")
NODE, WEKA = finding("gpu-1"), finding("weka", "WekaCluster", "weka")


@pytest.mark.parametrize(
    ("findings", "lacks", "kept", "status"),
    [
        pytest.param([MINE, THEIRS], [], [MINE], "gap", id="work of another namespace is left out"),
        pytest.param([THEIRS], [], [], "clear", id="and leaves nothing"),
        pytest.param([THEIRS], [unread()], [], "unknown", id="and leaves what was unread"),
        pytest.param([NODE, THEIRS], [], [NODE], "gap", id="a node is everybody's"),
        pytest.param([WEKA, THEIRS], [], [WEKA], "gap", id="so is a shared filesystem in its operator's namespace"),
        pytest.param([MINE], [unread()], [MINE], "gap", id="nothing is left out"),
    ],
)
def test_a_namespace_keeps_its_own_work_and_what_all_share(findings, lacks, kept, status):
    whole = verdict("gap", findings=findings, lacks=lacks)
    scoped = parts.scoped(whole, telling(namespace="mine"))
    assert list(scoped.findings) == kept
    assert scoped.status == status
    assert scoped.unread == whole.unread


@pytest.mark.parametrize(
    ("run", "reads", "kept"),
    [
        pytest.param(
            Run(kind="Deployment", namespace="theirs", name="server"),
            (Node, Pod, Deployment),
            False,
            id="another team's work",
        ),
        pytest.param(
            Run(kind="Deployment", namespace="theirs", name="other"), (Node, Pod, Deployment), True, id="an operator's"
        ),
        pytest.param(
            Run(kind="Deployment", namespace="theirs", name="other"),
            (Node, Pod),
            False,
            id="no kind that the check reads",
        ),
    ],
)
def test_a_deployment_whose_pods_hold_accelerators_is_work_and_any_other_is_everybodys(run, reads, kept):
    found = finding("server", "Deployment", "theirs")
    whole = verdict("gap", findings=[found], reads=reads)
    facts = Facts({Node: (), Pod: (pod(namespace="theirs", run=run),), Deployment: ()}, read_at=READ_AT)

    assert (found in parts.scoped(whole, telling(namespace="mine", facts=facts)).findings) is kept


def test_without_a_namespace_nothing_is_left_out():
    whole = verdict("gap", findings=[MINE, THEIRS])
    assert parts.scoped(whole, telling()) is whole


@pytest.mark.parametrize(
    ("namespaces", "rows", "status"),
    [
        pytest.param(["mine", "theirs"], None, "clear", id="the namespace has such work"),
        pytest.param(["theirs"], None, "not_applicable", id="it has none, as where its name is misspelt"),
        pytest.param([], unread(), "unknown", id="what it has was not read"),
    ],
)
def test_a_namespace_without_what_the_check_is_about_is_not_called_clear(namespaces, rows, status):
    pods = tuple(pod(namespace=name) for name in namespaces)
    facts = Facts({Node: (), Pod: rows or pods, WekaCluster: ()}, read_at=READ_AT)
    whole = verdict("gap", findings=[THEIRS], applies=lambda facts: any(facts.seen(Pod)))

    assert parts.scoped(whole, telling(namespace="mine", facts=facts)).status == status


@pytest.mark.parametrize(("own", "status"), [({}, "not_applicable"), ({"gpu_peers_min": 4}, "clear")])
def test_whether_a_namespace_holds_what_the_check_is_about_rests_on_own_thresholds_too(own, status):
    whole = verdict("clear", applies=lambda _: threshold("gpu_peers_min").value > 3)
    scoped = parts.scoped(whole, replace(telling(namespace="mine"), thresholds=own))

    assert (scoped.status, scoped.thresholds) == (status, {"gpu_peers_min"})


@pytest.mark.parametrize(
    ("rows", "is_doubted"),
    [
        pytest.param((pod(namespace="mine"), pod(namespace="theirs")), False, id="the namespace has work"),
        pytest.param((pod(namespace="theirs"),), True, id="it has none, as where its name is misspelt"),
        pytest.param(unread(), False, id="what it has was not read"),
    ],
)
def test_a_namespace_that_holds_nothing_is_said_to_be_perhaps_misspelt(rows, is_doubted):
    facts = Facts({Node: (), Pod: rows, WekaCluster: ()}, read_at=READ_AT)
    told = [note.text for note in notes.about(telling(namespace="mine", facts=facts))]
    assert any("check that the name is right" in text for text in told) is is_doubted


def test_a_verdict_is_as_bad_as_its_worst_finding_and_as_sure_as_the_surest_of_those():
    mixed = verdict(
        findings=[
            finding("a", severity=Severity.LOW, confidence=Confidence.CERTAIN),
            finding("b", severity=Severity.CRITICAL, confidence=Confidence.HINT),
            finding("c", severity=Severity.CRITICAL, confidence=Confidence.LIKELY),
        ]
    )
    assert parts.worst(mixed) == (Severity.CRITICAL, Confidence.LIKELY)
    assert parts.worst(UNKNOWN) == (Severity.HIGH, Confidence.CERTAIN)
    assert [item.subject.name for item in parts.ranked(mixed)] == ["c", "b", "a"]


def test_findings_alike_are_ordered_by_subject_and_key():
    shuffled = [finding("b"), finding("a", key="2"), finding("a", key="1")]
    ranked = parts.ranked(verdict(findings=shuffled))
    assert [(item.subject.name, item.key) for item in ranked] == [("a", "1"), ("a", "2"), ("b", "")]


def test_a_finding_keeps_its_id_whatever_else_changes():
    before = verdict(findings=[finding("gpu-1", key="ib0")])
    after = verdict("gap", findings=[finding("gpu-0"), finding("gpu-1", key="ib0", says=said("else"), since="now")])
    (was,) = [before.id_of(item) for item in before.findings]
    assert was in [after.id_of(item) for item in after.findings]
    assert was.startswith("storage_tiering.some_rule@")
    assert was != before.id_of(finding("gpu-1", key="ib1"))


def test_each_unread_thing_stands_once_with_the_checks_that_wanted_it():
    verdicts = [
        verdict("unknown", "one", lacks=[unread("nodes"), unread("pods")]),
        verdict("unknown", "two", lacks=[unread("pods"), unread("pods", "timed_out")]),
    ]
    listed, left_out = parts.unread_of(verdicts, telling(), ROOM)
    assert [(item.what, item.reason, item.checks) for item in listed] == [
        ("pods", "forbidden", ["storage_tiering.one", "storage_tiering.two"]),
        ("nodes", "forbidden", ["storage_tiering.one"]),
        ("pods", "timed_out", ["storage_tiering.two"]),
    ]
    assert left_out == []


def test_a_cause_stands_before_what_more_checks_lack_because_of_it():
    cause = replace(unread("a fresh sample", "stale"), cause=True)
    verdicts = [
        verdict("unknown", "one", lacks=[unread("links", "stale")]),
        verdict("unknown", "two", lacks=[unread("links", "stale"), cause]),
    ]

    listed, _ = parts.unread_of(verdicts, telling(), ROOM)

    assert [item.what for item in listed] == ["a fresh sample", "links"]


def test_unread_things_beyond_the_room_are_counted():
    lacking = [unread(f"thing-{number}") for number in range(500)]
    listed, (note,) = parts.unread_of([verdict("unknown", lacks=lacking)], telling(), ROOM)
    assert len(listed) == ROOM.things
    assert note.kind == "left_out"
    assert note.text.startswith("492 more things could not be read")


@pytest.mark.parametrize("lang", LANGS)
def test_notes_name_a_few_of_many_namespaces(lang):
    names = tuple(f"team-{number}" for number in range(1000))
    (note,) = notes.about(telling(lang, only_namespaces=names))
    assert note.kind == "partial"
    assert "team-0, team-1, team-2, team-3, team-4, +995" in note.text
    assert len(note.text) < 200


def test_notes_tell_of_the_demo_and_of_the_namespace_asked_about():
    kinds = [note.kind for note in notes.about(telling(source="demo", namespace="ml", only_namespaces=("ml",)))]
    assert kinds == ["demo", "partial", "partial"]
    assert notes.about(telling()) == []


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        pytest.param("NodeSet", "Slurm runs jobs in the pods of NodeSet/slurm/gpu", id="Slurm in pods"),
        pytest.param("Deployment", "", id="servers"),
    ],
)
def test_what_another_scheduler_runs_in_pods_is_named_as_not_seen(kind: str, told: str):
    pods = tuple(pod(f"gpu-{place}", run=Run(kind=kind, namespace="slurm", name="gpu")) for place in range(3))
    facts = Facts({Pod: pods}, read_at=READ_AT)

    texts = [note.text for note in notes.about(telling(facts=facts))]

    assert [text.partition(":")[0] for text in texts] == ([told] if told else [])


def test_no_namespace_at_all_was_seen():
    (note,) = notes.about(telling(only_namespaces=()))
    assert "- seen" in note.text


def test_times_are_told_in_utc():
    moment = datetime(2026, 11, 29, 21, tzinfo=timezone(timedelta(hours=9)))
    assert parts.timestamp(moment) == "2026-11-29T12:00:00Z"


@pytest.mark.parametrize(
    ("seen", "shown"),
    [
        pytest.param(7, 7, id="a number"),
        pytest.param(False, False, id="a truth value"),
        pytest.param(None, None, id="nothing"),
        pytest.param(math.nan, "nan", id="not a number"),
        pytest.param(HOSTILE, HOSTILE, id="hostile text is data"),
        pytest.param(LONG * 2, LONG + "가" * 19 + "…", id="a long text is cut"),
    ],
)
def test_evidence_is_shown_as_it_was_seen(seen, shown):
    one = verdict(findings=[finding(evidence={"spec.x": seen})])
    assert parts.finding_part(one, one.findings[0], telling(), ROOM).evidence == {"spec.x": shown}


def test_a_citation_that_the_library_lacks_is_a_fault_of_kubegap():
    with pytest.raises(PackagedDataError, match="a check cites 2020-nobody-nothing"):
        parts.cites(check(cites=(Cite(incident="2020-nobody-nothing", because=said("x")),)), telling(), ROOM)


def test_at_most_two_incidents_are_cited():
    cite = Cite(incident=SMOLLM3, because=said("x"))
    assert len(parts.cites(check(cites=(cite, cite, cite)), telling(), ROOM)) == 2


def test_severities_are_counted_by_check():
    verdicts: list[Verdict] = [
        verdict(findings=[finding("a"), finding("b", severity=Severity.CRITICAL)]),
        verdict(severity=Severity.LOW),
        UNKNOWN,
    ]
    assert parts.severity_counts(verdicts) == {"critical": 1, "high": 0, "medium": 0, "low": 1}
