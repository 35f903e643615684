"""What a check does grows with the cluster, not with its square: 5,000 nodes are asked about as 50 are."""

import sys
from collections.abc import Callable
from functools import cache
from types import FrameType
from typing import Any

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Record
from kubegap_checks.inventory.readiness import gpu_nodes
from kubegap_checks.model import Check
from tests.whole_clusters.test_any_rights import CHECKS, read

FEW, TIMES = 3, 4
MOST = 8  # as often as a linear one calls a function that sorts; a square would be 16


def copied(row: Record, number: int) -> Record:
    """The row with its name, its node and its run those of another part of the cluster."""
    names = {"name", "node"}.intersection(row.__struct_fields__)
    changed: dict[str, Any] = {name: f"{getattr(row, name)}-{number}" for name in names if getattr(row, name)}
    if isinstance(row, Pod):
        changed["run"] = replace(row.run, name=f"{row.run.name}-{number}")
    return replace(row, **changed)


@cache
def multiplied(cluster: str, times: int) -> Facts:
    facts = read(cluster)
    kinds = {
        kind: facts.known(kind)
        if not (kind in {Node, Pod} or "node" in kind.__struct_fields__)
        else tuple(copied(row, number) for number in range(times) for row in facts.known(kind))
        for kind in facts.kinds
    }
    return Facts(kinds, read_at=facts.read_at)


def calls(work: Callable[[], object]) -> int:
    """How many functions of ours and of others are called, the same on every machine."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def of(facts: Facts) -> Facts:
    """Another reading, from which nothing is derived yet."""
    rows = {kind: tuple(replace(row) for row in facts.known(kind)) for kind in facts.kinds}
    return Facts(rows, read_at=facts.read_at)


@pytest.mark.parametrize("cluster", ["eks", "on_prem"])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_a_check_calls_no_more_than_so_many_functions_more(check: Check, cluster: str):
    few, many = multiplied(cluster, FEW), multiplied(cluster, FEW * TIMES)
    check.run(of(few))  # tables are read once

    assert calls(lambda: check.run(of(many))) < MOST * calls(lambda: check.run(of(few)))


def test_so_does_the_list_of_nodes():
    few, many = multiplied("eks", FEW), multiplied("eks", FEW * TIMES)
    gpu_nodes(of(few))

    assert calls(lambda: gpu_nodes(of(many))) < MOST * calls(lambda: gpu_nodes(of(few)))
