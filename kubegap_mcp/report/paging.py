"""Cursors: where the next page starts, by the key of the last row shown, so that a new reading does not shift it."""

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError

T = TypeVar("T")
Key = tuple[int | str, ...]

_BYTES = 72  # of each word in a key: a cursor must be short enough to be an argument


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    rows: Sequence[T]
    next_cursor: str | None


def page(rows: Iterable[T], key: Callable[[T], Key], *, of: str, cursor: str | None, limit: int) -> Page[T]:
    """`limit` rows in the order of their keys, after the cursor; `of` tells the list apart from every other."""
    after = _decoded(cursor, of) if cursor else None
    keyed = sorted(((_short(key(row)), row) for row in rows), key=lambda item: item[0])
    try:
        rest = [item for item in keyed if after is None or item[0] > after]
    except TypeError:
        raise _foreign() from None
    shown = rest[:limit]
    more = len(rest) > len(shown)
    return Page([row for _, row in shown], _encoded(shown[-1][0], of) if more and shown else None)


def _short(key: Key) -> Key:
    return tuple(_cut(part) if isinstance(part, str) else part for part in key)


def _cut(word: str) -> str:
    """The word, or its beginning and a digest of it all: words that begin alike may then change places."""
    said = word.encode("utf-8", "surrogatepass")
    if len(said) <= _BYTES:
        return word
    return said[:_BYTES].decode("utf-8", "ignore") + hashlib.sha256(said).hexdigest()[:8]


def _encoded(key: Key, of: str) -> str:
    text = json.dumps([_cut(of), *key], ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode("utf-8", "surrogatepass")).decode().rstrip("=")


def _decoded(cursor: str, of: str) -> Key:
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        read: object = json.loads(text.decode("utf-8", "surrogatepass"))
    except (binascii.Error, ValueError, RecursionError):
        raise _foreign() from None
    members = cast("list[object]", read) if isinstance(read, list) else []
    key = tuple(part for part in members if isinstance(part, int | str))
    if len(key) != len(members) or key[:1] != (_cut(of),):
        raise _foreign()
    return key[1:]


def _foreign() -> ConfigError:
    return ConfigError(
        Text(
            en="the cursor is not one of this list's: ask again without it to start at the first page",
            ko="이 목록의 cursor가 아님. cursor 없이 다시 물어 첫 쪽부터 본다",
        )
    )
