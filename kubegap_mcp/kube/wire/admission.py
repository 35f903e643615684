"""Namespaces, Services and webhook configurations."""

from kubegap_mcp.kube.wire.meta import Time, Top, Wire
from kubegap_mcp.kube.wire.selectors import LabelSelector


class Namespace(Top):
    pass


class ServiceSpec(Wire):
    selector: dict[str, str] | None = None


class Service(Top):
    spec: ServiceSpec | None = None


class Trust(Wire):
    """What kubegap keeps of a CA bundle, in its place; nothing in it where the bundle cannot be parsed."""

    not_before: Time | None = None
    not_after: Time | None = None


class ServiceReference(Wire):
    namespace: str | None = None
    name: str | None = None


class ClientConfig(Wire):
    service: ServiceReference | None = None
    ca_bundle: str | None = None
    kubegap_trust: Trust | None = None


class Rule(Wire):
    operations: list[str] | None = None
    api_groups: list[str] | None = None
    resources: list[str] | None = None
    scope: str | None = None


class MatchCondition(Wire):
    """Of which only the presence matters."""


class Webhook(Wire):
    name: str | None = None
    client_config: ClientConfig | None = None
    rules: list[Rule] | None = None
    failure_policy: str | None = None
    namespace_selector: LabelSelector | None = None
    object_selector: LabelSelector | None = None
    match_conditions: list[MatchCondition] | None = None


class WebhookConfiguration(Top):
    """A validating or a mutating one."""

    webhooks: list[Webhook] | None = None
