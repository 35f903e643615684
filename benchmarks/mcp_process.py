"""An MCP server as its clients have it: a process, one JSON message a line, and what it costs. Linux only (/proc)."""

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_VERSION: Final = "2025-06-18"

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: seconds until its answer, processor seconds of the server, bytes of the answer's channels."""

    wall: float
    cpu: float
    structured: int
    text: int

    @property
    def size(self) -> int:
        """Bytes of the larger channel: clients show a model one of the two."""
        return max(self.structured, self.text)


class McpProcess:
    """Started, greeted, and asked; a tool that answers with an error raises RuntimeError."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(  # noqa: S603 (the program under test)
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(environment)
        )
        self._last = 0

    def __enter__(self) -> Self:
        client = {"name": "benchmark", "version": "0"}
        self._send("initialize", {"protocolVersion": _VERSION, "capabilities": {}, "clientInfo": client})
        self._answer()
        self._write({"method": "notifications/initialized"})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin  # noqa: S101
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def ask(self, tool: str, **arguments: Any) -> Asked:
        return self.ask_together([(tool, arguments)])

    def ask_together(self, questions: Sequence[tuple[str, Json]]) -> Asked:
        """All of them at once: seconds until the last answer, and the largest of the answers."""
        before, started = self.cpu, time.perf_counter()
        for tool, arguments in questions:
            self._send("tools/call", {"name": tool, "arguments": arguments})
        answers = [self._answer() for _ in questions]
        wall, cpu = time.perf_counter() - started, self.cpu - before
        for answer in answers:
            if answer.get("isError"):
                raise RuntimeError(answer["content"])
        structured = max(_bytes(answer.get("structuredContent")) for answer in answers)
        text = max(sum(len(part.get("text", "").encode()) for part in answer["content"]) for answer in answers)
        return Asked(wall, cpu, structured, text)

    @property
    def cpu(self) -> float:
        """Processor seconds so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    @property
    def peak(self) -> int:
        """Bytes of memory at the most."""
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024

    def _send(self, method: str, params: Json) -> None:
        self._last += 1
        self._write({"id": self._last, "method": method, "params": params})

    def _write(self, message: Json) -> None:
        assert self._process.stdin  # noqa: S101
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def _answer(self) -> Json:
        """The next answer to a request; notifications are passed over."""
        assert self._process.stdout  # noqa: S101
        for line in self._process.stdout:
            message = json.loads(line)
            if "id" in message and "method" not in message:
                if "error" in message:
                    raise RuntimeError(message["error"])
                return message["result"]
        raise RuntimeError("the server ended")


def _bytes(content: Any) -> int:
    return 0 if content is None else len(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode())
