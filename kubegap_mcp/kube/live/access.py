"""What this user may list, as the cluster itself says it: the reviews behind `kubectl auth can-i`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import anyio
import msgspec

from kubegap_checks.facts.read import Kind, Unread
from kubegap_mcp.kube.live import unread
from kubegap_mcp.kube.live.connection import Connection, NoAnswerError, Request
from kubegap_mcp.kube.live.deadline import Deadline, DeadlineError
from kubegap_mcp.kube.live.discovery import Found
from kubegap_mcp.kube.live.flights import together
from kubegap_mcp.kube.live.gate import ACCESS_REVIEW, RULES_REVIEW
from kubegap_mcp.kube.live.retry import fetch
from kubegap_mcp.kube.live.session import Patience, Session
from kubegap_mcp.kube.wire.decode import decode

Permission = Literal["yes", "no", "unknown"]

_GROUP: Final = "authorization.k8s.io/v1"
_CREATED: Final = frozenset({200, 201})


@dataclass(frozen=True, slots=True, kw_only=True)
class KindAccess:
    """One kind; `in_namespace` is None where the kind has no namespaces or the whole cluster may be listed."""

    kind: Kind
    installed: Permission
    everywhere: Permission
    in_namespace: Permission | None = None
    unread: Unread | None = None  # what an answer would say of it now


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What could be read through one context, and the namespace that was looked at beside the whole cluster."""

    context: str
    server_version: str | None
    namespace: str
    kinds: tuple[KindAccess, ...]


class _AccessStatus(msgspec.Struct):
    allowed: bool = False


class _AccessReview(msgspec.Struct):
    status: _AccessStatus


class _Rule(msgspec.Struct, rename="camel"):
    verbs: list[str]
    api_groups: list[str] = []
    resources: list[str] = []
    resource_names: list[str] = []


class _RulesStatus(msgspec.Struct, rename="camel"):
    resource_rules: list[_Rule] = []
    incomplete: bool = False


class _RulesReview(msgspec.Struct):
    status: _RulesStatus


@dataclass(frozen=True, slots=True)
class Rules:
    """The rights in one namespace; where the list is incomplete, what is not on it may be allowed all the same."""

    rules: tuple[tuple[frozenset[str], frozenset[str]], ...]
    incomplete: bool

    def allows(self, kind: Kind) -> Permission:
        for groups, resources in self.rules:
            if groups & {kind.group, "*"} and resources & {kind.plural, "*"}:
                return "yes"
        return "unknown" if self.incomplete else "no"


async def read_access(session: Session, namespace: str | None, patience: Patience) -> Access:
    """Asks about every kind; raises ClusterUnreachable where the cluster does not answer in time."""
    hello = (await session.hello(patience)).value
    looked_at = namespace or session.target.namespace or "default"

    async def everywhere(kind: Kind) -> Permission:
        return await session.ask(
            ("may list", kind), lambda connection, deadline: may_list(connection, kind, None, deadline), patience
        )

    async def in_namespace(kind: Kind) -> Permission:
        permission = rules.allows(kind)
        if permission != "unknown":
            return permission
        return await session.ask(
            ("may list", kind, looked_at),
            lambda connection, deadline: may_list(connection, kind, looked_at, deadline),
            patience,
        )

    try:
        with anyio.fail_after(patience.left):
            wide = await together(session.kinds, everywhere)
            rules = await session.ask(
                ("rules", looked_at), lambda connection, deadline: read_rules(connection, looked_at, deadline), patience
            )
            narrow = await together(
                [kind for kind, permission in wide.items() if kind.namespaced and permission != "yes"], in_namespace
            )
    except (TimeoutError, DeadlineError):
        raise session.late() from None
    return Access(
        context=session.target.name,
        server_version=hello.server_version,
        namespace=looked_at,
        kinds=tuple(
            KindAccess(
                kind=kind,
                installed=_installed(hello.discovery.find(kind)),
                everywhere=permission,
                in_namespace=narrow.get(kind),
                unread=_said_of(kind, permission, narrow.get(kind)),
            )
            for kind, permission in wide.items()
        ),
    )


def _installed(found: Found) -> Permission:
    if found.version:
        return "yes"
    return "unknown" if found.doubt else "no"


def may_list(connection: Connection, kind: Kind, namespace: str | None, deadline: Deadline) -> Permission:
    """SelfSubjectAccessReview, for one namespace or for all."""
    attributes = {"verb": "list", "group": kind.group, "resource": kind.plural, "namespace": namespace or ""}
    spec = {"resourceAttributes": {key: value for key, value in attributes.items() if value}}
    review = _review(connection, "SelfSubjectAccessReview", ACCESS_REVIEW, spec, deadline)
    try:
        return "yes" if decode(review, _AccessReview).status.allowed else "no"
    except msgspec.DecodeError:
        return "unknown"


def read_rules(connection: Connection, namespace: str, deadline: Deadline) -> Rules:
    """SelfSubjectRulesReview: everything this user may do in a namespace."""
    review = _review(connection, "SelfSubjectRulesReview", RULES_REVIEW, {"namespace": namespace}, deadline)
    try:
        status = decode(review, _RulesReview).status
    except msgspec.DecodeError:
        return Rules((), incomplete=True)
    listing = [rule for rule in status.resource_rules if {"list", "*"} & set(rule.verbs) and not rule.resource_names]
    rules = tuple((frozenset(rule.api_groups), frozenset(rule.resources)) for rule in listing)
    return Rules(rules, status.incomplete)


def _said_of(kind: Kind, everywhere: Permission, in_namespace: Permission | None) -> Unread | None:
    if everywhere == "yes":
        return None
    if kind.workload and in_namespace == "yes":
        return unread.elsewhere_forbidden(kind)
    return unread.forbidden(kind) if everywhere == "no" else unread.unreachable(kind)


def _review(connection: Connection, kind: str, path: str, spec: Mapping[str, object], deadline: Deadline) -> bytes:
    """The answer's body; empty where there is none, which decodes to nothing."""
    body = msgspec.json.encode({"apiVersion": _GROUP, "kind": kind, "spec": spec})
    try:
        answer = fetch(connection, Request(path, body=body), deadline)
    except (NoAnswerError, DeadlineError):
        return b""
    return answer.body if answer.status in _CREATED else b""
