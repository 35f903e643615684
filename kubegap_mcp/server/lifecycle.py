"""From the first byte to the last: serves until the client hangs up or a signal comes, and leaves nothing behind."""

import logging
import os
import select
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, NoReturn

import anyio

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.server.build import build
from kubegap_mcp.server.lazy import LazyApp, Loader, load_app
from kubegap_mcp.server.logs import configure_logging

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from kubegap_mcp.settings import Settings

# Unwinding and closing take milliseconds. Where one hangs, the two together still end within a second: clients that
# asked a server to end kill it not much later, and then nothing is cleaned up.
_LONGEST_UNWINDING_S = 0.3
_LONGEST_CLOSING_S = 0.5

_leaving = threading.Lock()

_log = logging.getLogger(__name__)


def serve(settings: "Settings", load: Loader = load_app) -> NoReturn:
    """Speaks MCP on stdin and stdout; the process ends with it.

    It ends by os._exit: the SDK's reader thread blocks on stdin until the client closes it, and worker threads may
    wait for an API server; an ordinary exit would wait for both.
    """
    if sys.stdin is None or sys.stdout is None:
        raise ConfigError(
            Text(
                en="stdin or stdout is closed: serve speaks MCP on both, so let an MCP client start it",
                ko="stdin이나 stdout이 닫혀 있음. serve는 이 둘로 MCP를 주고받으므로 MCP 클라이언트가 시작하게 한다",
            )
        )
    configure_logging()
    lazy = LazyApp(settings, load)
    threading.Thread(target=_leave_on_hang_up, args=(lazy, os.dup(0)), daemon=True).start()
    code = 0
    try:
        anyio.run(_serve, build(lazy), lazy)
    except* (BrokenPipeError, KeyboardInterrupt):
        pass  # the client went away, or Ctrl+C where no signal receiver can be had
    except* Exception:  # noqa: BLE001 (the outermost handler)
        _log.exception("the server ended by a fault of kubegap itself")
        code = 1
    _leave(lazy, code)


async def _serve(server: "MCPServer[Any]", lazy: LazyApp) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(_leave_on_signal, lazy)
        await server.run_stdio_async()
        # Within the group: a signal on the way out must still find its receiver, not end the process half-way.
        _leave(lazy)


async def _leave_on_signal(lazy: LazyApp) -> None:
    """Leaves without waiting for calls to unwind: the reader thread would keep the SDK waiting until stdin ends."""
    try:
        with anyio.open_signal_receiver(*_endings()) as signals:
            async for _ in signals:
                _leave(lazy)
    except NotImplementedError:
        _log.debug("no signal receiver on this platform: the process ends with stdin, or is ended from outside")


def _endings() -> list[signal.Signals]:
    """The signals that ask to end; a terminal that closes sends SIGHUP, unless nohup told it not to."""
    names = [signal.SIGTERM, signal.SIGINT]
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        names.append(signal.SIGHUP)
    return names


def _leave_on_hang_up(lazy: LazyApp, stdin: int) -> None:
    """Backs the SDK up, which at the end of stdin waits for every thread that a call is in."""
    if sys.platform == "win32":
        return  # it has no poll: there the SDK's own way is the only one
    hang_up = select.poll()
    # A hang-up is told unasked; where stdin is a socket, as under Node, and half closed, Linux tells it when asked.
    hang_up.register(stdin, getattr(select, "POLLRDHUP", 0))
    hang_up.poll()
    time.sleep(_LONGEST_UNWINDING_S)
    _leave(lazy)


def _leave(lazy: LazyApp, code: int = 0) -> NoReturn:
    _leaving.acquire()  # for good: whoever comes second waits for the end
    alarm = threading.Timer(_LONGEST_CLOSING_S, os._exit, (code,))
    alarm.daemon = True
    alarm.start()
    try:
        lazy.close()
        logging.shutdown()
        sys.stderr.flush()
    finally:
        os._exit(code)
