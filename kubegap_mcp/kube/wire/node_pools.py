"""Karpenter's NodePools, as far as they say which nodes may be taken away."""

from kubegap_mcp.kube.wire.meta import Top, Wire


class Budget(Wire):
    nodes: str | None = None
    reasons: list[str] | None = None
    schedule: str | None = None


class Disruption(Wire):
    consolidation_policy: str | None = None
    consolidate_after: str | None = None
    budgets: list[Budget] | None = None


class NodeClassRef(Wire):
    name: str | None = None


class NodeSpec(Wire):
    node_class_ref: NodeClassRef | None = None


class NodeTemplate(Wire):
    spec: NodeSpec | None = None


class NodePoolSpec(Wire):
    template: NodeTemplate | None = None
    disruption: Disruption | None = None
    replicas: int | None = None


class NodePool(Top):
    spec: NodePoolSpec | None = None
