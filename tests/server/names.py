"""The tools, in the order in which clients list them."""

from kubegap_mcp.server.topics import TOPICS

NAMES = [
    "audit_cluster",
    *(topic.tool for topic in TOPICS),
    "list_gpu_nodes",
    "explain_gap",
    "explain_throughput",
    "lookup_incident",
    "list_contexts",
]
