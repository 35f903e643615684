"""One incident: its schema, and the only way from a file's text to a valid record."""

import datetime as dt
import difflib
from collections.abc import Iterator
from pathlib import Path as File
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from kubegap_incidents import document
from kubegap_incidents.document import Document, Path, RecordError
from kubegap_incidents.text import Line, Text
from kubegap_incidents.vocabulary import Listing, vocabulary

__all__ = ["Cause", "Figure", "Incident", "RecordError", "Scale", "Source", "Span", "Text", "parse", "read"]

Id: TypeAlias = Annotated[str, Field(pattern=r"^\d{4}(-[a-z0-9]+){2,}$")]
Alias: TypeAlias = Annotated[str, Field(pattern=r"^IL-\d{4}$")]
Key: TypeAlias = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
TermId: TypeAlias = Annotated[str, Field(pattern=r"^[a-z0-9_]+$")]
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
    value: Line
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
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise RecordError(file.name, None, f"cannot be read ({error.strerror})", "make it readable") from error
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise RecordError(file.name, line, "not UTF-8", "save the file as UTF-8") from error
    return parse(file.name, text, today)


def parse(name: str, text: str, today: dt.date) -> Incident:
    """The record in `text`; `name` is its file's name, and nothing in it may lie after `today`."""
    read_ = document.read(name, text)
    if "id" in read_.tree:
        raise read_.error(("id",), "`id` is not a field", "remove it; the file's name is the id")
    try:
        incident = Incident.model_validate({"id": File(name).stem, **read_.tree})
    except ValidationError as invalid:
        raise _first(read_, invalid.errors(include_url=False, include_input=False)) from invalid
    for error in _contradictions(read_, incident, today):
        raise error
    return incident


def _first(read_: Document, errors: list[ErrorDetails]) -> RecordError:
    # pydantic calls a list too short when its only item is bad; the item is what there is to say.
    around = {error["loc"][:length] for error in errors for length in range(len(error["loc"]))}
    explained = [_explain(read_, error) for error in errors if error["loc"] not in around]
    return min(explained, key=lambda error: error.line or 0)


def _explain(read_: Document, error: ErrorDetails) -> RecordError:
    loc = error["loc"]
    where = f"`{'.'.join(map(str, loc))}`"
    context = error.get("ctx", {})
    match error["type"]:
        case "missing":
            problem, mend = f"{where} is missing", "add it as the template shows"
        case "extra_forbidden":
            fields = [field.alias or name for name, field in Incident.model_fields.items()]
            near = difflib.get_close_matches(str(loc[0]), fields, 1) if len(loc) == 1 else []
            problem, mend = f"{where} is not a field", f"write `{near[0]}`" if near else "remove it"
        case "literal_error":
            problem, mend = f"{where} has an unknown value", f"use {context['expected']}"
        case "string_too_short" | "too_short":
            problem, mend = f"{where} is empty", "fill it, or leave the part out if no source tells it"
        case "string_pattern_mismatch" if loc == ("id",):
            problem, mend = "the file's name has the wrong form", "call it <year>-<organization>-<what>.yaml"
        case "string_pattern_mismatch":
            problem, mend = f"{where} has the wrong form", f"match {context['pattern']}"
        case "less_than_equal" | "greater_than_equal" if loc == ("schema",):
            problem, mend = "an unknown schema", "write `schema: 1`, or update kubegap"
        case _:
            problem, mend = f"{where}: {error['msg']}", str(context.get("mend", "correct it"))
    return read_.error(loc, problem, mend)


def _contradictions(read_: Document, incident: Incident, today: dt.date) -> Iterator[RecordError]:
    yield from _unknown_terms(read_, incident)
    yield from _stray_keys(read_, incident)
    yield from _impossible_dates(read_, incident, today)


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
        known = vocabulary().terms(listing)
        if term not in known:
            near = difflib.get_close_matches(term, known, 1)
            mend = f"write `{near[0]}`" if near else f"use one of the {listing} in vocabulary.yaml"
            yield read_.error(path, f"`{term}` is not in the {listing} of the vocabulary", mend)
        if listing != "causes" and (listing, term) in seen:
            yield read_.error(path, f"`{term}` stands twice", "keep one of them")
        seen.add((listing, term))


def _stray_keys(read_: Document, incident: Incident) -> Iterator[RecordError]:
    keys = [source.key for source in incident.sources]
    for n, key in enumerate(keys):
        if key in keys[:n]:
            yield read_.error(("sources", n, "key"), f"two sources are called `{key}`", "rename one")
    cited: list[tuple[Path, str]] = [
        *((("causes", n, "source"), cause.source) for n, cause in enumerate(incident.causes)),
        *((("figures", n, "source"), figure.source) for n, figure in enumerate(incident.figures)),
    ]
    for path, key in cited:
        if key not in keys:
            yield read_.error(path, f"no source is called `{key}`", f"use one of {', '.join(keys)}")


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
            yield read_.error(path, f"there is no day {date}", "correct it")
            continue
        if begins > today:
            yield read_.error(path, f"{date} lies in the future", "correct it")
    if span and span.to and span.to[: len(span.from_)] < span.from_[: len(span.to)]:
        yield read_.error(("occurred", "to"), "it ends before it begins", "swap the two dates")
