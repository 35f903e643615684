"""Paths on a node that are known to be a shared filesystem's mount or the node's own NVMe."""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from kubegap_checks.model import Confidence
from kubegap_checks.signals.tables import Filled, Row, read


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPath(Row):
    """A prefix of host paths; a convention is a hint, a provider's documented mount is likely.

    `root_disk` says that software keeps its data there unless it is told of another disk.
    """

    prefix: Filled
    medium: Literal["shared_mount", "node_local"]
    product: Filled
    confidence: Confidence
    root_disk: bool = False

    def covers(self, path: str) -> bool:
        return path == self.prefix or path.startswith(self.prefix + "/")


@cache
def host_paths() -> tuple[HostPath, ...]:
    return read("host_paths.yaml", HostPath)


def host_path(path: str) -> HostPath | None:
    """The row with the longest prefix that covers the path; None where no row does."""
    covering = [row for row in host_paths() if row.covers(path.rstrip("/") or "/")]
    return max(covering, key=lambda row: len(row.prefix), default=None)
