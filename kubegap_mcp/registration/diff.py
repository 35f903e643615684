"""A change as a person reads it before agreeing: our entry whole, and of all that is around it only the shape.

Others' tokens stand in the same file, in lists, comments and texts of many lines, and with the entry in one line; and
whoever reads this may be an agent.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import cast

from kubegap_mcp.registration.forms import Form

_CONTEXT = 2
_KEY = re.compile(r"""\s*(?:(?:"(?:[^"\\]|\\.)*"|'[^']*'|[\w.-]+)\s*[:=]\s*)?""")
_BRACKETS = re.compile(r"[\[\]{},\s]*")
_HEADER = re.compile(r"""\s*\[{1,2}[A-Za-z_][\w-]*(?:\.(?:[\w-]+|"[^"]*"|'[^']*'))*\]{1,2}\s*""")


def shown(form: Form, path: str, before: bytes | None, after: bytes | None) -> str:
    old, new = _Page(form, before), _Page(form, after)
    head = _alike(old.lines, new.lines)
    tail = _alike(old.lines[head:][::-1], new.lines[head:][::-1])
    first, last = max(0, head - _CONTEXT), max(0, tail - _CONTEXT)
    names = (path if before is not None else "/dev/null", path if after is not None else "/dev/null")
    ranges = " ".join(sign + _range(first, len(page.lines) - last - first) for sign, page in (("-", old), ("+", new)))
    return "".join(
        f"{line}\n"
        for line in (
            f"--- {names[0]}",
            f"+++ {names[1]}",
            f"@@ {ranges} @@",
            *(" " + old.shown(number) for number in range(first, head)),
            *("-" + old.shown(number) for number in range(head, len(old.lines) - tail)),
            *("+" + new.shown(number) for number in range(head, len(new.lines) - tail)),
            *(" " + new.shown(number) for number in range(len(new.lines) - tail, len(new.lines) - last)),
        )
    )


class _Page:
    """The lines of a file, and what each may show."""

    def __init__(self, form: Form, content: bytes | None) -> None:
        text = (content or b"").decode("utf-8", errors="replace").removeprefix("\ufeff")
        self.lines = text.split("\n")
        if self.lines[-1] == "":
            self.lines.pop()
        span = form.span(text)
        self._start, self._end = (_place(text, span[0]), _place(text, span[1])) if span else ((-1, 0), (-1, 0))
        self._private = sorted(_private(form.entry(text) or {}), key=len, reverse=True) if span else []

    def shown(self, number: int) -> str:
        line = self.lines[number].removesuffix("\r")
        if not self._start[0] <= number <= self._end[0]:
            return _shape(line)
        left = self._start[1] if number == self._start[0] else 0
        right = self._end[1] if number == self._end[0] else len(line)
        ours = line[left:right]
        for value in self._private:
            ours = ours.replace(value, "…")
        return _edge(line[:left]) + ours + _edge(line[right:])


def _place(text: str, place: int) -> tuple[int, int]:
    """The line and the column, both counted from 0."""
    return text.count("\n", 0, place), place - text.rfind("\n", 0, place) - 1


def _private(entry: object) -> Iterator[str]:
    """What an owner has put into tables of the entry, as variables and headers: a token may be among them."""
    for inner in cast("dict[str, object]", entry).values():
        if isinstance(inner, dict):
            values = cast("dict[str, object]", inner).values()
            yield from (value for value in values if isinstance(value, str) and value and "$" not in value)
            yield from _private(cast("object", inner))


def _shape(line: str) -> str:
    """The key of a line and what opens and closes, but no value and no comment."""
    if _BRACKETS.fullmatch(line) or _HEADER.fullmatch(line):
        return line
    key = _KEY.match(line)
    start = key[0] if key else ""
    rest = line[len(start) :]
    if _BRACKETS.fullmatch(rest):
        return line
    return f"{start}…{',' if rest.rstrip().endswith(',') else ''}"


def _edge(text: str) -> str:
    """What stands with the entry in its line."""
    return text if _BRACKETS.fullmatch(text) else "…"


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _range(first: int, count: int) -> str:
    """Lines as `diff -u` counts them: none lie after line `first`."""
    start = first + 1 if count else first
    return f"{start}" if count == 1 else f"{start},{count}"
