"""What would become of a file, worked out without touching it."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.registration import files
from kubegap_mcp.registration.entry import Wanted, merged
from kubegap_mcp.registration.forms import Entry, UneditableError, split
from kubegap_mcp.registration.places import Place


class LeftAloneError(ConfigError):
    """A file that kubegap does not dare to edit; `snippet` is what to add by hand, if anything."""

    def __init__(self, text: Text, snippet: str | None) -> None:
        super().__init__(text)
        self.snippet = snippet


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """None for a file that is not there. `backup` is written before, `spent_backup` deleted after the change."""

    place: Place
    before: bytes | None
    after: bytes | None
    backup: Path | None = None
    spent_backup: Path | None = None

    @property
    def is_empty(self) -> bool:
        return self.before == self.after


def to_register(place: Place, want: Wanted) -> Change:
    before = files.read(place.path)
    try:
        mark, text = split(place.form, before)
        there = place.form.entry(text)
        entry = merged(there, want)
        if entry == there:
            return Change(place=place, before=before, after=before)
        after = _encoded(mark + place.form.put(text, entry))
    except UneditableError as error:
        raise _left_alone(place, error, merged(None, want)) from None
    # A file that holds nothing but what kubegap wrote has nothing to keep.
    is_ours = before is None or (there is not None and _registered(place, None, there) == before)
    backup = None if is_ours or before is None else files.free_backup(place.path, before, again=there is None)
    return Change(place=place, before=before, after=after, backup=backup)


def to_remove(place: Place) -> Change:
    """Back to the bytes from before where nothing else has changed since, else the entry alone is taken out."""
    before = files.read(place.path)
    if before is None:
        return Change(place=place, before=None, after=None)
    try:
        mark, text = split(place.form, before)
        entry = place.form.entry(text)
        if entry is None:
            return Change(place=place, before=before, after=before)
        backup, old = _from_before(place)
        if _registered(place, old, entry) == before:
            return Change(place=place, before=before, after=old, spent_backup=backup)
        after = (mark + place.form.drop(text, keep=_depth(place, old, text))).encode()
    except UneditableError as error:
        raise _left_alone(place, error, None) from None
    return Change(place=place, before=before, after=after, spent_backup=backup if after == old else None)


def _from_before(place: Place) -> tuple[Path | None, bytes | None]:
    """The newest backup without this entry: one with it is from another scope's registering in the same file."""
    for backup in reversed(files.backups(place.path)):
        content = files.read(backup)
        with suppress(UneditableError):
            if place.form.entry(split(place.form, content)[1]) is None:
                return backup, content
    return None, None


def _registered(place: Place, old: bytes | None, entry: Entry) -> bytes | None:
    """What registering would make of the file as it was; None where it would not."""
    try:
        mark, text = split(place.form, old)
        return (mark + place.form.put(text, entry)).encode() if place.form.entry(text) is None else None
    except UneditableError:
        return None


def _depth(place: Place, old: bytes | None, text: str) -> int:
    return place.form.depth(text if old is None else split(place.form, old)[1])


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # file names may be any bytes
        raise UneditableError(
            Text(
                en="a path that the entry needs is not UTF-8, and such a file can hold no other",
                ko="항목에 적을 경로가 UTF-8이 아니어서 이 파일에 적을 수 없음",
            )
        ) from None


def _left_alone(place: Place, error: UneditableError, entry: Entry | None) -> LeftAloneError:
    return LeftAloneError(
        Text(
            en=f"{place.path} was left as it is, since {error.why.en}: correct it, or change it by hand",
            ko=f"{place.path}: 그대로 둠. {error.why.ko}. 바로잡거나 직접 고친다",
        ),
        place.form.snippet(entry) if entry else None,
    )
