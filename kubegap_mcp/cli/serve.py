"""`kubegap serve`: MCP on stdin and stdout."""

import argparse
import sys
from typing import NoReturn

from kubegap_checks.text import Text
from kubegap_mcp.cli.settings import settings_from
from kubegap_mcp.server import serve


def run(arguments: argparse.Namespace) -> NoReturn:
    settings = settings_from(arguments)
    if sys.stdin is not None and sys.stdin.isatty():  # pyright: ignore[reportUnnecessaryComparison]
        # Otherwise whoever tries it by hand sees a program that hangs.
        text = Text(
            en="waiting for an MCP client on stdin; `kubegap audit` prints a report, Ctrl+C stops this",
            ko="stdin에서 MCP 클라이언트를 기다리는 중. 보고서는 `kubegap audit`이 출력함. 끝내려면 Ctrl+C를 누른다",
        )
        sys.stderr.write(f"kubegap: {text.of(settings.lang)}\n")
    serve(settings)
