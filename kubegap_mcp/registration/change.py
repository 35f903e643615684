"""What would become of a file, worked out without touching it."""

from dataclasses import dataclass
from pathlib import Path

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.registration import files
from kubegap_mcp.registration.entry import Wanted, merged
from kubegap_mcp.registration.forms import Entry, UneditableError
from kubegap_mcp.registration.places import Place

_BOM = "\ufeff"


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
    mark, text = _text(place, before, merged(None, want))
    try:
        there = place.form.entry(text)
        entry = merged(there, want)
        if entry == there:
            return Change(place=place, before=before, after=before)
        after = _bytes(mark, place.form.put(text, entry))
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
    mark, text = _text(place, before, None)
    backup = files.newest_backup(place.path)
    try:
        entry = place.form.entry(text)
        if entry is None:
            return Change(place=place, before=before, after=before)
        old = files.read(backup) if backup else None
        if _registered(place, old, entry) == before:
            return Change(place=place, before=before, after=old, spent_backup=backup)
        after = _bytes(mark, place.form.drop(text, keep=_depth(place, old, text)))
    except UneditableError as error:
        raise _left_alone(place, error, None) from None
    return Change(place=place, before=before, after=after, spent_backup=backup if after == old else None)


def _registered(place: Place, old: bytes | None, entry: Entry) -> bytes | None:
    """What registering has made, or would have made, of the file as it was."""
    mark, text = _split(old)
    try:
        return _bytes(mark, place.form.put(text, entry)) if place.form.entry(text) is None else None
    except UneditableError:
        return None


def _depth(place: Place, old: bytes | None, text: str) -> int:
    try:
        return place.form.depth(_split(old)[1] if old is not None else text)
    except UneditableError:
        return place.form.depth(text)


def _split(content: bytes | None) -> tuple[str, str]:
    text = (content or b"").decode("utf-8", errors="replace")
    return (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)


def _text(place: Place, content: bytes | None, entry: Entry | None) -> tuple[str, str]:
    try:
        (content or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise _left_alone(place, UneditableError(Text(en="it is not UTF-8", ko="UTF-8이 아님")), entry) from None
    return _split(content)


def _bytes(mark: str, text: str) -> bytes:
    return (mark + text).encode()


def _left_alone(place: Place, error: UneditableError, entry: Entry | None) -> LeftAloneError:
    return LeftAloneError(
        Text(
            en=f"{place.path} was left as it is, since {error.why.en}: correct it, or change it by hand",
            ko=f"{place.path}: 그대로 둠. {error.why.ko}. 바로잡거나 직접 고친다",
        ),
        place.form.snippet(entry) if entry else None,
    )
