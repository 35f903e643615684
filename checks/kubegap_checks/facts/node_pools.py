"""What makes nodes, replaces them and takes them away."""

from typing import ClassVar

from msgspec import Struct

from kubegap_checks.facts.read import Kind, Record


class DisruptionBudget(Struct, frozen=True, kw_only=True):
    """How many nodes, a number or a percentage as text, may be taken away at once for these reasons; none means all.

    One that is `scheduled` holds at times only.
    """

    nodes: str
    reasons: tuple[str, ...] = ()
    scheduled: bool = False


class NodePool(Record, frozen=True, kw_only=True):
    """Of Karpenter; a pool that is `static` keeps its number of nodes and is never consolidated.

    kubernetes-sigs/karpenter:pkg/apis/v1/nodepool.go
    """

    KIND: ClassVar[Kind] = Kind(name="NodePool", plural="nodepools", group="karpenter.sh", versions=("v1", "v1beta1"))

    name: str
    node_class: str = ""
    consolidation_policy: str = ""
    consolidate_after: str = ""
    budgets: tuple[DisruptionBudget, ...] = ()
    static: bool = False
