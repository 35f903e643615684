"""Reads a Kubernetes cluster, live or from a snapshot, and changes nothing in it."""
