"""Thresholds and silences as a configuration file writes them; whether such ids exist, own_choices asks later."""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import cast

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.names import near, quoted
from kubegap_mcp.silences import Silence

_FINDING = re.compile(r"(?P<check>[a-z_0-9]+\.[a-z_0-9]+)@[0-9a-f]{8}")
_KEYS = ("check", "finding", "subject", "reason", "until")


def thresholds(path: Path, told: object) -> dict[str, float]:
    """`[thresholds]`: a number by id."""
    if not isinstance(told, dict):
        raise _wrong(
            path, Text(en="thresholds must be a table of id = number", ko="thresholds는 id = 숫자의 표여야 함")
        )
    own: dict[str, float] = {}
    for id_, value in cast("dict[str, object]", told).items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _wrong(
                path,
                Text(en=f"the threshold {quoted(id_)} must be a number", ko=f"기준값 {quoted(id_)}: 숫자여야 함"),
            )
        own[id_] = float(value)
    return own


def silences(path: Path, told: object) -> tuple[Silence, ...]:
    """`[[silence]]`, each with what it silences, why, and its last day."""
    entries = cast("list[object]", told) if isinstance(told, list) else [told]
    return tuple(_silence(path, number, entry) for number, entry in enumerate(entries, start=1))


def _silence(path: Path, number: int, told: object) -> Silence:
    def wrong(text: Text) -> ConfigError:
        return _wrong(path, Text(en=f"silence {number}: {text.en}", ko=f"{number}번째 silence: {text.ko}"))

    if not isinstance(told, dict):
        raise wrong(Text(en="write it as a [[silence]] table", ko="[[silence]] 표로 적는다"))
    entry = cast("Mapping[str, object]", told)
    for key in entry:
        if key not in _KEYS:
            some = near(key, _KEYS)
            raise wrong(Text(en=f"there is no key {quoted(key)}: {some.en}", ko=f"없는 키 {quoted(key)}. {some.ko}"))
    until = entry.get("until")
    if not isinstance(until, date) or isinstance(until, datetime):
        raise wrong(
            Text(
                en="until must be its last day, as in until = 2027-01-31",
                ko="until에는 끝나는 날을 until = 2027-01-31처럼 적는다",
            )
        )
    words = {key: entry[key] for key in _KEYS if key in entry and key != "until"}
    for key, word in words.items():
        if not isinstance(word, str) or not word.strip():
            raise wrong(Text(en=f"{key} must be a text", ko=f"{key}에는 글을 적는다"))
    return _made({key: str(word).strip() for key, word in words.items()}, until, wrong)


def _made(words: Mapping[str, str], until: date, wrong: Callable[[Text], ConfigError]) -> Silence:
    check, finding, subject, reason = (words.get(key) for key in ("check", "finding", "subject", "reason"))
    if not reason:
        raise wrong(Text(en='say the reason, as in reason = "..."', ko='reason = "..."으로 이유를 적는다'))
    if (check is None) == (finding is None):
        raise wrong(Text(en="name either a check or a finding", ko="check와 finding 중 하나만 적는다"))
    if finding is None:
        return Silence(check=check or "", subject=subject, reason=reason, until=until)
    if subject is not None:
        raise wrong(
            Text(en="a finding has its subject already: leave subject out", ko="finding에는 subject를 적지 않는다")
        )
    found = _FINDING.fullmatch(finding)
    if found is None:
        raise wrong(
            Text(
                en="finding must be an id as answers give it, such as gpu_health.gpu_missing@0a1b2c3d",
                ko="finding에는 gpu_health.gpu_missing@0a1b2c3d처럼 답에 나온 결과 id를 적는다",
            )
        )
    return Silence(check=found["check"], finding=finding, reason=reason, until=until)


def _wrong(path: Path, text: Text) -> ConfigError:
    return ConfigError(Text(en=f"{path}: {text.en}", ko=f"{path}: {text.ko}"))
