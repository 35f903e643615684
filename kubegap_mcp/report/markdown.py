"""Text as Markdown that stays where it is put: on its line, in its cell, as plain text."""

import re
from collections.abc import Sequence

MADE = "made by kubegap docs from"

# What would start a block at the beginning of a line: a heading, a quote, a list, a fence, a rule, a number.
_BLOCK = re.compile(r"(?:[#>+=~-]|\d{1,9}(?=[.)]))")
_CODE = re.compile(r"(`[^`]+`)")
# What would be more than letters within a line: tags, entities, strong text, struck text, links and images.
_MARKUP = re.compile(r"[\\*]|<(?=[A-Za-z/!?])|&(?=#|[A-Za-z]+;)|~(?=~)|(?<![^\W_])_|_(?![^\W_])|(?<=\])[(\[:]|!(?=\[)")


def inline(value: object) -> str:
    """Text of a cluster within a line of ours: nothing in it ends the line, or is code, a link or a tag."""
    text = "-" if value is None else str(value)
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else " " for letter in text)
    return _escaped(" ".join(text.split()).replace("`", "'"))


def opening(value: object) -> str:
    """The same at the beginning of a line or of a list item."""
    text = inline(value)
    found = _BLOCK.match(text)
    if found is None:
        return text
    mark = found.end() - 1 if text[0] in "#>+=~-" else found.end()
    return f"{text[:mark]}\\{text[mark:]}"


def cell(value: object) -> str:
    return inline(value).replace("|", "\\|")


def prose(text: str) -> str:
    """A sentence of the catalogue or the library: its `code` is kept, the rest is plain text."""
    parts = _CODE.split(" ".join(text.split()))
    return "".join(part if place % 2 else _escaped(part) for place, part in enumerate(parts))


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """A table whose cells hold whatever they are given."""
    return [
        "| " + " | ".join(head) + " |",
        "|" + " --- |" * len(head),
        *("| " + " | ".join(cell(value) for value in row) + " |" for row in rows),
    ]


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", text)


def linked_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table whose cells are Markdown already."""
    return ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head), *(f"| {' | '.join(row)} |" for row in rows)]


def made_from(source: str) -> str:
    """The first line of a generated page."""
    return f"<!-- {MADE} {source} -->"
