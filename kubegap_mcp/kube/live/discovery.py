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
_FRESH: Final = frozenset({"", "Current"})
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
    """Asks for the core group and for all others; a part that fails is unknown, never empty.

    Every cluster has groups, and nodes, pods, volumes and services among its resources: a document without them is not
    all that there is, and would make a cluster of nothing that is not applicable anywhere.
    """
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
    told = groups.items if groups.kind == "APIGroupDiscoveryList" else groups.groups
    if groups.kind == "APIGroupDiscoveryList" and told:
        _take(told, found)
    elif groups.kind == "APIVersions" or (groups.kind == "APIGroupList" and told):
        offered = {(group.name, version.version) for group in told or () for version in group.versions or ()}
        _read_legacy(connection, kinds, offered, found, deadline)
    else:
        found.unknown[key] = unread.invalid
    if "" not in found.unknown and not all(found.find(kind).version for kind in kinds if not kind.group):
        found.unknown[""] = unread.lacks_core


def _take(groups: list[_Group], found: Discovery) -> None:
    for group in groups:
        for version in group.versions or ():
            if not is_version(version.version):
                found.unknown[group.metadata.name] = unread.invalid
                continue
            _add(found, group.metadata.name, version.version, version.resources)
            # The server could not ask the extension server behind the group: what is missing may be there.
            if version.freshness not in _FRESH:
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
            _add(found, group, version, resources.resources)
        else:
            found.unknown[group] = unread.invalid


def _add(found: Discovery, group: str, version: str, resources: list[_Resource] | None) -> None:
    """To what was told of them before: a group that stands there twice has what either says."""
    listable = {item.resource or item.name for item in resources or () if "list" in (item.verbs or ())}
    found.listed[group, version] = found.listed.get((group, version), frozenset()) | listable


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
