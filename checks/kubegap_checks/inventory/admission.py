"""What a webhook is asked about."""

from collections.abc import Iterator, Mapping

from kubegap_checks.facts.admission import (
    MutatingWebhookConfiguration,
    ValidatingWebhookConfiguration,
    Webhook,
    WebhookConfiguration,
)
from kubegap_checks.facts.controllers import Controller
from kubegap_checks.facts.read import Facts
from kubegap_checks.signals.vital_writes import VitalWrite, vital_writes

Labels = Mapping[str, Mapping[str, str]]  # of namespaces, by name


def configurations(facts: Facts) -> Iterator[WebhookConfiguration]:
    yield from facts.seen(ValidatingWebhookConfiguration)
    yield from facts.seen(MutatingWebhookConfiguration)


def is_asked(webhook: Webhook, operation: str, group: str, resource: str, namespace: Mapping[str, str] | None) -> bool:
    """Whether a rule covers the request; `namespace` holds the labels of its namespace, None where it has none."""
    namespaced = namespace is not None
    return any(rule.covers(operation, group, resource, namespaced=namespaced) for rule in webhook.rules) and (
        namespace is None or webhook.namespaces.matches(namespace)
    )


def admits_pods_of(webhook: Webhook, server: Controller, namespaces: Labels) -> bool:
    """Whether the pods of a controller can be made only where the webhook answers."""
    labels = namespaces.get(server.namespace, {})
    return is_asked(webhook, "CREATE", "", "pods", labels) and webhook.objects.matches(server.template.labels)


def stopped_by(webhook: Webhook, namespaces: Labels) -> tuple[VitalWrite, ...]:
    """The vital writes that wait for the webhook.

    None where CEL conditions narrow it, or where only objects with certain labels are its business: what those
    leave cannot be told.
    """
    if webhook.conditional or not webhook.objects.matches({}):
        return ()
    return tuple(
        write
        for write in vital_writes()
        if (not write.namespace or write.namespace in namespaces)
        and is_asked(webhook, write.operation, write.group, write.resource, namespaces.get(write.namespace))
    )
