"""Sessions in which a person says something, interrupts it, and goes on: over each client's interface for programs."""

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from time import monotonic
from typing import IO, Self

from agents.clients import (
    CLAUDE_CODE,
    CODEX,
    GEMINI,
    LONGEST_S,
    UNKNOWN_MODEL,
    Client,
    Machine,
    codex_options,
    end,
    kill,
)
from agents.script import Json
from agents.stand_in import Model


class Conversation(ABC):
    """Leaving the block closes the client as its own caller would."""

    client: Client

    def __init__(self, machine: Machine, model: Model) -> None:
        self._machine = machine
        self._process = machine.start(self.client, model, self.command())
        self._heard: list[Json] = []
        self._more = threading.Condition()
        self._listeners = [
            threading.Thread(target=self._listen, args=listening)
            for listening in ((self._process.stdout, True), (self._process.stderr, False))
        ]
        for listener in self._listeners:
            listener.start()

    def __enter__(self) -> Self:
        try:
            self.open()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self._process.stdin:
                self._process.stdin.close()
            self.close()
            self._process.wait(20)
        finally:
            kill(self._process)
            for listener in self._listeners:
                listener.join(5)
            end(self._process)

    @abstractmethod
    def command(self) -> list[str]: ...

    def open(self) -> None:  # noqa: B027 (most need none)
        """What comes before the first prompt."""

    @abstractmethod
    def say(self, prompt: str) -> Callable[[], object]:
        """Sends a prompt; what is returned waits for the end of the turn."""

    @abstractmethod
    def interrupt(self) -> None: ...

    def close(self) -> None:  # noqa: B027 (most need none)
        """For a client that does not end with its input."""

    def terminate(self) -> None:
        self._process.terminate()

    def send(self, message: Json) -> None:
        stdin = self._process.stdin
        assert stdin
        stdin.write(json.dumps(message).encode() + b"\n")
        stdin.flush()

    def ask(self, number: int, method: str, params: Json) -> Json:
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return self.wait_for(lambda message: message.get("id") == number and "method" not in message)

    def wait_for(self, is_it: Callable[[Json], bool], nth: int = 1) -> Json:
        ends = monotonic() + LONGEST_S
        with self._more:
            while len(found := [message for message in self._heard if is_it(message)]) < nth:
                assert self._more.wait(ends - monotonic()), "the client did not say it in time"
        return found[nth - 1]

    def _listen(self, stream: IO[bytes], keep: bool) -> None:  # noqa: FBT001 (a thread's argument)
        for line in stream:
            if keep and line.startswith(b"{"):
                with self._more:
                    self._heard.append(json.loads(line))
                    self._more.notify_all()


class WithClaudeCode(Conversation):
    client = CLAUDE_CODE
    _turns = 0

    def command(self) -> list[str]:
        streams = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        return [*self.client.program, "-p", *streams, "--allowedTools", "mcp__kubegap"]

    def say(self, prompt: str) -> Callable[[], object]:
        self.send({"type": "user", "message": {"role": "user", "content": prompt}})
        self._turns += 1
        turn = self._turns
        return lambda: self.wait_for(lambda message: message.get("type") == "result", turn)

    def interrupt(self) -> None:
        self.send({"type": "control_request", "request_id": "1", "request": {"subtype": "interrupt"}})


class WithCodex(Conversation):
    client = CODEX
    _number = 2

    def command(self) -> list[str]:
        return [*self.client.program, "app-server", *codex_options(UNKNOWN_MODEL)]

    def open(self) -> None:
        self.ask(1, "initialize", {"clientInfo": {"name": "test", "version": "0"}})
        self.send({"method": "initialized"})
        started = self.ask(2, "thread/start", {"cwd": str(self._machine.project)})
        self._thread: str = started["result"]["thread"]["id"]

    def say(self, prompt: str) -> Callable[[], object]:
        self._number += 1
        said = {"threadId": self._thread, "input": [{"type": "text", "text": prompt}]}
        turn: str = self.ask(self._number, "turn/start", said)["result"]["turn"]["id"]
        self._turn = turn
        return lambda: self.wait_for(
            lambda message: message.get("method") == "turn/completed" and message["params"]["turn"]["id"] == turn
        )

    def interrupt(self) -> None:
        self.ask(99, "turn/interrupt", {"threadId": self._thread, "turnId": self._turn})


class WithGemini(Conversation):
    client = GEMINI
    _number = 2

    def command(self) -> list[str]:
        return [*self.client.program, "--acp", "--approval-mode", "yolo", "-m", "gemini-2.5-pro"]

    def open(self) -> None:
        self.ask(1, "initialize", {"protocolVersion": 1, "clientCapabilities": {}})
        made = self.ask(2, "session/new", {"cwd": str(self._machine.project), "mcpServers": []})
        self._session: str = made["result"]["sessionId"]

    def say(self, prompt: str) -> Callable[[], object]:
        self._number = number = self._number + 1
        said = {"sessionId": self._session, "prompt": [{"type": "text", "text": prompt}]}
        self.send({"jsonrpc": "2.0", "id": number, "method": "session/prompt", "params": said})
        return lambda: self.wait_for(lambda message: message.get("id") == number and "result" in message)

    def interrupt(self) -> None:
        self.send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": self._session}})

    def close(self) -> None:
        self.terminate()


CONVERSATIONS: tuple[type[Conversation], ...] = (WithClaudeCode, WithCodex, WithGemini)
