"""JSON, if wished with comments and trailing commas, read together with the places where its parts stand."""

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

# Possessive: a file may hold a string of megabytes, which is tried one way and no other.
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\.)*+"')
_OTHER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")
_BLANK = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Value:
    """`members` only of an object; `end` is just after the value."""

    data: Any
    start: int
    end: int
    members: "tuple[Member, ...] | None" = None


@dataclass(frozen=True, slots=True)
class Member:
    key: str
    start: int
    value: Value


class NotJsonError(Exception):
    def __init__(self, text: str, place: int) -> None:
        self.line = text.count("\n", 0, place) + 1
        super().__init__(f"line {self.line}")


@lru_cache(maxsize=4)
def parse(text: str, *, comments: bool = False, trailing_commas: bool = False) -> Value:
    """The whole document, or NotJsonError with the line where it stops to be one. Kept, since each step asks anew."""
    reader = _Reader(text, comments=comments, trailing_commas=trailing_commas)
    try:
        root = reader.value(reader.skip(0))
    except RecursionError:
        raise NotJsonError(text, 0) from None
    end = reader.skip(root.end)
    if end != len(text):
        raise NotJsonError(text, end)
    return root


def skip(text: str, place: int) -> int:
    """Past blanks and comments."""
    return _Reader(text, comments=True, trailing_commas=True).skip(place)


class _Reader:
    def __init__(self, text: str, *, comments: bool, trailing_commas: bool) -> None:
        self.text = text
        self.comments = comments
        self.trailing_commas = trailing_commas

    def skip(self, place: int) -> int:
        while True:
            blank = _BLANK.match(self.text, place)
            place = blank.end() if blank else place
            comment = _COMMENT.match(self.text, place) if self.comments else None
            if not comment:
                return place
            place = comment.end()

    def value(self, place: int) -> Value:
        letter = self.text[place : place + 1]
        if letter == "{":
            return self._object(place)
        if letter == "[":
            return self._array(place)
        return self._scalar(place, _STRING if letter == '"' else _OTHER)

    def _object(self, start: int) -> Value:
        members: list[Member] = []
        place = self.skip(start + 1)
        while self.text[place : place + 1] != "}":
            key = self._scalar(place, _STRING)
            colon = self._sign(":", self.skip(key.end))
            value = self.value(self.skip(colon))
            members.append(Member(key.data, key.start, value))
            place = self._next(value.end, "}")
        data = {member.key: member.value.data for member in members}
        return Value(data, start, place + 1, tuple(members))

    def _array(self, start: int) -> Value:
        items: list[Any] = []
        place = self.skip(start + 1)
        while self.text[place : place + 1] != "]":
            item = self.value(place)
            items.append(item.data)
            place = self._next(item.end, "]")
        return Value(items, start, place + 1)

    def _next(self, end: int, closing: str) -> int:
        """The start of the next part, or the place of the closing sign."""
        place = self.skip(end)
        if self.text[place : place + 1] == closing:
            return place
        comma = self._sign(",", place)
        place = self.skip(comma)
        if self.text[place : place + 1] == closing and not self.trailing_commas:
            raise NotJsonError(self.text, place)
        return place

    def _sign(self, sign: str, place: int) -> int:
        if self.text[place : place + 1] != sign:
            raise NotJsonError(self.text, place)
        return place + 1

    def _scalar(self, place: int, form: re.Pattern[str]) -> Value:
        found = form.match(self.text, place)
        if not found:
            raise NotJsonError(self.text, place)
        try:
            return Value(json.loads(found[0]), place, found.end())
        except ValueError:  # an escape that is none, a number with thousands of digits
            raise NotJsonError(self.text, place) from None
