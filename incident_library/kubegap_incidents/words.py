"""Text in either language becomes the terms that search compares: stems of Latin words, pairs of Hangul letters."""

import re
import unicodedata
from typing import NamedTuple

_RUN = re.compile(r"[a-z0-9]+|[가-힣](?:\s*[가-힣])*")
_WORD = re.compile(r"[a-z0-9]+|[가-힣]+")

# They say nothing about an incident, and would make every record a hit.
_EMPTY = frozenset(
    _WORD.findall(
        "a about after all am an and any are as at be been before but by can did do does for few from get gets had "
        "has have how i if in into is it its me my no not of on or our out over so some than that the their them "
        "then there these they this to too up was we were what when where which while who why will with you your "
        "것 그 그냥 그리고 근데 더 때 때문에 또 무슨 몇 수 안 어디 어떤 어떻게 언제 왜 이 이런 있나요 있는 "
        "있어요 있었나요 저 좀 중 했나요"
    )
)
_ENDINGS = ("ings", "ing", "ions", "ion", "ed", "es", "s", "e")
_SHORTEST = 3  # letters of a stem


class Word(NamedTuple):
    """A word of a query as typed, and the terms that stand for it."""

    typed: str
    terms: tuple[str, ...]


def terms(text: str) -> list[str]:
    """All terms of a record's text; Hangul pairs reach across spaces, so that spacing does not matter."""
    found = list[str]()
    for run in _RUN.findall(_normal(text)):
        if run[0] < "가":
            if run not in _EMPTY:
                found.append(_stem(run))
        else:
            found += _pairs("".join(run.split()))
    return found


def query(text: str) -> list[Word]:
    """The words of a query that say something; Hangul pairs stay within the word as it was typed."""
    words = dict[str, Word]()
    for typed in _WORD.findall(_normal(text)):
        if typed not in _EMPTY:
            words.setdefault(typed, Word(typed, (_stem(typed),) if typed[0] < "가" else tuple(_pairs(typed))))
    return [word for word in words.values() if word.terms]


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _pairs(hangul: str) -> list[str]:
    # Particles and endings cost a pair or two and leave the rest of the word as it is.
    return [hangul[i : i + 2] for i in range(len(hangul) - 1)]


def _stem(word: str) -> str:
    """Enough that drops, dropped and dropping meet; it need not be a word."""
    if not word.isalpha() or word.endswith("ss"):
        return word
    stem = next((word.removesuffix(end) for end in _ENDINGS if word.endswith(end)), word)
    if len(stem) < _SHORTEST:
        return word
    return stem[:-1] if stem[-1] == stem[-2] and len(stem) > _SHORTEST else stem
