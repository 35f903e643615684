"""From the words of a command to its exit code: 0 done, 1 a gap too severe, 2 an error, 3 too little was seen."""

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import PurePath

from kubegap_mcp.cli.arguments import parser
from kubegap_mcp.errors import KubegapError

ERROR = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; every expected failure is one sentence on stderr."""
    words = list(sys.argv[1:] if argv is None else argv)
    if PurePath(sys.argv[0]).stem == "kubegap-mcp" and argv is None and not _names_command(words):
        words = ["serve", *words]  # as `uvx kubegap-mcp` runs it
    arguments = parser().parse_args(words)
    try:
        return int(arguments.run(arguments))
    except KubegapError as error:
        sys.stderr.write(f"kubegap: {error}\n")
        return ERROR
    except BrokenPipeError:
        # The reader of a pipe (head, less) went away: nothing to say, and nothing to flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + getattr(signal, "SIGPIPE", 13)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _names_command(words: Sequence[str]) -> bool:
    """Whether a command, --help or --version is asked for; options of `serve` alone are not."""
    return bool(words) and (not words[0].startswith("-") or words[0] in {"-h", "--help", "--version"})
