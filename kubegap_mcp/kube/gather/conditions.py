"""`status.conditions` of nodes and of operators' objects -> records."""

from collections.abc import Sequence
from typing import Final

from kubegap_checks.facts.nodes import Condition
from kubegap_mcp.foreign.clean import MESSAGE, REASON, clean
from kubegap_mcp.kube.gather.fields import key, value, when
from kubegap_mcp.kube.gather.lenient import Losses, whole
from kubegap_mcp.kube.wire.nodes import NodeCondition

_CONDITIONS: Final = 500


def build_conditions(conditions: Sequence[NodeCondition] | None, losses: Losses) -> tuple[Condition, ...]:
    return tuple(_condition(condition) for condition in whole(_CONDITIONS, conditions, ("type", "status"), losses))


def _condition(condition: NodeCondition) -> Condition:
    return Condition(
        type=key(condition.type or ""),
        status=value(condition.status),
        reason=clean(condition.reason or "", REASON),
        message=clean(condition.message or "", MESSAGE),
        since=when(condition.last_transition_time),
        heartbeat=when(condition.last_heartbeat_time),
    )
