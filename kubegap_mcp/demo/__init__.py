"""The packaged demo cluster: a snapshot on which both seed incidents could happen again (scripts/make_demo.py)."""

from pathlib import Path

from kubegap_mcp.cluster import ClusterReader
from kubegap_mcp.kube.snapshots.reader import open_snapshot

FOLDER = Path(__file__).parent / "cluster"


def open_demo() -> ClusterReader:
    return open_snapshot(FOLDER, source="demo")
