"""Every request that left this process: when, method, path and outcome; never a header, a body or the server's name."""

import json
import os
import stat
import threading
import time
from collections import deque
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError

_REMEMBERED: Final = 200
_PATH: Final = 400  # letters of one that is told again; a continue token has some hundred
_MOST_BYTES: Final = 29_000  # clients cut longer pages in the middle
_STARTS: Final = b'{"time":'


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One request; `path` with its query, `bytes` of the answer's body as they came over the line.

    `status` is None where no answer came; `failed` says why there is none, or why it is not whole.
    """

    time: str
    method: str
    path: str
    status: int | None
    bytes: int
    duration_ms: int
    failed: str | None


class Sending:
    """A request under way; `end` may be called again, and then says nothing new."""

    def __init__(self, log: "RequestLog", method: str, path: str) -> None:
        self.status: int | None = None
        self._log = log
        self._method, self._path = method, path
        self._at, self._started = datetime.now(UTC), time.monotonic()

    def end(self, size: int = 0, failed: str | None = None) -> None:
        self._log.ended(self, size, failed)

    def sent(self, size: int, failed: str | None) -> Sent:
        return Sent(
            time=self._at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            method=self._method,
            path=self._path,
            status=self.status,
            bytes=size,
            duration_ms=round((time.monotonic() - self._started) * 1000),
            failed=failed,
        )


class RequestLog:
    """Remembers the last requests, and writes each to the file as one line of JSON; for many threads.

    Raises ConfigError where the file cannot be written: a trace with holes would prove nothing.
    """

    def __init__(self, file: Path | None = None) -> None:
        # Re-entrant, since close may come from a signal handler in the thread that holds it.
        self._lock = threading.RLock()
        self._under_way: set[Sending] = set()
        self._last: deque[Sent] = deque(maxlen=_REMEMBERED)
        self._total = 0
        self._file = None if file is None else _opened(file.expanduser())

    def begin(self, method: str, path: str) -> Sending:
        """To be called before the first byte goes out."""
        sending = Sending(self, method, path)
        with self._lock:
            self._under_way.add(sending)
        return sending

    def ended(self, sending: Sending, size: int, failed: str | None) -> None:
        with self._lock:
            if sending in self._under_way:
                self._under_way.discard(sending)
                self._tell(sending.sent(size, failed))

    def page(self) -> str:
        """The last ones as JSON, oldest first, as many as a client takes."""
        with self._lock:
            total, last = self._total, tuple(self._last)
        shown: list[str] = []
        room = _MOST_BYTES
        for sent in reversed(last):
            line = _line(replace(sent, path=sent.path if len(sent.path) <= _PATH else f"{sent.path[:_PATH]}…"))
            room -= len(line.encode()) + 2
            if room < 0:
                break
            shown.insert(0, line)
        requests = ",\n".join(shown)
        return f'{{"schema":1,"total":{total},"shown":{len(shown)},"requests":[\n{requests}\n]}}\n'

    def close(self) -> None:
        """Tells what is still under way as it stands, and closes the file; safe to call twice."""
        with self._lock:
            for sending in tuple(self._under_way):
                sending.end(failed="unfinished")
            if self._file is not None:
                os.close(self._file)
                self._file = None

    def _tell(self, sent: Sent) -> None:
        self._total += 1
        self._last.append(sent)
        if self._file is None:
            return
        try:
            _write(self._file, _line(sent).encode() + b"\n")
        except OSError as error:
            raise _refused(error.strerror or str(error)) from error


def _write(file: int, line: bytes) -> None:
    """The whole line, or an OSError: a disk that is nearly full takes a part of it and says nothing."""
    while line:
        line = line[os.write(file, line) :]


def _line(sent: Sent) -> str:
    return json.dumps(asdict(sent), ensure_ascii=True, separators=(",", ":"))


def _opened(file: Path) -> int:
    """Appends to a trace, or makes one that only this user can read; any other file stays as it is."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        opened = os.open(file, flags, 0o600)
        if not stat.S_ISREG(os.fstat(opened).st_mode) or os.read(opened, len(_STARTS)) not in {b"", _STARTS}:
            os.close(opened)
            raise _refused(f"{file} holds something else")
        file.chmod(0o600)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else None
        raise _refused(why or str(error)) from error
    return opened


def _refused(why: str) -> ConfigError:
    return ConfigError(
        Text(
            en=f"the trace cannot be written ({why}): give --trace a new file in a folder that you can write to",
            ko=f"추적 파일을 쓸 수 없음({why}). --trace에 쓸 수 있는 폴더의 새 파일을 준다",
        )
    )
