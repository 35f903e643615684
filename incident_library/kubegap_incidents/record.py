"""One incident: its schema, and the only way from a file's text to a valid record."""

import datetime as dt
import difflib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path as File
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from kubegap_incidents import document
from kubegap_incidents.document import Document, Path, RecordError, Said, Tree, twice
from kubegap_incidents.text import Line, Text, Value
from kubegap_incidents.vocabulary import Listing, UnknownTermError, vocabulary

__all__ = [
    "Cause",
    "Figure",
    "Incident",
    "RecordError",
    "Scale",
    "Source",
    "Span",
    "Text",
    "parse",
    "read",
    "read_with_lines",
]

Id: TypeAlias = Annotated[str, Field(pattern=r"^\d{4}(-[a-z0-9]+){2,}$")]
Alias: TypeAlias = Annotated[str, Field(pattern=r"^IL-\d{4}$")]
Key: TypeAlias = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
TermId: TypeAlias = Line  # what is none is told with the term that it may mean
# As exact as the source is: a year, a month or a day.
Date: TypeAlias = Annotated[str, Field(pattern=r"^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$")]
Texts: TypeAlias = Annotated[tuple[Text, ...], Field(min_length=1)]
Count: TypeAlias = Annotated[int, Field(gt=0)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Source(_Part):
    key: Key
    kind: Literal["postmortem", "paper", "logbook", "status-page", "talk", "issue", "code", "statement", "page"]
    url: Annotated[str, Field(pattern=r"^https://[^\s<>]+$")]
    read: Text  # what of it was read, if anything


class Cause(_Part):
    text: Text
    class_: TermId = Field(alias="class")
    source: Key


class Figure(_Part):
    value: Value
    meaning: Text
    source: Key


class Scale(_Part):
    gpus: Count | None = None
    nodes: Count | None = None
    note: Text | None = None


class Span(_Part):
    """When it happened; without `to`, within `from`."""

    from_: Date = Field(alias="from")
    to: Date | None = None


class Verification(_Part):
    level: Literal["full", "partial", "excerpts", "secondary"]
    note: Text


class Withdrawal(_Part):
    on: Date
    reason: Text


class Incident(_Part):
    """A part that the sources say nothing about is absent."""

    id: Id  # the file's name, never a field in the file
    schema_: Annotated[int, Field(ge=1, le=1)] = Field(alias="schema")
    kind: Literal["event", "pattern", "study"]
    aliases: tuple[Alias, ...] = Field(default=(), min_length=1)
    title: Text
    organization: Line
    occurred: Span | None = None
    published: Date | None = None
    tags: tuple[Key, ...] = Field(default=(), min_length=1)
    gist: Text
    what_happened: Texts
    symptom: Text
    symptoms: tuple[TermId, ...] = Field(min_length=1)
    trigger: Text | None = None
    trigger_class: TermId | None = None
    causes: tuple[Cause, ...] = Field(default=(), min_length=1)
    same_cause: tuple[TermId, ...] = Field(default=(), min_length=1)
    components: tuple[TermId, ...] = Field(min_length=1)
    contributing_factors: Texts = ()
    detection: Text | None = None
    actions: Texts = ()
    follow_ups: Texts = ()
    lessons: Texts = ()
    figures: tuple[Figure, ...] = Field(default=(), min_length=1)
    scale: Scale | None = None
    sources: tuple[Source, ...] = Field(min_length=1)
    verification: Verification
    withdrawn: Withdrawal | None = None

    @property
    def cause_classes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(cause.class_ for cause in self.causes))

    @property
    def latest(self) -> str:
        """The date to order by: when it ended, else when it was told."""
        if self.occurred:
            return self.occurred.to or self.occurred.from_
        return self.published or self.id[:4]

    @property
    def years(self) -> range:
        if self.occurred:
            return range(int(self.occurred.from_[:4]), int(self.latest[:4]) + 1)
        return range(int(self.latest[:4]), int(self.latest[:4]) + 1)


def read(file: File, today: dt.date) -> Incident:
    return read_with_lines(file, today)[0]


def read_with_lines(file: File, today: dt.date) -> tuple[Incident, Document]:
    """The record and the document it stands in, which knows the line of each part."""
    try:
        raw = file.read_bytes()
    except OSError as error:
        problem = Said(f"cannot be read ({error.strerror})", f"읽을 수 없음({error.strerror})")
        raise RecordError(file.name, None, problem, Said("make it readable", "읽을 수 있게 한다")) from error
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        mend = Said("save the file as UTF-8", "파일을 UTF-8로 저장한다")
        raise RecordError(file.name, line, Said("not UTF-8", "UTF-8이 아님"), mend) from error
    read_ = document.read(file.name, text)
    return _incident(read_, today), read_


def parse(name: str, text: str, today: dt.date) -> Incident:
    """The record in `text`; `name` is its file's name, and nothing in it may lie after `today`."""
    return _incident(document.read(name, text), today)


def _incident(read_: Document, today: dt.date) -> Incident:
    if "id" in read_.tree:
        problem = Said("`id` is not a field", "`id`: 없는 항목임")
        raise read_.error(("id",), problem, Said("remove it; the file's name is the id", "지운다. 파일 이름이 곧 id다"))
    try:
        incident = Incident.model_validate({"id": File(read_.name).stem, **read_.tree})
    except ValidationError as invalid:
        raise _first(read_, invalid.errors(include_url=False, include_input=False)) from invalid
    for error in _contradictions(read_, incident, today):
        raise error
    return incident


def _first(read_: Document, errors: list[ErrorDetails]) -> RecordError:
    # pydantic calls a list too short when its only item is bad; the item is what there is to say.
    around = {error["loc"][:length] for error in errors for length in range(len(error["loc"]))}
    explained = [read_.error(error["loc"], *_explain(read_, error)) for error in errors if error["loc"] not in around]
    return min(explained, key=lambda error: error.line or 0)


def _explain(read_: Document, error: ErrorDetails) -> tuple[Said, Said]:
    """Problem and mend."""
    loc = error["loc"]
    where = f"`{'.'.join(map(str, loc))}`"
    context = error.get("ctx", {})
    kind = "too_short" if error["type"] in _NO_COLLECTION and not _value(read_, loc) else error["type"]
    match kind:
        case "missing":
            problem, mend = Said(f"{where} is missing", f"{where} 항목이 없음"), _AS_THE_TEMPLATE
        case "extra_forbidden":
            fields = [field.alias or name for name, field in Incident.model_fields.items()]
            near = difflib.get_close_matches(str(loc[0]), fields, 1) if len(loc) == 1 else []
            problem = Said(f"{where} is not a field", f"{where}: 없는 항목임")
            mend = _write(near[0]) if near else Said("remove it", "지운다")
        case "literal_error":
            expected = str(context["expected"])
            problem = Said(f"{where} has an unknown value", f"{where}: 쓸 수 없는 값임")
            mend = Said(f"use {expected}", f"다음 중에서 고른다: {expected.replace(' or ', ', ')}")
        case "string_too_short" | "too_short":
            problem, mend = Said(f"{where} is empty", f"{where} 내용이 비어 있음"), _fill(str(loc[0]))
        case "string_pattern_mismatch" if loc == ("id",):
            problem = Said("the file's name has the wrong form", "파일 이름의 형식이 맞지 않음")
            mend = Said(
                "call it <year>-<organization>-<what>.yaml",
                "<연도>-<기관>-<내용>.yaml 꼴로, 영문 소문자와 숫자로 짓는다",
            )
        case "string_pattern_mismatch":
            pattern = context["pattern"]
            problem = Said(f"{where} has the wrong form", f"{where} 값의 형식이 맞지 않음")
            mend = Said(f"match {pattern}", f"다음 정규식에 맞춘다: {pattern}")
        case "less_than_equal" | "greater_than_equal" if loc == ("schema",):
            problem = Said("an unknown schema", "알 수 없는 schema")
            mend = Said("write `schema: 1`, or update kubegap", "`schema: 1`로 쓰거나 kubegap을 업데이트한다")
        case _ if kind in _NO_COLLECTION or kind == "string_type":
            problem = Said(f"{where} has the wrong kind of value", f"{where}: 값의 종류가 맞지 않음")
            mend = _AS_THE_TEMPLATE
        case _:
            korean, mend_in_korean = _IN_KOREAN.get(kind, ("값이 맞지 않음", "바로잡는다"))
            problem = Said(f"{where}: {error['msg']}", f"{where}: {korean}")
            mend = Said(str(context.get("mend", "correct it")), mend_in_korean)
    return problem, mend


def _value(read_: Document, path: Path) -> Tree:
    value: Tree = read_.tree
    for step in path:
        if isinstance(value, dict):
            value = value[str(step)]
        elif isinstance(value, list):
            value = value[int(step)]
    return value


_NO_COLLECTION = {"model_type", "model_attributes_type", "tuple_type"}
_AS_THE_TEMPLATE = Said(
    "write it as `kubegap incidents template` shows", "`kubegap incidents template`이 보여 주는 대로 쓴다"
)
# Problem and mend by the type of an error whose English is its own: text.py's, and pydantic's of numbers.
_IN_KOREAN = {
    "line_break": ("줄바꿈이 들어 있음", ">-로 접거나 글 두 개로 나눈다"),
    "control": ("제어 문자가 들어 있음", "지운다"),
    "no_hangul": ("한글이 없음", "한국어로 쓴다"),
    "int_parsing": ("정수가 아님", "숫자로 쓴다"),
    "greater_than": ("0보다 커야 함", "바로잡는다"),
}
_CORRECT = Said("correct it", "바로잡는다")
_LISTINGS: Mapping[Listing, str] = {
    "symptoms": "증상",
    "components": "구성 요소",
    "causes": "원인",
    "triggers": "계기",
    "groups": "같은 원인",
}


def _write(right: str) -> Said:
    return Said(f"write `{right}`", f"다음으로 고친다: `{right}`")


def _one_of(names: Iterable[str]) -> Said:
    listed = ", ".join(names)
    return Said(f"use one of {listed}", f"다음 중에서 고른다: {listed}")


def _fill(part: str) -> Said:
    needed = any(field.is_required() for name, field in Incident.model_fields.items() if part in {name, field.alias})
    if needed:
        return Said("fill it: every record has this part", "채운다. 모든 사례에 있어야 하는 항목이다")
    return Said("fill it, or leave the part out if no source tells it", "채우거나, 출처에 없는 내용이면 항목을 뺀다")


def _contradictions(read_: Document, incident: Incident, today: dt.date) -> Iterator[RecordError]:
    yield from _unknown_terms(read_, incident)
    yield from _stray_keys(read_, incident)
    yield from _impossible_dates(read_, incident, today)
    for n, alias in enumerate(incident.aliases):
        if alias in incident.aliases[:n]:
            yield read_.error(("aliases", n), *twice(alias))


def _unknown_terms(read_: Document, incident: Incident) -> Iterator[RecordError]:
    used: list[tuple[Listing, Path, str]] = [
        *(("symptoms", ("symptoms", n), term) for n, term in enumerate(incident.symptoms)),
        *(("components", ("components", n), term) for n, term in enumerate(incident.components)),
        *(("causes", ("causes", n, "class"), cause.class_) for n, cause in enumerate(incident.causes)),
        *(("groups", ("same_cause", n), term) for n, term in enumerate(incident.same_cause)),
    ]
    if incident.trigger_class:
        used.append(("triggers", ("trigger_class",), incident.trigger_class))
    seen = set[tuple[Listing, str]]()
    for listing, path, term in used:
        if term not in vocabulary().terms(listing):
            problem = Said(
                f"`{term}` is not in the {listing} of the vocabulary", f"`{term}`: {_LISTINGS[listing]} 목록에 없음"
            )
            yield read_.error(path, problem, _right_term(listing, term))
        if listing != "causes" and (listing, term) in seen:
            yield read_.error(path, *twice(term))
        seen.add((listing, term))


def _right_term(listing: Listing, term: str) -> Said:
    known = vocabulary().terms(listing)
    if near := difflib.get_close_matches(term, known, 1):
        return _write(near[0])
    try:
        return _write(vocabulary().resolve(listing, term).id)  # a name or common word of a term, such as `nfs`
    except UnknownTermError as unknown:
        if len(unknown.near) < len(known):
            return _one_of(unknown.near)
    return Said(
        f"use one of the {listing} that `kubegap incidents schema` lists",
        f"`kubegap incidents schema`가 늘어놓는 {_LISTINGS[listing]} 중에서 고른다",
    )


def _stray_keys(read_: Document, incident: Incident) -> Iterator[RecordError]:
    keys = [source.key for source in incident.sources]
    for n, key in enumerate(keys):
        if key in keys[:n]:
            problem = Said(f"two sources are called `{key}`", f"출처 둘의 key가 같음: `{key}`")
            yield read_.error(("sources", n, "key"), problem, Said("rename one", "하나의 이름을 바꾼다"))
    cited: list[tuple[Path, str]] = [
        *((("causes", n, "source"), cause.source) for n, cause in enumerate(incident.causes)),
        *((("figures", n, "source"), figure.source) for n, figure in enumerate(incident.figures)),
    ]
    for path, key in cited:
        if key not in keys:
            yield read_.error(path, Said(f"no source is called `{key}`", f"key가 `{key}`인 출처가 없음"), _one_of(keys))


def _impossible_dates(read_: Document, incident: Incident, today: dt.date) -> Iterator[RecordError]:
    span = incident.occurred
    dates: list[tuple[Path, str | None]] = [
        (("occurred", "from"), span.from_ if span else None),
        (("occurred", "to"), span.to if span else None),
        (("published",), incident.published),
        (("withdrawn", "on"), incident.withdrawn.on if incident.withdrawn else None),
    ]
    for path, date in dates:
        if date is None:
            continue
        year, month, day = (*map(int, date.split("-")), 1, 1)[:3]
        try:
            begins = dt.date(year, month, day)
        except ValueError:
            yield read_.error(path, Said(f"there is no day {date}", f"{date}: 없는 날짜임"), _CORRECT)
            continue
        if begins > today:
            yield read_.error(path, Said(f"{date} lies in the future", f"{date}: 아직 오지 않은 날짜임"), _CORRECT)
    if span and span.to and span.to[: len(span.from_)] < span.from_[: len(span.to)]:
        problem = Said("it ends before it begins", "끝난 날이 시작한 날보다 앞섬")
        yield read_.error(("occurred", "to"), problem, Said("swap the two dates", "두 날짜를 맞바꾼다"))
