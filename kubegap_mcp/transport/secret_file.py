"""A secret that something else rotates: service account tokens change while they are in use."""

from errno import EINVAL
from pathlib import Path
from stat import S_ISREG
from typing import Final

_MOST: Final = 1024 * 1024


class SecretFile:
    """Read when it changed, and not otherwise."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int, int] | None = None
        self._text = ""

    def read(self) -> str:
        """The text without white space around it; OSError or UnicodeError where there is none."""
        found = self._path.stat()
        seen = (found.st_mtime_ns, found.st_size, found.st_ino)
        if seen != self._seen:
            # Of a file that ends: reading a pipe or a device may not.
            if not S_ISREG(found.st_mode) or found.st_size > _MOST:
                raise OSError(EINVAL, "not a file with a secret")
            self._text = self._path.read_text(encoding="utf-8").strip()
            self._seen = seen
        return self._text

    def forget(self) -> None:
        """The next read is of the file, whatever its times say."""
        self._seen = None
