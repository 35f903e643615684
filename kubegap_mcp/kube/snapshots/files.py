"""The files of a snapshot, one after another: a file, a folder or a .tar.gz, which is never unpacked to disk."""

import gzip
import io
import os
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePath
from shutil import copyfileobj
from stat import S_ISREG
from typing import Final

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.foreign.clean import clean
from kubegap_mcp.kube.local import is_there

_SUFFIXES: Final = frozenset({".json", ".yaml", ".yml"})
# A list of 50,000 whole pods is about 400 MB.
LARGEST: Final = 2_000_000_000
_MEMBERS: Final = 100_000
_CHUNK: Final = 1024 * 1024
_LONGEST_PATH: Final = 4096
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
    if os.path.isdir(path):  # noqa: PTH112 (Path's raises where a name is too long)
        yield from _folder(path, largest)
        return
    if not is_there(path):
        raise ConfigError(
            Text(
                en=f"there is no snapshot at {path}: give a file, a folder or a .tar.gz of `kubectl get` output",
                ko=f"{path}: 스냅샷이 없음. `kubectl get` 출력을 담은 파일이나 폴더, .tar.gz를 준다",
            )
        )
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
    for path in sorted(_wanted(folder)):
        try:
            if not S_ISREG(path.stat().st_mode):
                raise ConfigError(
                    Text(
                        en=f"{_shown(path)} is not a file that ends: leave it out",
                        ko=f"{_shown(path)}: 끝이 있는 파일이 아님. 뺀다",
                    )
                )
            found = _file(path, path.relative_to(folder), left)
        except OSError as error:
            raise _unreadable(path, error) from error
        left -= len(found.text)
        yield found


def _wanted(folder: Path) -> Iterator[Path]:
    """Links to folders are not followed. What cannot be looked into is no less than a folder that is missing."""

    def refuse(error: OSError) -> None:
        raise _unreadable(Path(error.filename or folder), error) from error

    for root, _, names in os.walk(folder, onerror=refuse):
        yield from (Path(root, name) for name in names if _is_wanted(Path(name)))


def _file(path: Path, called: PurePath, left: int) -> File:
    if path.stat().st_size > left:
        raise _too_large(path)
    return File(_shown(called), path.read_bytes(), _time(path.stat().st_mtime))


def _time(seconds: float) -> datetime:
    """The epoch for one of no calendar."""
    try:
        return datetime.fromtimestamp(max(seconds, 0), UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)


def _shown(path: PurePath) -> PurePath:
    """Whoever packed the files chose their names, and messages repeat them."""
    return PurePath(clean(str(path), _LONGEST_PATH))


def _is_wanted(path: PurePath) -> bool:
    return path.suffix.lower() in _SUFFIXES and not path.name.startswith(_APPLE_DOUBLE)


def _archive(path: Path, largest: int) -> Iterator[File]:
    """Members in their order. Their names are only looked at: nothing is written, so that no name can do harm."""
    try:
        left = largest
        with gzip.open(path) as unzipped, tarfile.open(fileobj=_Bounded(unzipped, path, largest), mode="r|") as archive:
            for number, member in enumerate(archive):
                if number == _MEMBERS:
                    raise _too_large(path)
                called = PurePath(member.name)
                if not member.isreg() or not _is_wanted(called):
                    continue
                # A sparse one says how long it is, and has nothing to unpack.
                left -= member.size
                opened = archive.extractfile(member) if left >= 0 else None
                if opened is None:
                    raise _too_large(path)
                whole = io.BytesIO()  # grows without a second copy, which tarfile's own reading makes
                copyfileobj(opened, whole, _CHUNK)
                yield File(_shown(called), whole.getvalue(), _time(member.mtime))
    except (tarfile.TarError, zlib.error, EOFError, gzip.BadGzipFile) as error:
        raise ConfigError(
            Text(
                en=f"{path} is not a whole .tar.gz ({error}): pack the folder again",
                ko=f"{path}: 온전한 .tar.gz가 아님({error}). 폴더를 다시 묶는다",
            )
        ) from error
    except (ValueError, OverflowError) as error:
        raise ConfigError(
            Text(
                en=f"{path} has a member with a broken header ({error}): pack the folder again",
                ko=f"{path}: 헤더가 깨진 항목이 있음({error}). 폴더를 다시 묶는다",
            )
        ) from error


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
    size = LARGEST // 1_000_000_000
    return ConfigError(
        Text(
            en=f"{_shown(path)} holds more than {size} GB: take the snapshot with `kubegap snapshot`, which "
            "writes only what is needed",
            ko=f"{_shown(path)}: {size} GB가 넘음. 필요한 것만 쓰는 `kubegap snapshot`으로 스냅샷을 만든다",
        )
    )


def _unreadable(path: Path, error: OSError) -> ConfigError:
    why = error.strerror or error
    return ConfigError(
        Text(
            en=f"{_shown(path)} cannot be read ({why}): check its permissions",
            ko=f"{_shown(path)}: 읽을 수 없음({why}). 권한을 확인한다",
        )
    )
