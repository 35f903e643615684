"""What an audit and a topic cost an agent: short on a cluster where much is wrong, with every grave gap named."""

from dataclasses import replace
from typing import get_args

import pytest
from report.build import LANGS, finding, telling, told, unread

from kubegap_checks import catalog
from kubegap_checks.model import Severity, Verdict
from kubegap_checks.text import Text
from kubegap_mcp.report import fitting
from kubegap_mcp.report.audit import audit_answer
from kubegap_mcp.report.text import render
from kubegap_mcp.report.topic import topic_answer
from kubegap_mcp.server.topics import TopicName

AUDIT = {"en": 12_000, "ko": 18_000}
TOPIC = {"en": 14_000, "ko": 21_000}
NODES = 511
RULES = 62
TOPICS = get_args(TopicName)
WRONG = Text(
    en="7 of the 8 GPUs of its machine are there, and the device plugin offers 7 of them",
    ko="장비의 GPU 8개 중 7개만 있고, 디바이스 플러그인은 7개만 제공함",
)
FINDINGS = tuple(
    finding(
        f"aks-h100-29411376-vmss{number:06}",
        says=WRONG,
        evidence={
            "status.capacity[nvidia.com/gpu]": 8,
            "status.allocatable[nvidia.com/gpu]": 7,
            "spec.providerID": "x",
        },
        since="2026-11-29T10:00:00Z",
    )
    for number in range(NODES)
)


def verdicts(gaps: int, severities, *, of: int = RULES, topic: str | None = None) -> list[Verdict]:
    """The first so many are gaps on every node, the others clear or unknown; texts are those of real checks."""
    real = catalog.load()
    made = []
    for number in range(of):
        module = f"kubegap_checks.rules.{topic or TOPICS[number % len(TOPICS)]}.a_rule_with_a_usual_name_{number:02}"
        severity = severities[number % len(severities)]
        check = replace(real[number % len(real)], module=module, severity=severity)
        lacking = tuple(unread(f"some.resources.of.group.{number}.{part}") for part in range(2))
        if number < gaps:
            lacking = lacking if number % 4 == 0 else ()
            made.append(Verdict(check=check, status="gap", findings=FINDINGS, unread=lacking))
        elif number % 3:
            made.append(Verdict(check=check, status="clear"))
        else:
            made.append(Verdict(check=check, status="unknown", unread=lacking))
    return made


def audit(given, lang, limit=15):
    return audit_answer(given, telling(lang), limit=limit, min_severity=None)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(
    ("gaps", "severities"),
    [
        pytest.param(RULES, tuple(Severity), id="every rule has a gap, half of them grave"),
        pytest.param(40, (Severity.HIGH,), id="40 gaps that are all high"),
        pytest.param(20, (Severity.CRITICAL, Severity.MEDIUM), id="20 gaps, half of them critical"),
    ],
)
def test_an_audit_keeps_within_its_bytes_and_names_every_grave_gap(gaps, severities, lang):
    given = verdicts(gaps, severities)
    answer = audit(given, lang)

    grave = {item.check.id for item in given if item.status == "gap" and item.check.severity.rank >= Severity.HIGH.rank}
    assert fitting.size(answer, lang) < AUDIT[lang]
    assert grave <= {gap.id for gap in answer.gaps}
    assert all(gap.title and str(NODES) in gap.examples for gap in answer.gaps)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(
    "severities", [(Severity.CRITICAL,), (Severity.HIGH,), (Severity.CRITICAL, Severity.HIGH, Severity.HIGH)]
)
def test_where_all_rules_are_grave_gaps_the_worst_are_told_and_the_others_named(severities, lang):
    given = verdicts(RULES, severities)
    answer = audit(given, lang)

    assert fitting.size(answer, lang) < AUDIT[lang]
    named = [gap.id for gap in answer.gaps] + [id_ for also in answer.also.values() for id_ in also]
    assert sorted(named) == sorted(item.check.id for item in given)
    assert len(answer.gaps) >= 15
    assert not any(gap.title.endswith("…") for gap in answer.gaps)
    assert answer.omitted is None
    told_severities = [*(gap.severity for gap in answer.gaps), *answer.also]
    assert told_severities == sorted(told_severities)  # "critical" before "high"
    assert all(id_ in render(answer, lang) for also in answer.also.values() for id_ in also)


def test_who_asks_for_more_gaps_is_told_of_each():
    answer = audit(verdicts(RULES, (Severity.HIGH,)), "en", limit=50)

    assert len(answer.gaps) == RULES
    assert "also" not in told(answer)


@pytest.mark.parametrize("lang", LANGS)
def test_an_audit_says_what_it_leaves_out_and_how_to_get_it(lang):
    answer = told(audit(verdicts(RULES, tuple(Severity)), lang))

    left = answer["gaps_total"] - len(answer["gaps"])
    assert left > 0
    assert answer["omitted"]["findings"] == left * NODES
    assert "limit" in answer["omitted"]["how"]
    assert [note for note in answer["notes"] if note["kind"] == "left_out"]


def test_a_higher_limit_shows_more():
    given = verdicts(RULES, tuple(Severity))

    assert len(audit(given, "en", limit=50).gaps) == 50


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("gaps", [3, 6, 12])
def test_a_topic_keeps_within_its_bytes_and_shows_each_gap_with_proof_and_fix(gaps, lang):
    given = verdicts(gaps, tuple(Severity), of=12, topic="job_recovery")
    answer = topic_answer("job_recovery", given, telling(lang), limit=3)

    assert fitting.size(answer, lang) < TOPIC[lang]
    full = [check for check in told(answer)["checks"] if check["status"] == "gap"]
    assert len(full) == gaps
    fixes = {item.check.id: item.check.fix.of(lang) for item in given}
    for check in full:
        assert check["findings"][0]["evidence"]
        assert check["fix"].startswith(fixes[check["id"]][:150])
    shown = sum(len(check["findings"]) for check in full)
    assert told(answer)["omitted"]["findings"] == gaps * NODES - shown


def test_a_topic_shows_more_findings_to_who_asks_for_more():
    given = verdicts(12, (Severity.HIGH,), of=12, topic="job_recovery")
    usual = topic_answer("job_recovery", given, telling(), limit=3)
    more = topic_answer("job_recovery", given, telling(), limit=4)

    assert fitting.size(usual, "en") < TOPIC["en"] < fitting.size(more, "en") < fitting.MOST_BYTES
