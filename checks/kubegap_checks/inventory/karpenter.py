"""Which nodes Karpenter may take away under a running pod to save cost.

Not asked: drift and expiry, which follow a change or an age, and the cluster autoscaler, which goes by the share of
a node's GPUs that pods ask for, and so leaves the nodes of a run alone
(kubernetes/autoscaler:cluster-autoscaler/simulator/utilization/info.go).
"""

from collections.abc import Iterator, Mapping

from kubegap_checks.facts.controllers import PodDisruptionBudget
from kubegap_checks.facts.node_pools import DisruptionBudget, NodePool
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.shelf import Shelf
from kubegap_checks.inventory.training import TrainingRun

# kubernetes-sigs/karpenter:pkg/apis/v1/labels.go
_POOL = "karpenter.sh/nodepool"
_KEEP = "karpenter.sh/do-not-disrupt"  # `true`, or since 2026 for how long: pkg/utils/pod/scheduling.go
# kubernetes-sigs/karpenter:pkg/apis/v1/nodepool.go
_EMPTY_ONLY, _NEVER, _REASON = "WhenEmpty", "Never", "Underutilized"


class Karpenter:
    """The pools, nodes and budgets of a cluster; what could not be read is an UnreadError when it is needed."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._nodes = Shelf(facts, Node, lambda node: node.name)
        self._pools = Shelf(facts, NodePool, lambda pool: pool.name)

    def may_take(self, run: TrainingRun) -> Iterator[tuple[Pod, NodePool]]:
        """The pods of a run whose node may be taken away, and the pool that it belongs to."""
        for pod in run.pods:
            if not pod.node or _stays(pod.annotations):
                continue
            pool = self._pool(pod.node)
            if pool and _consolidates(pool) and not self._is_covered(pod):
                yield pod, pool

    def _pool(self, name: str) -> NodePool | None:
        node = self._nodes.get(name)
        if node is None or _stays(node.annotations) or _POOL not in node.labels:
            return None
        return self._pools.get(node.labels[_POOL])

    def _is_covered(self, pod: Pod) -> bool:
        """Whether a budget admits no eviction of the pod."""
        return any(
            budget.allowed == 0
            for budget in self._facts.known(PodDisruptionBudget)
            if budget.namespace == pod.namespace and budget.selector and budget.selector.matches(pod.labels)
        )


def _stays(annotations: Mapping[str, str]) -> bool:
    return annotations.get(_KEEP, "false") != "false"


def _consolidates(pool: NodePool) -> bool:
    """By the defaults of the API it does."""
    return (
        not pool.static
        and pool.consolidation_policy != _EMPTY_ONLY
        and pool.consolidate_after != _NEVER
        and not any(_forbids(budget) for budget in pool.budgets)
    )


def _forbids(budget: DisruptionBudget) -> bool:
    always = not budget.scheduled and (not budget.reasons or _REASON in budget.reasons)
    return always and budget.nodes in {"0", "0%"}
