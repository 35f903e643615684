"""Pieces of PromQL: selectors, quoted values, patterns, and several terms in one query, told apart by a label."""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

TERM: Final = "kubegap"  # the label that tells terms apart

# Proxies refuse addresses longer than 8 kB (nginx's large_client_header_buffers), and quoting makes them longer.
LONGEST: Final = 3_000

# In label matchers as a person writes them, their values apart.
LABEL_OF_A_MATCHER: Final = re.compile(r'([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)\s*"(?:[^"\\]|\\.)*"', re.ASCII)

_PLAIN_NAME: Final = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")


def selected(name: str, *matchers: str) -> str:
    """A selector; a name that PromQL does not take as it is becomes a matcher itself."""
    if name and not _PLAIN_NAME.fullmatch(name):
        name, matchers = "", (f'__name__="{quoted(name)}"', *matchers)
    given = joined(*matchers)
    return f"{name}{{{given}}}" if given else name


def joined(*matchers: str) -> str:
    return ", ".join(filter(None, matchers))


def marked(expression: str, id: str) -> str:  # noqa: A002
    return f'label_replace({expression}, "{TERM}", "{id}", "", "")'


def chunks(expressions: Iterable[str]) -> Iterator[list[str]]:
    """As few lists as keep queries short enough."""
    chunk: list[str] = []
    for expression in expressions:
        if chunk and sum(len(one) + len(" or ") for one in chunk) + len(expression) > LONGEST:
            yield chunk
            chunk = []
        chunk.append(expression)
    if chunk:
        yield chunk


def quoted(value: str) -> str:
    """Within a string of PromQL."""
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def pattern(values: Collection[str]) -> str:
    """A regular expression, within a string of PromQL, that matches these values alone; "" where it is too long.

    What they have in common is written once: names of nodes and pods mostly differ by a number.
    """
    first = _shared(values)
    rests = [value[len(first) :] for value in values]
    last = _shared([rest[::-1] for rest in rests])[::-1]
    middles = sorted({rest[: len(rest) - len(last)] for rest in rests})
    written = "|".join(map(escaped, middles))
    written = escaped(first) + (f"(?:{written})" if len(middles) > 1 else written) + escaped(last)
    return written if len(written) <= LONGEST else ""


def escaped(value: str) -> str:
    """As a regular expression within a string of PromQL; RE2 refuses an escaped letter that is no sign."""
    return quoted(re.sub(r"([\\.+*?()|\[\]{}^$])", r"\\\1", value))


def _shared(values: Collection[str]) -> str:
    """What all of them begin with: what the first and the last by the alphabet do."""
    low, high = min(values), max(values)
    length = next((at for at, letter in enumerate(low) if letter != high[at]), len(low))
    return low[:length]
