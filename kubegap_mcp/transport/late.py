"""What is opened with its first use and closed once, from whichever thread; importing this loads nothing heavy."""

import threading
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from anyio import to_thread


class Closable(Protocol):
    def close(self) -> None: ...


C = TypeVar("C", bound=Closable)


class Late(Generic[C]):
    """`opened` makes it, in a worker thread, since importing what it needs may take half a second."""

    def __init__(self, opened: Callable[[], C]) -> None:
        self._make = opened
        # Re-entrant, since close may come from a signal handler in the thread that holds it.
        self._lock = threading.RLock()
        self._opened: C | None = None
        self._closed = False

    async def get(self) -> C:
        """Opened once for all who ask at the same time; what was closed before is opened closed."""
        opened = self._opened
        return opened if opened is not None else await to_thread.run_sync(self._open)

    def close(self) -> None:
        """May come from a signal path, and twice."""
        with self._lock:
            self._closed = True
            opened = self._opened
        if opened is not None:
            opened.close()

    def _open(self) -> C:
        with self._lock:
            opened = self._opened
            if opened is None:
                opened = self._opened = self._make()
                if self._closed:
                    opened.close()
            return opened
