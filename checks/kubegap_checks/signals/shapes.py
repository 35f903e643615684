"""What each shape of a throughput curve usually came from, and which incidents had it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from kubegap_checks.signals.tables import Filled, Part, Row, Words, read


@dataclass(frozen=True, slots=True, kw_only=True)
class Precedent(Part):
    """An incident that had the shape, and what its record says of it; `left` where its fall left some work, or none."""

    id: Filled
    because: Words
    left: Literal["", "some", "none"] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeRow(Row):
    """`id` is one of `throughput.shape.ShapeId`; `next` are facts to look at, none of them a verdict."""

    id: Filled
    name: Words
    usual: Words
    incidents: tuple[Precedent, ...]
    next: tuple[Words, ...]


@cache
def shapes() -> Mapping[str, ShapeRow]:
    return {row.id: row for row in read("shapes.yaml", ShapeRow)}
