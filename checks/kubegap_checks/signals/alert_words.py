"""Which words of an alert's expression show what the alert is about."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from kubegap_checks.signals.conditions import conditions
from kubegap_checks.signals.tables import Filled, Row, read

About = Literal["gpu", "gpu_fault", "link_fault", "throughput"]

# Metrics, labels, and the words within label values; `!` says that a negative matcher follows.
_WORD = re.compile(r"[A-Za-z_:][A-Za-z0-9_:]*(?:\s{0,4}!)?")
_LONGEST = 200  # longer than any metric's name

_CONDITIONS: Mapping[str, About] = {"gpu_health": "gpu_fault", "ib_health": "link_fault"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertWords(Row):
    """Parts of words; alert_words.yaml says how they match."""

    about: About
    parts: tuple[Filled, ...]


@cache
def alert_words() -> tuple[AlertWords, ...]:
    return read("alert_words.yaml", AlertWords)


def known_words(text: str) -> frozenset[str]:
    """The words of an expression that say what it is about; the same again where only these are left."""
    words = {re.sub(r"\s", "", match.group()) for match in _WORD.finditer(text)}
    return frozenset(word for word in words if len(word) <= _LONGEST and about(word))


@lru_cache(maxsize=8192)
def about(word: str) -> frozenset[About]:
    """What an alert with this word is about."""
    name = word.lower().replace(":", "_")
    forms = (f"_{name}_", f"_{name.removesuffix('!')}_")  # `node_infiniband_state_id != 4` only compares
    told: set[About] = {
        row.about for row in alert_words() if any(f"_{part}_" in form for part in row.parts for form in forms)
    }
    told |= {_CONDITIONS[row.topic] for row in conditions() if row.topic in _CONDITIONS and row.type.fullmatch(word)}
    return frozenset(told)
