"""Live clusters, read through the API server; importing this loads nothing heavy."""

from kubegap_mcp.kube.live.reader import LiveClusters

__all__ = ["LiveClusters"]
