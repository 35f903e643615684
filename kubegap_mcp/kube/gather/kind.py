"""Decodes the objects of one kind: fast where they are what the API says, one by one where one of them is not."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import msgspec

from kubegap_checks.facts.read import Record
from kubegap_mcp.foreign.clean import Names, without_credentials
from kubegap_mcp.kube.gather.gatherer import Page, Pruned
from kubegap_mcp.kube.gather.lenient import Losses, understand
from kubegap_mcp.kube.gather.shape import marks
from kubegap_mcp.kube.wire.meta import Glance, Meta, ObjectList, RawList, Top

W = TypeVar("W", bound=Top)
R = TypeVar("R", bound=Record)
G = TypeVar("G", bound=Glance)

_ENCODER = msgspec.json.Encoder()
_RAW_LIST = msgspec.json.Decoder(RawList)
_ANY = msgspec.json.Decoder()
# The fields that hold sentences of programs, and bytes without which there is no credential in them.
_SAID = frozenset({"message", "reason", "lastSyncError"})
_MAY_SAY = re.compile(rb"://|\?|bearer |basic |passw|pwd|secret|token|key", re.IGNORECASE)
_NAMELESS = _ENCODER.encode(Top(kubegap_incomplete=True))[1:]


class Sieve(Generic[G]):
    """Passes over the objects of which `reduce` would keep nothing, at a fifth of what decoding them takes."""

    def __init__(self, glance: type[G], keeps: Callable[[G], bool]) -> None:
        self._decoder = msgspec.json.Decoder(glance)
        self._keeps = keeps

    def passes_over(self, item: msgspec.Raw | bytes) -> bool:
        """Never one that is not what the API says: what would be lost of it may be what it is kept for."""
        try:
            glance = self._decoder.decode(item)
        except (msgspec.DecodeError, RecursionError):
            return False
        return bool(glance.metadata.name) and not glance.kubegap_incomplete and not self._keeps(glance)


@dataclass(frozen=True, slots=True)
class KindGatherer(Generic[W, R]):
    """The gatherer of one kind, made of two steps.

    `reduce` leaves only what kubegap reads in the object, or says None where it reads nothing of it; a second
    time it changes nothing. `build` makes the record of what is left, so that a pruned object and the whole
    one give the same.
    """

    record: type[R]
    wire: type[W]
    lists: msgspec.json.Decoder[ObjectList[W]]
    reduce: Callable[[W, Names, Losses], W | None]
    build: Callable[[W, Losses], R]
    names: Names
    sieve: Sieve[Any] | None = None

    @property
    def marks(self) -> frozenset[str]:
        return marks(self.wire, self.reduce)

    def page(self, body: bytes) -> Page:
        objects, _, following = self._decode(body)
        return self._rows(objects, following)

    def objects(self, objects: Iterable[bytes]) -> Page:
        return self._rows(self._one_by_one(objects), "")

    def prune(self, body: bytes) -> Pruned:
        objects, version, following = self._decode(body)
        head = _ENCODER.encode({"apiVersion": version, "kind": self.record.KIND.name})[:-1]
        names: list[tuple[str, str]] = []
        pruned = tuple(head + b"," + item for item in self._pruned(objects, names))
        return Pruned(pruned, following, tuple(names))

    def _decode(self, body: bytes) -> tuple[Iterable[W | None], str, str]:
        """The objects, the version that they have in common, and the continue token."""
        kind = self.record.KIND
        common = f"{kind.group}/{kind.versions[0]}".removeprefix("/")
        if self.sieve is None:
            try:
                page = self.lists.decode(body)
            except (msgspec.DecodeError, RecursionError):
                pass
            else:
                return page.items or (), page.api_version or common, _token(page)
        raw = _raw_list(body)
        return self._one_by_one(raw.items or ()), raw.api_version or common, _token(raw)

    def _one_by_one(self, objects: Iterable[msgspec.Raw | bytes]) -> Iterator[W | None]:
        decoder = msgspec.json.Decoder(self.wire)
        for item in objects:
            if self.sieve is not None and self.sieve.passes_over(item):
                continue
            try:
                yield decoder.decode(item)
            except (msgspec.DecodeError, RecursionError):
                yield self._understood(bytes(item))

    def _understood(self, item: bytes) -> W | None:
        losses = Losses()
        try:
            found = understand(_ANY.decode(item.decode("utf-8", "replace")), self.wire, losses)
        except (msgspec.DecodeError, RecursionError):
            return None
        if found is not None and losses.count:
            found.kubegap_incomplete = True
        return found

    def _rows(self, objects: Iterable[W | None], following: str) -> Page:
        rows: list[Record] = []
        names: list[tuple[str, str]] = []
        invalid = 0
        losses = Losses()
        for item in objects:
            before = losses.count
            if item is None or not item.metadata.name:
                invalid += 1
                continue
            name = _name(item)
            reduced = self.reduce(item, self.names, losses)
            row = None if reduced is None else self.build(reduced, losses)
            if item.kubegap_incomplete or losses.count > before:
                # No row: what was lost of it would look like what it does not have.
                invalid += 1
            elif row is not None:
                rows.append(row)
                names.append(name)
        return Page(tuple(rows), following, invalid, tuple(names))

    def _pruned(self, objects: Iterable[W | None], names: list[tuple[str, str]]) -> Iterator[bytes]:
        losses = Losses()
        for item in objects:
            if item is None or not item.metadata.name:
                yield _NAMELESS
                continue
            before = losses.count
            name = _name(item)
            reduced = self.reduce(item, self.names, losses)
            if reduced is not None:
                names.append(name)
                reduced.kubegap_incomplete |= losses.count > before
                yield _without_credentials(_ENCODER.encode(reduced))[1:]
            elif item.kubegap_incomplete:
                yield _NAMELESS


def gathers(
    record: type[R],
    wire: type[W],
    reduce: Callable[[W, Names, Losses], W | None],
    build: Callable[[W, Losses], R],
    sieve: Sieve[Any] | None = None,
) -> Callable[[Names], KindGatherer[W, R]]:
    """What makes the gatherer of a kind, once it is known which names may be shown."""
    listed: type[ObjectList[W]] = cast("Any", ObjectList)[wire]

    def make(names: Names) -> KindGatherer[W, R]:
        lists = msgspec.json.Decoder(listed)
        return KindGatherer(record=record, wire=wire, lists=lists, reduce=reduce, build=build, names=names, sieve=sieve)

    return make


def keep_name(item: W, names: Names, losses: Losses) -> W:  # noqa: ARG001 (what every `reduce` takes)
    """The `reduce` of a kind whose wire struct holds nothing but what its record needs: of the metadata, the name."""
    item.metadata = Meta(name=item.metadata.name, namespace=item.metadata.namespace)
    return item


def _name(item: Top) -> tuple[str, str]:
    """Of the whole object: `reduce` may leave less."""
    return item.metadata.namespace or "", item.metadata.name or ""


def _without_credentials(encoded: bytes) -> bytes:
    """The same JSON, with what programs say as `build` will tell it: a snapshot is handed on."""
    if _MAY_SAY.search(encoded) is None:
        return encoded
    return _ENCODER.encode(_said_without(_ANY.decode(encoded)))


def _said_without(value: object, key: str = "") -> object:
    if isinstance(value, dict):
        members = cast("dict[str, object]", value)
        return {name: _said_without(inner, name) for name, inner in members.items()}
    if isinstance(value, list):
        return [_said_without(inner, key) for inner in cast("list[object]", value)]
    return without_credentials(value) if isinstance(value, str) and key in _SAID else value


def _raw_list(body: bytes) -> RawList:
    try:
        return _RAW_LIST.decode(body)
    except RecursionError:
        raise msgspec.DecodeError("the list is nested deeper than any API object") from None


def _token(page: "ObjectList[W] | RawList") -> str:
    return (page.metadata.continue_ or "") if page.metadata else ""
