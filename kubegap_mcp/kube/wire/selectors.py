"""Label selectors, and the node affinity of pods."""

import msgspec

from kubegap_mcp.kube.wire.meta import Wire


class Requirement(Wire):
    key: str | None = None
    operator: str | None = None
    values: list[str] | None = None


class LabelSelector(Wire):
    match_labels: dict[str, str] | None = None
    match_expressions: list[Requirement] | None = None


class NodeSelectorTerm(Wire):
    match_expressions: list[Requirement] | None = None
    match_fields: list[Requirement] | None = None


class NodeSelector(Wire):
    node_selector_terms: list[NodeSelectorTerm] | None = None


class NodeAffinity(Wire):
    required: NodeSelector | None = msgspec.field(default=None, name="requiredDuringSchedulingIgnoredDuringExecution")
