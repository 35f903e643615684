"""Answers that fit: the roomiest of several tellings that neither channel's readers would cut."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from kubegap_checks.text import Lang, Text
from kubegap_mcp.report.models import Answer, Note
from kubegap_mcp.report.text import render
from kubegap_mcp.report.words import cut

A = TypeVar("A", bound=Answer)

# No answer may pass 30,000 bytes in either channel: clients cut longer ones in the middle.
MOST_BYTES = 29_000

_MEANING = 160  # letters: the shortest "why" and "fix" that still say what they must

# What a question that everybody asks may cost an agent, by language: Korean takes three bytes a letter.
Budget = Mapping[Lang, int]


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

    @property
    def tight(self) -> bool:
        """Whether sentences lose their meaning in it: better than what a client cuts, worse than a long answer."""
        return self.sentence < _MEANING

    def cut(self, text: str) -> str:
        """A text that a cluster chose."""
        return cut(text, self.letters)

    def brief(self, text: str) -> str:
        """A text of the catalogue or the library."""
        return cut(text, self.sentence)


def fitted(build: Callable[[Room], A], lang: Lang, *, rows: int, least: int = 0, budget: Budget | None = None) -> A:
    """The answer with as many rows as fit, at most `rows`; where one row is too much, with less in each place.

    `least` rows stay whatever else must go: 1 where the next page starts after them. A budget is aimed at for as long
    as a row of each place still says what it is about; MOST_BYTES holds always.
    """
    aim = (budget or {}).get(lang, MOST_BYTES)
    answer = None
    for room in _rooms(max(rows, least), least):
        if answer is not None and size(answer, lang) <= (MOST_BYTES if room.tight else aim):
            break
        answer = build(room)
    assert answer is not None  # noqa: S101 (there is a first room)
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
    yield Room(rows=rows, letters=160, names=12, things=4, short=True)
    yield Room(rows=rows, letters=120, sentence=400, names=6, things=2, short=True)
    yield Room(rows=rows, letters=80, sentence=240, names=4, things=1, short=True)
    yield Room(rows=rows, letters=64, sentence=160, names=2, things=1, short=True)
    yield Room(rows=rows, letters=40, sentence=160, names=2, things=0, short=True)
    yield Room(rows=least, letters=40, sentence=120, names=2, things=1, short=True)
    yield Room(rows=least, letters=24, sentence=48, names=2, things=0, short=True)
    yield Room(rows=least, letters=12, sentence=32, names=1, things=0, short=True)
