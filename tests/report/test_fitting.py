"""Answers are as roomy as fits, in both channels, and as tight as they must be."""

import pytest
from report.build import LANGS, LONG, fits, telling

from kubegap_mcp.report import fitting, parts
from kubegap_mcp.report.fitting import Room
from kubegap_mcp.report.models import Note, TopicAnswer


def answer(notes: int, letters: int) -> TopicAnswer:
    return TopicAnswer(
        cluster=parts.cluster_part(telling().reading),
        topic="storage_tiering",
        status="clear",
        summary="",
        counts=parts.counts([]),
        checks=[],
        unread=[],
        omitted=None,
        notes=[Note(kind="partial", text=LONG[:letters]) for _ in range(notes)],
    )


def asked(rows: int, *, letters: int = 300, least: int = 0) -> list[Room]:
    """The rooms that were tried."""
    tried: list[Room] = []

    def build(room: Room) -> TopicAnswer:
        tried.append(room)
        return answer(room.rows, min(letters, room.letters))

    fitting.fitted(build, "en", rows=rows, least=least)
    return tried


def test_what_fits_at_once_is_told_at_once():
    assert asked(5) == [Room(rows=5)]


def test_rows_go_before_letters():
    tried = asked(100)
    assert [room.rows for room in tried] == [100, 50, 25]
    assert not any(room.short for room in tried)


def test_at_least_so_many_rows_stay_whatever_else_must_go():
    def build(room: Room) -> TopicAnswer:
        tried.append(room)
        return answer(200, 300)

    tried: list[Room] = []
    fitting.fitted(build, "en", rows=0, least=1)
    assert {room.rows for room in tried} == {1}
    assert tried[-1].short


@pytest.mark.parametrize("lang", LANGS)
def test_the_larger_channel_counts(lang):
    # A backslash takes two bytes in JSON and in Markdown; a quote takes two in JSON alone, a pipe in Markdown alone.
    for letter in ("\\", '"', "*"):
        odd = answer(1, 0).model_copy(update={"notes": [Note(kind="partial", text=letter * 14_800)]})
        assert fitting.size(odd, lang) > fitting.MOST_BYTES
        assert fits(odd.model_copy(update={"notes": []}), lang)


def test_a_cut_is_never_silent():
    assert fitting.shortened(Room(rows=1), "en") == []
    (note,) = fitting.shortened(Room(rows=1, short=True), "ko")
    assert note.kind == "left_out"
