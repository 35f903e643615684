"""The files of a snapshot, one after another: a file, a folder or a .tar.gz, which is never unpacked to disk."""

import gzip
import io
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Final

from kubegap_mcp.errors import ConfigError

_SUFFIXES: Final = frozenset({".json", ".yaml", ".yml"})
# A list of 50,000 whole pods is about 400 MB.
LARGEST: Final = 2_000_000_000
_MEMBERS: Final = 100_000
_GZIP: Final = b"\x1f\x8b"
# What macOS adds to an archive for each file.
_APPLE_DOUBLE: Final = "._"


@dataclass(frozen=True, slots=True)
class File:
    path: PurePath
    text: bytes
    changed: datetime


def files(path: Path, *, largest: int = LARGEST) -> Iterator[File]:
    """Every JSON and YAML file there, by name. Raises ConfigError where there is nothing to read."""
    if path.is_dir():
        yield from _folder(path, largest)
        return
    if not path.is_file():
        raise ConfigError(f"there is no snapshot at {path}: give a file, a folder or a .tar.gz of `kubectl get` output")
    try:
        with path.open("rb") as opened:
            is_archive = opened.read(2) == _GZIP
        if is_archive:
            yield from _archive(path, largest)
            return
        yield _file(path, path, largest)
    except OSError as error:
        raise _unreadable(path, error) from error


def _folder(folder: Path, largest: int) -> Iterator[File]:
    left = largest
    try:
        paths = sorted(path for path in folder.rglob("*") if _is_wanted(path) and path.is_file())
    except OSError as error:
        raise _unreadable(folder, error) from error
    for path in paths:
        try:
            found = _file(path, path.relative_to(folder), left)
        except OSError as error:
            raise _unreadable(path, error) from error
        left -= len(found.text)
        yield found


def _file(path: Path, called: PurePath, left: int) -> File:
    if path.stat().st_size > left:
        raise _too_large(path)
    return File(called, path.read_bytes(), datetime.fromtimestamp(path.stat().st_mtime, UTC))


def _is_wanted(path: PurePath) -> bool:
    return path.suffix.lower() in _SUFFIXES and not path.name.startswith(_APPLE_DOUBLE)


def _archive(path: Path, largest: int) -> Iterator[File]:
    """Members in their order. Their names are only looked at: nothing is written, so that no name can do harm."""
    try:
        with gzip.open(path) as unzipped, tarfile.open(fileobj=_Bounded(unzipped, path, largest), mode="r|") as archive:
            for number, member in enumerate(archive):
                if number == _MEMBERS:
                    raise _too_large(path)
                called = PurePath(member.name)
                opened = archive.extractfile(member) if member.isreg() and _is_wanted(called) else None
                if opened is not None:
                    yield File(called, opened.read(), datetime.fromtimestamp(max(member.mtime, 0), UTC))
    except (tarfile.TarError, zlib.error, EOFError, gzip.BadGzipFile) as error:
        raise ConfigError(f"{path} is not a whole .tar.gz ({error}): pack the folder again") from error
    except (ValueError, OverflowError) as error:
        raise ConfigError(f"{path} has a member with a broken header ({error}): pack the folder again") from error


class _Bounded(io.RawIOBase):
    """Stops a small archive that unpacks into an endless one, whatever its members say of their size."""

    def __init__(self, of: gzip.GzipFile, path: Path, largest: int) -> None:
        super().__init__()
        self._of = of
        self._path = path
        self._left = largest

    def read(self, size: int = -1) -> bytes:
        text = self._of.read(size)
        self._left -= len(text)
        if self._left < 0:
            raise _too_large(self._path)
        return text


def _too_large(path: Path) -> ConfigError:
    return ConfigError(
        f"{path} holds more than {LARGEST // 1_000_000_000} GB: take the snapshot with `kubegap snapshot`, which "
        "writes only what is needed"
    )


def _unreadable(path: Path, error: OSError) -> ConfigError:
    return ConfigError(f"{path} cannot be read ({error.strerror or error}): check its permissions")
