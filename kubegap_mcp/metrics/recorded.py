"""Answers of a metrics source that were kept for a snapshot, and a source that gives them again."""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

import msgspec
from anyio import to_thread

from kubegap_checks.facts.read import Reason, Unread, UnreadError
from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.foreign.clean import KEY, MESSAGE, VALUE, clean
from kubegap_mcp.foreign.decode import decode
from kubegap_mcp.metrics.decode import metric_names, usable
from kubegap_mcp.metrics.port import Answer, MetricsSource, Query, Series
from kubegap_mcp.metrics.unread import METRICS, NOT_KEPT

FILE: Final = "kubegap-metrics.json"
MOST_BYTES: Final = 64 * 1024 * 1024
_SCHEMA: Final = 1


class _Told(msgspec.Struct):
    """What a person reads."""

    en: str
    ko: str


class _Gap(msgspec.Struct):
    what: _Told
    reason: Reason
    remedy: _Told


class _Line(msgspec.Struct):
    """One series; `points` are pairs of unix seconds and a value."""

    labels: dict[str, str]
    points: list[tuple[float, float]]


class _Asked(msgspec.Struct, omit_defaults=True):
    """A query with its answer, or with what stood in its way."""

    promql: str
    span_s: int = 0
    step_s: int = 0
    ago_s: int = 0
    series: list[_Line] = []
    lacks: list[_Told] = []
    unread: list[_Gap] = []


class _File(msgspec.Struct, kw_only=True):
    schema: int
    at: float | None  # unix seconds: what the answers are as of
    names: list[str] | None
    names_unread: list[_Gap]
    selector: str = ""
    asked: list[_Asked]  # the last: rendered() writes it line by line


@dataclass(slots=True)
class _Kept:
    """What a source said; each thing is an answer or the UnreadError in its place."""

    at: float | None = None
    names: frozenset[str] | UnreadError | None = None
    selector: str = ""
    answers: dict[Query, Answer | UnreadError] = field(default_factory=dict[Query, Answer | UnreadError])


class Recording:
    """Asks another source, and keeps what it says: of equal queries the last answer."""

    def __init__(self, source: MetricsSource) -> None:
        self._source = source
        self._kept = _Kept(selector=source.selector)

    @property
    def selector(self) -> str:
        return self._source.selector

    @property
    def at(self) -> datetime | None:
        return self._source.at

    async def names(self, *, deadline_s: float, refresh: bool = False) -> frozenset[str]:
        try:
            self._kept.names = names = await self._source.names(deadline_s=deadline_s, refresh=refresh)
        except UnreadError as error:
            self._kept.names = error
            raise
        return names

    async def ask(self, query: Query, *, at: datetime, deadline_s: float, refresh: bool = False) -> Answer:
        self._kept.at = at.timestamp()
        try:
            answer = await self._source.ask(query, at=at, deadline_s=deadline_s, refresh=refresh)
        except UnreadError as error:
            self._kept.answers[query] = error
            raise
        self._kept.answers[query] = answer
        return answer

    def close(self) -> None:
        self._source.close()

    def rendered(self) -> bytes:
        """For a file of a snapshot: one line a query, at most MOST_BYTES; queries beyond are left out."""
        kept = self._kept
        names = kept.names
        head = _File(
            schema=_SCHEMA,
            at=kept.at,
            names=sorted(names) if isinstance(names, frozenset) else None,
            names_unread=_gaps(names) if isinstance(names, UnreadError) else [],
            selector=kept.selector,
            asked=[],
        )
        opening = msgspec.json.encode(head).removesuffix(b"]}")
        parts: list[bytes] = []
        room = MOST_BYTES - len(opening) - 10
        for query, said in sorted(
            kept.answers.items(), key=lambda item: (item[0].promql, item[0].span_s, item[0].ago_s)
        ):
            part = msgspec.json.encode(_asked(query, said))
            room -= len(part) + 2
            if room >= 0:
                parts.append(part)
        return opening + b"\n" + b",\n".join(parts) + b"\n]}\n"


class RecordedSource:
    """Gives again what was recorded; `at` is when that was, whatever moment is asked for."""

    def __init__(self, kept: _Kept, at: datetime | None) -> None:
        self._kept = kept
        self._at = at

    @property
    def selector(self) -> str:
        return self._kept.selector

    @property
    def at(self) -> datetime | None:
        return self._at

    async def names(self, *, deadline_s: float, refresh: bool = False) -> frozenset[str]:  # noqa: ARG002 (the port's)
        names = self._kept.names
        if isinstance(names, frozenset):
            return names
        raise UnreadError(*names.unread) if names else _not_recorded()

    async def ask(
        self,
        query: Query,
        *,
        at: datetime,  # noqa: ARG002 (one moment was recorded)
        deadline_s: float,  # noqa: ARG002
        refresh: bool = False,  # noqa: ARG002
    ) -> Answer:
        said = self._kept.answers.get(query)
        if isinstance(said, Answer):
            return said
        raise UnreadError(*said.unread) if said else _not_recorded()

    def close(self) -> None:
        """Nothing is under way."""


class KeptSource:
    """The source of a snapshot; its file is looked at with the first question, and `load` gives None without one."""

    def __init__(self, load: Callable[[], Awaitable[bytes | None]]) -> None:
        self._load = load
        self._opened: RecordedSource | None = None

    @property
    def selector(self) -> str:
        return self._opened.selector if self._opened else ""

    @property
    def at(self) -> datetime | None:
        return self._opened.at if self._opened else None

    async def names(self, *, deadline_s: float, refresh: bool = False) -> frozenset[str]:
        return await (await self._recorded(refresh=refresh)).names(deadline_s=deadline_s)

    async def ask(self, query: Query, *, at: datetime, deadline_s: float, refresh: bool = False) -> Answer:
        return await (await self._recorded(refresh=refresh)).ask(query, at=at, deadline_s=deadline_s)

    def close(self) -> None:
        """Nothing is under way."""

    async def _recorded(self, *, refresh: bool) -> RecordedSource:
        if self._opened is None or refresh:
            content = await self._load()
            if content is None:
                raise UnreadError(NOT_KEPT)
            self._opened = await to_thread.run_sync(read, content)
        return self._opened


def read(content: bytes) -> RecordedSource:
    """From a snapshot's file; raises ConfigError where it is not one that kubegap wrote."""
    if len(content) > MOST_BYTES:
        raise _not_ours()
    try:
        told = decode(content, _File)
        at = datetime.fromtimestamp(told.at, UTC) if told.at is not None else None
    except (msgspec.DecodeError, ValueError, OverflowError, OSError):
        raise _not_ours() from None
    if told.schema != _SCHEMA:
        raise _not_ours()
    answers = {_query(item): _said(item) for item in told.asked}
    kept = _Kept(told.at, _names(told), told.selector, answers)
    return RecordedSource(kept, at)


def _names(told: _File) -> frozenset[str] | UnreadError | None:
    if told.names_unread:
        return UnreadError(*map(_unread, told.names_unread))
    return metric_names(told.names) if told.names is not None else None


def _query(item: _Asked) -> Query:
    return Query(item.promql, item.span_s, item.step_s, item.ago_s)


def _said(item: _Asked) -> Answer | UnreadError:
    if item.unread:
        return UnreadError(*map(_unread, item.unread))
    return Answer(series=tuple(_series(item.series)), lacks=tuple(map(_text, item.lacks)))


def _series(lines: list[_Line]) -> Iterator[Series]:
    for line in lines:
        if points := usable(line.points):
            labels = {clean(name, KEY): clean(value, VALUE) for name, value in line.labels.items()}
            yield Series(labels=labels, points=points)


def _asked(query: Query, said: Answer | UnreadError) -> _Asked:
    asked = _Asked(query.promql, query.span_s, query.step_s, query.ago_s)
    if isinstance(said, UnreadError):
        asked.unread = _gaps(said)
        return asked
    asked.series = [_Line(dict(series.labels), list(series.points)) for series in said.series]
    asked.lacks = [_Told(lack.en, lack.ko) for lack in said.lacks]
    return asked


def _gaps(error: UnreadError) -> list[_Gap]:
    return [
        _Gap(
            what=_Told(unread.what.en, unread.what.ko),
            reason=unread.reason,
            remedy=_Told(unread.remedy.en, unread.remedy.ko),
        )
        for unread in error.unread
    ]


def _unread(gap: _Gap) -> Unread:
    return Unread(what=_text(gap.what), reason=gap.reason, remedy=_text(gap.remedy))


def _text(told: _Told) -> Text:
    return Text(en=clean(told.en, MESSAGE), ko=clean(told.ko, MESSAGE))


def _not_recorded() -> UnreadError:
    remedy = Text(
        en="take the snapshot again with this kubegap and --prometheus, so that it holds the answer",
        ko="이 kubegap으로 --prometheus를 주어 스냅샷을 다시 만들면 답이 들어감",
    )
    return UnreadError(Unread(what=METRICS, reason="not_in_snapshot", remedy=remedy))


def _not_ours() -> ConfigError:
    return ConfigError(
        Text(
            en=f"{FILE} in the snapshot is not what `kubegap snapshot` writes: take the snapshot again, or delete the "
            "file",
            ko=f"스냅샷의 {FILE}이 `kubegap snapshot`이 쓴 것이 아님. 스냅샷을 다시 만들거나 이 파일을 지운다",
        )
    )
