"""Karpenter's NodePools -> which of their nodes may be taken away."""

from typing import Final

from kubegap_checks.facts import node_pools as facts
from kubegap_mcp.kube.gather.fields import name, texts, value
from kubegap_mcp.kube.gather.kind import gathers, keep_name
from kubegap_mcp.kube.gather.lenient import Losses, first
from kubegap_mcp.kube.wire import node_pools as wire

_BUDGETS: Final = 50  # the API allows no more


def build(pool: wire.NodePool, losses: Losses) -> facts.NodePool:
    spec = pool.spec or wire.NodePoolSpec()
    disruption = spec.disruption or wire.Disruption()
    made = (spec.template or wire.NodeTemplate()).spec or wire.NodeSpec()
    node_class = made.node_class_ref or wire.NodeClassRef()
    return facts.NodePool(
        name=name(pool.metadata.name),
        node_class=name(node_class.name),
        consolidation_policy=value(disruption.consolidation_policy),
        consolidate_after=value(disruption.consolidate_after),
        budgets=tuple(
            facts.DisruptionBudget(
                nodes=value(budget.nodes),
                reasons=texts(budget.reasons, losses),
                scheduled=budget.schedule is not None,
            )
            for budget in first(_BUDGETS, disruption.budgets, losses)
        ),
        static=spec.replicas is not None,
    )


GATHERERS: Final = (gathers(facts.NodePool, wire.NodePool, keep_name, build),)
