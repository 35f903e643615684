"""Servers on loopback that clients under test talk to in place of the world."""

import json
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self, cast

from agents.script import Form, Json, Turn


class _Loopback:
    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._server = _Server(("127.0.0.1", 0), handler)
        self._server.owner = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name=type(self).__name__)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join(5)
        self._server.server_close()


class Model(_Loopback):
    """Plays the turns in order, whatever it is asked; `requests` has what it was sent before each."""

    def __init__(self, form: Form, turns: Sequence[Turn]) -> None:
        super().__init__(_ModelHandler)
        self.form = form
        self.turns = turns
        self.requests: list[Json] = []

    def answer(self, path: str, body: Json) -> bytes:
        if not self.form.is_turn(path, body):
            return self.form.reply((), 0)
        self.requests.append(body)
        number = self.form.taken(body)
        return self.form.reply(self.turns[number] if number < len(self.turns) else (), number)

    def shown(self) -> dict[str, str]:
        """What came back from every call, as the last request has it."""
        return self.form.shown(self.requests[-1])

    def tools(self) -> dict[str, Json]:
        """Our tools as any of the requests defines them."""
        return {name: tool for body in self.requests for name, tool in self.form.tools(body).items()}


class World(_Loopback):
    """The proxy for everything else: it refuses, and remembers who was to be asked."""

    def __init__(self) -> None:
        super().__init__(_WorldHandler)
        self.asked: list[str] = []


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    owner: _Loopback


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
        pass

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _say(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _ModelHandler(_Handler):
    def do_POST(self) -> None:
        model = cast("Model", cast("_Server", self.server).owner)
        self._say(200, model.answer(self.path.partition("?")[0], json.loads(self._body())))

    def do_GET(self) -> None:
        self._say(404)

    do_HEAD = do_GET  # noqa: N815 (the base class's names)


class _WorldHandler(_Handler):
    def do_CONNECT(self) -> None:
        self._body()
        cast("World", cast("_Server", self.server).owner).asked.append(self.path)
        self._say(403)

    do_GET = do_POST = do_HEAD = do_CONNECT  # noqa: N815 (the base class's names)
