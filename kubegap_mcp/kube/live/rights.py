"""Rights in some namespaces only: what was read of them, put together so that it never looks like all."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, TypeVar

from kubegap_checks.facts.read import Kind, Unread
from kubegap_mcp.kube.live import unread
from kubegap_mcp.kube.live.lists import Part
from kubegap_mcp.transport.flights import Stamped

MOST_NAMESPACES: Final = 100

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Seen(Generic[T]):
    """What was seen of one kind, from when, and of which namespaces where it is not all.

    `asked_for` is True where the person asked about just these, and all of it was read.
    """

    part: Part[T] | Unread
    read_at: datetime
    namespaces: tuple[str, ...] | None = None
    asked_for: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """Namespaces to try one by one; `total` is how many exist, None where that cannot be known."""

    names: tuple[str, ...]
    total: int | None = None

    def missing(self, kind: Kind, allowed: int) -> Unread | None:
        """What stands for the namespaces that were not read; None where all were."""
        if self.total is not None and self.total > len(self.names):
            return unread.not_all_namespaces(kind, MOST_NAMESPACES)
        return None if self.total == allowed else unread.elsewhere_forbidden(kind)


def is_forbidden(part: object) -> bool:
    return isinstance(part, Unread) and part.reason == "forbidden"


def seen_in(
    kind: Kind, scope: Scope, parts: Mapping[str, Stamped[Part[T] | Unread]], *, asked_for: bool
) -> Seen[T] | None:
    """The parts of all namespaces as one; None where every one of them was refused."""
    allowed = {name: part for name, part in parts.items() if not is_forbidden(part.value)}
    read = {name: part.value for name, part in allowed.items() if not isinstance(part.value, Unread)}
    if not allowed:
        return None
    read_at = min(part.read_at for part in allowed.values())
    holes = [part.value for part in allowed.values() if isinstance(part.value, Unread)]
    if not read:
        return Seen(holes[0], read_at)
    holes += [hole for part in read.values() for hole in part.unread]
    missing = scope.missing(kind, len(allowed))
    unseen = tuple(dict.fromkeys([missing, *holes] if missing else holes))
    return Seen(
        Part(tuple(item for part in read.values() for item in part.items), unseen),
        read_at,
        namespaces=tuple(sorted(read)) if missing else None,
        asked_for=asked_for and not holes,
    )
