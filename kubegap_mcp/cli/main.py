"""From the words of a command to its exit code: 0 done, 1 a gap too severe, 2 an error, 3 too little was seen."""

import gc
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import NoReturn

from kubegap_checks.text import Lang, Text
from kubegap_mcp.cli import output
from kubegap_mcp.cli.arguments import parser
from kubegap_mcp.cli.settings import language
from kubegap_mcp.errors import KubegapError

ERROR = 2
# Pages of thousands of objects come and go, and nearly all that is kept is kept for long: by Python's own thresholds a
# sixth of reading a large cluster goes into looking for garbage where there is none (benchmarks/scale.py).
COLLECT = (50_000, 20, 20)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; every expected failure is one line on stderr."""
    words = list(sys.argv[1:] if argv is None else argv)
    if PurePath(sys.argv[0]).stem == "kubegap-mcp" and argv is None and not _names_command(words):
        words = ["serve", *words]  # as `uvx kubegap-mcp` runs it
    lang: Lang = language()
    try:
        with output.ready():
            arguments = parser().parse_args(words)
            lang = vars(arguments).get("lang") or lang
            return int(arguments.run(arguments))
    except KubegapError as error:
        _say(error.of(lang))
        return ERROR
    except BrokenPipeError:
        # The reader of a pipe (head, less) went away: nothing to say.
        output.drop()
        return 128 + getattr(signal, "SIGPIPE", 13)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except OSError as error:
        output.drop()
        _say(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")
        return ERROR
    except Exception:  # noqa: BLE001 (the outermost handler; Python's own exit code for it, 1, would mean a gap)
        traceback.print_exc()
        text = Text(
            en="this is a fault of kubegap itself: please report it with the lines above",
            ko="kubegap 자체의 결함임. 위의 내용과 함께 이슈로 알린다",
        )
        _say(text.of(lang))
        return ERROR


def program() -> NoReturn:
    """The installed command. A read that was given up may hang on in its thread: nobody waits for it at the end."""
    gc.set_threshold(*COLLECT)
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, full, or not there at all
            stream.flush()
    os._exit(code)


def _say(sentence: str) -> None:
    sys.stderr.write(f"kubegap: {sentence}\n")


def _names_command(words: Sequence[str]) -> bool:
    """Whether a command, --help or --version is asked for; options of `serve` alone are not."""
    return bool(words) and (not words[0].startswith("-") or words[0] in {"-h", "--help", "--version"})
