"""The tools, in the order in which clients list them."""

NAMES = [
    "audit_cluster",
    "check_storage_tiering",
    "check_ib_health",
    "check_gpu_health",
    "list_gpu_nodes",
    "explain_gap",
    "lookup_incident",
    "list_contexts",
]
