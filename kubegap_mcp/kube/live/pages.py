"""The pages of one list: each is decoded in another thread while the next one is on its way."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from types import TracebackType
from typing import Final, Generic, Protocol, Self, TypeVar

import msgspec

from kubegap_mcp.foreign.decode import decode

_HEAD: Final = 16 * 1024  # bytes: a continue token has some hundreds
# Lists of built-in kinds have their items last. Those of custom resources have their fields in the order of names.
_ITEMS_LAST: Final = b'"items":'
_ITEMS_FIRST: Final = b'],"kind":'


class Decoded(Protocol):
    @property
    def next(self) -> str: ...


P = TypeVar("P", bound=Decoded)


class _ListMeta(msgspec.Struct, rename={"token": "continue", "remaining": "remainingItemCount"}):
    token: str | None = None
    remaining: int | None = None


class Head(msgspec.Struct):
    """What a list says beside its items."""

    kind: str = ""
    metadata: _ListMeta | None = None

    @property
    def next(self) -> str:
        return (self.metadata.token if self.metadata else None) or ""

    @property
    def is_cut(self) -> bool:
        """Whether there is more by its own count, and no way to it."""
        return not self.next and self.metadata is not None and bool(self.metadata.remaining)


def head_of(body: bytes) -> Head:
    """Read without going through the items, which takes as long as decoding them. Raises msgspec.DecodeError."""
    before, after = body.find(_ITEMS_LAST, 0, _HEAD), body.rfind(_ITEMS_FIRST, max(0, len(body) - _HEAD))
    parts = [body[:before] + b'"items":null}'] if before > 0 else []
    parts += [b"{" + body[after + 2 :]] if after > 0 else []
    for part in parts:
        with suppress(msgspec.DecodeError):  # that was some other field of this name
            head = decode(part, Head)
            if head.kind:
                return head
    return decode(body, Head)


class Pages(Generic[P]):
    """Pages in the order in which they came; at most one waits to be decoded while the next is read.

    `read` may raise msgspec.DecodeError and whatever else it does, which `add` and `all` raise.
    """

    def __init__(self, read: Callable[[bytes], P]) -> None:
        self._read = read
        self._decoded: list[P] = []
        self._expected: list[str] = []
        self._under_way: Future[P] | None = None
        self._thread: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._thread is not None:
            self._thread.shutdown()

    def __len__(self) -> int:
        return len(self._expected)

    def add(self, body: bytes, token: str) -> None:
        """A page, and the token of the next one that its head tells; the last is decoded at once."""
        self._settle()
        self._expected.append(token)
        if not token:
            self._decoded.append(self._read(body))
            return
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "decodes pages")
        self._under_way = self._thread.submit(self._read, body)

    def all(self) -> list[P]:
        """Raises msgspec.DecodeError where a page's head told something else than the page."""
        self._settle()
        if [page.next for page in self._decoded] != self._expected:
            raise msgspec.DecodeError("a list whose head is not its own")
        return self._decoded

    def _settle(self) -> None:
        if self._under_way is not None:
            self._decoded.append(self._under_way.result())
            self._under_way = None
