"""The files of a kubeconfig: which ones, whether they changed, and what is in one; never written."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
import yaml

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.foreign.decode import decode
from kubegap_mcp.kube.local import at_home, is_there

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
            raise ConfigError(
                Text(
                    en=f"there is no kubeconfig {explicit}: pass --kubeconfig the path of one that exists",
                    ko=f"{explicit}: 그런 kubeconfig가 없음. --kubeconfig에 있는 파일의 경로를 준다",
                )
            )
        return (at_home(explicit),)
    listed = [Path(item) for item in os.environ.get("KUBECONFIG", "").split(os.pathsep) if item]
    return tuple(at_home(path) for path in listed or [Path("~/.kube/config")] if is_there(path))


def no_kubeconfig() -> ConfigError:
    if os.environ.get("KUBECONFIG"):
        why = Text(
            en="none of the files that KUBECONFIG names exists: correct it, pass --kubeconfig PATH,",
            ko="KUBECONFIG에 적힌 파일이 하나도 없음. 바로잡거나 --kubeconfig PATH를 주거나,",
        )
    else:
        why = Text(
            en="no kubeconfig was found: pass --kubeconfig PATH or set KUBECONFIG,",
            ko="kubeconfig를 찾지 못함. --kubeconfig PATH를 주거나 KUBECONFIG를 설정하거나,",
        )
    return ConfigError(
        Text(
            en=f"{why.en} or look around without a cluster with --demo or --snapshot PATH",
            ko=f"{why.ko} 클러스터 없이 --demo나 --snapshot PATH로 둘러본다",
        )
    )


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
            raise ConfigError(
                Text(
                    en=f"kubeconfig {path} is too large to be one: pass --kubeconfig another",
                    ko=f"kubeconfig {path}: kubeconfig라기에는 너무 큼. --kubeconfig로 다른 파일을 준다",
                )
            )
        return msgspec.convert(_content(text) or {}, KubeconfigFile)
    except OSError as error:
        raise ConfigError(
            Text(
                en=f"kubeconfig {path} cannot be read: allow this user to read it",
                ko=f"kubeconfig {path}: 읽을 수 없음. 이 사용자에게 읽기 권한을 준다",
            )
        ) from error
    except yaml.YAMLError as error:
        mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
        en_line, ko_line = (f" (line {mark.line + 1})", f"({mark.line + 1}행)") if mark else ("", "")
        raise ConfigError(
            Text(
                en=f"kubeconfig {path} is not valid YAML{en_line}: correct it or pass another",
                ko=f"kubeconfig {path}: 올바른 YAML이 아님{ko_line}. 바로잡거나 다른 파일을 준다",
            )
        ) from None
    except (msgspec.ValidationError, ValueError, RecursionError) as error:  # a number or a text that Python cannot hold
        why = f" ({error})" if isinstance(error, msgspec.ValidationError) else ""
        raise ConfigError(
            Text(
                en=f"kubeconfig {path} is not a kubeconfig{why}: correct it or pass another",
                ko=f"kubeconfig {path}: kubeconfig 형식이 아님{why}. 바로잡거나 다른 파일을 준다",
            )
        ) from None


def _content(text: bytes) -> object:
    """JSON is YAML too, and is read a hundred times faster as what it is."""
    if text.lstrip()[:1] == b"{":
        with suppress(msgspec.DecodeError):
            return decode(text, object)
    return yaml.load(text, Loader=_LOADER)  # noqa: S506 (a safe one)
