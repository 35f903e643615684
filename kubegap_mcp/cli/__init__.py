"""The command line; the only place that knows the terminal."""

from kubegap_mcp.cli.main import main, program

__all__ = ["main", "program"]
