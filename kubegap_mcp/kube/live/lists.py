"""One list, page after page, decoded as it comes; whatever keeps it from being whole becomes Unread."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import msgspec

from kubegap_checks.facts.read import Kind, Record, Unread
from kubegap_mcp.cluster import is_namespace
from kubegap_mcp.foreign.decode import decode
from kubegap_mcp.kube.gather.gatherer import Gatherer, Page, Pruned
from kubegap_mcp.kube.gather.registry import not_understood
from kubegap_mcp.kube.live import unread
from kubegap_mcp.kube.live.connection import Connection, Request
from kubegap_mcp.kube.live.discovery import Found
from kubegap_mcp.kube.live.gate import NAMESPACES, is_continue, list_path
from kubegap_mcp.kube.live.pages import Decoded, Pages, head_of
from kubegap_mcp.transport.deadline import Deadline, DeadlineError
from kubegap_mcp.transport.exchange import Answer, NoAnswerError
from kubegap_mcp.transport.retry import fetch

_RESTARTS: Final = 2
# A million objects at 500 a page: a server that always has one more page is not believed.
_MOST_PAGES: Final = 2000
_OK: Final = 200
_FORBIDDEN: Final = 403
_NOT_FOUND: Final = 404
_GONE: Final = 410
_REDIRECTS: Final = range(300, 400)
_SERVER_FAULTS: Final = range(500, 600)
_TOO_MANY: Final = 429


T = TypeVar("T")
P = TypeVar("P", bound=Decoded)


class UnreadListError(Exception):
    def __init__(self, unread: Unread) -> None:
        super().__init__(unread.reason)
        self.unread = unread


class AbsentError(Exception):
    """404: the server has no such resource, in this version."""


class _ExpiredError(Exception):
    """410 in the middle of a list: its first pages belong to a state that is gone."""


@dataclass(frozen=True, slots=True)
class Part(Generic[T]):
    """What was read of a kind, and what of it could not be."""

    items: tuple[T, ...]
    unread: tuple[Unread, ...] = ()


def read_rows(
    connection: Connection, gatherer: Gatherer, found: Found, namespace: str | None, deadline: Deadline
) -> Part[Record] | Unread:
    """Rows of one kind, in one namespace or in all."""
    try:
        pages = read_pages(connection, gatherer.record.KIND, found, namespace, gatherer.page, deadline)
    except UnreadListError as error:
        return error.unread
    if _repeats(pages):
        return unread.invalid(gatherer.record.KIND)
    invalid = sum(page.invalid for page in pages)
    rows = tuple(row for page in pages for row in page.rows)
    return Part(rows, (not_understood(gatherer.record, invalid),) if invalid else ())


def read_objects(
    connection: Connection, gatherer: Gatherer, found: Found, namespace: str | None, deadline: Deadline
) -> Part[bytes] | Unread:
    """The same objects as JSON, with only the fields that kubegap reads."""
    try:
        pages = read_pages(connection, gatherer.record.KIND, found, namespace, gatherer.prune, deadline)
    except UnreadListError as error:
        return error.unread
    if _repeats(pages):
        return unread.invalid(gatherer.record.KIND)
    return Part(tuple(item for page in pages for item in page.objects))


def _repeats(pages: Sequence[Page | Pruned]) -> bool:
    """Whether an object came twice, as where something on the way answers with a page that it kept.

    Counted twice, it would be two nodes that are sick; and what stood on the page in its place is not there.
    """
    named = [name for page in pages for name in page.names]
    return len(set(named)) < len(named)


def read_pages(
    connection: Connection,
    kind: Kind,
    found: Found,
    namespace: str | None,
    read: Callable[[bytes], P],
    deadline: Deadline,
) -> list[P]:
    """All pages, decoded; none where discovery says that the kind is not installed. Raises UnreadListError."""
    if found.version is None and found.doubt is None:
        return []
    if found.doubt is not None and found.settled:
        raise UnreadListError(found.doubt)
    versions = (found.version,) if found.version else kind.versions
    for version in versions:
        try:
            return _read_whole(connection, kind, list_path(kind, version, namespace), read, deadline)
        except AbsentError:
            continue
        except DeadlineError:
            raise UnreadListError(unread.timed_out(kind)) from None
    # Discovery saw it and the list did not: it came or went in between.
    raise UnreadListError(found.doubt or unread.changing(kind))


def read_namespaces(connection: Connection, deadline: Deadline) -> tuple[str, ...] | Unread:
    """The names of all namespaces."""

    def names(body: bytes) -> _Names:
        return decode(body, _Names)

    try:
        pages = read_pages(connection, NAMESPACES, Found("v1"), None, names, deadline)
    except UnreadListError as error:
        return error.unread
    names_read = (item.metadata.name for page in pages for item in page.items or ())
    return tuple(name for name in names_read if is_namespace(name))


class _Named(msgspec.Struct):
    name: str = ""


class _Namespace(msgspec.Struct):
    metadata: _Named


class _ListMeta(msgspec.Struct, rename={"token": "continue"}):
    token: str = ""


class _Names(msgspec.Struct):
    metadata: _ListMeta
    items: list[_Namespace] | None = None

    @property
    def next(self) -> str:
        return self.metadata.token


def _read_whole(
    connection: Connection, kind: Kind, path: str, read: Callable[[bytes], P], deadline: Deadline
) -> list[P]:
    for _ in range(_RESTARTS + 1):
        try:
            return _read_once(connection, kind, path, read, deadline)
        except _ExpiredError:
            continue
    raise UnreadListError(unread.changing(kind))


def _read_once(
    connection: Connection, kind: Kind, path: str, read: Callable[[bytes], P], deadline: Deadline
) -> list[P]:
    tokens = {""}
    token = ""
    try:
        with Pages(read) as pages:
            while len(pages) < _MOST_PAGES:
                answer = _ask(connection, kind, path, token, deadline)
                token = _next_token(answer.body, kind)
                pages.add(answer.body, token)
                if not token:
                    return pages.all()
                if token in tokens or not is_continue(token):
                    break
                tokens.add(token)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadListError(unread.invalid(kind)) from error
    raise UnreadListError(unread.invalid(kind))


def _ask(connection: Connection, kind: Kind, path: str, token: str, deadline: Deadline) -> Answer:
    """One page, as it came."""
    # Never resourceVersion=0: with it the server ignores the limit and answers from a cache that may be old.
    query = [("limit", str(kind.page))]
    query += [("continue", token)] if token else []
    query += [("fieldSelector", kind.select)] if kind.select else []
    try:
        answer = fetch(connection, Request(path, tuple(query)), deadline)
    except NoAnswerError as error:
        raise UnreadListError(_no_answer(kind, error)) from error
    _check(answer, kind, continued=bool(token))
    return answer


def _next_token(body: bytes, kind: Kind) -> str:
    head = head_of(body)
    if head.kind != f"{kind.name}List" or head.is_cut:
        raise UnreadListError(unread.invalid(kind))
    return head.next


def _check(answer: Answer, kind: Kind, *, continued: bool) -> None:
    status = answer.status
    if status == _OK:
        return
    if status == _NOT_FOUND:
        raise AbsentError
    if status == _GONE and continued:
        raise _ExpiredError
    if status == _FORBIDDEN:
        raise UnreadListError(unread.forbidden(kind))
    if status in _REDIRECTS:
        raise UnreadListError(unread.redirected(kind))
    if status == _TOO_MANY:
        raise UnreadListError(unread.busy(kind))
    if status in _SERVER_FAULTS:
        raise UnreadListError(unread.unreachable(kind))
    raise UnreadListError(unread.invalid(kind))


def _no_answer(kind: Kind, error: NoAnswerError) -> Unread:
    if error.cause == "timed_out":
        return unread.timed_out(kind)
    return unread.invalid(kind) if error.cause in {"cut", "too_large"} else unread.unreachable(kind)
