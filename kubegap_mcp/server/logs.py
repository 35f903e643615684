"""Logging goes to stderr alone, since stdout belongs to the protocol, and as one JSON object a line."""

import json
import logging
import os
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import cast

_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


class JsonLine(logging.Formatter):
    """Whatever a message holds, line ends and control characters among it, stays within its line.

    A failure that nobody foresaw is told by its kind and the way to it: its own text may hold anything that was read.
    """

    def format(self, record: logging.LogRecord) -> str:
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": _harmless(record.getMessage()),
        }
        if record.exc_info and record.exc_info[1]:
            told["exception"] = "".join(_way(record.exc_info[1]))
        return json.dumps(told)


def _harmless(message: str) -> str:
    """Libraries repeat addresses and credentials in what they say."""
    from kubegap_mcp.foreign.clean import Names, without_credentials  # noqa: PLC0415 (only once something is logged)

    return Names().without_authority(without_credentials(message))


def _way(error: BaseException) -> Iterator[str]:
    """What led to it first, and the failures of a group after it."""
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before:
        yield from _way(before)
    yield from traceback.format_list(traceback.extract_tb(error.__traceback__))
    yield f"{type(error).__qualname__}\n"
    if isinstance(error, BaseExceptionGroup):
        for inner in cast("BaseExceptionGroup[BaseException]", error).exceptions:
            yield from _way(inner)


def configure_logging() -> None:
    """Warnings and worse, or what KUBEGAP_LOG says, but never a cluster's address.

    Comes before the SDK's own set-up, which then does nothing.
    """
    wanted = os.environ.get("KUBEGAP_LOG", "WARNING").upper()
    known = wanted in _LEVELS
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLine())
    logging.basicConfig(handlers=[handler], level=wanted if known else "WARNING")
    logging.captureWarnings(capture=True)
    for transport in ("urllib3", "kubernetes"):  # their lines name the server's address and hold its answers
        logging.getLogger(transport).setLevel("ERROR")
    if not known:
        logging.getLogger(__name__).warning("KUBEGAP_LOG must be one of %s; it is ignored", ", ".join(_LEVELS))
