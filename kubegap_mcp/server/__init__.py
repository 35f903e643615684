"""kubegap as an MCP server; the only place that knows the SDK, and light to import."""

from kubegap_mcp.server.build import INSTRUCTIONS, answers, build, definitions
from kubegap_mcp.server.lazy import LazyApp
from kubegap_mcp.server.lifecycle import serve

__all__ = ["INSTRUCTIONS", "LazyApp", "answers", "build", "definitions", "serve"]
