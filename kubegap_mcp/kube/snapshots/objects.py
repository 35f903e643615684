"""One file of `kubectl get` output -> the single objects in it, each still as JSON."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from json import loads
from pathlib import PurePath
from typing import Final

import msgspec

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.foreign.clean import MESSAGE, clean
from kubegap_mcp.kube.gather.fields import when
from kubegap_mcp.kube.gather.lenient import Losses, understand
from kubegap_mcp.kube.snapshots import from_yaml
from kubegap_mcp.kube.wire.meta import Head, ListMeta, Wire

_HEAD: Final = msgspec.json.Decoder(Head)
_ANY: Final = msgspec.json.Decoder()
_LIST: Final = "List"
_SEEN: Final = re.compile(rb"\S")
_AGAIN: Final = Text(
    en="get it again with `kubectl get ... -o json`",
    ko="`kubectl get ... -o json`으로 다시 받는다",
)


class _ListHead(msgspec.Struct):
    metadata: ListMeta | None = None


class _Items(Wire):
    """A list of which the rest is not what it should be."""

    items: list[msgspec.Raw]
    kind: str | None = None
    api_version: str | None = None


_ITEMS: Final = msgspec.json.Decoder(_Items)


@dataclass(frozen=True, slots=True)
class Seen:
    """An object, with what tells it apart; `json` is empty for the list itself, which says that it was asked for.

    `cut` marks a list that goes on somewhere else: its continue token is still there.
    """

    group: str
    kind: str
    json: bytes
    namespace: str = ""
    name: str = ""
    created: datetime | None = None
    cut: bool = False


def objects(text: bytes, path: PurePath) -> Iterator[Seen]:
    """Every object of the file. Raises ConfigError, naming the file, where it is not JSON or YAML or holds nothing."""
    plain = _utf8(text)
    if not plain or plain.isspace():
        raise ConfigError(
            Text(
                en=f"{path} is empty: get it again, or leave the file out",
                ko=f"{path}: 비어 있음. 다시 받거나 이 파일을 뺀다",
            )
        )
    found = False
    for document in _documents(plain, path):
        found = True
        yield from _unpack(document, path)
    if not found:
        raise ConfigError(
            Text(
                en=f"{path} holds no object, only comments: leave the file out",
                ko=f"{path}: 주석만 있고 객체가 없음. 이 파일을 뺀다",
            )
        )


def _utf8(text: bytes) -> bytes:
    """PowerShell's `>` writes UTF-16, and some editors put a mark in front of UTF-8."""
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        return text.decode("utf-16", "replace").encode()
    return text.removeprefix(b"\xef\xbb\xbf")


def _first(text: bytes) -> bytes:
    """The first letter that is seen, without a copy of the rest."""
    found = _SEEN.search(text)
    return found[0] if found else b""


def _documents(text: bytes, path: PurePath) -> Iterator[bytes]:
    if _first(text) not in {b"{", b"["} and path.suffix.lower() != ".json":
        return from_yaml.documents(text, path)
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError) as error:
        if path.suffix.lower() in {".yaml", ".yml"}:
            return from_yaml.documents(text, path)  # flow style: YAML that begins like JSON
        raise _broken(text, path, error) from error
    return iter((text,))


def _broken(text: bytes, path: PurePath, error: Exception) -> ConfigError:
    if b"\x00" in text[:1000]:
        return ConfigError(Text(en=f"{path} is not text: {_AGAIN.en}", ko=f"{path}: 텍스트가 아님. {_AGAIN.ko}"))
    problem = clean(str(error), MESSAGE)
    return ConfigError(
        Text(
            en=f"{path} is not whole JSON ({problem}): {_AGAIN.en}",
            ko=f"{path}: 온전한 JSON이 아님({problem}). {_AGAIN.ko}",
        )
    )


def _unpack(document: bytes, path: PurePath) -> Iterator[Seen]:
    if _first(document) != b"{":
        raise ConfigError(
            Text(
                en=f"{path} is not what `kubectl get ... -o json` or `-o yaml` prints: leave the file out or get it "
                "again",
                ko=f"{path}: `kubectl get ... -o json`이나 `-o yaml`의 출력이 아님. 이 파일을 빼거나 다시 받는다",
            )
        )
    head = _head(document)
    if head is not None and head.items is not None and not head.kind:
        # kubectl prints the kind of a list after its items, so YAML that was cut at the end of a line lacks it.
        raise ConfigError(
            Text(
                en=f"{path} breaks off: it has items and no kind; get it again",
                ko=f"{path}: 중간에 끊겨 items만 있고 kind가 없음. 다시 받는다",
            )
        )
    if head is None:
        raise ConfigError(
            Text(
                en=f"{path} is not JSON that can be read: {_AGAIN.en}",
                ko=f"{path}: 읽을 수 있는 JSON이 아님. {_AGAIN.ko}",
            )
        )
    if not head.kind:
        return  # a file of some other use
    if head.items is None or not head.kind.endswith(_LIST):
        yield _seen(head, head, document)
        return
    of = Head(kind=head.kind.removesuffix(_LIST) or None, api_version=head.api_version)
    if of.kind:
        yield Seen(_group(of), of.kind, b"", cut=_is_cut(document))
    for item in head.items:
        json = bytes(item)
        yield _seen(_head(json) or Head(), of, json)


def _seen(head: Head, of: Head, json: bytes) -> Seen:
    """The items of a `NodeList` carry no kind, those of a `List` do."""
    whole = head if head.kind else of
    meta = head.metadata
    return Seen(
        group=_group(whole),
        kind=whole.kind or "",
        json=json,
        namespace=(meta.namespace or "") if meta else "",
        name=(meta.name or "") if meta else "",
        created=when(meta.creation_timestamp) if meta else None,
    )


def _head(json: bytes) -> Head | None:
    try:
        return _HEAD.decode(json)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        found = _ITEMS.decode(json)
    except (msgspec.DecodeError, RecursionError):
        pass
    else:
        return Head(kind=found.kind, api_version=found.api_version, items=found.items)
    try:
        return understand(_loose(json), Head, Losses())
    except (ValueError, RecursionError):
        return None


def _loose(text: bytes) -> object:
    """JSON of which a text is not Unicode: that costs the object its row, never the file or the other objects."""
    try:
        return _ANY.decode(text)
    except msgspec.DecodeError:
        return loads(text.decode("utf-8", "replace"))


def _is_cut(document: bytes) -> bool:
    try:
        head = msgspec.json.decode(document, type=_ListHead)
    except (msgspec.DecodeError, RecursionError):
        return False
    return head.metadata is not None and bool(head.metadata.continue_)


def _group(head: Head) -> str:
    group, slash, _ = (head.api_version or "").rpartition("/")
    return group if slash else ""
