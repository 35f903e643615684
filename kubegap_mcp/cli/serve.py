"""`kubegap serve`: MCP on stdin and stdout."""

import argparse
import sys
from typing import NoReturn

from kubegap_mcp.cli.settings import settings_from
from kubegap_mcp.server import serve


def run(arguments: argparse.Namespace) -> NoReturn:
    if sys.stdin is not None and sys.stdin.isatty():  # pyright: ignore[reportUnnecessaryComparison]
        # Otherwise whoever tries it by hand sees a program that hangs.
        sys.stderr.write(
            "kubegap: waiting for an MCP client on stdin; `kubegap audit` prints a report, Ctrl+C stops this\n"
        )
    serve(settings_from(arguments))
