"""The entry in a JSON file: put first among its siblings, so that no other line changes, not even by a comma."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from kubegap_checks.text import Text
from kubegap_mcp.registration.forms import NAME, Entry, UneditableError, newline_of, not_safe
from kubegap_mcp.registration.json_places import Member, NotJsonError, Value, parse, skip

_INDENT = "  "


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonForm:
    """`keys` lead to the object that holds the servers; the others say what its client reads beyond plain JSON."""

    keys: tuple[str, ...]
    comments: bool = False
    trailing_commas: bool = False
    takes_mark: bool = True

    def entry(self, text: str) -> Entry | None:
        chain = self._chain(text)
        if len(chain) <= len(self.keys):
            return None
        found = chain[-1].value
        if found.members is None:
            raise not_safe()
        entry: Entry = found.data
        return entry

    def span(self, text: str) -> tuple[int, int] | None:
        chain = self._chain(text)
        return (chain[-1].start, chain[-1].value.end) if len(chain) > len(self.keys) else None

    def depth(self, text: str) -> int:
        return min(len(self._chain(text)), len(self.keys))

    def put(self, text: str, entry: Entry) -> str:
        if not text.strip():
            return self.snippet(entry)
        root, chain = self._root(text), self._chain(text)
        if len(chain) > len(self.keys):
            old = chain[-1].value
            return self._proved(text, text[: old.start] + _rendered(text, root, old.start, entry) + text[old.end :])
        holder = chain[-1].value if chain else root
        key, *below = (*self.keys[len(chain) :], NAME)
        return self._proved(text, _insert(text, root, holder, key, _nested(below, entry)))

    def drop(self, text: str, *, keep: int) -> str:
        chain = self._chain(text)
        holders = [self._root(text), *(member.value for member in chain)]
        level = len(self.keys)
        while level > keep and _holds_only(text, holders[level], chain[level]):
            level -= 1
        return self._proved(text, _cut(text, holders[level], chain[level]))

    def snippet(self, entry: Entry) -> str:
        return json.dumps(_nested([*self.keys, NAME], entry), indent=len(_INDENT), ensure_ascii=False) + "\n"

    def _proved(self, before: str, after: str) -> str:
        """The new text, if it says the same as the old one but for the entry."""
        path = (*self.keys, NAME)
        if _others(self._root(before).data, path) != _others(self._root(after).data, path):
            raise not_safe()
        return after

    def _root(self, text: str) -> Value:
        try:
            root = parse(text, comments=self.comments, trailing_commas=self.trailing_commas)
        except NotJsonError as error:
            where = Text(en=f"it is not JSON from line {error.line} on", ko=f"{error.line}행부터 JSON이 아님")
            if _is_lenient(text):
                what = Text(en="trailing commas", ko="마지막 쉼표")
                if not self.comments:
                    what = Text(en="comments or trailing commas", ko="주석이나 마지막 쉼표")
                where = Text(
                    en=f"it has {what.en}, which its client does not read",
                    ko=f"이 클라이언트가 읽지 못하는 {what.ko}가 있음",
                )
            raise UneditableError(where) from None
        if root.members is None:
            raise UneditableError(Text(en="it is not a JSON object", ko="JSON 객체가 아님"))
        return root

    def _chain(self, text: str) -> list[Member]:
        """The members on the way to the entry, as far as they are there."""
        if not text.strip():
            return []
        holder, chain = self._root(text), list[Member]()
        for key in (*self.keys, NAME):
            if holder.members is None:
                raise UneditableError(
                    Text(en=f'"{chain[-1].key}" is not an object', ko=f'"{chain[-1].key}": 객체가 아님')
                )
            found = [member for member in holder.members if member.key == key]
            if len(found) > 1:
                raise UneditableError(Text(en=f'it has "{key}" twice', ko=f'"{key}" 항목이 둘임'))
            if not found:
                break
            chain += found
            holder = found[0].value
        return chain


def _is_lenient(text: str) -> bool:
    try:
        parse(text, comments=True, trailing_commas=True)
    except NotJsonError:
        return False
    return True


def _others(data: Entry, path: Sequence[str]) -> Entry:
    key, *below = path
    if not below or not isinstance(data.get(key), dict):
        return {name: value for name, value in data.items() if name != key}
    inner = _others(data[key], below)
    return {name: inner if name == key else value for name, value in data.items() if name != key or inner}


def _nested(keys: Sequence[str], entry: Entry) -> Entry:
    for key in reversed(keys):
        entry = {key: entry}
    return entry


def _insert(text: str, root: Value, holder: Value, key: str, value: Entry) -> str:
    opening = holder.start + 1
    first = holder.members[0].start if holder.members else holder.end - 1
    # The rest of the opening line (blanks, a comment) stays where it is.
    line_end = re.compile(r"\r?\n").search(text, opening, first)
    comma = "," if holder.members else ""
    label = json.dumps(key, ensure_ascii=False) + ": "
    if not line_end and text[opening:first].strip(" \t") + comma:
        flat = _flat(text, {key: value})[1:-1]
        between = ", " if " " in text[holder.start : holder.end] else ","
        return text[:first] + flat + (between if comma else "") + text[first:]
    outer, newline = _indent_at(text, holder.start), newline_of(text)
    inner = (_indent_at(text, first) if holder.members else "") or outer + _unit(text, root)
    member = newline + inner + label + _lines(value, inner, _step(inner, outer), newline)
    if line_end:
        return text[: line_end.start()] + member + comma + text[line_end.start() :]
    return text[:opening] + member + newline + outer + text[holder.end - 1 :]


def _rendered(text: str, root: Value, place: int, value: Entry) -> str:
    if "\n" not in text[root.start : root.end]:
        return _flat(text, value)
    return _lines(value, _indent_at(text, place), _unit(text, root), newline_of(text))


def _flat(text: str, value: Entry) -> str:
    separators = (", ", ": ") if '": ' in text else (",", ":")
    return json.dumps(value, ensure_ascii=False, separators=separators)


def _lines(value: Entry, indent: str, unit: str, newline: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", newline + indent)


def _indent_at(text: str, place: int) -> str:
    line = text[text.rfind("\n", 0, place) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str, root: Value) -> str:
    """One step of the file's own indentation."""
    first = root.members[0].start if root.members else root.start
    return _step(_indent_at(text, first), "")


def _step(inner: str, outer: str) -> str:
    return inner.removeprefix(outer) or _INDENT


def _holds_only(text: str, holder: Value, member: Member) -> bool:
    """Whether the object would be left with nothing at all, no comment either."""
    around = text[holder.start + 1 : member.start] + text[member.value.end : holder.end - 1]
    return not around.strip(" \t\r\n,")


def _cut(text: str, holder: Value, member: Member) -> str:
    if _holds_only(text, holder, member):
        return text[: holder.start + 1] + text[holder.end - 1 :]
    members = holder.members or ()
    place = members.index(member)
    end, comma = member.value.end, skip(text, member.value.end)
    before = text[: member.start].rstrip(" \t")
    own_line = before.endswith("\n")
    start = len(before.removesuffix("\n").removesuffix("\r")) if own_line else member.start
    ranges = [(start, end)]
    if text[comma] == ",":
        after = comma + 1
        ranges.append((comma, after if own_line else len(text) - len(text[after:].lstrip(" \t"))))
    elif place:
        last = skip(text, members[place - 1].value.end)  # the comma before it would be one too many
        ranges.insert(0, (last, last + 1))
        if not own_line and not text[last + 1 : start].strip():
            ranges[1] = (last + 1, end)
    for left, right in reversed(ranges):
        text = text[:left] + text[right:]
    return text
