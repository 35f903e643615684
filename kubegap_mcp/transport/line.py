"""The socket under a request that is going on, within reach of whoever wants to end the request."""

import http.client
import socket
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse

    from kubegap_mcp.request_log import Sending


class Line:
    """The connection that one request uses, so that it can be cut from another thread."""

    def __init__(self) -> None:
        # The socket itself, since a connection lets go of it when an answer says that it is the last one.
        self.wire: socket.socket | None = None
        self.was_cut = False
        self.response: BaseHTTPResponse | None = None
        self.sending: Sending | None = None  # as the log has it, once the gate let it through

    def end(self, failed: str | None) -> None:
        """Tells the log, if the request ever went out."""
        if self.sending is not None:
            self.sending.end(self.response.tell() if self.response is not None else 0, failed)

    def cut(self) -> None:
        self.was_cut = True
        if self.wire is not None:
            try:
                # Not the TLS layer's own shutdown, which another thread may be inside of.
                socket.socket.shutdown(self.wire, socket.SHUT_RDWR)
            except OSError:
                return


WIRE: Final[ContextVar[Line | None]] = ContextVar("WIRE", default=None)

if TYPE_CHECKING:
    _HttpConnection = http.client.HTTPConnection
else:
    _HttpConnection = object


class Watched(_HttpConnection):
    """Goes in front of a urllib3 connection class, and tells the request's line which connection it got."""

    def connect(self) -> None:
        _take(self)
        super().connect()
        _take(self)

    def putrequest(self, *args: object, **more: object) -> None:
        _take(self)
        super().putrequest(*args, **more)  # type: ignore[arg-type]


def _take(connection: http.client.HTTPConnection) -> None:
    line = WIRE.get()
    if line is not None:
        wire: object = connection.sock
        line.wire = wire if isinstance(wire, socket.socket) else None
        if line.was_cut:  # before the socket was there to be shut
            raise TimeoutError
