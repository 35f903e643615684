"""Cursors go on after the last row shown, whatever was read in between, and in their own list only."""

import base64

import pytest

from kubegap_mcp.errors import ConfigError
from kubegap_mcp.report.paging import Key, page

NAMES = [f"gpu-{number:03}" for number in range(10)]
MOST_LETTERS = 500  # of an argument


def key(name: str) -> Key:
    return (len(name), name)


def pages(rows: list[str], limit: int) -> list[list[str]]:
    found: list[list[str]] = []
    cursor = None
    while not found or cursor:
        shown = page(rows, key, of="nodes", cursor=cursor, limit=limit)
        found.append(list(shown.rows))
        cursor = shown.next_cursor
    return found


@pytest.mark.parametrize("limit", [1, 3, 5, 9, 10, 11])
def test_pages_hold_every_row_once_and_in_order(limit):
    found = pages(NAMES[::-1], limit)
    assert [name for rows in found for name in rows] == NAMES
    assert all(len(rows) == limit for rows in found[:-1])


def test_the_last_page_has_no_cursor():
    assert page(NAMES, key, of="nodes", cursor=None, limit=10).next_cursor is None
    assert page([], key, of="nodes", cursor=None, limit=10).next_cursor is None


def test_a_cursor_survives_a_row_that_went_and_a_row_that_came():
    first = page(NAMES, key, of="nodes", cursor=None, limit=3)
    changed = [name for name in NAMES if name not in ("gpu-001", "gpu-002", "gpu-005")] + ["gpu-010"]
    after = page(changed, key, of="nodes", cursor=first.next_cursor, limit=100)
    assert list(after.rows) == ["gpu-003", "gpu-004", *NAMES[6:], "gpu-010"]


@pytest.mark.parametrize(
    "cursor",
    [
        pytest.param("rubbish", id="not a cursor"),
        pytest.param("!!!", id="not base64"),
        pytest.param("가", id="not ASCII"),
        pytest.param(base64.urlsafe_b64encode(b"{}").decode(), id="an object"),
        pytest.param(base64.urlsafe_b64encode(b"[]").decode(), id="an empty key"),
        pytest.param(base64.urlsafe_b64encode(b'["nodes",[1]]').decode(), id="a nested key"),
        pytest.param(base64.urlsafe_b64encode(b'["nodes",1.5,"x"]').decode(), id="a number with a point"),
        pytest.param(base64.urlsafe_b64encode(b'["nodes","x",1]').decode(), id="words where numbers are"),
        pytest.param(base64.urlsafe_b64encode(b"[" * 100_000).decode(), id="endlessly nested"),
        pytest.param(base64.urlsafe_b64encode(b"\xff\xfe").decode(), id="not UTF-8"),
        pytest.param(
            page(NAMES, key, of="storage_tiering.some_rule", cursor=None, limit=1).next_cursor, id="another list's"
        ),
    ],
)
def test_a_foreign_cursor_is_refused_with_the_next_step(cursor):
    with pytest.raises(ConfigError, match="ask again without it"):
        page(NAMES, key, of="nodes", cursor=cursor, limit=3)


@pytest.mark.parametrize("letter", ["a", "가", "\ud800"], ids=["ASCII", "Hangul", "a lone surrogate"])
def test_long_words_page_as_well_and_their_cursor_is_short_enough_to_be_an_argument(letter):
    rows = [f"{letter * 300}{number}" for number in range(5)]
    found: list[str] = []
    cursor = None
    for _ in rows:
        shown = page(rows, lambda row: (-3, -2, row, row), of="x" * 300, cursor=cursor, limit=1)
        found += shown.rows
        cursor = shown.next_cursor
        assert len(cursor or "") <= MOST_LETTERS
    assert sorted(found) == rows
    assert cursor is None
