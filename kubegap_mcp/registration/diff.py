"""A change as a person reads it before agreeing: a unified diff that shows nothing of others' settings."""

import re
from collections.abc import Iterator
from difflib import unified_diff
from itertools import takewhile

_LONG = 300
_CONTEXT = 2
# `"key": "text"` and `KEY = "text"` of the lines around: another server's token may stand there.
_VALUE = re.compile(r'([:=]\s*)("(?:[^"\\]|\\.)*"|\'[^\']*\')')


def shown(path: str, before: bytes | None, after: bytes | None) -> str:
    old, new = ((content or b"").decode("utf-8", errors="replace") for content in (before, after))
    names = (path if before is not None else "/dev/null", path if after is not None else "/dev/null")
    if any(len(line) > _LONG for line in _changed(old, new)):
        return "\n".join((f"--- {names[0]}", f"+++ {names[1]}", *_middle(old, new))) + "\n"
    lines = unified_diff(_lines(old), _lines(new), *names, n=_CONTEXT, lineterm="")
    return "".join((_VALUE.sub(r"\1…", line) if line.startswith(" ") else line) + "\n" for line in lines)


def _lines(text: str) -> list[str]:
    """Without line ends: a carriage return would only blur the picture."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _changed(old: str, new: str) -> Iterator[str]:
    for line in unified_diff(_lines(old), _lines(new), n=0, lineterm=""):
        if not line.startswith(("---", "+++", "@@")):
            yield line


def _middle(old: str, new: str) -> Iterator[str]:
    """For a file in one long line: where it changes, and only what changes there."""
    start = _alike(old, new)
    end = _alike(old[start:][::-1], new[start:][::-1])
    line, column = old.count("\n", 0, start) + 1, start - old.rfind("\n", 0, start)
    yield f"@@ {line}:{column} @@"
    for sign, text in (("-", old), ("+", new)):
        if part := text[start : len(text) - end]:
            yield sign + part


def _alike(one: str, other: str) -> int:
    """How many letters both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
