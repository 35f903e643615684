"""YAML text becomes plain strings, lists and mappings whose lines are known, and nothing in it can expand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import yaml

from kubegap_incidents.text import Lang

try:
    from yaml import CSafeLoader as Loader
except ImportError:  # PyYAML without libyaml; slower, same events
    from yaml import SafeLoader as Loader  # type: ignore[assignment]

# Scalars stay text, whatever they look like: `2024-06`, `no` and `0129` mean what was typed.
Tree: TypeAlias = "str | list[Tree] | dict[str, Tree]"
Path: TypeAlias = tuple[str | int, ...]

LONGEST = 200_000  # characters; ten times the longest record that reads well
DEEPEST = 8  # a record needs four


class Said(NamedTuple):
    """What is said of a file in both languages; it may quote the file, whatever stands there."""

    en: str
    ko: str


class RecordError(Exception):
    """A record or vocabulary file that cannot be taken: which file, which line, what is wrong, what mends it."""

    def __init__(self, name: str, line: int | None, problem: Said, mend: Said) -> None:
        super().__init__(name, line, problem, mend)
        self.name = name
        self.line = line
        self.problem = problem
        self.mend = mend

    def __str__(self) -> str:
        return self.of("en")

    def of(self, lang: Lang, name: str | None = None) -> str:
        """One line; `name` stands for the file's bare name, such as the path that a linter was given."""
        where = name or self.name
        if self.line is not None:
            where += f":{self.line}"
        if lang == "ko":
            return f"{where}: {self.problem.ko}. {self.mend.ko}"
        return f"{where}: {self.problem.en}; {self.mend.en}"


_WRITE_OUT = Said("remove it and write the text out", "지우고 내용을 그대로 쓴다")


def twice(value: str) -> tuple[Said, Said]:
    """Problem and mend of what may stand once."""
    return Said(f"`{value}` stands twice", f"`{value}` 값이 두 번 나옴"), Said("keep one of them", "하나만 남긴다")


@dataclass(frozen=True)
class Document:
    name: str
    tree: dict[str, Tree]
    lines: Mapping[Path, int]

    def line(self, path: Path) -> int | None:
        """The line of what stands at `path`, or of the nearest thing around it."""
        for length in range(len(path), -1, -1):
            if (found := self.lines.get(path[:length])) is not None:
                return found
        return None

    def error(self, path: Path, problem: Said, mend: Said) -> RecordError:
        return RecordError(self.name, self.line(path), problem, mend)


def read(name: str, text: str) -> Document:
    if len(text) > LONGEST:
        raise RecordError(
            name,
            None,
            Said(f"longer than {LONGEST:,} characters", f"{LONGEST:,}자를 넘음"),
            Said(
                "keep to what a reader needs, and link the rest", "읽는 이에게 필요한 것만 남기고 나머지는 링크로 단다"
            ),
        )
    builder = _Builder(name)
    try:
        for event in yaml.parse(text, Loader=Loader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        problem = Said(f"not YAML: {error.problem}", f"YAML이 아님({error.problem})")
        raise RecordError(name, line, problem, Said("correct the YAML", "YAML을 바로잡는다")) from error
    except (yaml.YAMLError, UnicodeError) as error:
        raise RecordError(
            name,
            None,
            Said("holds a character that YAML does not allow", "YAML에 쓸 수 없는 문자가 있음"),
            Said("remove control characters", "제어 문자를 지운다"),
        ) from error
    if not isinstance(builder.root, dict):
        raise RecordError(
            name,
            1,
            Said("not a mapping", "`이름: 값` 꼴이 아님"),
            Said("start from `kubegap incidents template`", "`kubegap incidents template`의 출력에서 시작한다"),
        )
    return Document(name, builder.root, builder.lines)


@dataclass
class _Open:
    """A collection whose end has not come yet."""

    into: dict[str, Tree] | list[Tree]
    path: Path
    key: str | None = None


@dataclass
class _Builder:
    name: str
    root: "Tree | None" = None
    lines: dict[Path, int] = field(default_factory=dict[Path, int])
    stack: list[_Open] = field(default_factory=list[_Open])
    documents: int = 0

    def take(self, event: yaml.Event) -> None:
        line = event.start_mark.line + 1 if event.start_mark else 1
        match event:
            case yaml.AliasEvent():
                raise self._error(line, Said("a YAML alias", "YAML 별칭(*)을 씀"), _WRITE_OUT)
            case yaml.ScalarEvent():
                self._refuse_extras(event, line)
                self._scalar(event.value, line)
            case yaml.MappingStartEvent():
                self._refuse_extras(event, line)
                self._open({}, line)
            case yaml.SequenceStartEvent():
                self._refuse_extras(event, line)
                self._open([], line)
            case yaml.CollectionEndEvent():
                self.stack.pop()
            case yaml.DocumentStartEvent():
                self.documents += 1
                if self.documents > 1:
                    raise self._error(
                        line,
                        Said("a second YAML document", "두 번째 YAML 문서가 있음"),
                        Said("give each record its own file", "사례마다 파일을 따로 둔다"),
                    )
            case _:
                pass

    def _error(self, line: int, problem: Said, mend: Said) -> RecordError:
        return RecordError(self.name, line, problem, mend)

    def _refuse_extras(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent, line: int) -> None:
        if event.anchor is not None:
            raise self._error(line, Said("a YAML anchor", "YAML 앵커(&)를 씀"), _WRITE_OUT)
        if event.tag is not None:
            raise self._error(
                line,
                Said(f"a YAML tag ({event.tag})", f"YAML 태그를 씀({event.tag})"),
                Said("remove it; kinds follow from the field", "지운다. 값의 종류는 항목이 정한다"),
            )

    def _open(self, value: dict[str, Tree] | list[Tree], line: int) -> None:
        if len(self.stack) >= DEEPEST:
            raise self._error(
                line,
                Said(f"nested more than {DEEPEST} deep", f"{DEEPEST}단계보다 깊음"),
                Said("follow `kubegap incidents template`", "`kubegap incidents template`의 꼴을 따른다"),
            )
        self.stack.append(_Open(value, self._place(value, line)))

    def _scalar(self, value: str, line: int) -> None:
        top = self.stack[-1] if self.stack else None
        if top is None or isinstance(top.into, list) or top.key is not None:
            self._place(value, line)
        elif value in top.into:
            raise self._error(line, *twice(value))
        else:
            top.key = value
            self.lines[*top.path, value] = line

    def _place(self, value: Tree, line: int) -> Path:
        """Put a value where the innermost open collection wants it."""
        if not self.stack:
            self.root = value
            self.lines[()] = line
            return ()
        top = self.stack[-1]
        if isinstance(top.into, list):
            path: Path = (*top.path, len(top.into))
            self.lines[path] = line
            top.into.append(value)
            return path
        if top.key is None:
            raise self._error(
                line,
                Said("a key that is a list or mapping", "키가 목록이나 매핑임"),
                Said("use a plain word as the key", "키를 낱말 하나로 쓴다"),
            )
        path = (*top.path, top.key)
        top.into[top.key] = value
        top.key = None
        return path
