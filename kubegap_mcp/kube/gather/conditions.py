"""`status.conditions` of nodes and of operators' objects -> records."""

from collections.abc import Sequence
from typing import Final

from kubegap_checks.facts.nodes import Condition
from kubegap_mcp.foreign.clean import MESSAGE, REASON, Sentences
from kubegap_mcp.kube.gather.fields import key, value, when
from kubegap_mcp.kube.gather.lenient import Losses, whole
from kubegap_mcp.kube.wire.nodes import NodeCondition

_CONDITIONS: Final = 500


def build_conditions(conditions: Sequence[NodeCondition] | None, losses: Losses) -> tuple[Condition, ...]:
    return tuple([_condition(condition) for condition in said(conditions, losses)])


def said(conditions: Sequence[NodeCondition] | None, losses: Losses) -> Sequence[NodeCondition]:
    """Those that say something, as they came: for what only looks whether one holds."""
    return whole(_CONDITIONS, conditions, ("type", "status"), losses)


_reason: Final = Sentences(REASON)
_message: Final = Sentences(MESSAGE)


def _condition(condition: NodeCondition) -> Condition:
    kind, status, reason, message = condition.type, condition.status, condition.reason, condition.message
    return Condition(
        type=key.known.get(kind) or key(kind),
        status=value.known.get(status) or value(status),
        reason=_reason.known.get(reason) or _reason(reason),
        message=_message.known.get(message) or _message(message),
        since=when(condition.last_transition_time),
        heartbeat=when(condition.last_heartbeat_time),
    )
