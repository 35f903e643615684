"""Whether the program of an entry starts and answers as an MCP server, in the environment that its client gives it."""

import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from subprocess import PIPE
from tempfile import TemporaryFile
from typing import IO, cast

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from kubegap_checks.text import Text
from kubegap_mcp.registration.forms import Entry
from kubegap_mcp.registration.places import Machine
from kubegap_mcp.registration.variables import GIVEN_BY_CODEX, HIDDEN_BY_GEMINI

START_S = 20.0  # as long as Codex is told to wait (entry.py): a busy machine takes several seconds
_LONGEST_LINE = 1 << 22
_SAID = 200
_INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "kubegap-register", "version": "1"},
}
# ${NAME}, ${NAME:-default} (Claude Code, Gemini), ${env:NAME} (Cursor, VS Code), $NAME (Gemini).
_VARIABLE = re.compile(r"\$\{(?:env:)?(\w+)(?::-([^}]*))?\}|\$(\w+)")


class BrokenError(Exception):
    def __init__(self, why: Text) -> None:
        super().__init__(why.en)
        self.why = why


async def tools(client: str, entry: Entry, machine: Machine) -> int:
    """How many tools the server lists; BrokenError where it does not."""
    command = _expanded(str(entry.get("command", "")), machine.environment)
    environment = given(client, entry, machine.environment)
    program = shutil.which(command, path=environment.get("PATH", os.defpath))
    if not program:
        raise BrokenError(Text(en=f"there is no program {command}", ko=f"{command}: 그런 프로그램이 없음"))
    words = [program, *(_expanded(str(word), machine.environment) for word in _list(entry.get("args")))]
    with TemporaryFile() as errors:
        try:
            folder = Path(str(entry.get("cwd") or machine.project))
            started = await anyio.open_process(
                words, stdin=PIPE, stdout=PIPE, stderr=errors, env=environment, cwd=folder
            )
        except OSError as error:
            why = error.strerror or str(error)
            raise BrokenError(Text(en=f"it cannot be started ({why})", ko=f"시작할 수 없음({why})")) from None
        try:
            with anyio.fail_after(START_S):
                return await _ask(started)
        except TimeoutError:
            raise BrokenError(
                Text(en=f"it did not answer within {START_S:.0f} s", ko=f"{START_S:.0f}초 안에 답하지 않음")
            ) from None
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.IncompleteRead):
            said = _last_line(errors)
            raise BrokenError(Text(en=f"it ended at once: {said}", ko=f"바로 끝남: {said}")) from None
        finally:
            if started.returncode is None:
                started.kill()
            with anyio.CancelScope(shield=True):
                await started.aclose()


def given(client: str, entry: Entry, environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that the client hands to the server."""
    names = set(environment)
    if client == "codex":
        names &= {*GIVEN_BY_CODEX, *(str(name) for name in _list(entry.get("env_vars")))}
    if client == "gemini":
        names -= {*HIDDEN_BY_GEMINI}
    own = entry.get("env")
    added = cast("dict[str, object]", own) if isinstance(own, dict) else {}
    return {name: environment[name] for name in sorted(names)} | {
        name: _expanded(str(value), environment) for name, value in added.items()
    }


async def _ask(server: Process) -> int:
    if not server.stdin or not server.stdout:
        raise AssertionError("the pipes were asked for")
    answers = BufferedByteReceiveStream(server.stdout)
    await server.stdin.send(_line("initialize", _INITIALIZE, 1))
    await _answer(answers, 1)
    await server.stdin.send(_line("notifications/initialized", {}, None) + _line("tools/list", {}, 2))
    listed = (await _answer(answers, 2)).get("tools")
    if not isinstance(listed, list) or not listed:
        raise BrokenError(Text(en="it lists no tools", ko="도구가 하나도 없음"))
    return len(cast("list[object]", listed))


def _line(method: str, params: Entry, number: int | None) -> bytes:
    message: Entry = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(message if number is None else {**message, "id": number}).encode() + b"\n"


async def _answer(answers: BufferedByteReceiveStream, number: int) -> Entry:
    while True:
        line = await answers.receive_until(b"\n", _LONGEST_LINE)
        try:
            message: object = json.loads(line)
        except ValueError:
            raise BrokenError(
                Text(en="it prints something else than MCP on its output", ko="표준 출력에 MCP가 아닌 것을 씀")
            ) from None
        if isinstance(message, dict) and cast("Entry", message).get("id") == number:
            result: object = cast("Entry", message).get("result")
            return cast("Entry", result) if isinstance(result, dict) else {}


def _expanded(text: str, environment: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda found: environment.get(found[1] or found[3]) or found[2] or "", text)


def _list(value: object) -> list[object]:
    return [*cast("list[object]", value)] if isinstance(value, list) else []


def _last_line(errors: IO[bytes]) -> str:
    errors.seek(0)
    lines = [line for line in errors.read().decode("utf-8", errors="replace").splitlines() if line.strip()]
    return "".join(letter for letter in (lines or ["-"])[-1][:_SAID] if letter.isprintable())
