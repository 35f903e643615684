"""Webhooks that the API server asks before it admits an object, and what it needs to find them."""

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar

from msgspec import Struct

from kubegap_checks.facts.read import Kind, Record
from kubegap_checks.facts.selectors import Selector

_GROUP = "admissionregistration.k8s.io"


class Namespace(Record, frozen=True, kw_only=True):
    """A namespace with the labels by which webhooks and policies pick it."""

    KIND: ClassVar[Kind] = Kind(name="Namespace", plural="namespaces")

    name: str
    labels: Mapping[str, str]


class Service(Record, frozen=True, kw_only=True):
    """A Service without a selector gets its endpoints from elsewhere."""

    KIND: ClassVar[Kind] = Kind(name="Service", plural="services", namespaced=True)

    namespace: str
    name: str
    selector: Mapping[str, str]


class WebhookRule(Struct, frozen=True, kw_only=True):
    """Requests that a webhook is asked about: `*` is every resource without its subresources, `*/*` with them."""

    operations: tuple[str, ...]
    groups: tuple[str, ...]
    resources: tuple[str, ...]
    scope: str = "*"

    def covers(self, operation: str, group: str, resource: str, *, namespaced: bool) -> bool:
        """As k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules matches."""
        return (
            not {operation, "*"}.isdisjoint(self.operations)
            and not {group, "*"}.isdisjoint(self.groups)
            and any(_covers(told, resource) for told in self.resources)
            and self.scope in ("*", "Namespaced" if namespaced else "Cluster")
        )


def _covers(told: str, resource: str) -> bool:
    wanted, sub = (part.partition("/")[::2] for part in (told, resource))
    return wanted[0] in ("*", sub[0]) and wanted[1] in ("*", sub[1])


class Trust(Struct, frozen=True, kw_only=True):
    """The authority by which the API server knows a webhook's server; both None where it cannot be parsed.

    Of a bundle it is the certificate that ends last: until then some server certificate can still be verified, since
    the API server takes any of them (golang/go:src/crypto/x509/verify.go), and bundles hold the old one beside the new
    one while it is replaced.
    """

    begins: datetime | None = None
    ends: datetime | None = None

    @property
    def term(self) -> tuple[datetime, datetime] | None:
        return (self.begins, self.ends) if self.begins and self.ends else None


class Webhook(Struct, frozen=True, kw_only=True):
    """One entry of a configuration.

    `service` is the namespace and name of what serves it; None where it is reached by a URL, as those that a cloud
    runs outside of the cluster are. `conditional` says that CEL expressions narrow what it is asked about. `trust` is
    None where the system's own authorities are used.
    """

    name: str
    fails_closed: bool
    rules: tuple[WebhookRule, ...]
    namespaces: Selector
    objects: Selector
    conditional: bool = False
    service: tuple[str, str] | None = None
    trust: Trust | None = None

    @property
    def served_by(self) -> str:
        """The Service as `namespace/name`; empty where there is none."""
        return "/".join(self.service or ())


class WebhookConfiguration(Record, frozen=True, kw_only=True):
    name: str
    webhooks: tuple[Webhook, ...]


class ValidatingWebhookConfiguration(WebhookConfiguration, frozen=True, kw_only=True):
    KIND: ClassVar[Kind] = Kind(
        name="ValidatingWebhookConfiguration", plural="validatingwebhookconfigurations", group=_GROUP, page=100
    )


class MutatingWebhookConfiguration(WebhookConfiguration, frozen=True, kw_only=True):
    KIND: ClassVar[Kind] = Kind(
        name="MutatingWebhookConfiguration", plural="mutatingwebhookconfigurations", group=_GROUP, page=100
    )
