"""Node conditions that health agents write: what they mean, which way round they read, and when they are wrong."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, cast

from kubegap_checks.facts.nodes import Condition
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.signals.tables import Filled, Regex, Row, Words, read

Topic = Literal[
    "gpu_health",
    "ib_health",
    "node",
    "operator",  # where an operator of the GPU stack stands with its work on the node
    "override",  # someone put the node back into service by hand
]
Guard = Literal[
    "compute_domain_on_node",  # a ComputeDomain has the node
]
Staleness = Literal[
    "message_is_not_boot_id",  # the message names the boot that saw the fault, and the node has booted since
]
XidPlace = Literal[
    "reason_json",  # {"63":true,"119":true}
    "reason",  # NvidiaXID79Error
    "message",  # "ErrorCode:79", "Xid (PCI:0000:9d:00): 79", "XID=79"
]

_XID_IN_REASON = re.compile(r"XID(\d+)", re.IGNORECASE)
_XID_IN_MESSAGE = re.compile(
    r"(?:\bErrorCode:|\bxids?\s*(?:\([^)]{0,40}\)\s*)?(?:error|code)?\s*[:=#]?\s*)(\d{1,4})\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FalsePositive(Row):
    """A report of this condition that is known not to be a fault.

    `reason` and `message` are searched for, both where both are given. It is a false positive only while
    none of the `unless` guards holds; a guard that could not be read leaves the question open.
    """

    id: Filled
    text: Words
    reason: Regex | None = None
    message: Regex | None = None
    confidence: Confidence = Confidence.HINT
    severity: Severity | None = None
    unless: tuple[Guard, ...] = ()

    def looks_like(self, condition: Condition) -> bool:
        return (self.reason is None or self.reason.search(condition.reason) is not None) and (
            self.message is None or self.message.search(condition.message) is not None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionSignal(Row):
    """One condition type of one agent. `type`, `reason` and `not_reason` must match in full.

    `bad_when` is the status that reports the fault: EKS writes `...Ready` conditions, where False is bad;
    everyone else writes True. Any other status, Unknown included, reports nothing.
    """

    agent: Filled
    topic: Topic
    type: Regex
    bad_when: Literal["True", "False"]
    title: Words
    severity: Severity
    confidence: Confidence
    reason: Regex | None = None
    not_reason: Regex | None = None
    false_positives: tuple[FalsePositive, ...] = ()
    clears: Words | None = None
    stale_when: tuple[Staleness, ...] = ()
    xids_in: XidPlace | None = None

    def reports(self, condition: Condition) -> bool:
        """Whether this row speaks of the condition, and the condition says that something is wrong."""
        return (
            condition.status == self.bad_when
            and self.type.fullmatch(condition.type) is not None
            and (self.reason is None or self.reason.fullmatch(condition.reason) is not None)
            and (self.not_reason is None or self.not_reason.fullmatch(condition.reason) is None)
        )

    def look_alikes(self, condition: Condition) -> tuple[FalsePositive, ...]:
        """The known false positives that this report looks like, their guards aside."""
        return tuple(known for known in self.false_positives if known.looks_like(condition))

    def is_stale(self, condition: Condition, boot_id: str) -> bool:
        """Whether the report is older than the node's last boot; False where either side does not say."""
        return (
            "message_is_not_boot_id" in self.stale_when
            and bool(condition.message and boot_id)
            and condition.message.strip() != boot_id
        )

    def xids(self, condition: Condition) -> tuple[int, ...]:
        """The Xid numbers that the report names, in order and once each."""
        if self.xids_in == "reason_json":
            return _unique(_xids_of_json(condition.reason))
        if self.xids_in == "reason":
            return _unique(int(number) for number in _XID_IN_REASON.findall(condition.reason))
        if self.xids_in == "message":
            return _unique(int(number) for number in _XID_IN_MESSAGE.findall(condition.message))
        return ()


@cache
def conditions() -> tuple[ConditionSignal, ...]:
    """All rows; the first one that reports a condition is the one that explains it."""
    return read("conditions.yaml", ConditionSignal)


def fault_in(condition: Condition) -> ConditionSignal | None:
    """The row that explains why this condition is bad; None where it is healthy, unknown or not in the table."""
    for row in _rows_of(condition.type, condition.status):
        if row.reports(condition):
            return row
    return None


@lru_cache(maxsize=4096)
def _rows_of(kind: str, status: str) -> tuple[ConditionSignal, ...]:
    """The rows of a condition type that are bad then, found once: on most nodes no condition is."""
    return tuple(row for row in conditions() if row.bad_when == status and row.type.fullmatch(kind))


def _xids_of_json(reason: str) -> list[int]:
    try:
        document: object = json.loads(reason)
    except ValueError:
        return []
    if not isinstance(document, dict):
        return []
    seen = cast("dict[str, object]", document)
    return [int(number) for number, holds in seen.items() if holds is True and number.isdecimal()]


def _unique(numbers: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(numbers))
