"""Snapshots: what `kubectl get` printed, read as a cluster and written from one."""
