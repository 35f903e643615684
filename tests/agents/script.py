"""What a stand-in for a model says, turn by turn, and what it was sent before each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ask:
    """A call of one of kubegap's tools."""

    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Own:
    """A call of one of the client's own tools: the block or item of its API, but for the number of the call."""

    block: Json


Turn = Sequence[Ask | Own]


class Form(Protocol):
    """How one vendor's API writes all this."""

    def is_turn(self, path: str, body: Json) -> bool:
        """Whether the request is the conversation's, not one of the client's side errands."""
        ...

    def taken(self, body: Json) -> int:
        """How many turns with calls the model has taken so far, as the request repeats them."""
        ...

    def reply(self, turn: Turn, number: int) -> bytes:
        """The turn as a stream of events; without calls, the last word."""
        ...

    def tools(self, body: Json) -> dict[str, Json]:
        """Our tools as the request defines them, by their names at kubegap."""
        ...

    def told(self, body: Json) -> str:
        """All that the model reads, kubegap's tools aside: where the instructions must be."""
        ...

    def shown(self, body: Json) -> dict[str, str]:
        """What came back from each call, word for word, by the number of the call."""
        ...


def number_of(turn: int, place: int) -> str:
    return f"call_{turn}_{place}"
