"""From the words of a command to its exit code: 0 done, 1 a gap too severe, 2 an error, 3 too little was seen."""

import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import PurePath

from kubegap_mcp.cli import output
from kubegap_mcp.cli.arguments import parser
from kubegap_mcp.errors import KubegapError

ERROR = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; every expected failure is one sentence on stderr."""
    words = list(sys.argv[1:] if argv is None else argv)
    if PurePath(sys.argv[0]).stem == "kubegap-mcp" and argv is None and not _names_command(words):
        words = ["serve", *words]  # as `uvx kubegap-mcp` runs it
    try:
        with output.ready():
            arguments = parser().parse_args(words)
            return int(arguments.run(arguments))
    except KubegapError as error:
        _say(str(error))
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
        _say("this is a fault of kubegap itself: please report it with the lines above")
        return ERROR


def _say(sentence: str) -> None:
    sys.stderr.write(f"kubegap: {sentence}\n")


def _names_command(words: Sequence[str]) -> bool:
    """Whether a command, --help or --version is asked for; options of `serve` alone are not."""
    return bool(words) and (not words[0].startswith("-") or words[0] in {"-h", "--help", "--version"})
