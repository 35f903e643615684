"""YAML of `kubectl get -o yaml` -> JSON objects: the C parser, and nothing of YAML that kubectl does not write."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Final, Protocol

import msgspec
import yaml

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.foreign.clean import MESSAGE, clean

# Built without libyaml, PyYAML parses ten times slower, with the same result.
_LOADER: Final[type[yaml.SafeLoader]] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

LARGEST: Final = 50_000_000  # bytes; about ten seconds of work

# Whatever else a plain scalar may look like (a time, `yes`, 0302, 1.10) is the text that it is: kubectl quotes text
# that could be read as something else, and a field that is text by the API must not become a number on the way.
_INT: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_WORDS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None, "~": None, "": None}
_TEXT_TAGS: Final = frozenset({None, "!", "tag:yaml.org,2002:str"})
_AGAIN: Final = Text(
    en="get it again with `kubectl get ... -o json`",
    ko="`kubectl get ... -o json`으로 다시 받는다",
)

Json = str | int | bool | list["Json"] | dict[str, "Json"] | None


class _Mark(Protocol):
    line: int


class _RefusedError(Exception):
    """Something that YAML allows and kubectl does not write."""

    def __init__(self, what: Text, mark: _Mark | None) -> None:
        super().__init__(what.en)
        self.what = what
        self.mark = mark


@dataclass(slots=True)
class _Open:
    """A mapping or list that is being filled."""

    value: dict[str, Json] | list[Json]
    key: str | None = None
    mark: _Mark | None = field(default=None)

    def put(self, value: Json) -> None:
        if isinstance(self.value, list):
            self.value.append(value)
        elif self.key is not None:
            self.value[self.key] = value
            self.key = None
        else:
            what = Text(en="has a mapping or a list as a key", ko="키가 매핑이나 리스트임")
            raise _RefusedError(what, self.mark)

    def put_scalar(self, event: yaml.ScalarEvent) -> None:
        if isinstance(self.value, dict) and self.key is None:
            self.key = event.value
        else:
            self.put(_scalar(event))


def documents(text: bytes, path: PurePath) -> Iterator[bytes]:
    """Each document of the file as JSON; empty ones are passed over. Raises ConfigError that names file and line."""
    if len(text) > LARGEST:
        size = len(text) // 1_000_000
        raise ConfigError(
            Text(
                en=f"{path} is YAML of {size} MB, which takes too long to read: {_AGAIN.en}",
                ko=f"{path}: {size} MB짜리 YAML이라 읽는 데 너무 오래 걸림. {_AGAIN.ko}",
            )
        )
    try:
        for document in _documents(text):
            if document is not None:
                yield msgspec.json.encode(document)
    except _RefusedError as refused:
        where, what = _line(refused.mark), refused.what
        raise ConfigError(
            Text(
                en=f"{path}{where.en} {what.en}, which kubectl never writes: {_AGAIN.en}",
                ko=f"{path}{where.ko}: {what.ko}. kubectl은 이렇게 쓰지 않음. {_AGAIN.ko}",
            )
        ) from refused
    except yaml.MarkedYAMLError as error:
        problem = clean(error.problem or str(error), MESSAGE)
        where = _line(error.problem_mark or error.context_mark)
        raise ConfigError(
            Text(
                en=f"{path}{where.en} is not YAML ({problem}): {_AGAIN.en}",
                ko=f"{path}{where.ko}: YAML이 아님({problem}). {_AGAIN.ko}",
            )
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        problem = clean(str(error), MESSAGE)
        raise ConfigError(
            Text(
                en=f"{path} is not readable YAML ({problem}): get it again",
                ko=f"{path}: 읽을 수 있는 YAML이 아님({problem}). 다시 받는다",
            )
        ) from error


def _documents(text: bytes) -> Iterator[Json]:
    """Built from the parser's events: no node is kept, and an alias is seen before it can unfold into anything."""
    top: list[Json] = []
    stack = [_Open(top)]
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.ScalarEvent):
            stack[-1].put_scalar(event)
        elif isinstance(event, yaml.MappingStartEvent):
            stack.append(_Open({}, mark=event.start_mark))
        elif isinstance(event, yaml.SequenceStartEvent):
            stack.append(_Open([], mark=event.start_mark))
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            filled = stack.pop()
            stack[-1].mark = filled.mark
            stack[-1].put(filled.value)
        elif isinstance(event, yaml.AliasEvent):
            raise _RefusedError(Text(en="uses a YAML alias", ko="YAML alias를 씀"), event.start_mark)
        elif isinstance(event, yaml.DocumentEndEvent):
            yield from top
            top.clear()


def _scalar(event: yaml.ScalarEvent) -> Json:
    text: str = event.value
    if event.tag not in _TEXT_TAGS:
        raise _RefusedError(Text(en="uses a YAML tag", ko="YAML 태그를 씀"), event.start_mark)
    if event.tag is not None or event.style:
        return text
    if text in _WORDS:
        return _WORDS[text]
    return int(text) if _INT.fullmatch(text) else text


def _line(mark: _Mark | None) -> Text:
    return Text(en=f", line {mark.line + 1}", ko=f", {mark.line + 1}행") if mark else Text.same("")
