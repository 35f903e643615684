"""Kueue's Topology: kubernetes-sigs/kueue:apis/kueue/v1beta2."""

from kubegap_mcp.kube.wire.meta import Top, Wire


class Level(Wire):
    node_label: str | None = None


class TopologySpec(Wire):
    levels: list[Level] | None = None


class Topology(Top):
    spec: TopologySpec | None = None
