"""Answers that fit: the roomiest of several tellings that neither channel's readers would cut."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from kubegap_checks.text import Lang, Text
from kubegap_mcp.report.models import Answer, Note
from kubegap_mcp.report.text import render
from kubegap_mcp.report.words import cut

A = TypeVar("A", bound=Answer)

# No answer may pass 30,000 bytes in either channel: clients cut longer ones in the middle.
MOST_BYTES = 29_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How much an answer may tell.

    `rows`: findings of a check, gaps, nodes, hits; `letters`: of one text that a cluster chose; `sentence`: letters
    of one text of the catalogue or the library; `things`: things that were not seen, at each place where they are
    listed; `names`: members of any other list within a row.
    """

    rows: int
    letters: int = 320
    sentence: int = 2000
    things: int = 8
    names: int = 100
    short: bool = False

    def cut(self, text: str) -> str:
        """A text that a cluster chose."""
        return cut(text, self.letters)

    def brief(self, text: str) -> str:
        """A text of the catalogue or the library."""
        return cut(text, self.sentence)


def fitted(build: Callable[[Room], A], lang: Lang, *, rows: int, least: int = 0) -> A:
    """The answer with as many rows as fit, at most `rows`; where one row is too much, with less in each place.

    `least` rows stay whatever else must go: 1 where the next page starts after them.
    """
    rooms = _rooms(max(rows, least), least)
    answer = build(next(rooms))
    while size(answer, lang) > MOST_BYTES and (room := next(rooms, None)):
        answer = build(room)
    return answer


def size(answer: Answer, lang: Lang) -> int:
    """Bytes of the larger channel: compact JSON, or the text."""
    return max(len(answer.model_dump_json(by_alias=True).encode()), len(render(answer, lang).encode()))


def shortened(room: Room, lang: Lang) -> list[Note]:
    """Says that texts and lists were cut, so that no cut is silent."""
    if not room.short:
        return []
    text = Text(
        en="long texts and lists were cut to fit; ask about less (one topic, one check, a smaller limit) to see more",
        ko="답이 너무 길어 긴 문장과 목록을 줄임. 주제나 점검 하나로 좁히거나 limit를 줄이면 더 볼 수 있음",
    )
    return [Note(kind="left_out", text=text.of(lang))]


def _rooms(rows: int, least: int) -> Iterator[Room]:
    yield Room(rows=rows)
    while rows > 1:
        rows //= 2
        yield Room(rows=rows)
    yield Room(rows=rows, letters=120, sentence=800, names=24, short=True)
    yield Room(rows=rows, letters=80, sentence=400, things=4, names=12, short=True)
    yield Room(rows=rows, letters=64, sentence=240, things=2, names=6, short=True)
    yield Room(rows=least, letters=40, sentence=120, things=1, names=4, short=True)
    yield Room(rows=least, letters=24, sentence=48, things=0, names=2, short=True)
    yield Room(rows=least, letters=12, sentence=32, things=0, names=1, short=True)
