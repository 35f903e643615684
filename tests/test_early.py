"""Checks are judged while lists are still on their way, and nobody can tell from the verdicts."""

import threading
from dataclasses import replace

from kubegap_checks import catalog
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Derived, Facts, Record, Rows
from kubegap_checks.model import Check, Verdict
from kubegap_mcp.early import Early
from tests.checks.build import READ_AT, facts, node, pod

WHOLE = facts(node("gpu-1"), pod("a"))
FIRST = (Node, ResourceSlice)
NODES_ALONE, OTHERS = (
    [check for check in catalog.load() if (set(check.reads) <= {*FIRST}) is alone] for alone in (True, False)
)


def rows_of(*kinds: type[Record]) -> dict[type[Record], Rows]:
    return {kind: WHOLE.known(kind) for kind in kinds}


def judged(checks: list[Check], *readings: Facts) -> list[str]:
    """The checks that ran, in their order."""
    ran: list[str] = []

    def noted(check: Check) -> Check:
        def find(seen: Facts):
            ran.append(check.id)
            yield from check.find(seen)

        return replace(check, find=find, applies=lambda _: True)

    with Early([noted(check) for check in checks], {}, threading.Lock()) as early:
        for reading in readings:
            early.told(reading)
        early._thread.shutdown()  # noqa: SLF001 (the block ends once all has run)
    return ran


def test_a_check_runs_once_all_its_kinds_are_there_and_once_only():
    nodes = Facts(rows_of(*FIRST), read_at=READ_AT)

    assert judged([*NODES_ALONE, *OTHERS], nodes, nodes) == [check.id for check in NODES_ALONE]
    assert NODES_ALONE


def test_the_verdict_on_the_whole_reading_is_the_one_that_was_drawn_early():
    derived = Derived()
    check, *_ = NODES_ALONE
    early = check.run(Facts(rows_of(*FIRST), read_at=READ_AT, derived=derived))
    late = check.run(Facts(rows_of(*WHOLE.kinds), read_at=READ_AT, derived=derived))

    assert isinstance(late, Verdict)
    assert late == early
    assert late.findings is early.findings


def test_what_a_check_raises_is_raised_to_who_judges_the_whole():
    def broken(_: Facts):
        raise RuntimeError("broken")

    check = replace(NODES_ALONE[0], find=broken, applies=lambda _: True)

    with Early([check], {}, threading.Lock()) as early:
        early.told(WHOLE)


def test_no_check_begins_once_the_reading_is_whole():
    drawing, ran = threading.Lock(), []
    check = replace(NODES_ALONE[0], applies=lambda _: bool(ran.append("ran")))

    with drawing, Early([check, check], {}, drawing) as early:
        early.told(WHOLE)
    early._thread.shutdown()  # noqa: SLF001

    assert ran == []
