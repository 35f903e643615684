"""Time that blocking work may take, and a way to end that work from another thread."""

import functools
import threading
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

T = TypeVar("T")


class DeadlineError(Exception):
    """The time is over, or nobody waits for the result any more."""


class Deadline:
    """One bound for a chain of blocking calls; `abort` wakes them up from any thread.

    A watched one is aborted by someone when it is over, and may be extended until then: a call that cannot change
    its own limit any more must not take the time that is left now for all that there will be.
    """

    def __init__(self, seconds: float, *, watched: bool = False) -> None:
        self._watched = watched
        self._at = time.monotonic() + seconds
        self._over = threading.Event()
        self._stops: list[Callable[[], None]] = []
        # Re-entrant: a signal handler may abort while this very thread registers a stop.
        self._lock = threading.RLock()

    def extend(self, at: float) -> None:
        """Moves the end to `at` (monotonic seconds) if that is later."""
        self._at = max(self._at, at)

    @property
    def aborted(self) -> bool:
        return self._over.is_set()

    def left(self, at_most: float | None = None) -> float:
        """Seconds left, always above 0; DeadlineError where there are none."""
        seconds = self._at - time.monotonic()
        if seconds <= 0 or self._over.is_set():
            raise DeadlineError
        return seconds if at_most is None else min(seconds, at_most)

    def limit(self, seconds: float) -> float:
        """How long one call may block: `seconds`, and less where nobody would wake it up in time."""
        left = self.left(seconds)
        return seconds if self._watched else left

    def wait(self, seconds: float) -> None:
        """Waits, or raises at once where the time would be over by then."""
        if seconds >= self.left():
            raise DeadlineError
        if self._over.wait(seconds):
            raise DeadlineError

    def stopping(self, stop: Callable[[], None]) -> AbstractContextManager[None]:
        """While the block runs, `abort` calls `stop`, which must return at once and may be called late."""
        return self.starting(lambda: None, lambda _: stop())

    @contextmanager
    def starting(self, start: Callable[[], T], stop: Callable[[T], None]) -> Generator[T]:
        """What `start` made, which `abort` stops from its first moment on: one that comes meanwhile waits for it."""
        with self._lock:
            self.left()
            made = start()
            end = functools.partial(stop, made)
            self._stops.append(end)
        try:
            yield made
        finally:
            with self._lock:
                self._stops.remove(end)

    def abort(self) -> None:
        with self._lock:
            self._over.set()
            stops = tuple(self._stops)
        for stop in stops:
            stop()
