"""Namespaces, Services and webhook configurations -> records."""

from typing import Final

from kubegap_checks.facts import admission as facts
from kubegap_checks.facts.selectors import Selector
from kubegap_mcp.foreign.clean import Names
from kubegap_mcp.kube.gather.certificates import trust_in
from kubegap_mcp.kube.gather.fields import name, strings, texts, value, when
from kubegap_mcp.kube.gather.kind import gathers, keep_name
from kubegap_mcp.kube.gather.lenient import Losses, first, whole
from kubegap_mcp.kube.gather.selectors import selector
from kubegap_mcp.kube.wire import admission as wire
from kubegap_mcp.kube.wire.meta import Meta
from kubegap_mcp.kube.wire.selectors import LabelSelector

_WEBHOOKS: Final = 500
_RULES: Final = 500


def reduce_namespace(item: wire.Namespace, names: Names, losses: Losses) -> wire.Namespace:  # noqa: ARG001
    item.metadata = Meta(name=item.metadata.name, labels=item.metadata.labels)
    return item


def build_namespace(item: wire.Namespace, losses: Losses) -> facts.Namespace:
    return facts.Namespace(name=name(item.metadata.name), labels=strings(item.metadata.labels, losses))


def build_service(item: wire.Service, losses: Losses) -> facts.Service:
    return facts.Service(
        namespace=name(item.metadata.namespace),
        name=name(item.metadata.name),
        selector=strings(item.spec.selector if item.spec else None, losses),
    )


def reduce_webhooks(item: wire.WebhookConfiguration, names: Names, losses: Losses) -> wire.WebhookConfiguration:
    """Of each CA bundle only when it ends: it names whoever runs the cluster."""
    item = keep_name(item, names, losses)
    for config in (webhook.client_config for webhook in item.webhooks or ()):
        if config is not None and config.ca_bundle:
            config.kubegap_trust = trust_in(config.ca_bundle)
        if config is not None:
            config.ca_bundle = None
    return item


def build_validating(item: wire.WebhookConfiguration, losses: Losses) -> facts.ValidatingWebhookConfiguration:
    return facts.ValidatingWebhookConfiguration(name=name(item.metadata.name), webhooks=_webhooks(item, losses))


def build_mutating(item: wire.WebhookConfiguration, losses: Losses) -> facts.MutatingWebhookConfiguration:
    return facts.MutatingWebhookConfiguration(name=name(item.metadata.name), webhooks=_webhooks(item, losses))


def _webhooks(item: wire.WebhookConfiguration, losses: Losses) -> tuple[facts.Webhook, ...]:
    return tuple(_webhook(webhook, losses) for webhook in whole(_WEBHOOKS, item.webhooks, ("name",), losses))


def _webhook(webhook: wire.Webhook, losses: Losses) -> facts.Webhook:
    config = webhook.client_config or wire.ClientConfig()
    return facts.Webhook(
        name=name(webhook.name),
        fails_closed=webhook.failure_policy != "Ignore",  # the default is `Fail`
        rules=tuple(_rule(rule, losses) for rule in first(_RULES, webhook.rules, losses)),
        namespaces=_all_or(webhook.namespace_selector, losses),
        objects=_all_or(webhook.object_selector, losses),
        conditional=bool(webhook.match_conditions),
        service=(name(config.service.namespace), name(config.service.name)) if config.service else None,
        trust=_trust(config.kubegap_trust),
    )


def _rule(rule: wire.Rule, losses: Losses) -> facts.WebhookRule:
    return facts.WebhookRule(
        operations=texts(rule.operations, losses),
        groups=texts(rule.api_groups, losses),
        resources=texts(rule.resources, losses),
        scope=value(rule.scope) or "*",
    )


def _all_or(told: LabelSelector | None, losses: Losses) -> Selector:
    return selector(told, losses) or Selector(labels={})


def _trust(told: wire.Trust | None) -> facts.Trust | None:
    return facts.Trust(begins=when(told.not_before), ends=when(told.not_after)) if told else None


GATHERERS: Final = (
    gathers(facts.Namespace, wire.Namespace, reduce_namespace, build_namespace),
    gathers(facts.Service, wire.Service, keep_name, build_service),
    gathers(facts.ValidatingWebhookConfiguration, wire.WebhookConfiguration, reduce_webhooks, build_validating),
    gathers(facts.MutatingWebhookConfiguration, wire.WebhookConfiguration, reduce_webhooks, build_mutating),
)
