"""Reads signal tables: every row is typed, complete in both languages and sourced, or the table is refused."""

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated, ClassVar, TypeVar, cast

import yaml
from pydantic import AfterValidator, ConfigDict, StringConstraints, TypeAdapter, ValidationError

from kubegap_checks.text import Text

# The C loader is ten times faster, and not in every build of PyYAML.
_Loader: type[yaml.CSafeLoader | yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class SignalTableError(Exception):
    """A row that cannot be used: which file, which row, and what is wrong with it."""

    def __init__(self, file: str, row: str, problem: str) -> None:
        super().__init__(f"{file}, {row}: {problem}")
        self.file = file
        self.row = row
        self.problem = problem


def _in_both_languages(text: Text) -> Text:
    if not text.en.strip() or not text.ko.strip():
        raise ValueError("both en and ko must say something")
    return text


Filled = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Words = Annotated[Text, AfterValidator(_in_both_languages)]
Regex = re.Pattern[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A mapping inside a row; a key that it does not have is refused, like in the row itself."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(Part):
    """One row of a table; `source` is the file or page that says so, `owner/repository:path` for code."""

    source: Filled


R = TypeVar("R")


def read(file: str, row: type[R], section: str = "") -> tuple[R, ...]:
    """The rows of a packaged table; `section` names the list in a file that holds several."""
    return parse(file, _packaged(file), row, section)


def parse(file: str, text: str, row: type[R], section: str = "") -> tuple[R, ...]:
    """The rows of a table given as text. Raises SignalTableError at the first row that cannot be used."""
    document = _document(file, text)
    if section:
        if not isinstance(document, dict):
            raise SignalTableError(file, "document", "must be a mapping of lists")
        document = cast("dict[str, object]", document).get(section)
    if not isinstance(document, list) or not document:
        raise SignalTableError(file, section or "document", "must be a list of rows")
    adapter = TypeAdapter(row)
    rows: list[R] = []
    for number, raw in enumerate(cast("list[object]", document), start=1):
        try:
            rows.append(adapter.validate_python(raw))
        except ValidationError as error:
            raise SignalTableError(file, _row_name(section, number, raw), _first_problem(error)) from error
    return tuple(rows)


@cache
def _packaged(file: str) -> str:
    return files("kubegap_checks.signals").joinpath(file).read_text(encoding="utf-8")


@cache
def _document(file: str, text: str) -> object:
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        _refuse_repeated_keys(file, node)
        if node is None:
            return None
        return cast("object", loader.construct_document(node))  # pyright: ignore[reportUnknownMemberType]
    except yaml.YAMLError as error:
        raise SignalTableError(file, "document", f"is not YAML: {error}") from error
    finally:
        loader.dispose()


def _refuse_repeated_keys(file: str, node: yaml.Node | None) -> None:
    """YAML loaders keep the last of two equal keys in silence, which would lose a fact."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_repeated_keys(file, item)
    elif isinstance(node, yaml.MappingNode):
        seen: set[Hashable] = set()
        for key, value in node.value:
            if key.value in seen:
                raise SignalTableError(file, f"line {key.start_mark.line + 1}", f"{key.value} stands twice")
            seen.add(key.value)
            _refuse_repeated_keys(file, value)


def _row_name(section: str, number: int, raw: object) -> str:
    name = f"{section} row {number}" if section else f"row {number}"
    if isinstance(raw, Mapping):
        for value in cast("Mapping[object, object]", raw).values():
            if isinstance(value, str):
                return f"{name} ({value[:40]})"
    return name


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]
