"""Standard output as it really is: an encoding that lacks letters, a reader that leaves, a full disk, a closed file.

Loaded for every command, `serve` included, so it imports nothing heavy.
"""

import codecs
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError

# What kubegap itself writes beside letters; the rest of an encoding's gaps become a question mark.
_PLAIN = {"←": "<-", "→": "->", "·": "-", "…": "...", "–": "-", "—": "-", "×": "x", "≥": ">=", "≤": "<="}
_HANDLER = "kubegap"


@contextmanager
def ready() -> Generator[None]:
    """Lets no letter stop an answer, and sends all of it before the end, where a failure can still be told."""
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] (`kubegap audit >&-`, or a service)
        raise ConfigError(
            Text(
                en="standard output is closed: send it to a file or a pipe",
                ko="표준 출력이 닫혀 있음. 파일이나 파이프로 보낸다",
            )
        )
    codecs.register_error(_HANDLER, _plainer)
    reconfigure = getattr(sys.stdout, "reconfigure", None)  # what a test puts there may have none
    if reconfigure:
        reconfigure(errors=_HANDLER)
    try:
        yield
    finally:
        # The interpreter's own flush at exit would end in "Exception ignored" and exit code 120.
        sys.stdout.flush()


def writes_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().startswith("utf")


def drop() -> None:
    """Forgets what could not be written, so that the interpreter does not try again at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _plainer(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_PLAIN.get(letter, "?") for letter in lacking), error.end
