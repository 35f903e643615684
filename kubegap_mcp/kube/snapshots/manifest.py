"""kubegap-snapshot.json: when a snapshot was taken, of what, and what could not be read then."""

from pathlib import PurePath
from typing import Final

import msgspec

from kubegap_checks.facts.read import Reason, Unread
from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.foreign.clean import MESSAGE, NAME, clean
from kubegap_mcp.kube.gather.fields import when
from kubegap_mcp.kube.wire.meta import Time

MANIFEST: Final = "kubegap-snapshot.json"
METRICS: Final = "kubegap-metrics.json"  # beside it, where a metrics source was named
SCHEMA: Final = 1


class Told(msgspec.Struct):
    """What a person reads."""

    en: str
    ko: str


class Gap(msgspec.Struct):
    """One read that did not succeed; a `what` that is no pair is a name, the same in both languages."""

    what: Told | str
    reason: Reason
    remedy: Told


class KindState(msgspec.Struct, omit_defaults=True):
    """How much of a kind was read: all of it where `unread` is empty, else the objects there are beside it.

    With `some` those objects are rows beside the unread rest, of `namespaces` where it is about rights; without,
    nothing could be read at all. `marks` are those of what was kept of each object (gather.shape), with spaces between.
    """

    objects: int = 0
    some: bool = False
    namespaces: list[str] = []
    unread: list[Gap] = []
    marks: str = ""


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
        problem = clean(str(error), MESSAGE)
        raise ConfigError(
            Text(
                en=f"{path} is not what kubegap writes ({problem}): take the snapshot again with `kubegap snapshot`, "
                "or delete that file to read the rest without it",
                ko=f"{path}: kubegap이 쓰는 내용이 아님({problem}). `kubegap snapshot`으로 스냅샷을 다시 만들거나, "
                "이 파일을 지우고 나머지만 읽는다",
            )
        ) from error
    taken_at = when(manifest.taken_at)
    if taken_at is None:
        raise ConfigError(
            Text(
                en=f"{path} says no time that could be: correct its taken_at",
                ko=f"{path}: taken_at이 있을 수 없는 시각임. 바로잡는다",
            )
        )
    manifest.taken_at = taken_at
    if manifest.schema > SCHEMA:
        raise ConfigError(
            Text(
                en=f"{path} was written by a newer kubegap (schema {manifest.schema}): update kubegap",
                ko=f"{path}: 더 새로운 kubegap이 쓴 파일임(schema {manifest.schema}). kubegap을 업데이트한다",
            )
        )
    return manifest


def render_manifest(manifest: Manifest) -> bytes:
    return msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"


def gap_of(unread: Unread) -> Gap:
    return Gap(what=_told(unread.what), reason=unread.reason, remedy=_told(unread.remedy))


def unread_of(gap: Gap) -> Unread:
    """As it was, but cleaned: whoever wrote the file could write anything into it."""
    what = Told(gap.what, gap.what) if isinstance(gap.what, str) else gap.what
    return Unread(what=_cleaned(what, NAME), reason=gap.reason, remedy=_cleaned(gap.remedy, MESSAGE))


def _told(text: Text) -> Told:
    return Told(en=text.en, ko=text.ko)


def _cleaned(told: Told, cap: int) -> Text:
    return Text(en=clean(told.en, cap), ko=clean(told.ko, cap))
