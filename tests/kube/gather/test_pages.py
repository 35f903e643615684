"""Promises that hold for the pages of every kind."""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_mcp.kube.gather.registry import gatherers, not_understood, records
from tests.kube_objects import example_name

GATHERERS = gatherers()
RECORDS = records()
# One object of each kind with every field that is read, since what is not there cannot be broken.
WHOLE = {path.stem: json.loads(path.read_text()) for path in (Path(__file__).parent / "whole").glob("*.json")}
META = {
    "namespace": "ns",
    "labels": {"a": "b", "nfd.node.kubernetes.io/node-name": "n"},
    "annotations": {"capacity.topolvm.io/x": "1", "volume.kubernetes.io/selected-node": "n"},
    "creationTimestamp": "2026-01-01T00:00:00Z",
    "ownerReferences": [{"kind": "Job", "name": "j", "controller": True}],
}
ODD = [None, True, -1, 10**30, 1.5, "", "\u202e", "x" * 2000, [], {}, [None], {"a": None}, [[["x"]]]]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)

every_kind = pytest.mark.parametrize("record", [pytest.param(record, id=record.__name__) for record in RECORDS])


def whole(record, name="good"):
    return {"metadata": {"name": name, **META}, **WHOLE[example_name(record, RECORDS)]}


def page_of(*objects, following=""):
    return json.dumps(
        {"kind": "L", "apiVersion": "g/v9", "metadata": {"continue": following}, "items": objects}
    ).encode()


def paths(value, path=()):
    """Every place in the object."""
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from paths(inner, (*path, index))


def broken(value, path, odd):
    """The object with something odd in that place."""
    if not path:
        return odd
    if isinstance(value, dict):
        return {key: broken(inner, path[1:], odd) if key == path[0] else inner for key, inner in value.items()}
    return [broken(inner, path[1:], odd) if index == path[0] else inner for index, inner in enumerate(value)]


@every_kind
def test_the_example_is_understood_and_its_continue_token_is_given(record):
    page = GATHERERS[record].page(page_of(whole(record), following="more"))
    assert len(page.rows) == 1
    assert isinstance(page.rows[0], record)
    assert page.next == "more"
    assert not page.invalid


@every_kind
def test_no_odd_value_anywhere_loses_the_rest_of_the_page(record):
    gatherer = GATHERERS[record]
    good = gatherer.page(page_of(whole(record))).rows[0]
    example, other = whole(record), whole(record, "odd")
    for path in paths(example):
        for odd in ODD:
            page = gatherer.page(page_of(example, broken(other, path, odd)))
            assert good in page.rows, (path, odd)
            # Never lost in silence: the object is a row, or counted, or (a pod) plainly asks for nothing.
            assert len(page.rows) == 2 or page.invalid == 1 or record is Pod, (path, odd)


@every_kind
def test_an_odd_object_gives_the_same_through_a_snapshot(record):
    gatherer = GATHERERS[record]
    example = whole(record)
    for path in paths(example):
        for odd in ODD:
            body = page_of(broken(example, path, odd))
            page, again = gatherer.page(body), gatherer.objects(gatherer.prune(body).objects)
            assert (again.rows, again.invalid) == (page.rows, page.invalid), (path, odd)


@every_kind
def test_pruning_twice_changes_nothing(record):
    gatherer = GATHERERS[record]
    once = gatherer.prune(page_of(whole(record), following="more"))
    assert once.next == "more"
    (item,) = once.objects
    assert json.loads(item)["kind"] == record.KIND.name
    assert json.loads(item)["apiVersion"] == "g/v9"
    assert gatherer.prune(page_of(json.loads(item))).objects == once.objects


@every_kind
@given(value=JSON)
@settings(max_examples=30, deadline=None)
def test_no_json_at_all_breaks_a_gatherer(record, value):
    page = GATHERERS[record].page(page_of(value, {"metadata": {"name": "n"}, "spec": value, "status": value}))
    assert page.invalid <= 2


@every_kind
@pytest.mark.parametrize(
    "item",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"metadata": {}}, id="no name"),
        pytest.param({"metadata": None}, id="null metadata"),
        pytest.param({"metadata": {"name": ""}}, id="an empty name"),
        pytest.param(None, id="null"),
        pytest.param([], id="a list"),
    ],
)
def test_an_object_without_a_name_is_counted_and_never_a_row(record, item):
    page = GATHERERS[record].page(page_of(item))
    assert page.rows == ()
    assert page.invalid == 1


@every_kind
@pytest.mark.parametrize("items", [pytest.param("[]", id="empty"), pytest.param("null", id="null")])
def test_an_empty_list_is_empty(record, items):
    page = GATHERERS[record].page(b'{"items": ' + items.encode() + b"}")
    assert (page.rows, page.next, page.invalid) == ((), "", 0)


@every_kind
@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"<html>", id="a page"),
        pytest.param(b"404 page not found\n", id="plain text"),
        pytest.param(b'{"kind":"Status","status":"Failure"}', id="a status"),
        pytest.param(b'{"items":[{"metadata":{"name":"n"}}', id="half a list"),
        pytest.param(b'{"items":{}}', id="a map of items"),
        pytest.param(b"[]", id="a bare list"),
        pytest.param(b'{"items":[' + b"[" * 100_000, id="nested without end"),
        pytest.param(b'{"items":[' + b"[" * 100_000 + b"]" * 100_000 + b"]}", id="nested beyond any object"),
    ],
)
def test_what_is_not_a_list_is_an_error(record, body):
    with pytest.raises(msgspec.DecodeError):
        GATHERERS[record].page(body)
    with pytest.raises(msgspec.DecodeError):
        GATHERERS[record].prune(body)


def test_bytes_that_are_not_utf8_cost_one_object_at_most():
    body = page_of(whole(Node), whole(Node, "NAME")).replace(b"NAME", b"\xff")
    page = GATHERERS[Node].page(body)
    assert [row.name for row in page.rows] == ["good", "\ufffd"]


def test_what_could_not_be_understood_says_how_to_look_at_it():
    unread = not_understood(Node, 3)
    assert (unread.what.en, unread.reason) == ("nodes", "invalid")
    assert "Node objects (3)" in unread.remedy.en
    assert "3" in unread.remedy.ko
