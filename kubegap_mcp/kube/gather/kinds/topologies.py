"""Topology -> the labels of its levels."""

from typing import Final

from kubegap_checks.facts import topologies as facts
from kubegap_mcp.kube.gather.fields import key, name
from kubegap_mcp.kube.gather.kind import gathers, keep_name
from kubegap_mcp.kube.gather.lenient import Losses, whole
from kubegap_mcp.kube.wire import topologies as wire

_LEVELS: Final = 50  # the API allows 16


def build(topology: wire.Topology, losses: Losses) -> facts.Topology:
    spec = topology.spec or wire.TopologySpec()
    levels = whole(_LEVELS, spec.levels, ("node_label",), losses)
    return facts.Topology(
        name=name(topology.metadata.name), levels=tuple(key(level.node_label or "") for level in levels)
    )


GATHERERS: Final = (gathers(facts.Topology, wire.Topology, keep_name, build),)
