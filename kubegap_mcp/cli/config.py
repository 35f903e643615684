"""The configuration file (TOML): what one chooses once instead of in every command."""

import difflib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import StrictStr, TypeAdapter, ValidationError

from kubegap_checks.text import Text
from kubegap_mcp.cli import own_values
from kubegap_mcp.cli.metrics_choice import MetricsChoice, from_table
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.silences import Silence

_KEYS = ("incidents", "thresholds", "silence", "prometheus")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """`incidents`: folders of records of one's own; a relative one is taken from the file's folder.

    `thresholds`: numbers in place of the catalogue's; `silences`: findings that shall not count as gaps;
    `prometheus`: where metrics come from.
    """

    incidents: tuple[Path, ...] = ()
    thresholds: Mapping[str, float] = field(default_factory=dict[str, float])
    silences: tuple[Silence, ...] = ()
    prometheus: MetricsChoice = field(default_factory=MetricsChoice)


def read_config(path: Path | None) -> Config:
    """The file that --config or KUBEGAP_CONFIG names; nothing where neither does."""
    path = path or (Path(named) if (named := os.environ.get("KUBEGAP_CONFIG")) else None)
    if path is None:
        return Config()
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        why = error.strerror or error
        raise ConfigError(
            Text(
                en=f"{path} cannot be read ({why}): name a configuration file",
                ko=f"{path}: 읽을 수 없음({why}). 설정 파일을 지정한다",
            )
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(
            Text(en=f"{path} is not TOML ({error}): correct it", ko=f"{path}: TOML이 아님({error}). 바로잡는다")
        ) from error
    for key in told:
        if key not in _KEYS:
            near = difflib.get_close_matches(key, _KEYS, n=1)
            mend = f"write {near[0]}" if near else f"the settings are {', '.join(_KEYS)}"
            raise ConfigError(
                Text(
                    en=f"{path} sets {key[:60]!r}, which kubegap does not know: {mend}",
                    ko=f"{path}: kubegap에 {key[:60]!r} 설정은 없음. 쓸 수 있는 설정으로 고친다: {', '.join(_KEYS)}",
                )
            )
    return Config(
        incidents=_folders(path, told.get("incidents", [])),
        thresholds=own_values.thresholds(path, told.get("thresholds", {})),
        silences=own_values.silences(path, told.get("silence", [])),
        prometheus=from_table(path, told.get("prometheus", {})),
    )


def _folders(path: Path, told: object) -> tuple[Path, ...]:
    try:
        folders = TypeAdapter(list[StrictStr]).validate_python(told)
    except ValidationError as error:
        raise ConfigError(
            Text(
                en=f'{path}: incidents must be a list of folders, such as ["our-incidents"]',
                ko=f'{path}: incidents는 폴더 목록이어야 함. ["our-incidents"]처럼 쓴다',
            )
        ) from error
    return tuple(path.parent / Path(folder).expanduser() for folder in folders)
