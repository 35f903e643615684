"""Labels and annotations of pods that are placed together or not at all."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from kubegap_checks.signals.tables import Filled, Row, read

Group = Literal["volcano", "coscheduling"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GangMark(Row):
    """A key that such a pod carries; with `group` its value is the name of a PodGroup of that scheduler."""

    where: Literal["label", "annotation"]
    key: Filled
    product: Filled
    group: Group | None = None

    def in_(self, labels: Mapping[str, str], annotations: Mapping[str, str]) -> str:
        """The value; "" where the pod does not carry it."""
        return (labels if self.where == "label" else annotations).get(self.key, "")


@cache
def gangs() -> tuple[GangMark, ...]:
    return read("gangs.yaml", GangMark)
