import base64
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from kubegap_checks.facts.admission import (
    MutatingWebhookConfiguration,
    Namespace,
    Service,
    Trust,
    ValidatingWebhookConfiguration,
    WebhookRule,
)
from kubegap_checks.facts.selectors import Requirement, Selector
from kubegap_mcp.kube.gather.registry import gatherers

EXAMPLES = Path(__file__).parent / "whole"
BEGINS = datetime(2026, 1, 1, tzinfo=UTC)
KEY = ec.generate_private_key(ec.SECP256R1())


def pem(days: int) -> bytes:
    subject = x509.Name([x509.NameAttribute(x509.NameOID.ORGANIZATION_NAME, "secret team")])
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(KEY.public_key())
    builder = builder.not_valid_before(BEGINS).not_valid_after(BEGINS + timedelta(days=days)).serial_number(7)
    return builder.sign(KEY, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def read(kind, **item):
    page = gatherers()[kind].objects([json.dumps({"metadata": {"name": "x", "namespace": "ns"}, **item}).encode()])
    assert not page.invalid
    [row] = page.rows
    return row


def webhook(**fields):
    row = read(ValidatingWebhookConfiguration, webhooks=[{"name": "w", **fields}])
    [found] = row.webhooks
    return found


def trust(*certificates: bytes):
    return webhook(clientConfig={"caBundle": base64.b64encode(b"".join(certificates)).decode()}).trust


@pytest.mark.parametrize("kind", [ValidatingWebhookConfiguration, MutatingWebhookConfiguration])
def test_a_webhook_is_taken_whole(kind):
    row = read(kind, **json.loads((EXAMPLES / f"{kind.KIND.name}.json").read_text()))

    [found] = row.webhooks
    assert (row.name, found.name, found.fails_closed, found.service) == ("x", "a.example.invalid", False, ("ns", "s"))
    assert found.rules == (WebhookRule(operations=("CREATE",), groups=("",), resources=("pods",), scope="Namespaced"),)
    assert found.namespaces == Selector(
        labels={"a": "b"}, requirements=(Requirement(key="k", operator="In", values=("v",)),)
    )
    assert found.objects == Selector(labels={"c": "d"})
    assert found.conditional
    assert found.trust
    assert found.trust.ends
    assert found.trust.ends.year > 2030


def test_what_a_webhook_does_not_say_is_the_api_servers_default():
    found = webhook(clientConfig={"url": "https://127.0.0.1:23443/mutate"}, rules=[{}])

    assert (found.fails_closed, found.conditional, found.service, found.trust) == (True, False, None, None)
    assert found.namespaces == found.objects == Selector(labels={})
    assert found.rules[0].scope == "*"


def test_of_several_authorities_the_one_that_ends_last_counts():
    assert trust(pem(90), pem(180), pem(1)) == Trust(begins=BEGINS, ends=BEGINS + timedelta(days=180))


@pytest.mark.parametrize(
    "bundle",
    [
        pytest.param("Cg==", id="a place holder that nobody filled in"),
        pytest.param("!", id="no base64"),
        pytest.param("\u00e9", id="no letter of base64"),
        pytest.param(
            base64.b64encode(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----").decode(), id="junk"
        ),
    ],
)
def test_a_bundle_that_cannot_be_parsed_is_not_one_that_is_missing(bundle):
    assert webhook(clientConfig={"caBundle": bundle}).trust == Trust()


def test_nothing_of_a_certificate_but_its_times_reaches_a_snapshot():
    bundle = base64.b64encode(pem(90)).decode()
    item = {
        "metadata": {"name": "x", "annotations": {"a": "b"}},
        "webhooks": [{"name": "w", "clientConfig": {"caBundle": bundle}}],
    }
    [pruned] = gatherers()[MutatingWebhookConfiguration].prune(json.dumps({"items": [item]}).encode()).objects

    assert json.loads(pruned)["metadata"] == {"name": "x"}
    assert json.loads(pruned)["webhooks"][0]["clientConfig"] == {
        "kubegapTrust": {"notBefore": "2026-01-01T00:00:00Z", "notAfter": "2026-04-01T00:00:00Z"}
    }


def test_a_namespace_keeps_its_labels_and_a_service_whom_it_selects():
    assert gatherers()[Namespace].objects([b'{"metadata": {"name": "n", "labels": {"a": "b"}}}']).rows == (
        Namespace(name="n", labels={"a": "b"}),
    )
    assert read(Service, spec={"selector": {"app": "a"}}) == Service(namespace="ns", name="x", selector={"app": "a"})
