"""Promises about every kind that kubegap reads."""

from kubegap_mcp import demo
from kubegap_mcp.cluster import Ask
from kubegap_mcp.kube.gather.registry import records
from tests.checks.build import KINDS


def test_facts_for_tests_hold_every_kind():
    assert set(KINDS) == set(records())


async def test_the_demo_says_of_every_kind_what_there_is():
    reading = await demo.open_demo().read(Ask(kinds=frozenset(records())))

    assert {record.__name__: reading.facts.unread(record) for record in records() if reading.facts.unread(record)} == {}
