"""A proxy on loopback that opens tunnels, wherever they claim to go, to one server."""

import socket
import threading
from contextlib import suppress
from socketserver import StreamRequestHandler, ThreadingTCPServer
from types import TracebackType
from typing import Self


class FakeProxy:
    """`heads` are the first lines and headers of all CONNECT requests."""

    def __init__(self, to: str) -> None:
        host, _, port = to.rpartition(":")
        self.to = (host, int(port))
        self.heads: list[str] = []
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.proxy = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), name="fake proxy")

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join(5)
        self._server.server_close()


class _Server(ThreadingTCPServer):
    daemon_threads = False
    proxy: FakeProxy


class _Handler(StreamRequestHandler):
    server: _Server
    timeout = 5

    def handle(self) -> None:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = self.rfile.readline()
            if not line:
                return
            head += line
        self.server.proxy.heads.append(head.decode())
        with socket.create_connection(self.server.proxy.to, timeout=5) as onward:
            self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back = threading.Thread(target=_pump, args=(onward, self.connection))
            back.start()
            _pump(self.connection, onward)
            back.join(5)


def _pump(source: socket.socket, sink: socket.socket) -> None:
    try:
        while part := source.recv(65536):
            sink.sendall(part)
    except OSError:
        return
    finally:
        with suppress(OSError):
            sink.shutdown(socket.SHUT_WR)
