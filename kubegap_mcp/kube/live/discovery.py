"""Which resources the cluster has: aggregated discovery, and the legacy form where a server does not know it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

import msgspec

from kubegap_checks.facts.read import Kind, Unread
from kubegap_mcp.foreign.decode import decode
from kubegap_mcp.kube.live import unread
from kubegap_mcp.kube.live.connection import Connection, Request
from kubegap_mcp.kube.live.gate import api_root, is_version
from kubegap_mcp.transport.deadline import Deadline
from kubegap_mcp.transport.exchange import Answer, NoAnswerError
from kubegap_mcp.transport.retry import fetch

_FORM: Final = "application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList"
_ACCEPT: Final = ",".join((_FORM.format("v2"), _FORM.format("v2beta1"), "application/json"))
_OK: Final = 200
_FORBIDDEN: Final = 403
_TOO_MANY: Final = 429
_MOST_ROOTS: Final = 50  # versions that kubegap does not know of groups that it reads, asked for one by one

Why = Callable[[Kind], Unread]


class _Resource(msgspec.Struct):
    """Of both forms: aggregated discovery says `resource`, legacy discovery `name`."""

    resource: str = ""
    name: str = ""
    verbs: list[str] | None = None


class _Version(msgspec.Struct):
    version: str = ""
    resources: list[_Resource] | None = None
    freshness: str = ""


class _Meta(msgspec.Struct):
    name: str = ""


class _Group(msgspec.Struct):
    """Of both forms too: the name is in `metadata` or beside it."""

    metadata: _Meta = msgspec.field(default_factory=_Meta)
    name: str = ""
    versions: list[_Version] | None = None


class _Groups(msgspec.Struct):
    kind: str
    items: list[_Group] | None = None
    groups: list[_Group] | None = None


class _Resources(msgspec.Struct):
    kind: str
    resources: list[_Resource] | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """`version` is the best that kubegap knows; None with no `doubt` means that the kind is not installed.

    Where the doubt is `settled`, a list would tell nothing more.
    """

    version: str | None
    doubt: Unread | None = None
    settled: bool = False


@dataclass(slots=True)
class Discovery:
    """What was learned of each group; `unknown` says of which groups (or of all, under None) it is not all."""

    listed: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict[tuple[str, str], frozenset[str]])
    unknown: dict[str | None, Why] = field(default_factory=dict["str | None", Why])

    def find(self, kind: Kind) -> Found:
        """The best version that kubegap knows; one that is served in others only is neither absent nor understood.

        Its objects may have another shape there, and what is not where it was looked for would seem not to be set.
        """
        offered = [
            version
            for (group, version), plurals in self.listed.items()
            if group == kind.group and kind.plural in plurals
        ]
        known = next((version for version in kind.versions if version in offered), None)
        if known:
            return Found(known)
        if offered:
            return Found(None, unread.unknown_version(kind, offered), settled=True)
        why = self.unknown.get(kind.group) or (self.unknown.get(None) if kind.group else None)
        return Found(None, why(kind) if why else None)


def read_discovery(connection: Connection, kinds: Iterable[Kind], deadline: Deadline) -> Discovery:
    """Asks for the core group and for all others; a part that fails is unknown, never empty."""
    wanted = tuple(kinds)
    found = Discovery()
    for path, scope in (("/api", "core"), ("/apis", "named")):
        _read_half(
            connection, path, [kind for kind in wanted if bool(kind.group) == (scope == "named")], found, deadline
        )
    return found


def _read_half(connection: Connection, path: str, kinds: list[Kind], found: Discovery, deadline: Deadline) -> None:
    key = None if path == "/apis" else ""
    answer = _ask(connection, Request(path, accept=_ACCEPT), deadline)
    if not isinstance(answer, Answer):
        found.unknown[key] = answer
        return
    try:
        groups = decode(answer.body, _Groups)
    except msgspec.DecodeError:
        groups = _Groups(kind="")
    if groups.kind not in {"APIGroupDiscoveryList", "APIGroupList", "APIVersions"}:
        found.unknown[key] = unread.invalid
    elif groups.kind == "APIGroupDiscoveryList":
        _take(groups.items or [], found)
    else:
        offered = {(group.name, version.version) for group in groups.groups or () for version in group.versions or ()}
        _read_legacy(connection, kinds, offered, found, deadline)


def _take(groups: list[_Group], found: Discovery) -> None:
    for group in groups:
        for version in group.versions or ():
            if not is_version(version.version):
                found.unknown[group.metadata.name] = unread.invalid
                continue
            found.listed[group.metadata.name, version.version] = _listable(version.resources)
            # The server could not ask the extension server behind the group: what is missing may be there.
            if version.freshness == "Stale":
                found.unknown[group.metadata.name] = unread.stale_discovery


def _read_legacy(
    connection: Connection, kinds: list[Kind], offered: set[tuple[str, str]], found: Discovery, deadline: Deadline
) -> None:
    groups = {kind.group for kind in kinds}
    roots = {root for root in offered if root[0] in groups} | ({("", "v1")} if "" in groups else set[tuple[str, str]]())
    known = {(kind.group, version) for kind in kinds for version in kind.versions}
    strange = sorted(roots - known)
    found.unknown |= {group: unread.invalid for group, _ in strange[_MOST_ROOTS:]}
    for group, version in (*sorted(roots & known), *strange[:_MOST_ROOTS]):
        if not is_version(version):
            found.unknown[group] = unread.invalid
            continue
        answer = _ask(connection, Request(api_root(group, version)), deadline)
        if not isinstance(answer, Answer):
            found.unknown[group] = answer
            continue
        try:
            resources = decode(answer.body, _Resources)
        except msgspec.DecodeError:
            found.unknown[group] = unread.invalid
            continue
        if resources.kind == "APIResourceList":
            found.listed[group, version] = _listable(resources.resources)
        else:
            found.unknown[group] = unread.invalid


def _listable(resources: list[_Resource] | None) -> frozenset[str]:
    return frozenset(item.resource or item.name for item in resources or () if "list" in (item.verbs or ()))


def _ask(connection: Connection, request: Request, deadline: Deadline) -> Answer | Why:
    try:
        answer = fetch(connection, request, deadline)
    except NoAnswerError as error:
        return unread.timed_out if error.cause == "timed_out" else unread.unreachable
    if answer.status == _OK:
        return answer
    if answer.status == _TOO_MANY:
        return unread.busy
    return unread.undiscovered if answer.status == _FORBIDDEN else unread.unreachable
