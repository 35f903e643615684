"""Promises about every kind that kubegap reads."""

from pathlib import Path

from kubegap_mcp import demo
from kubegap_mcp.cluster import Ask
from kubegap_mcp.kube.gather.registry import records
from tests.kube_objects import example_name

EXAMPLES = Path(__file__).parents[1] / "kube" / "gather" / "whole"


def test_no_two_kinds_are_the_same_resource():
    resources = [record.KIND.resource for record in records()]
    assert len(resources) == len(set(resources))


def test_every_kind_has_an_example_that_its_tests_break():
    assert {path.stem for path in EXAMPLES.glob("*.json")} == {example_name(record, records()) for record in records()}


async def test_the_demo_says_of_every_kind_what_there_is():
    reading = await demo.open_demo().read(Ask(kinds=frozenset(records())))

    assert {record.__name__: reading.facts.unread(record) for record in records() if reading.facts.unread(record)} == {}
