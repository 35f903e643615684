"""The files of a kubeconfig: which ones, whether they changed, and what is in one; never written."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
import yaml

from kubegap_mcp.errors import ConfigError
from kubegap_mcp.kube.local import at_home, is_there
from kubegap_mcp.kube.wire.decode import decode

# YAML of this size takes ten seconds to read; a thousand contexts with their certificates are half of it.
_MAX_BYTES: Final = 8 * 1024 * 1024
_SAFE: Final[type[yaml.SafeLoader]] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# Text that looks like a date stays the text that it is: a kubeconfig has no dates.
_LOADER: Final = type(
    "_Loader",
    (_SAFE,),
    {
        "yaml_implicit_resolvers": {
            letter: [(tag, form) for tag, form in resolvers if tag != "tag:yaml.org,2002:timestamp"]
            for letter, resolvers in _SAFE.yaml_implicit_resolvers.items()
        }
    },
)


class Named(msgspec.Struct, frozen=True):
    name: str
    context: object = None
    cluster: object = None
    user: object = None


class KubeconfigFile(msgspec.Struct, frozen=True, rename="kebab"):
    contexts: list[Named] | None = None
    clusters: list[Named] | None = None
    users: list[Named] | None = None
    current_context: str | None = None


def paths(explicit: Path | None) -> tuple[Path, ...]:
    """The files to read: the one that was named, else KUBECONFIG's that exist, else ~/.kube/config if it exists."""
    if explicit is not None:
        if not is_there(explicit):
            raise ConfigError(f"there is no kubeconfig {explicit}: pass --kubeconfig the path of one that exists")
        return (at_home(explicit),)
    listed = [Path(item) for item in os.environ.get("KUBECONFIG", "").split(os.pathsep) if item]
    return tuple(at_home(path) for path in listed or [Path("~/.kube/config")] if is_there(path))


def no_kubeconfig() -> ConfigError:
    if os.environ.get("KUBECONFIG"):
        why = "none of the files that KUBECONFIG names exists: correct it, pass --kubeconfig PATH,"
    else:
        why = "no kubeconfig was found: pass --kubeconfig PATH or set KUBECONFIG,"
    return ConfigError(f"{why} or look around without a cluster with --demo or --snapshot PATH")


def fingerprint(files: Iterable[Path]) -> tuple[object, ...]:
    """Changes when one of the files does, so that a fresh login is seen without a restart."""
    seen: list[object] = []
    for path in files:
        try:
            stat = path.stat()
        except OSError:
            seen.append((path, None))
        else:
            seen.append((path, stat.st_mtime_ns, stat.st_size, stat.st_ino))
    return tuple(seen)


def read_file(path: Path) -> KubeconfigFile:
    # The message of a parser quotes the file, which holds credentials: only the place is told.
    try:
        text = path.read_bytes()
        if len(text) > _MAX_BYTES:
            raise ConfigError(f"kubeconfig {path} is too large to be one: pass --kubeconfig another")
        return msgspec.convert(_content(text) or {}, KubeconfigFile)
    except OSError as error:
        raise ConfigError(f"kubeconfig {path} cannot be read: allow this user to read it") from error
    except yaml.YAMLError as error:
        mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
        line = f" (line {mark.line + 1})" if mark else ""
        raise ConfigError(f"kubeconfig {path} is not valid YAML{line}: correct it or pass another") from None
    except (msgspec.ValidationError, ValueError, RecursionError) as error:  # a number or a text that Python cannot hold
        why = f" ({error})" if isinstance(error, msgspec.ValidationError) else ""
        raise ConfigError(f"kubeconfig {path} is not a kubeconfig{why}: correct it or pass another") from None


def _content(text: bytes) -> object:
    """JSON is YAML too, and is read a hundred times faster as what it is."""
    if text.lstrip()[:1] == b"{":
        with suppress(msgspec.DecodeError):
            return decode(text, object)
    return yaml.load(text, Loader=_LOADER)  # noqa: S506 (a safe one)
