"""Writes that must succeed for a cluster to keep itself running."""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from kubegap_checks.signals.tables import Filled, Row, Words, read


@dataclass(frozen=True, slots=True, kw_only=True)
class VitalWrite(Row):
    """`text` says what happens where the write is refused; `namespace` is empty for objects of the whole cluster."""

    operation: Literal["CREATE", "UPDATE"]
    group: str
    resource: Filled
    namespace: str
    text: Words


@cache
def vital_writes() -> tuple[VitalWrite, ...]:
    return read("vital_writes.yaml", VitalWrite)
