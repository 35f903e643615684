"""YAML text becomes plain strings, lists and mappings whose lines are known, and nothing in it can expand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml

try:
    from yaml import CSafeLoader as Loader
except ImportError:  # PyYAML without libyaml; slower, same events
    from yaml import SafeLoader as Loader  # type: ignore[assignment]

# Scalars stay text, whatever they look like: `2024-06`, `no` and `0129` mean what was typed.
Tree: TypeAlias = "str | list[Tree] | dict[str, Tree]"
Path: TypeAlias = tuple[str | int, ...]

LONGEST = 200_000  # characters; ten times the longest record that reads well
DEEPEST = 8  # a record needs four


class RecordError(Exception):
    """A record or vocabulary file that cannot be taken: which file, which line, what is wrong, what mends it."""

    def __init__(self, name: str, line: int | None, problem: str, mend: str) -> None:
        super().__init__(name, line, problem, mend)
        self.name = name
        self.line = line
        self.problem = problem
        self.mend = mend

    def __str__(self) -> str:
        where = self.name if self.line is None else f"{self.name}:{self.line}"
        return f"{where}: {self.problem}; {self.mend}"


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

    def error(self, path: Path, problem: str, mend: str) -> RecordError:
        return RecordError(self.name, self.line(path), problem, mend)


def read(name: str, text: str) -> Document:
    if len(text) > LONGEST:
        raise RecordError(
            name, None, f"longer than {LONGEST:,} characters", "keep to what a reader needs, and link the rest"
        )
    builder = _Builder(name)
    try:
        for event in yaml.parse(text, Loader=Loader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise RecordError(name, line, f"not YAML: {error.problem}", "correct the YAML") from error
    except (yaml.YAMLError, UnicodeError) as error:
        raise RecordError(
            name, None, "holds a character that YAML does not allow", "remove control characters"
        ) from error
    if not isinstance(builder.root, dict):
        raise RecordError(name, 1, "not a mapping", "start from the template in incident_library/README.md")
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
                raise self._error(line, "a YAML alias", "write the text out")
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
                    raise self._error(line, "a second YAML document", "give each record its own file")
            case _:
                pass

    def _error(self, line: int, problem: str, mend: str) -> RecordError:
        return RecordError(self.name, line, problem, mend)

    def _refuse_extras(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent, line: int) -> None:
        if event.anchor is not None:
            raise self._error(line, "a YAML anchor", "remove it and write the text out")
        if event.tag is not None:
            raise self._error(line, f"a YAML tag ({event.tag})", "remove it; kinds follow from the field")

    def _open(self, value: dict[str, Tree] | list[Tree], line: int) -> None:
        if len(self.stack) >= DEEPEST:
            raise self._error(line, f"nested more than {DEEPEST} deep", "follow the template")
        self.stack.append(_Open(value, self._place(value, line)))

    def _scalar(self, value: str, line: int) -> None:
        top = self.stack[-1] if self.stack else None
        if top is None or isinstance(top.into, list) or top.key is not None:
            self._place(value, line)
        elif value in top.into:
            raise self._error(line, f"`{value}` stands twice", "keep one of them")
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
            raise self._error(line, "a key that is a list or mapping", "use a plain word as the key")
        path = (*top.path, top.key)
        top.into[top.key] = value
        top.key = None
        return path
