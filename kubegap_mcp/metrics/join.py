"""Joins what series say of themselves to nodes, pods and claims of the cluster, by comparing labels with objects."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from kubegap_mcp.metrics.plan import NODE_LABELS
from kubegap_mcp.metrics.port import Series


@dataclass(frozen=True, slots=True)
class PodName:
    namespace: str
    name: str
    container: str = ""


class Nodes:
    """Which node a series is of; exporters name it in one of several labels, or only by the address they run at."""

    def __init__(self, names: Iterable[str], told: Iterable[Series] = (), others: Iterable[Series] = ()) -> None:
        """`told` are series of node_uname_info, which say which node runs at which address.

        `others` are series in which one label may spell one host in two ways, as where a source holds two clusters:
        then only the node's very name counts.
        """
        self._names = {name.lower(): name for name in names}
        self._short = _unique((name.partition(".")[0], node) for name, node in self._names.items())
        self._spelled = _spellings(others)
        by_host: dict[str, set[str]] = {}
        for series in told:
            by_host.setdefault(_host(series.labels.get("instance", "")), set()).add(series.labels.get("nodename", ""))
        # An address at which two machines run is one of two clusters.
        alone = {host: min(names) for host, names in by_host.items() if host and len(names) == 1}
        self._hosts = {host: node for host, name in alone.items() if (node := self._named("nodename", name))}

    def of(self, labels: Mapping[str, str]) -> str:
        """The node's name; "" where no label names a node of this cluster."""
        for label in NODE_LABELS:
            if node := self._named(label, labels.get(label, "")):
                return node
        return self._hosts.get(_host(labels.get("instance", "")), "")

    def _named(self, label: str, value: str) -> str:
        value = _host(value).lower()
        if node := self._names.get(value):
            return node
        # Some exporters tell the whole host name where Kubernetes knows the node by its first part, and vice versa.
        first = value.partition(".")[0]
        if len(self._spelled.get((label, first), ())) > 1:
            return ""
        return self._names.get(first) or self._short.get(value, "")


def _spellings(some: Iterable[Series]) -> dict[tuple[str, str], set[str]]:
    """How each label spells each host, by the first part of its name."""
    found: dict[tuple[str, str], set[str]] = {}
    for series in some:
        for label in NODE_LABELS:
            if value := _host(series.labels.get(label, "")).lower():
                found.setdefault((label, value.partition(".")[0]), set()).add(value)
    return found


def _unique(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Without the keys that stand for several values."""
    found: dict[str, str | None] = {}
    for key, value in pairs:
        found[key] = None if key in found else value
    return {key: value for key, value in found.items() if value is not None}


def _host(address: str) -> str:
    """The host of `host:port`, `[v6]:port`, or of what has no port."""
    if address.startswith("["):
        return address[1:].partition("]")[0]
    return address.rpartition(":")[0] if address.count(":") == 1 else address


class Pods:
    """Which pod with accelerators a series is of."""

    def __init__(self, pods: Iterable[tuple[str, str]]) -> None:
        self._pods = frozenset(pods)

    def of(self, labels: Mapping[str, str]) -> PodName | None:
        """The pod; None where the labels name none that holds accelerators: `pod` may be the exporter's own.

        Prometheus puts `exported_` before a label of the series that the target has too (honorLabels: false).
        """
        for prefix in _PREFIXES:
            name = (labels.get(f"{prefix}namespace", ""), labels.get(f"{prefix}pod", ""))
            if name in self._pods:
                return PodName(*name, container=labels.get(f"{prefix}container", ""))
        return None


_PREFIXES: Final = ("exported_", "")
