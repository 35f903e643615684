"""A server process and its three streams, spoken to line by line, as a client's transport does."""

import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import PIPE
from typing import Any

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

ROOT = Path(__file__).parents[2]
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "0"},
}


def environment(home: Path) -> dict[str, str]:
    """As a client that passes little on: no kubeconfig, no proxy, the checkout's packages."""
    paths = [ROOT, ROOT / "checks", ROOT / "incident_library", ROOT / "tests"]
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LANG") if name in os.environ}
    return {**kept, "HOME": str(home), "PYTHONPATH": os.pathsep.join(map(str, paths))}


class Wire:
    def __init__(self, process: Process) -> None:
        self.process = process
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self._stdin = process.stdin
        self._stdout = BufferedByteReceiveStream(process.stdout)
        self._stderr = BufferedByteReceiveStream(process.stderr)

    async def send(self, method: str, params: dict[str, Any] | None = None, number: int | None = None) -> None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if number is not None:
            message["id"] = number
        await self._stdin.send(json.dumps(message).encode() + b"\n")

    async def receive(self) -> dict[str, Any]:
        line = await self._stdout.receive_until(b"\n", 1 << 20)
        message: dict[str, Any] = json.loads(line)
        return message

    async def ask(self, method: str, params: dict[str, Any] | None = None, number: int = 1) -> dict[str, Any]:
        await self.send(method, params, number)
        return await self.receive()

    async def shake_hands(self) -> None:
        await self.ask("initialize", INITIALIZE, 0)
        await self.send("notifications/initialized")

    async def says(self, start: str) -> str:
        """The rest of the next line on stderr that starts so."""
        while True:
            line = (await self._stderr.receive_until(b"\n", 1 << 20)).decode()
            if line.startswith(start):
                return line.removeprefix(start).strip()

    async def hang_up(self) -> None:
        await self._stdin.aclose()

    async def rest(self) -> tuple[str, str]:
        """What stdout and stderr still hold once the process has closed them."""
        return await _rest(self._stdout), await _rest(self._stderr)


async def _rest(stream: BufferedByteReceiveStream) -> str:
    parts: list[bytes] = []
    try:
        while True:
            parts.append(await stream.receive())
    except anyio.EndOfStream:
        return b"".join(parts).decode()


@asynccontextmanager
async def started(arguments: Sequence[str], home: Path, **variables: str) -> AsyncIterator[Wire]:
    command, env = [sys.executable, *arguments], environment(home) | variables
    process = await anyio.open_process(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=env, cwd=home)
    async with process:
        try:
            yield Wire(process)
        finally:
            if process.returncode is None:
                process.kill()
