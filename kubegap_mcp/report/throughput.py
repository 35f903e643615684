"""The answer of `explain_throughput`: what shape the curve has, which incidents had it, and what moved beside it."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from kubegap_checks.signals.shapes import ShapeRow, shapes
from kubegap_checks.signals.throughput import Moving, moving, names
from kubegap_checks.text import Text
from kubegap_checks.throughput.coincidence import SCORE_TELLING, Coincident
from kubegap_checks.throughput.kinds import Shape
from kubegap_checks.throughput.limits import OUTAGE_DEPTH
from kubegap_mcp.metrics.curve import Curve
from kubegap_mcp.report import fitting, notes, parts
from kubegap_mcp.report.fitting import Room
from kubegap_mcp.report.models import CitePart, CoincidentPart, Note, SeriesPart, ShapePart, ThroughputAnswer
from kubegap_mcp.report.words import cut

_COINCIDENT = 8  # rows; what comes after them hardly coincides
_FOLLOWED = 3  # of what coincides, those for which it is said where to look further
_OTHERS = 5  # jobs that a note names
_NAME = 127  # letters of a job or a metric within a sentence
_LATE_STEPS = 3  # so many missing samples at the end are told


def throughput_answer(curve: Curve, telling: parts.Telling, *, picture: str) -> ThroughputAnswer:
    """`picture` is the id under which the picture is kept."""
    row = shapes()[curve.shape.id]

    def build(room: Room) -> ThroughputAnswer:
        shown = curve.coincident[: room.rows]
        return ThroughputAnswer(
            cluster=parts.cluster_part(telling.reading),
            series=_series(curve),
            shape=_shape(curve),
            coincident=[
                CoincidentPart(
                    signal=one.signal,
                    subject=cut(one.subject, max(room.letters, _NAME)),
                    onset_lag_s=one.onset_lag_s,
                    score=one.score,
                )
                for one in shown
            ],
            incidents=_incidents(row, curve.shape, telling, room),
            next=[room.brief(telling.say(text)) for text in _next(row, shown)],
            unread=[parts.unread_part(item, telling, room) for item in curve.unread[: room.things]],
            doubts=len(curve.shape.doubts),
            notes=[
                *(Note(kind="partial", text=telling.say(text)) for text in curve.shape.doubts),
                *notes.about(telling),
                *(Note(kind="partial", text=telling.say(text)) for text in _partial(curve)),
                *_left_out(curve, len(shown), picture, telling),
                *fitting.shortened(room, telling.lang),
            ],
            picture=picture,
        )

    rows = min(_COINCIDENT, len(curve.coincident))
    return fitting.fitted(build, telling.lang, rows=rows)


def _series(curve: Curve) -> SeriesPart:
    begin = curve.at - timedelta(seconds=curve.window.span_s)
    return SeriesPart(
        metric=cut(curve.metric.name, _NAME),
        job=None if curve.job is None else cut(curve.job.title, _NAME),
        window=f"{parts.timestamp(begin)}/{parts.timestamp(curve.at)}",
        points=len(curve.course.samples),
        coverage=round(curve.course.coverage, 3),
    )


def _shape(curve: Curve) -> ShapePart:
    shape = curve.shape
    return ShapePart(
        id=shape.id,
        confidence=shape.confidence.value,
        since=None if shape.since is None else _moment(shape.since),
        drop_percent=shape.drop_percent,
        period_s=shape.period_s,
    )


def _incidents(row: ShapeRow, shape: Shape, telling: parts.Telling, room: Room) -> list[CitePart]:
    left = "none" if (shape.drop_percent or 0) >= 100 * OUTAGE_DEPTH else "some"
    had = [one for one in row.incidents if one.left in {"", left}]
    return [
        CitePart(
            id=one.id,
            title=room.brief(parts.incident(telling, one.id).title.of(telling.lang)),
            because=room.brief(telling.say(one.because)),
        )
        for one in had[: room.names]
    ]


def _next(row: ShapeRow, shown: Sequence[Coincident]) -> Iterator[Text]:
    """What usually causes the shape, where to look further for what coincides, then what else can be looked at."""
    yield Text(en=f"usual cause of this shape: {row.usual.en}", ko=f"이 모양의 흔한 원인: {row.usual.ko}")
    topics = {one.id: one.topic for one in moving()}
    for one in shown[:_FOLLOWED]:
        if one.onset_lag_s is None:
            yield _drifting(one)
        elif one.score < SCORE_TELLING:
            continue
        elif one.held < one.dips:
            yield _in_part(one)
        if one.signal in topics:
            yield _look(one, topics[one.signal])
    yield from row.next


def _look(one: Coincident, topic: str) -> Text:
    name = names()[one.signal]
    return Text(
        en=f"{name.en} ({one.subject}): check_{topic} looks at what may be behind it",
        ko=f"{name.ko}({one.subject}): 배경은 check_{topic}에서 확인",
    )


def _drifting(one: Coincident) -> Text:
    name = names()[one.signal]
    return Text(
        en=f"{name.en} went one way all along, without an onset to compare: see whether the trouble grows with it",
        ko=f"{name.ko}: 구간 내내 한 방향으로 변했고 비교할 시작점이 없음. 함께 심해지는지 확인",
    )


def _in_part(one: Coincident) -> Text:
    """Some of the dips have nothing to do with it: a second cause hides behind a first one."""
    name, last = names()[one.signal], None if one.last_held is None else _moment(one.last_held)
    en = f", the last of these until {last}" if last else ""
    ko = f"(마지막은 {last}까지)" if last else ""
    return Text(
        en=f"{name.en} moved with {one.held} of {one.dips} dips{en}: the others need another explanation",
        ko=f"{name.ko}: 하락 {one.dips}번 중 {one.held}번만 함께 움직임{ko}. 나머지는 다른 원인을 찾아야 함",
    )


def _partial(curve: Curve) -> Iterator[Text]:
    """What the answer does not show, and how far it can be believed."""
    yield Text(
        en="coincidence is not cause: a third thing may have moved both",
        ko="함께 움직였다고 원인은 아님. 제3의 원인이 둘 다 움직였을 수 있음",
    )
    if proxy := curve.metric.proxy:
        yield Text(
            en=f"no trainer's own throughput was found, so {proxy.text.en} stands in for it",
            ko=f"학습 코드가 내보내는 처리량이 없어 {proxy.text.ko}을 대신 봄",
        )
    if curve.job is None:
        name = cut(curve.metric.name, _NAME)
        yield Text(
            en=f"no label of {name} names a job: the mean of all its series is told; signals are of the whole cluster",
            ko=f"{name}의 레이블에 작업 이름이 없어 모든 시계열의 평균을 보며, 신호는 클러스터 전체를 봄",
        )
    yield from _late(curve)
    yield _compared(curve)
    yield from curve.lacks


def _late(curve: Curve) -> Iterator[Text]:
    """A curve that ends before the window does: the job may have ended, or only its exporter."""
    last = curve.course.places[-1]
    if not curve.silent and len(curve.course.values) - 1 - last >= _LATE_STEPS:
        moment = _moment(curve.course.time(last))
        yield Text(
            en=f"the last sample is of {moment}: the job may have ended since, or only its exporter fallen silent",
            ko=f"마지막 표본은 {moment}. 그 뒤로 작업이 끝났거나 익스포터만 멈췄을 수 있음",
        )


def _compared(curve: Curve) -> Text:
    seen, unseen = _named(curve.watched), _named(curve.unwatched)
    return Text(
        en=f"compared with {seen.en or 'nothing'}; not published for this job, so not seen: {unseen.en or 'nothing'}",
        ko=f"비교한 신호: {seen.ko or '없음'}. 이 작업에 대해 수집되지 않아 보지 못한 신호: {unseen.ko or '없음'}",
    )


def _named(rows: Sequence[Moving]) -> Text:
    return Text(en=", ".join(row.text.en for row in rows), ko=", ".join(row.text.ko for row in rows))


def _left_out(curve: Curve, shown: int, picture: str, telling: parts.Telling) -> Iterator[Note]:
    if more := len(curve.coincident) - shown:
        text = Text(en=f"{more} more that coincide less", ko=f"덜 일치하는 신호 {more}개를 뺌")
        yield Note(kind="left_out", text=telling.say(text))
    if curve.others:
        named = ", ".join(cut(one, _NAME) for one in curve.others[:_OTHERS])
        more_jobs = len(curve.others) - _OTHERS
        named += f", +{more_jobs}" if more_jobs > 0 else ""
        text = Text(
            en=f"other training jobs, to ask about with job: {named}",
            ko=f"job으로 물을 수 있는 다른 학습 작업: {named}",
        )
        yield Note(kind="left_out", text=telling.say(text))
    address = f"kubegap://throughput/{picture}"
    text = Text(
        en=f"a picture of the curve is at {address}; picture=true shows it beside the answer",
        ko=f"곡선 그림은 {address}에 있음. picture=true로 물으면 답과 함께 보여 줌",
    )
    yield Note(kind="left_out", id=picture, text=telling.say(text))


def _moment(time: float) -> str:
    return parts.timestamp(datetime.fromtimestamp(time, UTC))
