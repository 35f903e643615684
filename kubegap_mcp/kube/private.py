"""Credential files that exist only while a connection does, in a directory that only this user can enter."""

import shutil
import tempfile
import threading
import weakref
from pathlib import Path

from kubegap_mcp.kube.deadline import DeadlineError


class PrivateFiles:
    """TLS libraries want files where a kubeconfig or a plugin gives text; `delete` is safe to call at any time."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._directory: Path | None = None
        self._delete: weakref.finalize[..., PrivateFiles] | None = None
        self._deleted = False

    def store(self, content: str) -> str:
        """The path of a new file that holds the text, readable by this user alone."""
        with self._lock:
            if self._deleted:
                raise DeadlineError
            if self._directory is None:
                self._directory = Path(tempfile.mkdtemp(prefix="kubegap-"))
                # Runs at a plain exit too, for whoever forgets to call delete.
                self._delete = weakref.finalize(self, shutil.rmtree, self._directory, ignore_errors=True)
            handle, path = tempfile.mkstemp(dir=self._directory, suffix=".pem")
            with open(handle, "w", encoding="utf-8") as file:  # noqa: PTH123 (an open descriptor)
                file.write(content)
            return path

    def delete(self) -> None:
        with self._lock:
            self._deleted = True
            if self._delete is not None:
                self._delete()
