"""kubegap-snapshot.json: when a snapshot was taken, of what, and what could not be read then."""

from pathlib import PurePath
from typing import Final

import msgspec

from kubegap_checks.facts.read import Reason, Unread
from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.kube.clean import MESSAGE, NAME, clean
from kubegap_mcp.kube.gather.fields import when
from kubegap_mcp.kube.wire.meta import Time

MANIFEST: Final = "kubegap-snapshot.json"
SCHEMA: Final = 1


class Remedy(msgspec.Struct):
    en: str
    ko: str


class Gap(msgspec.Struct):
    """One read that did not succeed."""

    what: str
    reason: Reason
    remedy: Remedy


class KindState(msgspec.Struct, omit_defaults=True):
    """How much of a kind was read: all of it where `unread` is empty, else the objects there are beside it.

    With `some` those objects are rows beside the unread rest, of `namespaces` where it is about rights; without,
    nothing could be read at all.
    """

    objects: int = 0
    some: bool = False
    namespaces: list[str] = []
    unread: list[Gap] = []


class Manifest(msgspec.Struct):
    schema: int
    taken_at: Time
    context: str
    server_version: str | None
    kinds: dict[str, KindState]
    only_namespaces: list[str] | None = None
    written_by: str = ""


_DECODER = msgspec.json.Decoder(Manifest)


def parse_manifest(text: bytes, path: PurePath) -> Manifest:
    try:
        manifest = _DECODER.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ConfigError(
            f"{path} is not what kubegap writes ({clean(str(error), MESSAGE)}): take the snapshot again with "
            "`kubegap snapshot`, or delete that file to read the rest without it"
        ) from error
    taken_at = when(manifest.taken_at)
    if taken_at is None:
        raise ConfigError(f"{path} says no time that could be: correct its taken_at")
    manifest.taken_at = taken_at
    if manifest.schema > SCHEMA:
        raise ConfigError(f"{path} was written by a newer kubegap (schema {manifest.schema}): update kubegap")
    return manifest


def render_manifest(manifest: Manifest) -> bytes:
    return msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"


def gap_of(unread: Unread) -> Gap:
    return Gap(what=unread.what, reason=unread.reason, remedy=Remedy(en=unread.remedy.en, ko=unread.remedy.ko))


def unread_of(gap: Gap) -> Unread:
    """As it was, but cleaned: whoever wrote the file could write anything into it."""
    remedy = Text(en=clean(gap.remedy.en, MESSAGE), ko=clean(gap.remedy.ko, MESSAGE))
    return Unread(what=clean(gap.what, NAME), reason=gap.reason, remedy=remedy)
