from datetime import timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.admission import (
    MutatingWebhookConfiguration,
    Namespace,
    Service,
    ValidatingWebhookConfiguration,
    WebhookRule,
)
from kubegap_checks.facts.controllers import DaemonSet, Deployment, StatefulSet
from kubegap_checks.facts.read import Facts
from kubegap_checks.facts.selectors import Selector
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.control_plane.webhook_unserved import CHECK
from tests.checks.build import (
    LONG_AGO,
    READ_AT,
    daemon_set,
    deployment,
    facts,
    mutating,
    namespace,
    service,
    template,
    validating,
    webhook,
)

APP = {"app": "policy"}
DOWN = deployment("policy", "policy", template=template(labels=APP), replicas=2, ready=0)
AROUND = (namespace("ml"), service(APP))
HOOK = webhook()


def asked(group: str, resource: str) -> ValidatingWebhookConfiguration:
    return validating(
        replace(HOOK, rules=(WebhookRule(operations=("CREATE",), groups=(group,), resources=(resource,)),))
    )


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(validating(HOOK), DOWN, *AROUND), "gap", id="no pod is ready"),
        pytest.param(facts(mutating(HOOK), DOWN, *AROUND), "gap", id="a mutating one"),
        pytest.param(facts(validating(HOOK), replace(DOWN, replicas=0), *AROUND), "gap", id="scaled to zero"),
        pytest.param(facts(validating(HOOK), AROUND[0]), "gap", id="its Service is gone"),
        pytest.param(
            facts(validating(HOOK), daemon_set("policy", "policy", template=DOWN.template, ready=0), *AROUND),
            "gap",
            id="served by a DaemonSet",
        ),
        pytest.param(
            facts(validating(HOOK), replace(DOWN, created=READ_AT - timedelta(minutes=10)), *AROUND),
            "gap",
            id="installed ten minutes ago",
        ),
        pytest.param(facts(validating(HOOK), replace(DOWN, created=None), *AROUND), "gap", id="of unknown age"),
        pytest.param(facts(validating(HOOK), replace(DOWN, ready=1), *AROUND), "clear", id="one pod is ready"),
        pytest.param(
            facts(validating(HOOK), DOWN, replace(DOWN, name="second", ready=1), *AROUND), "clear", id="another serves"
        ),
        pytest.param(
            facts(validating(HOOK), replace(DOWN, created=READ_AT - timedelta(minutes=9)), *AROUND),
            "clear",
            id="installed a moment ago",
        ),
        pytest.param(facts(validating(replace(HOOK, fails_closed=False)), DOWN, *AROUND), "clear", id="may fail"),
        pytest.param(facts(validating(replace(HOOK, service=None)), DOWN, *AROUND), "clear", id="reached by a URL"),
        pytest.param(facts(validating(HOOK), *AROUND), "clear", id="nobody known serves it"),
        pytest.param(facts(DOWN, *AROUND), "not_applicable", id="no webhook"),
        pytest.param(facts(unread=(ValidatingWebhookConfiguration,)), "unknown", id="validating unread"),
        pytest.param(facts(unread=(MutatingWebhookConfiguration,)), "unknown", id="mutating unread"),
        *(
            pytest.param(
                facts(validating(HOOK), DOWN, *AROUND, unread=(kind,)), "unknown", id=f"{kind.__name__} unread"
            )
            for kind in (Namespace, Service, Deployment, StatefulSet, DaemonSet)
        ),
    ],
)
def test_a_webhook_that_must_answer_must_have_a_server(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_it_says_which_work_cannot_be_created():
    [finding] = CHECK.run(facts(validating(HOOK), DOWN, *AROUND)).findings

    assert (finding.severity, finding.confidence) == (Severity.HIGH, Confidence.LIKELY)
    assert finding.says.en == "check.example.com: none of its 2 pods is ready, so Pod cannot be created"
    assert finding.evidence == {
        "webhooks[check.example.com].failurePolicy": "Fail",
        "webhooks[check.example.com].clientConfig.service": "policy/webhook",
    }


def test_a_service_that_is_gone_is_certain():
    [finding] = CHECK.run(facts(validating(HOOK), AROUND[0])).findings

    assert finding.confidence is Confidence.CERTAIN
    assert finding.says.en == "check.example.com: its Service does not exist, so Pod cannot be created"


@pytest.mark.parametrize(
    ("given", "severity", "says"),
    [
        pytest.param(
            (asked("kubeflow.org", "pytorchjobs"), AROUND[0]), Severity.HIGH, "PyTorchJob cannot", id="training jobs"
        ),
        pytest.param(
            (asked("batch.volcano.sh", "jobs"), AROUND[0]), Severity.HIGH, "Job.batch.volcano.sh cannot", id="Volcano"
        ),
        pytest.param((asked("*", "*"), AROUND[0]), Severity.HIGH, "Pod and other kinds cannot", id="everything"),
        pytest.param((asked("*", "nodes"), AROUND[0]), Severity.LOW, "what it judges is refused", id="another kind"),
        pytest.param((asked("x.io", "pods"), AROUND[0]), Severity.LOW, "what it judges is refused", id="own group"),
        pytest.param(
            (
                validating(replace(HOOK, namespaces=Selector(labels={"inject": "yes"}))),
                namespace("ml"),
            ),
            Severity.LOW,
            "what it judges is refused",
            id="no namespace asks for it",
        ),
        pytest.param(
            (
                validating(
                    replace(
                        HOOK, rules=(WebhookRule(operations=("UPDATE",), groups=("",), resources=("nodes/status",)),)
                    )
                ),
            ),
            Severity.HIGH,
            "nodes cannot report their status",
            id="what kubelets report",
        ),
    ],
)
def test_how_bad_it_is_depends_on_what_waits_for_it(given: tuple[Namespace, ...], severity: Severity, says: str):
    [finding] = CHECK.run(facts(*given)).findings

    assert finding.severity is severity
    assert says in finding.says.en


def test_each_webhook_of_a_configuration_is_a_finding():
    verdict = CHECK.run(facts(validating(HOOK, webhook("other.example.com")), replace(DOWN, created=LONG_AGO), *AROUND))

    assert len({verdict.id_of(finding) for finding in verdict.findings}) == 2
