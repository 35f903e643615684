"""Credential files that exist only while a connection does, in a directory that only this user can enter."""

import shutil
import tempfile
import threading
import weakref
from pathlib import Path

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.transport.deadline import DeadlineError


class PrivateFiles:
    """TLS libraries want files where a kubeconfig or a plugin gives text; `delete` is safe to call at any time."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._directory: Path | None = None
        self._delete: weakref.finalize[..., PrivateFiles] | None = None
        self._deleted = False

    def store(self, content: str) -> str:
        """The path of a new file that holds the text, readable by this user alone."""
        try:
            return self._store(content)
        except OSError as error:
            why = error.strerror or error
            raise ConfigError(
                Text(
                    en=f"a client certificate cannot be kept in a private file ({why}): let TMPDIR name a folder that "
                    "this user can write to",
                    ko=f"클라이언트 인증서를 임시 파일로 둘 수 없음({why}). 쓸 수 있는 폴더를 TMPDIR에 지정한다",
                )
            ) from error

    def _store(self, content: str) -> str:
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
