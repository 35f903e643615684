"""`kubegap serve`: MCP on stdin and stdout."""

import argparse

from kubegap_mcp.cli.settings import settings_from
from kubegap_mcp.server import serve


def run(arguments: argparse.Namespace) -> int:
    serve(settings_from(arguments))
    return 0
