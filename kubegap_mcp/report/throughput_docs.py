"""Where the throughput of a job is looked for and what is compared with it, as a part of the page on metrics."""

from collections.abc import Iterator

from kubegap_checks.signals.throughput import moving, proxies, trainer_metrics
from kubegap_checks.text import Lang, Text
from kubegap_mcp.metrics.curve import DEFAULT_WINDOW
from kubegap_mcp.metrics.no_curve import KEPT
from kubegap_mcp.report.markdown import cell, linked_table

_TITLE = Text(en="Throughput of a job", ko="작업의 처리량")
_WHERE = Text(
    en="`explain_throughput` takes what the trainer publishes itself, where a label tells the job or one of its pods: "
    "a metric whose whole name matches one of these, in any case of letters.",
    ko="`explain_throughput`은 학습 코드가 직접 내보내는 메트릭을 쓴다. 레이블에 작업이나 그 파드가 있고, 이름 전체가 "
    "다음 중 하나와 맞는(대소문자 무관) 메트릭이다.",
)
_HEAD = (
    Text(en="trainer", ko="학습 코드"),
    Text(en="name", ko="이름"),
    Text(en="unit", ko="단위"),
    Text(en="source", ko="출처"),
)
_KEPT = Text(
    en=f"`kubegap snapshot --prometheus URL` keeps what is needed to explain the {KEPT} largest training runs over "
    f"{DEFAULT_WINDOW} (some 100 kB each). Asked about anything else, a snapshot says that it does not hold it.",
    ko=f"`kubegap snapshot --prometheus URL`은 가장 큰 학습 작업 {KEPT}개의 {DEFAULT_WINDOW} 처리량을 설명하는 데 "
    "필요한 응답을 담는다(작업당 100 kB쯤). 그 밖의 것을 물으면 스냅샷에 없다고 답한다.",
)
_UP = Text(
    en="Where a curve ends early, `up` and the series of nodes tell whether the job stopped or the source fell silent.",
    ko="곡선이 구간보다 일찍 끝나면 `up`과 노드의 시계열을 보고 작업이 멈췄는지 메트릭 소스의 수집이 멈췄는지 가린다.",
)


def lines(lang: Lang) -> Iterator[str]:
    yield from ("", '<a id="throughput"></a>', "", f"## {_TITLE.of(lang)}", "", _WHERE.of(lang), "")
    # A cell of a table ends at |, in code too.
    rows = [
        (cell(one.trainer), f"`{one.name.pattern}`".replace("|", "\\|"), cell(one.unit), cell(one.source))
        for one in trainer_metrics()
    ]
    yield from linked_table([word.of(lang) for word in _HEAD], rows)
    stand_in = ", ".join(one.text.of(lang) for one in proxies())
    beside = ", ".join(one.text.of(lang) for one in moving())
    without = Text(en=f"Without any: {stand_in}.", ko=f"없으면 대신 보는 것: {stand_in}.")
    compared = Text(en=f"Compared with it: {beside}.", ko=f"함께 비교하는 것: {beside}.")
    for text in (without, compared, _UP, _KEPT):
        yield from ("", text.of(lang))
