"""One request and its whole answer: bounded in time and size, every failure one of a few causes."""

import errno
import http.client
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Literal

import urllib3
from urllib3.exceptions import (
    ConnectTimeoutError,
    DecodeError,
    HTTPError,
    NameResolutionError,
    NewConnectionError,
    ProtocolError,
    ProxyError,
    ReadTimeoutError,
    SSLError,
)

from kubegap_mcp.transport.deadline import Deadline, DeadlineError
from kubegap_mcp.transport.line import WIRE, Line

CONNECT_S: Final = 5.0
_CHUNK: Final = 1024 * 1024  # most of what may have come while another thread had the processor

Cause = Literal["name", "refused", "tls", "timed_out", "proxy", "broken", "cut", "too_large"]


class NoAnswerError(Exception):
    """A request that got no whole answer, and why."""

    def __init__(self, cause: Cause) -> None:
        super().__init__(cause)
        self.cause: Cause = cause


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes
    retry_after: str | None = None
    date: str | None = None  # by the server's clock


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long one answer may take, and how many bytes it may have once it is unpacked."""

    seconds: float
    size: int


def exchange(
    manager: urllib3.PoolManager,
    url: str,
    headers: Mapping[str, str],
    bounds: Bounds,
    deadline: Deadline,
    body: bytes | None = None,
) -> Answer:
    """GET, or POST where there is a body; raises NoAnswerError or DeadlineError."""
    seconds = deadline.limit(bounds.seconds)
    with _line(deadline) as line:
        response = manager.urlopen(
            "GET" if body is None else "POST",
            url,
            body=body,
            headers=headers,
            timeout=urllib3.Timeout(connect=min(CONNECT_S, seconds), read=seconds),
            preload_content=False,
        )
        line.response = response
        read = _read(response, deadline, time.monotonic() + seconds, bounds.size)
    return Answer(response.status, read, response.headers.get("Retry-After"), response.headers.get("Date"))


@contextmanager
def _line(deadline: Deadline) -> Generator[Line]:
    """The line of one request, cut when time is over; raises NoAnswerError, and tells the log how it ended."""
    line = Line()
    token = WIRE.set(line)
    failed: str | None = "given_up"
    try:
        with deadline.stopping(line.cut):
            yield line
        failed = None
    except NoAnswerError as error:
        failed = error.cause
        raise
    except (HTTPError, OSError, http.client.HTTPException) as error:
        deadline.left()
        failed = _cause(error)
        raise NoAnswerError(failed) from error
    finally:
        WIRE.reset(token)
        line.end(failed)


def _read(response: urllib3.BaseHTTPResponse, deadline: Deadline, until: float, most: int) -> bytes:
    """The body, in pieces, so that a server that drips cannot outlive the deadline."""
    parts: list[bytes] = []
    size = 0
    whole = False
    try:
        while True:
            deadline.left()
            if time.monotonic() > until:
                raise NoAnswerError("timed_out")
            part = response.read1(_CHUNK)
            if not part:
                break
            parts.append(part)
            size += len(part)
            if size > most:
                raise NoAnswerError("too_large")
        if deadline.aborted:
            raise DeadlineError  # a line that was cut looks like the end of an answer that has no length
        whole = True
    finally:
        if whole:
            response.release_conn()
        else:
            response.close()
    return b"".join(parts)


def _cause(error: Exception) -> Cause:
    causes: tuple[tuple[type[Exception], Cause], ...] = (
        (NameResolutionError, "name"),
        (NewConnectionError, "refused"),  # a kind of ConnectTimeoutError to urllib3
        (ConnectTimeoutError, "timed_out"),
        (ReadTimeoutError, "timed_out"),
        (ProxyError, "proxy"),
        (SSLError, "tls"),
        (DecodeError, "cut"),
    )
    for kind, cause in causes:
        if isinstance(error, kind):
            return cause
    inner = error.args[-1] if error.args else None
    if isinstance(error, ProtocolError) and isinstance(inner, http.client.IncompleteRead):
        return "cut"
    if isinstance(error, OSError) and error.errno == errno.ETIMEDOUT:
        return "timed_out"
    return "broken"
