"""The port: what the rest of kubegap asks of a cluster, live or recorded; knows no client."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from kubegap_checks.facts.read import Facts, Record

# RFC 1123 label, at most 63 letters.
_NAMESPACE = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?")


def is_namespace(name: str) -> bool:
    return _NAMESPACE.fullmatch(name) is not None


Source = Literal["live", "snapshot", "demo"]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question: these kinds, of this cluster.

    `context` is an explicit choice that never falls back; None is the one in use. `namespace` says which
    namespace the person asks about: everything is still read where rights allow, and only that namespace where
    they do not. `deadline_s` bounds the whole read; `progress` is told (kinds read, kinds to read), and `early`, where
    kinds come one after the other, the facts so far: it must return at once.
    """

    kinds: frozenset[type[Record]]
    context: str | None = None
    namespace: str | None = None
    refresh: bool = False
    deadline_s: float = 30.0
    progress: Progress | None = None
    early: Callable[[Facts], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterInfo:
    """Which cluster an answer is about, and how old it is."""

    context: str
    server_version: str | None
    source: Source
    read_at: datetime
    age_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one question got: the facts, and the namespaces that were seen where it was not all of them."""

    facts: Facts
    cluster: ClusterInfo
    only_namespaces: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contexts:
    """The contexts that could be asked about, by name only; `source` says where they come from.

    `missing` is the context that would be in use and does not exist: then `in_use` is None.
    """

    names: tuple[str, ...]
    current: str | None
    in_use: str | None
    source: Literal["kubeconfig", "in_cluster", "snapshot", "demo", "none"]
    missing: str | None = None


class ClusterReader(Protocol):
    """Reads clusters and changes nothing in them."""

    async def read(self, ask: Ask) -> Reading:
        """Facts of each kind asked for; what could not be read is Unread in its place.

        Raises ConfigError or ClusterUnreachable where nothing could be asked at all.
        """
        ...

    async def contexts(self) -> Contexts: ...

    def close(self) -> None:
        """Ends child processes and deletes credential files; safe to call twice and from a signal path."""
        ...
