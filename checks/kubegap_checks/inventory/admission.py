"""What a webhook is asked about."""

from collections.abc import Iterator, Mapping

from kubegap_checks.facts.admission import (
    MutatingWebhookConfiguration,
    ValidatingWebhookConfiguration,
    Webhook,
    WebhookConfiguration,
)
from kubegap_checks.facts.controllers import Controller
from kubegap_checks.facts.read import Facts, Unread, UnreadError
from kubegap_checks.signals.vital_writes import VitalWrite, vital_writes
from kubegap_checks.signals.workloads import owner_kinds

Labels = Mapping[str, Mapping[str, str]]  # of namespaces, by name


def configurations(facts: Facts) -> Iterator[WebhookConfiguration]:
    """Those of both kinds; UnreadError comes after those that could be read."""
    unread: list[Unread] = []
    for kind in (ValidatingWebhookConfiguration, MutatingWebhookConfiguration):
        try:
            yield from facts.seen(kind)
        except UnreadError as error:
            unread += error.unread
    if unread:
        raise UnreadError(*unread)


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


def admitted_work(webhook: Webhook, namespaces: Labels) -> tuple[str, ...]:
    """The kinds of people's work that wait for the webhook in some namespace, pods first.

    Selectors of objects and CEL conditions may leave some of it out.
    """
    kinds = {"Pod": ("", "pods")} | {row.kind: (row.group, _plural(row.kind)) for row in owner_kinds()}
    return tuple(
        kind
        for kind, (group, resource) in kinds.items()
        if any(is_asked(webhook, "CREATE", group, resource, labels) for labels in namespaces.values())
    )


def _plural(kind: str) -> str:
    """As controller-gen makes it of all kinds of that table; some are told apart by their group (`Job.batch.x`)."""
    return f"{kind.partition('.')[0].lower()}s"
