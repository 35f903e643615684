"""Reading and replacing a file that belongs to someone: whole or not at all, its links, mode and owner kept."""

import os
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE, S_ISREG, S_IWGRP, S_IWOTH, S_IWUSR

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError

_BACKUP = ".kubegap-backup"
_NEW, _NEW_PRIVATE = 0o666, 0o600


def read(path: Path) -> bytes | None:
    """None where no such file is; a link that leads nowhere is no file yet. A pipe or a device might never end."""
    try:
        if not S_ISREG(path.stat().st_mode):
            raise _cannot(path, "read", "읽을", Text(en="it is no regular file", ko="일반 파일이 아님"))
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _cannot(path, "read", "읽을", _why(error)) from error


def replace(path: Path, before: bytes | None, after: bytes | None, *, private: bool) -> None:
    """The file behind a link is replaced, the link stays. Refused where the file is no longer what was shown."""
    target = _behind(path)
    _check_writable(path, target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if read(path) != before:
            raise ConfigError(
                Text(
                    en=f"{path} has changed meanwhile and was left as it is: run the command again",
                    ko=f"{path}: 그 사이 바뀌어 그대로 둠. 명령을 다시 실행한다",
                )
            )
        if after is None:
            target.unlink()
            return
        beside = target.with_name(f"{target.name}.{token_hex(4)}")
        try:
            _write(beside, after, like=target, private=private)
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise _cannot(path, "written", "쓸", _why(error)) from error


def back_up(path: Path, backup: Path, content: bytes) -> None:
    target = _behind(path)
    _check_writable(path, target)
    try:
        _write(backup, content, like=target, private=True)
    except OSError as error:
        raise _cannot(backup, "written", "쓸", _why(error)) from error


def free_backup(path: Path, content: bytes, *, again: bool) -> Path | None:
    """Where to keep the content, unless that was done; an older backup is never written over.

    `again`: also where there is a backup already, if it holds something else.
    """
    older = backups(path)
    if older and (not again or read(older[-1]) == content):
        return None
    return _numbered(path, len(older) + 1)


def backups(path: Path) -> list[Path]:
    """The oldest first."""
    found: list[Path] = []
    while (backup := _numbered(path, len(found) + 1)).exists():
        found.append(backup)
    return found


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}{_BACKUP}{f'.{number}' if number > 1 else ''}")


def _behind(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:  # links in a circle: RuntimeError before Python 3.13
        raise _cannot(path, "read", "읽을", _why(error)) from error


def _check_writable(path: Path, target: Path) -> None:
    try:
        mode = target.stat().st_mode
    except OSError:
        return
    # The bits too: for root everything is writable, and a file that someone has locked stays locked.
    if not S_ISREG(mode) or not mode & (S_IWUSR | S_IWGRP | S_IWOTH) or not os.access(target, os.W_OK):
        raise ConfigError(
            Text(
                en=f"{path} is read-only and was left as it is: make it writable, or change it by hand",
                ko=f"{path}: 읽기 전용이라 그대로 둠. 쓸 수 있게 하거나 직접 고친다",
            )
        )


def _write(path: Path, content: bytes, *, like: Path, private: bool) -> None:
    """A new file with the mode and owner of another, if that is there."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _NEW_PRIVATE if private else _NEW)
    with open(handle, "wb") as file:  # noqa: PTH123 (it is open already)
        with suppress(FileNotFoundError):
            stat = like.stat()
            if hasattr(os, "fchown"):
                with suppress(PermissionError):
                    os.fchown(handle, stat.st_uid, stat.st_gid)
            path.chmod(S_IMODE(stat.st_mode))
        file.write(content)
        file.flush()
        os.fsync(handle)


def _why(error: Exception) -> Text:
    return Text.same(str((error.strerror if isinstance(error, OSError) else None) or error))


def _cannot(path: Path, done: str, korean: str, why: Text) -> ConfigError:
    return ConfigError(
        Text(
            en=f"{path} cannot be {done} ({why.en}): correct that and run the command again",
            ko=f"{path}: {korean} 수 없음({why.ko}). 바로잡고 명령을 다시 실행한다",
        )
    )
