"""What a credential plugin complains about, without what may be a secret or an address."""

import re
from collections.abc import Iterator
from typing import Final

from kubegap_mcp.foreign.clean import clean

_LOOKED_AT: Final = 4000  # the end of what it said
_LONGEST: Final = 160

# After these no word of the line is shown, not even a plain one: a password may be one.
_SECRET: Final = re.compile(r"pass|pwd|secret|credential|bearer|basic|authorization|private", re.IGNORECASE)
# After these, plain words are shown: "token has expired", "no key was found".
_TELLING: Final = re.compile(r"token|key|login|user|account|client|code|[=:]$", re.IGNORECASE)
_PLAIN: Final = re.compile(r"[\"'(]?[A-Za-z]?[a-z]*(?:[-'][a-z]+)?[\"').,;:!?]*")
# Of any other word: a URL or a path with a host, an address, a long word, letters mixed with digits.
_OPAQUE: Final = re.compile(r"\S*(?://|@)\S*|.*\b\d{1,3}(?:\.\d{1,3}){3}\b.*|\S{20,}|(?=\S*[A-Za-z])(?=\S*\d)\S{6,}")
_CODE: Final = re.compile(r"[A-Z]{2,10}-?\d{1,6}[:.,;)]*")  # AADSTS70043: the one thing to search for


def complaint(text: str) -> str:
    """The end of it, on one line; each hidden part is an ellipsis."""
    lines = (clean(line, _LOOKED_AT) for line in text[-_LOOKED_AT:].splitlines())
    said = " ".join(word for line in lines for word in _shown(line))
    return re.sub(r"…(?:\s+…)+", "…", said)[-_LONGEST:].strip()


def _shown(line: str) -> Iterator[str]:
    told = False
    for word in line.split():
        if _SECRET.search(word):
            yield "…"
            return
        hidden = _OPAQUE.fullmatch(word) is not None and _CODE.fullmatch(word) is None
        yield "…" if hidden or (told and _PLAIN.fullmatch(word) is None) else word
        told = told or _TELLING.search(word) is not None
