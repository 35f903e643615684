"""What a command does around its question: settings and an app from its words, an event loop, and the end."""

import argparse
from collections.abc import Awaitable, Callable
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

    try:
        return anyio.run(ask)
    finally:
        asked.close()
