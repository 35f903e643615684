from datetime import timedelta

import pytest

from kubegap_checks.facts.admission import MutatingWebhookConfiguration, Trust, ValidatingWebhookConfiguration
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Severity
from kubegap_checks.rules.control_plane.webhook_ca_expiring import CHECK
from tests.checks.build import READ_AT, facts, mutating, validating, webhook

YEARS = 3650


def trust(left: timedelta, days: int) -> Trust:
    ends = READ_AT + left
    return Trust(begins=ends - timedelta(days=days), ends=ends)


def given(left: timedelta, days: int) -> Facts:
    return facts(validating(webhook(trust=trust(left, days))))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(given(-timedelta(days=1), 90), "gap", id="it ended yesterday"),
        pytest.param(given(timedelta(days=8), 90), "gap", id="90 days, 8 left"),
        pytest.param(given(timedelta(days=20), YEARS), "gap", id="ten years, 20 days left"),
        pytest.param(facts(mutating(webhook(trust=trust(timedelta(), 90)))), "gap", id="a mutating one"),
        pytest.param(
            facts(validating(webhook(trust=trust(-timedelta(days=1), 90), fails_closed=False))), "gap", id="may fail"
        ),
        pytest.param(given(timedelta(days=9), 90), "clear", id="90 days, 9 left"),
        pytest.param(given(timedelta(days=21), YEARS), "clear", id="ten years, 21 days left"),
        pytest.param(given(timedelta(days=1), 7), "clear", id="a week, a day left: it renews itself"),
        pytest.param(
            facts(validating(webhook("own"), webhook(trust=trust(timedelta(days=60), 90)))),
            "clear",
            id="the system's own authorities beside one with time left",
        ),
        pytest.param(facts(validating(webhook())), "not_applicable", id="the system's own authorities"),
        pytest.param(facts(), "not_applicable", id="no webhook"),
        pytest.param(facts(validating(webhook(trust=Trust()))), "unknown", id="it cannot be parsed"),
        pytest.param(facts(unread=(ValidatingWebhookConfiguration,)), "unknown", id="validating unread"),
        pytest.param(facts(unread=(MutatingWebhookConfiguration,)), "unknown", id="mutating unread"),
    ],
)
def test_a_webhooks_authority_must_have_time_left(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_what_it_says_before_the_end_and_after_it():
    [soon] = CHECK.run(given(timedelta(days=3, hours=2), 90)).findings
    [over] = CHECK.run(given(timedelta(), 90)).findings

    assert soon.says.en == "the CA of check.example.com expires on 2026-12-02, in 3 days"
    assert over.says.en == "the CA of check.example.com expired on 2026-11-29"
    assert over.evidence == {
        "webhooks[check.example.com].clientConfig.caBundle notAfter": "2026-11-29T12:00:00Z",
        "webhooks[check.example.com].failurePolicy": "Fail",
    }


def test_a_webhook_that_must_answer_is_high_and_one_that_may_fail_is_low():
    ended = trust(-timedelta(days=1), 90)
    verdict = CHECK.run(facts(validating(webhook(trust=ended), webhook("may", trust=ended, fails_closed=False))))

    assert [verdict.severity_of(finding) for finding in verdict.findings] == [Severity.HIGH, Severity.LOW]
    assert verdict.findings[1].evidence["webhooks[may].failurePolicy"] == "Ignore"


def test_a_bundle_that_cannot_be_parsed_hides_no_other():
    verdict = CHECK.run(facts(validating(webhook("new", trust=Trust()), webhook(trust=trust(timedelta(), 90)))))

    assert (verdict.status, len(verdict.unread)) == ("gap", 1)
