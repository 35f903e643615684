"""Answers of a metrics source as tests write them, and what becomes of them."""

from typing import Any

from kubegap_checks.facts.metrics import Measured
from kubegap_checks.facts.read import Facts, Partial, Rows, Unread
from kubegap_checks.text import Text
from kubegap_mcp.metrics.plan import plan
from kubegap_mcp.metrics.port import Answer, Series
from kubegap_mcp.metrics.rows import Answered, rows
from tests.checks.build import facts, node, pod

DOWNED = "node_infiniband_link_downed_total"
CLUSTER = facts(node("gpu-1"), node("gpu-2"), pod("train-0", "ml"))
TIMED_OUT = Unread(what=Text.same("metrics"), reason="timed_out", remedy=Text.same("wait"))
CUT = Text(en="only 50,000 series came", ko="시계열 5만 개만 받음")
WHERE = Answer(series=(Series(labels={"nodename": "gpu-2", "instance": "10.0.0.2:9100"}, points=((0, 1),)),))


def series(term: str, value: float = 1, **labels: str) -> Series:
    return Series(labels={"kubegap": term, **labels}, points=((60, value),))


def answered(record: type[Measured], names: str, *some: Series, **more: Any) -> Answered:
    made = plan(record, frozenset(names.split()), "")
    return Answered(plan=made, answers=(Answer(series=some),), **more)


def joined(record: type[Measured], told: Answered | Unread, cluster: Facts = CLUSTER, where: Answer = WHERE) -> Rows:
    return rows({record: told}, where, cluster)[record]


def whole(made: Rows) -> tuple[Any, ...]:
    assert isinstance(made, tuple), made
    return made


def part(made: Rows) -> Partial:
    assert isinstance(made, Partial), made
    return made


def lost(made: Rows) -> Unread:
    assert isinstance(made, Unread), made
    return made


def counted(name: str, **labels: str) -> Series:
    """A series that something publishes."""
    return Series(labels={"__name__": name, **labels}, points=((60, 8),))
