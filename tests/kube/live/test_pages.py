"""The head of a list is read without its items, and what it says is held against the list itself."""

import json
import threading

import msgspec
import pytest

from kubegap_mcp.kube.live.pages import Pages, head_of


class Page(msgspec.Struct):
    number: int
    next: str = ""


BUILT_IN = b'{"kind":"PodList","apiVersion":"v1","metadata":{"continue":"t"},"items":[{"metadata":{"name":"a"}}]}'
CUSTOM = b'{"apiVersion":"x/v1","items":[{"a":["items"],"kind":"No"}],"kind":"PodList","metadata":{"continue":"t"}}'


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(BUILT_IN, id="items last"),
        pytest.param(CUSTOM, id="items first"),
        pytest.param(json.dumps(json.loads(BUILT_IN), indent=1).encode(), id="spaces"),
        pytest.param(json.dumps(json.loads(CUSTOM), indent=1).encode(), id="items first, spaces"),
        pytest.param(b'{"metadata":{"continue":"t"},"kind":"PodList"}', id="no items"),
        pytest.param(b'{"x":{"items":1},"kind":"PodList","metadata":{"continue":"t"},"items":null}', id="other items"),
    ],
)
def test_the_head_says_kind_and_token(body: bytes):
    head = head_of(body)

    assert (head.kind, head.next) == ("PodList", "t")


@pytest.mark.parametrize("body", [b"", b"[]", b"<html>", b'{"kind":1}', b"\xff"])
def test_what_is_no_list_is_a_decode_error(body: bytes):
    with pytest.raises(msgspec.DecodeError):
        head_of(body)


def read(body: bytes) -> Page:
    return msgspec.json.decode(body, type=Page)


def test_pages_come_in_their_order_each_decoded_while_the_next_is_awaited():
    decoded = threading.Event()

    def slow(body: bytes) -> Page:
        page = read(body)
        assert page.next == "" or decoded.wait(5)
        return page

    with Pages(slow) as pages:
        pages.add(b'{"number":1,"next":"t"}', "t")
        decoded.set()  # it came back from add without having decoded that page
        pages.add(b'{"number":2}', "")
        assert [page.number for page in pages.all()] == [1, 2]


def test_a_page_that_is_not_understood_is_told_with_the_next():
    with Pages(read) as pages:
        pages.add(b"{", "t")
        with pytest.raises(msgspec.DecodeError):
            pages.add(b'{"number":2}', "")


def test_a_head_that_says_something_else_than_its_page_is_not_believed():
    with Pages(read) as pages:
        pages.add(b'{"number":1,"next":"other"}', "t")
        pages.add(b'{"number":2}', "")
        with pytest.raises(msgspec.DecodeError):
            pages.all()


def test_no_thread_stays():
    before = threading.active_count()
    with Pages(read) as pages:
        pages.add(b'{"number":1,"next":"t"}', "t")

    assert threading.active_count() == before
