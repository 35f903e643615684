"""Asks again where the server itself says that it is only busy, within the deadline."""

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, Protocol, TypeVar

from kubegap_mcp.transport.deadline import Deadline
from kubegap_mcp.transport.exchange import Answer, NoAnswerError

_BUSY: Final = frozenset({429, 503})
_BROKEN: Final = frozenset({500, 502, 504})
_BACKOFF_S: Final = (0.2, 1.0, 3.0)  # where the server names no time
_MAX_WAIT_S: Final = 30.0


R_contra = TypeVar("R_contra", contravariant=True)


class Sends(Protocol[R_contra]):
    def send(self, request: R_contra, deadline: Deadline) -> Answer: ...


def _never(_: Answer) -> bool:
    return False


def fetch(
    connection: Sends[R_contra], request: R_contra, deadline: Deadline, *, settled: Callable[[Answer], bool] = _never
) -> Answer:
    """The answer; a busy server is asked up to four times, a broken answer or connection twice.

    `settled` tells of an answer that asking again would only repeat.
    """
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
        if answer.status in _BUSY and waits and not settled(answer):
            wait_s = _wait_s(answer.retry_after, waits.pop(0))
            if wait_s >= deadline.left():
                return answer  # that it is busy tells more than that time is over
            deadline.wait(wait_s)
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
