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
from kubegap_checks.facts.read import Facts, Record
from kubegap_checks.facts.selectors import Requirement, Selector
from kubegap_checks.model import Severity
from kubegap_checks.rules.control_plane.fail_closed_webhook import CHECK
from tests.checks.build import (
    daemon_set,
    deployment,
    facts,
    mutating,
    namespace,
    service,
    stateful_set,
    template,
    validating,
    webhook,
)

APP = {"app": "policy"}
SERVER = deployment("policy", "policy", template=template(labels=APP))
SPARE = replace(SERVER, replicas=2)
NAMESPACES = (namespace("kube-system"), namespace("kube-node-lease"), namespace("policy"))
AROUND = (*NAMESPACES, service(APP))
HOOK = webhook()


def but(*names: str) -> Selector:
    return Selector(
        labels={}, requirements=(Requirement(key="kubernetes.io/metadata.name", operator="NotIn", values=names),)
    )


def rule(operation: str, group: str, resource: str, scope: str = "*") -> WebhookRule:
    return WebhookRule(operations=(operation,), groups=(group,), resources=(resource,), scope=scope)


def asked(rule: WebhookRule) -> Record:
    return validating(replace(HOOK, rules=(rule,)))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(validating(HOOK), SERVER, *AROUND), "gap", id="one replica stands before system pods"),
        pytest.param(facts(mutating(HOOK), SERVER, *AROUND), "gap", id="a mutating one"),
        pytest.param(facts(validating(HOOK), SPARE, *AROUND), "gap", id="two replicas that must admit themselves"),
        pytest.param(facts(validating(HOOK), SERVER, *NAMESPACES), "clear", id="its Service is gone"),
        pytest.param(
            facts(validating(HOOK), stateful_set("policy", "policy", template=SERVER.template), *AROUND),
            "gap",
            id="served by a StatefulSet",
        ),
        pytest.param(
            facts(validating(HOOK), daemon_set("policy", "policy", template=SERVER.template, desired=1), *AROUND),
            "gap",
            id="served by a DaemonSet on one node",
        ),
        pytest.param(facts(asked(rule("*", "*", "*/*")), SERVER, *AROUND), "gap", id="everything"),
        pytest.param(facts(asked(rule("UPDATE", "*", "*")), SERVER, *AROUND), "gap", id="every resource's updates"),
        pytest.param(
            facts(asked(rule("UPDATE", "", "nodes/status")), SERVER, *AROUND), "gap", id="what kubelets report"
        ),
        pytest.param(facts(asked(rule("UPDATE", "", "nodes/*")), SERVER, *AROUND), "gap", id="all of a node"),
        pytest.param(
            facts(asked(rule("UPDATE", "", "nodes/status", "Cluster")), SERVER, *AROUND), "gap", id="cluster scope"
        ),
        pytest.param(
            facts(validating(replace(HOOK, objects=but("x"))), SERVER, *AROUND), "gap", id="all but marked objects"
        ),
        pytest.param(facts(asked(rule("UPDATE", "", "nodes")), SERVER, *AROUND), "gap", id="labels and annotations"),
        pytest.param(facts(asked(rule("UPDATE", "", "nodes/proxy")), SERVER, *AROUND), "clear", id="a node's proxy"),
        pytest.param(
            facts(asked(rule("UPDATE", "", "nodes/status", "Namespaced")), SERVER, *AROUND),
            "clear",
            id="only what lives in namespaces",
        ),
        pytest.param(facts(asked(rule("CREATE", "", "pods", "Cluster")), SERVER, *AROUND), "clear", id="not pods"),
        pytest.param(facts(asked(rule("DELETE", "", "pods")), SERVER, *AROUND), "clear", id="another operation"),
        pytest.param(facts(asked(rule("CREATE", "apps", "pods")), SERVER, *AROUND), "clear", id="another group"),
        pytest.param(facts(asked(rule("CREATE", "", "pods/exec")), SERVER, *AROUND), "clear", id="a subresource"),
        pytest.param(facts(validating(replace(HOOK, fails_closed=False)), SERVER, *AROUND), "clear", id="may fail"),
        pytest.param(facts(validating(replace(HOOK, conditional=True)), SERVER, *AROUND), "clear", id="CEL narrows it"),
        pytest.param(facts(validating(replace(HOOK, service=None)), SERVER, *AROUND), "clear", id="reached by a URL"),
        pytest.param(
            facts(validating(replace(HOOK, objects=Selector(labels=APP))), SERVER, *AROUND),
            "clear",
            id="only objects with a label",
        ),
        pytest.param(
            facts(validating(replace(HOOK, namespaces=but("kube-system"))), SERVER, *AROUND),
            "clear",
            id="kube-system is left out",
        ),
        pytest.param(
            facts(validating(replace(HOOK, namespaces=but("policy"))), SPARE, *AROUND),
            "clear",
            id="two replicas whose own namespace is left out",
        ),
        pytest.param(
            facts(
                validating(
                    replace(
                        HOOK,
                        objects=Selector(
                            labels={}, requirements=(Requirement(key="app", operator="NotIn", values=("policy",)),)
                        ),
                    )
                ),
                SPARE,
                *AROUND,
            ),
            "clear",
            id="two replicas that are left out by label",
        ),
        pytest.param(
            facts(validating(HOOK), *AROUND, deployment("other", "policy")), "clear", id="nobody known serves it"
        ),
        pytest.param(
            facts(validating(HOOK), *NAMESPACES, service({}), SERVER), "clear", id="its endpoints come from elsewhere"
        ),
        pytest.param(
            facts(validating(HOOK), *AROUND, replace(SERVER, namespace="other")), "clear", id="a namesake elsewhere"
        ),
        pytest.param(facts(validating(HOOK), SERVER, service(APP)), "clear", id="no such namespaces"),
        pytest.param(facts(SERVER, *AROUND), "not_applicable", id="no webhook"),
        pytest.param(
            facts(mutating(HOOK), SERVER, *AROUND, unread=(ValidatingWebhookConfiguration,)),
            "gap",
            id="validating unread, mutating has it",
        ),
        pytest.param(facts(unread=(ValidatingWebhookConfiguration,)), "unknown", id="validating unread"),
        pytest.param(facts(unread=(MutatingWebhookConfiguration,)), "unknown", id="mutating unread"),
        *(
            pytest.param(
                facts(validating(HOOK), SERVER, *AROUND, unread=(kind,)), "unknown", id=f"{kind.__name__} unread"
            )
            for kind in (Namespace, Service, Deployment, StatefulSet, DaemonSet)
        ),
    ],
)
def test_a_webhook_before_system_writes_must_have_a_spare(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_one_replica_is_high_and_says_what_stops():
    [finding] = CHECK.run(facts(validating(HOOK), SERVER, *AROUND)).findings

    assert finding.severity is Severity.HIGH
    assert str(finding.subject) == "ValidatingWebhookConfiguration/policy"
    assert finding.says.en == "check.example.com has one replica: while it is away, system pods cannot be created"
    assert finding.evidence == {
        "webhooks[check.example.com].failurePolicy": "Fail",
        "webhooks[check.example.com].clientConfig.service": "policy/webhook",
        "replicas": 1,
    }


def test_spares_that_must_admit_each_other_are_medium():
    [finding] = CHECK.run(facts(validating(HOOK), SPARE, *AROUND)).findings

    assert finding.severity is Severity.MEDIUM
    assert "once all 2 are lost" in finding.says.en


def test_two_webhooks_of_one_configuration_are_two_findings():
    verdict = CHECK.run(facts(validating(HOOK, webhook("other.example.com")), SERVER, *AROUND))

    assert len({verdict.id_of(finding) for finding in verdict.findings}) == 2
