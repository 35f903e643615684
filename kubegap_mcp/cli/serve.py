"""`kubegap serve`: MCP on stdin and stdout."""

import argparse
from typing import NoReturn

from kubegap_mcp.cli.settings import settings_from
from kubegap_mcp.server import serve


def run(arguments: argparse.Namespace) -> NoReturn:
    serve(settings_from(arguments))
