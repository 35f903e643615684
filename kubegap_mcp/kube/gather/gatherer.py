"""What a gatherer promises: list answers of the API server in, records out, and never a lost object in silence."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from kubegap_checks.facts.read import Record
from kubegap_mcp.foreign.clean import Names


@dataclass(frozen=True, slots=True)
class Page:
    """Records of one list answer.

    `next` is the continue token, "" at the end. `invalid` counts the objects that could not be understood, wholly
    or in part. Such an object gives no row: what was lost of it would look like what it does not have. Where it is
    not 0, the rows of the kind are Partial (`registry.not_understood`). `names` are those of the objects that are rows,
    each with its namespace.
    """

    rows: tuple[Record, ...]
    next: str = ""
    invalid: int = 0
    names: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Pruned:
    """One list answer as single JSON objects, each with only the fields that kubegap reads; `names` as of a page."""

    objects: tuple[bytes, ...]
    next: str = ""
    names: tuple[tuple[str, str], ...] = ()


class Gatherer(Protocol):
    """Objects of one kind -> records."""

    @property
    def record(self) -> type[Record]: ...

    @property
    def marks(self) -> frozenset[str]:
        """What is kept of an object; a snapshot that lacks one of these was not taken for this kubegap."""
        ...

    def page(self, body: bytes) -> Page:
        """One list answer. Raises msgspec.DecodeError (ValidationError is one) where it is not a list at all."""
        ...

    def objects(self, objects: Iterable[bytes]) -> Page:
        """Single objects, each as JSON."""
        ...

    def prune(self, body: bytes) -> Pruned:
        """One list answer, reduced for a snapshot; reading it back gives the same records."""
        ...


MakesGatherer = Callable[[Names], Gatherer]
