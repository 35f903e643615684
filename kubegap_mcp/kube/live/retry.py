"""Asks again where the server itself says that it is only busy, within the deadline."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from kubegap_mcp.kube.live.connection import Answer, Connection, NoAnswerError, Request
from kubegap_mcp.kube.live.deadline import Deadline

_BUSY: Final = frozenset({429, 503})
_BROKEN: Final = frozenset({500, 502, 504})
_BACKOFF_S: Final = (0.2, 1.0, 3.0)  # where the server names no time
_MAX_WAIT_S: Final = 30.0


def fetch(connection: Connection, request: Request, deadline: Deadline) -> Answer:
    """The answer; a busy server is asked up to four times, a broken answer or connection twice."""
    waits = list(_BACKOFF_S)
    again = True
    while True:
        try:
            answer = connection.send(request, deadline)
        except NoAnswerError as error:
            if not again or error.cause not in {"broken", "cut"}:
                raise
            again = False
            continue
        if answer.status in _BUSY and waits:
            deadline.wait(_wait_s(answer.retry_after, waits.pop(0)))
            continue
        if answer.status in _BROKEN and again:
            again = False
            continue
        return answer


def _wait_s(retry_after: str | None, default_s: float) -> float:
    """Retry-After is a number of seconds or a date."""
    if not retry_after:
        return default_s
    value = retry_after.strip()
    if value.isascii() and value.isdigit():
        return max(float(value[:6]), 0.0)
    try:
        at = parsedate_to_datetime(value)
        seconds = (at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    except (ValueError, OverflowError, TypeError):  # a date of no calendar
        return default_s
    return min(max(seconds, 0.0), _MAX_WAIT_S)
