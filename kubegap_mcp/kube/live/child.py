"""A child process that gets no input, has a time limit, and takes its own children along when it is ended."""

import os
import select
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from typing import IO, Final

from kubegap_checks.text import Text
from kubegap_mcp.transport.deadline import Deadline, DeadlineError

_MAX_OUTPUT: Final = 1024 * 1024
_DRAIN_S: Final = 0.5  # a child that goes on in the background may hold the pipe: then what came so far is taken
_LOOK_MS: Final = 50


@dataclass(frozen=True, slots=True)
class Ended:
    """What it printed, and what went wrong, as the rest of a sentence that begins with its name."""

    output: str
    complaint: str
    failed: Text | None


def run(command: list[str], environ: dict[str, str], deadline: Deadline, limit_s: float) -> Ended:
    """Raises OSError where it cannot be started, DeadlineError where nobody waits any more."""
    with deadline.starting(lambda: _start(command, environ), _kill) as process:
        output, complaint = _Reader(process.stdout), _Reader(process.stderr)
        failed: Text | None = Text(en="was stopped", ko="중단됨")
        try:
            failed = _finish(process, (output, complaint), deadline, limit_s)
        finally:
            if failed or output.open or complaint.open:
                _kill(process)
            output.close()
            complaint.close()
            process.wait()
    return Ended(output.text, complaint.text, failed)


def _finish(
    process: "subprocess.Popen[bytes]", readers: "tuple[_Reader, _Reader]", deadline: Deadline, limit_s: float
) -> Text | None:
    """What went wrong, or None."""
    try:
        code = process.wait(timeout=deadline.limit(limit_s))
        until = time.monotonic() + _DRAIN_S
        for reader in readers:
            reader.join(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        deadline.left()
        return Text(en=f"did not end within {limit_s:g} s", ko=f"{limit_s:g}초 안에 끝나지 않음")
    if deadline.aborted:
        raise DeadlineError
    if any(reader.too_much for reader in readers):
        return Text(en="printed far too much", ko="지나치게 많이 출력함")
    return Text(en=f"failed (exit code {code})", ko=f"실패함(종료 코드 {code})") if code else None


class _Reader:
    """Drains a pipe in a thread of its own, so that neither a full pipe nor an endless one stops the plugin's end."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        assert pipe is not None  # noqa: S101 (Popen was told to make it)
        self._pipe = pipe
        self._parts: list[bytes] = []
        self.too_much = False
        self._enough = threading.Event()
        self._thread = threading.Thread(target=self._drain, name="kubegap credential plugin", daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        size = 0
        while self._waited() and (part := os.read(self._pipe.fileno(), 65536)):
            size += len(part)
            self.too_much = size > _MAX_OUTPUT
            if not self.too_much:
                self._parts.append(part)

    def _waited(self) -> bool:
        """Until there is something to read; False once nobody wants more, whoever may still hold the other end."""
        if sys.platform == "win32":
            return True  # it cannot wait for a pipe and a clock at the same time
        ready = select.poll()
        ready.register(self._pipe.fileno(), select.POLLIN)
        while not self._enough.is_set():
            if ready.poll(_LOOK_MS):
                return True
        return False

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    @property
    def open(self) -> bool:
        return self._thread.is_alive()

    def close(self) -> None:
        self._enough.set()
        self._thread.join(1.0)
        # On Windows a grandchild may keep the pipe: closing it under the reader would be worse than leaving this one
        # descriptor to the daemon thread.
        if not self._thread.is_alive():
            self._pipe.close()

    @property
    def text(self) -> str:
        return b"".join(self._parts).decode(errors="replace")


def _start(command: list[str], environ: dict[str, str]) -> "subprocess.Popen[bytes]":
    flags, own_session = 0, True
    if sys.platform == "win32":
        flags, own_session = subprocess.CREATE_NEW_PROCESS_GROUP, False
    return subprocess.Popen(  # noqa: S603 (the kubeconfig's own command, without a shell)
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ,
        start_new_session=own_session,
        creationflags=flags,
    )


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Ends the plugin and its children."""
    if sys.platform == "win32":
        if process.poll() is None:
            tree = ["taskkill", "/T", "/F", "/PID", str(process.pid)]
            subprocess.run(tree, check=False, capture_output=True, stdin=subprocess.DEVNULL, timeout=5)  # noqa: S603
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
