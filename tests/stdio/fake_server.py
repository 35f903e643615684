"""A server process over the fake application, for what only a process shows: how it ends, and what it leaves behind.

Arguments: a folder for the file that a call leaves there, and the fault to play: none, deaf (the call never ends),
stuck (nor can it be cancelled), stubborn (closing never ends), noisy (prints, warns and logs), broken (fails as nobody
foresaw).
"""

import logging
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any, cast

from anyio import to_thread
from server import answers
from server.fake import FakeApp

from kubegap_mcp.report.models import Answer
from kubegap_mcp.server import serve

READ = "token swordfish of https://10.1.2.3:6443"
CHILD = [sys.executable, "-c", "import time; time.sleep(60)"]


class Held(FakeApp):
    """Each call starts a child, writes a file as a credential loader would, tells stderr, and then may never end."""

    def __init__(self, folder: Path, fault: str) -> None:
        super().__init__()
        self._file = folder / "client.key"
        self._fault = fault
        self._child: subprocess.Popen[bytes] | None = None

    async def list_contexts(self, **_: Any) -> Answer:
        self._file.write_text("secret", encoding="utf-8")
        self._child = subprocess.Popen(CHILD)  # noqa: ASYNC220 (as a credential plugin is started)
        sys.stderr.write(f"child {self._child.pid}\n")
        sys.stderr.flush()
        if self._fault == "noisy":
            print("hello from a library", flush=True)  # noqa: T201
            warnings.warn("a warning of a library", stacklevel=1)
            logging.getLogger("a.library").warning("two lines\nof a \x1b[31mlibrary")
            subprocess.run(["echo", "hello from a child"], check=True)  # noqa: ASYNC221, S607
        if self._fault == "broken":
            raise ExceptionGroup(READ, [ValueError(READ)]) from OSError(READ)
        if self._fault in {"deaf", "stuck"}:
            await to_thread.run_sync(threading.Event().wait, abandon_on_cancel=self._fault == "deaf")
        return answers.CONTEXTS

    def close(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.wait()
        self._file.unlink(missing_ok=True)
        sys.stderr.write("closed\n")
        if self._fault == "stubborn":
            threading.Event().wait()


if __name__ == "__main__":
    app = Held(Path(sys.argv[1]), sys.argv[2])
    serve(app.settings, lambda _: cast("Any", app))
