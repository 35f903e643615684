"""What a command does around its question: settings and an app from its words, an event loop, and the end."""

import argparse
import signal
import threading
from collections.abc import Awaitable, Callable
from types import FrameType
from typing import Protocol, TypeVar

import anyio

from kubegap_mcp.app import Kubegap
from kubegap_mcp.cli.settings import settings_from

T = TypeVar("T")


class Closing(Protocol):
    def close(self) -> None: ...


def app_from(arguments: argparse.Namespace) -> Kubegap:
    return Kubegap(settings_from(arguments))


def run(asked: Closing, question: Callable[[], Awaitable[T]]) -> T:
    """Asks in a new event loop, and leaves no child or file behind."""

    async def ask() -> T:
        return await question()

    _end_as_on_interrupt()
    try:
        return anyio.run(ask)
    finally:
        asked.close()


def _end_as_on_interrupt() -> None:
    """Being ended and losing the terminal unwind as Ctrl-C does: plugins and key files go before the process."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        in_main = threading.current_thread() is threading.main_thread()
        if number is not None and in_main and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # What a script starts with & has it ignored, and asyncio then does not wait for it.
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)
