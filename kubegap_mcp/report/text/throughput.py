"""`explain_throughput` as text."""

from kubegap_checks.signals.shapes import shapes
from kubegap_checks.signals.throughput import names
from kubegap_checks.text import Lang, Text
from kubegap_mcp.report.markdown import inline, prose, table
from kubegap_mcp.report.models import ShapePart, ThroughputAnswer
from kubegap_mcp.report.text import common
from kubegap_mcp.report.words import CONFIDENCE

_HEAD = (
    Text(en="moved with it", ko="함께 움직인 것"),
    Text(en="signal", ko="신호"),
    Text(en="subject", ko="대상"),
    Text(en="onset lag", ko="시작 시차"),
    Text(en="score", ko="점수"),
)
_NONE = Text(en="Nothing that was compared moved with it.", ko="비교한 신호 중 함께 움직인 것은 없음.")


def lines(answer: ThroughputAnswer, lang: Lang) -> list[str]:
    """The answer and how sure it is, what moved with it, what to do next; then what all that rests on."""
    told = [_headline(answer.shape, lang)]
    if answer.doubts:
        told += ["", *(f"- {inline(note.text)}" for note in answer.notes[: answer.doubts])]
    told += ["", _series(answer, lang)]
    if answer.coincident:
        rows = [
            (
                names()[one.signal].of(lang),
                one.signal,
                one.subject,
                "-" if one.onset_lag_s is None else f"{one.onset_lag_s:+g} s",
                f"{one.score:.2f}",
            )
            for one in answer.coincident
        ]
        told += ["", *table([name.of(lang) for name in _HEAD], rows)]
    elif answer.shape.id not in {"steady", "unclear", "flat_low"}:
        told += ["", _NONE.of(lang)]
    told += ["", Text(en="Next:", ko="다음:").of(lang), "", *(f"- {inline(text)}" for text in answer.next)]
    if answer.incidents:
        head = Text(en="Incidents that had this shape:", ko="이 모양을 보인 사례:").of(lang)
        told += ["", head, "", *(f"- {prose(one.title)} ({one.id}): {prose(one.because)}" for one in answer.incidents)]
    told += ["", common.cluster(answer.cluster, lang)]
    return told + common.unread_lines(answer.unread, lang) + common.notes(answer.notes[answer.doubts :], lang)


def _headline(shape: ShapePart, lang: Lang) -> str:
    name, confidence = shapes()[shape.id].name, CONFIDENCE[shape.confidence]
    en, ko = [f"Throughput: {name.en} ({shape.id})"], [f"처리량: {name.ko}({shape.id})"]
    if shape.since:
        since = "from" if shape.id == "passing_fall" else "since"
        en, ko = [*en, f"{since} {shape.since}"], [*ko, f"{shape.since}부터"]
    if shape.drop_percent is not None:
        en, ko = [*en, f"down by {shape.drop_percent:g}%"], [*ko, f"{shape.drop_percent:g}% 하락"]
    if shape.period_s is not None:
        en, ko = [*en, f"every {shape.period_s:g} s"], [*ko, f"{shape.period_s:g}초 주기"]
    return Text(en=f"{', '.join(en)}; {confidence.en}.", ko=f"{', '.join(ko)}. {confidence.ko}.").of(lang)


def _series(answer: ThroughputAnswer, lang: Lang) -> str:
    one = answer.series
    metric, job, share = inline(one.metric), "-" if one.job is None else inline(one.job), f"{one.coverage:.0%}"
    return Text(
        en=f"Metric {metric}, job {job}, {one.window}: {one.points} points, {share} of the window.",
        ko=f"메트릭 {metric}, 작업 {job}, 구간 {one.window}: 표본 {one.points}개, 구간의 {share}.",
    ).of(lang)
