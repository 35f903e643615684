"""The edge of kubegap: reads clusters, runs checks, cites incidents, speaks MCP and the command line."""

__version__ = "0.1.0"
