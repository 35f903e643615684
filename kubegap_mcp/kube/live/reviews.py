"""Questions to the cluster about this user's own rights: the reviews behind `kubectl auth can-i`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import msgspec

from kubegap_checks.facts.read import Kind
from kubegap_mcp.foreign.decode import decode
from kubegap_mcp.kube.live.connection import Connection, Request
from kubegap_mcp.kube.live.gate import ACCESS_REVIEW, RULES_REVIEW
from kubegap_mcp.transport.deadline import Deadline, DeadlineError
from kubegap_mcp.transport.exchange import NoAnswerError
from kubegap_mcp.transport.retry import fetch

Permission = Literal["yes", "no", "unknown"]

_GROUP: Final = "authorization.k8s.io/v1"
_CREATED: Final = frozenset({200, 201})


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


def _review(connection: Connection, kind: str, path: str, spec: Mapping[str, object], deadline: Deadline) -> bytes:
    """The answer's body; empty where there is none, which decodes to nothing."""
    body = msgspec.json.encode({"apiVersion": _GROUP, "kind": kind, "spec": spec})
    try:
        answer = fetch(connection, Request(path, body=body), deadline)
    except (NoAnswerError, DeadlineError):
        return b""
    return answer.body if answer.status in _CREATED else b""
