"""JSON of the Prometheus API -> answers, with only what can be judged in them; everything in it is hostile."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from math import isfinite
from typing import Final

import msgspec

from kubegap_checks.text import Text
from kubegap_mcp.foreign.clean import VALUE, clean
from kubegap_mcp.foreign.decode import decode
from kubegap_mcp.metrics.port import Answer, Series
from kubegap_mcp.metrics.unread import said

# More than the largest cluster needs of one query: 8,000 GPUs with two series each; their two hours at 15 seconds
# would be a query that asks for far too much.
MOST_SERIES: Final = 100_000
MOST_POINTS: Final = 1_000_000
_MOST_LABELS: Final = 60
_MOST_WARNINGS: Final = 3
# What metrics are called, OpenTelemetry's with their dots among them. Since Prometheus 3 a name may be any text:
# whatever else one holds may be meant for who reads it, and no table knows it.
_NAME: Final = re.compile(r"[\w:./-]{1,200}", re.ASCII)

_NO_CLOCK: Final = 4_102_444_800.0  # 2100-01-01

_Point = tuple[float, str]


class _Envelope(msgspec.Struct, rename="camel"):
    """https://prometheus.io/docs/prometheus/latest/querying/api/#format-overview; isPartial is VictoriaMetrics' own."""

    status: str
    data: msgspec.Raw = msgspec.field(default_factory=msgspec.Raw)
    error_type: str = ""
    error: str = ""
    warnings: list[str] | None = None
    is_partial: bool = False


class _Result(msgspec.Struct):
    """Of an instant query it has a value, of a range query values, or instead of them native histograms."""

    metric: dict[str, str]
    value: _Point | None = None
    values: list[_Point] | None = None
    histogram: object = None
    histograms: object = None


class _Kind(msgspec.Struct, rename="camel"):
    result_type: str


class _Series(msgspec.Struct):
    result: list[_Result] | None = None


class _Scalar(msgspec.Struct):
    result: _Point


class _Names(msgspec.Struct):
    data: list[str] | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """What the API says of a query that it does not answer."""

    kind: str
    error: str

    @property
    def late(self) -> bool:
        return self.kind in {"timeout", "canceled"}


def failure_of(body: bytes) -> Failure | None:
    """None where it is not the API that speaks."""
    try:
        told = decode(body, _Envelope)
    except msgspec.DecodeError:
        return None
    return Failure(told.error_type, told.error) if told.status == "error" else None


def answer_of(body: bytes) -> Answer:
    """Series of a vector, a matrix or a scalar; raises msgspec.DecodeError where it is none of them.

    NaN and infinite values are left out, and so is a series that has no other: they come from dividing by nothing
    (a disk that read nothing has no latency), and a comparison with NaN would be quietly false.
    """
    told = _success(body)
    results = _results(bytes(told.data))
    kept, lacks = _within_caps(results)
    if any(result.histogram or result.histograms for result in results):
        lacks = (*lacks, _HISTOGRAMS)
    word = _words()
    series = (_series(result, word) for result in kept)
    return Answer(series=tuple(item for item in series if item is not None), lacks=(*_left_out(told), *lacks))


def names_of(body: bytes) -> frozenset[str]:
    """Values of a label that may be a metric's name."""
    _success(body)
    return metric_names(decode(body, _Names).data or ())


def metric_names(given: Iterable[str]) -> frozenset[str]:
    """Those of them that may be one."""
    return frozenset(name for name in given if _NAME.fullmatch(name))


_HISTOGRAMS: Final = Text(
    en="native histograms, which kubegap does not read, are left out",
    ko="kubegap이 읽지 않는 네이티브 히스토그램은 뺌",
)
_PARTIAL: Final = Text(
    en="the metrics source says that its answer is partial", ko="메트릭 소스의 응답이 일부뿐이라고 함"
)


def _success(body: bytes) -> _Envelope:
    told = decode(body, _Envelope)
    if told.status != "success":
        raise msgspec.DecodeError("not a success")
    return told


def _results(data: bytes) -> list[_Result]:
    kind = decode(data, _Kind).result_type
    if kind == "scalar":
        return [_Result({}, value=decode(data, _Scalar).result)]
    if kind in {"vector", "matrix"}:
        return decode(data, _Series).result or []
    raise msgspec.DecodeError("not a vector, a matrix or a scalar")


def _left_out(told: _Envelope) -> tuple[Text, ...]:
    """Warnings; `infos` are advice on how the query is written, and nothing is missing because of them."""
    warnings = dict.fromkeys(said(warning) for warning in (told.warnings or ())[:_MOST_WARNINGS])
    texts = tuple(
        Text(en=f"the metrics source warns: {warning}", ko=f"메트릭 소스의 경고: {warning}") for warning in warnings
    )
    return (_PARTIAL, *texts) if told.is_partial else texts


def _within_caps(results: list[_Result]) -> tuple[list[_Result], tuple[Text, ...]]:
    kept: list[_Result] = []
    points = 0
    for result in results[:MOST_SERIES]:
        points += len(result.values or ()) or 1
        if points > MOST_POINTS:
            break
        kept.append(result)
    if len(kept) == len(results):
        return kept, ()
    some, all_ = f"{len(kept):,}", f"{len(results):,}"
    return kept, (Text(en=f"only {some} of {all_} series are looked at", ko=f"시계열 {all_}개 중 {some}개만 봄"),)


def _series(result: _Result, word: Callable[[str], str]) -> Series | None:
    points = result.values if result.values is not None else [result.value] if result.value is not None else []
    try:
        read = usable((time, float(text)) for time, text in points)
    except ValueError:
        raise msgspec.DecodeError("not a number") from None
    if not read:
        return None
    labels = {word(name): word(value) for name, value in islice(result.metric.items(), _MOST_LABELS)}
    return Series(labels=labels, points=read)


def usable(points: Iterable[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """In order, without what is no number or has a time that no clock shows, which no calendar may hold."""
    return tuple(sorted((time, value) for time, value in points if isfinite(value) and 0 <= time < _NO_CLOCK))


def _words() -> Callable[[str], str]:
    """Each is cleaned and kept once: thousands of series of one answer have the same few."""
    known: dict[str, str] = {}

    def word(value: str) -> str:
        found = known.get(value)
        if found is None:
            found = known[value] = clean(value, VALUE)
        return found

    return word
