"""Checks are judged as soon as the kinds that they read are there, while larger lists are still on their way."""

import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self

from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Check


class Early:
    """Verdicts are kept with the rows that they rest on, so who judges the whole reading has them already.

    That one raises whatever a check raised here. `drawing` is held while a check runs, as by all who draw conclusions.
    """

    def __init__(self, checks: Iterable[Check], thresholds: Mapping[str, float], drawing: threading.Lock) -> None:
        self._waiting = list(checks)
        self._thresholds = thresholds
        self._drawing = drawing
        self._over = threading.Event()
        self._thread = ThreadPoolExecutor(1, "judges early")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The check that is under way goes on; no other begins."""
        self._over.set()
        self._thread.shutdown(wait=False, cancel_futures=True)

    def told(self, facts: Facts) -> None:
        """To be called each time that a kind has come, with the facts so far."""
        kinds = facts.kinds
        ready = [check for check in self._waiting if kinds.issuperset(check.reads)]
        self._waiting = [check for check in self._waiting if not kinds.issuperset(check.reads)]
        for check in ready:
            self._thread.submit(self._judge, check, facts)

    def _judge(self, check: Check, facts: Facts) -> None:
        with self._drawing:
            if not self._over.is_set():
                check.run(facts, self._thresholds)
