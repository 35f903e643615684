"""Rows of a metrics source, as tests of rules write them."""

from typing import Any, TypeVar

from kubegap_checks.facts.metrics import Exported, Measured

M = TypeVar("M", bound=Measured)


def measured(record: type[M], quantity: str, value: float, node: str = "", part: str = "", **fields: Any) -> M:
    return record(quantity=quantity, node=node, part=part, value=value, **fields)


def exported(quantity: str, *nodes: str) -> tuple[Exported, ...]:
    """These nodes publish the quantity now; without a node, something that is no node does."""
    return tuple(Exported(quantity=quantity, node=node, value=8) for node in nodes or ("",))
