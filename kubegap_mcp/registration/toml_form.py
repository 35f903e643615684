"""The entry in Codex's TOML: a block of lines of its own at the end of the file, edited by tomlkit, moved by nobody.

Only the block goes through tomlkit. Given the whole file it would put the block between a table and the comment above
the next one, and take that comment away together with the block.
"""

import tomllib
from dataclasses import dataclass
from io import StringIO
from typing import Any, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Item

from kubegap_checks.text import Text
from kubegap_mcp.registration.forms import NAME, Entry, UneditableError, newline_of, not_safe

_LINE = 4  # words of a list in one line


@dataclass(frozen=True, slots=True)
class TomlForm:
    table: str
    takes_mark: bool = True

    def entry(self, text: str) -> Entry | None:
        servers = _loads(text).get(self.table, {})
        found: object = cast("Entry", servers).get(NAME) if isinstance(servers, dict) else servers
        if found is not None and not isinstance(found, dict):
            raise not_safe()
        return cast("Entry | None", found)

    def span(self, text: str) -> tuple[int, int] | None:
        found = self.entry(text)
        return self._block(text, found) if found is not None else None

    def depth(self, text: str) -> int:
        return 1 if self.table in _loads(text) else 0

    def put(self, text: str, entry: Entry) -> str:
        newline = newline_of(text)
        old = self.entry(text)
        if old is not None:
            start, end = self._block(text, old)
            block = text[start:end].replace("\r\n", "\n")
            edited = self._edited(block, entry) if old.keys() <= entry.keys() else self.snippet(entry)
            return self._proved(text, text[:start] + edited.replace("\n", newline) + text[end:], entry)
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        return self._proved(text, text + gap + self.snippet(entry).replace("\n", newline), entry)

    def drop(self, text: str, *, keep: int) -> str:
        del keep  # a table of tables needs no line of its own
        old = self.entry(text)
        start, end = self._block(text, old or {})
        before = text[:start]
        gap = "\r\n" if before.endswith("\n\r\n") else "\n" if before.endswith("\n\n") else ""
        return self._proved(text, before.removesuffix(gap) + text[end:], None)

    def snippet(self, entry: Entry) -> str:
        table = tomlkit.table()
        # Sub-tables last: a key after one would belong to it.
        for key, value in sorted(entry.items(), key=lambda item: isinstance(item[1], dict)):
            table.add(key, _item(value))
        servers = tomlkit.table(is_super_table=True)
        servers.add(NAME, table)
        document = tomlkit.document()
        document.add(self.table, servers)
        return document.as_string()

    def _edited(self, block: str, entry: Entry) -> str:
        try:
            document = tomlkit.parse(block)
            table = cast("Any", document)[self.table][NAME]
            for key, value in entry.items():
                if key not in table or table[key] != value:
                    table[key] = _item(value)
        except TOMLKitError:
            raise not_safe() from None
        return document.as_string()

    def _block(self, text: str, entry: Entry) -> tuple[int, int]:
        """From the entry's first header to its last key; comments and blank lines around it belong to others."""
        start = end = place = 0
        ours = False
        for line in StringIO(text, newline="\n"):
            path = _header(line)
            if path is not None:
                is_ours = path[:2] == (self.table, NAME)
                if is_ours and not ours:
                    if end:
                        raise not_safe()  # something else stands between its tables
                    start = place
                ours = is_ours
            place += len(line)
            if ours and line.strip() and not line.lstrip().startswith("#"):
                end = place
        # A line within a string may look like a header or a comment: what was found must be the entry, and whole.
        if not end or _loads(text[start:end]) != {self.table: {NAME: entry}}:
            raise not_safe()
        return start, end

    def _proved(self, before: str, after: str, entry: Entry | None) -> str:
        """The new text, if it says the same as the old one but for the entry."""
        others = _others(_loads(before), self.table)
        try:
            told = _loads(after)
        except UneditableError:
            raise not_safe() from None
        if _others(told, self.table) != others or self.entry(after) != entry:
            raise not_safe()
        return after


def _loads(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UneditableError(Text(en=f"it is not TOML ({error})", ko=f"TOML이 아님({error})")) from None


def _others(document: dict[str, Any], table: str) -> dict[str, Any]:
    servers: object = document.get(table)
    rest = {key: value for key, value in document.items() if key != table}
    if not isinstance(servers, dict):
        return {**rest, table: servers} if servers is not None else rest
    kept = {key: value for key, value in cast("Entry", servers).items() if key != NAME}
    return {**rest, table: kept} if kept else rest


def _header(line: str) -> tuple[str, ...] | None:
    """The path of a table's header; None for any other line."""
    if not line.lstrip().startswith("["):
        return None
    try:
        inner: object = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return None
    path: list[str] = []
    while isinstance(inner, dict) and inner:
        ((key, inner),) = cast("dict[str, object]", inner).items()
        path.append(key)
    return tuple(path)


def _item(value: object) -> Item:
    words = cast("list[object]", value) if isinstance(value, list) else []
    if len(words) <= _LINE:
        return cast("Item", tomlkit.item(cast("Any", value)))
    lines = tomlkit.array()
    for place in range(0, len(words), _LINE):
        lines.add_line(*words[place : place + _LINE])
    lines.add_line(indent="")
    return lines
