"""What a shape leaves open, in words: why no more is said than it says, and what else was seen beside it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from kubegap_checks.text import Text, moment
from kubegap_checks.throughput.away import Before, Stall
from kubegap_checks.throughput.dips import Dip
from kubegap_checks.throughput.kinds import Shape
from kubegap_checks.throughput.lows import Low
from kubegap_checks.throughput.series import Series
from kubegap_checks.throughput.silence import Span

_HOUR_S: Final = 3600
_MINUTE_S: Final = 60

SILENT: Final = Text(
    en="the end has no samples, rather than zeros: the job, only its exporter or the metrics source may have stopped",
    ko="끝부분은 0이 아니라 표본 자체가 없음. 작업이 멈췄거나 익스포터 또는 메트릭 소스만 멈췄을 수 있음",
)
NOTHING: Final = Text(
    en="every sample is zero: the metric counts nothing, or the job did no work in the whole window",
    ko="모든 표본이 0임: 지표가 아무것도 세지 않거나, 구간 내내 작업이 진행되지 않음",
)
SUMMED_UP: Final = Text(
    en="it rises from sample to sample and hardly ever falls, as a counter of all work so far does, or an average "
    "since the start: that tells no throughput; name a metric of work per second, or a counter whose name ends in "
    "_total",
    ko="값이 거의 내려가지 않고 계속 오름. 지금까지의 작업을 모두 더한 카운터나 시작부터의 평균으로 보이며, 그것으로는 "
    "처리량을 알 수 없음. 초당 작업량인 메트릭이나 이름이 _total로 끝나는 카운터를 지정한다",
)
ANEW: Final = Text(
    en="it starts anew at times, as after a restart; falls that come again look alike",
    ko="재시작 뒤처럼 때때로 처음 수준으로 돌아옴. 되풀이되는 하락도 비슷하게 보임",
)


def two_steps(series: Series, steps: Sequence[int]) -> Text:
    first, second = (_at(series.time(place)) for place in steps)
    return Text(
        en=f"two steps down, about {first} and {second}, explain it better than a slope: look for what changed then",
        ko=f"완만한 감소보다는 {first} 무렵과 {second} 무렵 두 번의 하락에 더 가까움. 그때 무엇이 바뀌었는지 확인",
    )


def low_at_best(best: float, expected: float) -> Text:
    lost = f"{1 - best / expected:.0%}"
    return Text(
        en=f"besides, even at its best it is at {best:.3g}, {lost} below what was expected: that may have another "
        "cause, there from the first step on",
        ko=f"이와 별개로 가장 높을 때의 값({best:.3g})도 기대한 값보다 {lost} 낮음. 첫 스텝부터 있던 다른 "
        "원인일 수 있음",
    )


def few(series: Series) -> Text:
    count = len(series.samples)
    plural = "" if count == 1 else "s"
    return Text(
        en=f"only {count} sample{plural}: ask for a longer window or a finer step",
        ko=f"표본이 {count}개뿐임: 더 긴 구간이나 더 촘촘한 간격으로 다시 확인",
    )


def gappy(series: Series) -> Text:
    percent = round(100 * series.coverage)
    return Text(
        en=f"only {percent}% of the samples are there, and what is missing may be what happened",
        ko=f"표본이 {percent}%뿐이며, 빠진 부분에 문제가 있었을 수 있음",
    )


def source_silent(since: float, before: Text) -> Text:
    at = _at(since)
    return Text(
        en=f"the metrics source went silent at {at}: everything else that it was asked for ends there too, so nobody "
        f"saw the job stop, and how it went on is not known; {before.en}",
        ko=f"메트릭 소스의 수집이 {at}에 멈춤. 함께 조회한 다른 시계열도 모두 그때 끊겼으므로 작업이 멈췄다고 볼 "
        f"근거는 없으며, 그 뒤의 상태는 알 수 없음. {before.ko}",
    )


UNTIL_THEN_STEADY: Final = Text(en="until then it was steady", ko="그 전까지는 안정")
UNTIL_THEN_UNCLEAR: Final = Text(en="until then it had no clear shape", ko="그 전까지는 뚜렷한 모양이 없음")
UNTIL_THEN_THIS: Final = Text(en="the shape is that of the time until then", ko="모양은 그 전까지의 것임")


def negative(count: int) -> Text:
    return Text(
        en=f"{count} of its values are below zero, as -1 for unknown: they count as missing",
        ko=f"0보다 작은 값이 {count}개 있음(알 수 없음을 뜻하는 -1 등). 표본이 없는 것으로 봄",
    )


def work_goes_on(stall: Stall) -> Text:
    left = f"{stall.left:.0%}"
    return Text(
        en=f"{left} of the usual level remains: what GPUs draw that do nothing, or work that goes on slowly",
        ko=f"평소 수준의 {left}가 남아 있음. 쉬는 GPU의 전력이거나, 작업이 느리게나마 진행 중일 수 있음",
    )


def began_late(series: Series, before: Before) -> Text:
    """`series` is from where work began."""
    at = _at(series.started)
    if before.left is None:
        en, ko = "there are no samples", "표본이 없음"
    else:
        en, ko = f"it was at {before.left:.0%} of that", f"그 {before.left:.0%} 수준이었음"
    return Text(
        en=f"the shape is that of the time from {at} on, where work begins; before, {en}",
        ko=f"모양은 작업이 시작된 {at} 이후의 것임. 그 전에는 {ko}",
    )


def units(times: float) -> Text:
    """`times` is what was expected as a share of the level."""
    much = f"{times:.3g}"
    return Text(
        en=f"what was expected is {much} times its level: are both in one unit, a ratio or a percentage?",
        ko=f"기대값이 측정값의 {much}배임. 비율과 퍼센트처럼 단위가 다른 것은 아닌지 확인",
    )


def passed(series: Series, lows: Sequence[Low]) -> Text:
    """What was seen of the longest, and how many there are."""
    low = max(lows, key=lambda one: len(one.places))
    begin, hours = _at(series.time(low.places.start)), _length(series, low.places)
    more = len(lows) - 1
    return Text(
        en=f"for {hours.en} from {begin} it was at {low.left:.0%} of its usual level, then it recovered"
        + (f"; shorter ones besides: {more}" if more else ""),
        ko=f"{begin}부터 {hours.ko} 동안 평소 수준의 {low.left:.0%}였고 그 뒤 회복됨"
        + (f". 더 짧은 경우도 {more}번 있음" if more else ""),
    )


def low_at_first(series: Series, low: Low) -> Text:
    until, hours = _at(series.time(low.places.stop)), _length(series, low.places)
    return Text(
        en=f"not steady: until {until}, for {hours.en} from the window's begin, it was at {low.left:.0%} of what came "
        "then; a longer window shows whether that was a fall, or the job became faster",
        ko=f"안정이 아님: 구간 시작부터 {hours.ko} 동안, {until}까지는 그 뒤의 {low.left:.0%} 수준이었음. 떨어져 있던 "
        "것인지 작업이 빨라진 것인지는 더 긴 구간으로 확인",
    )


def rose(series: Series, places: range, left: float) -> Text:
    begin, end = _at(series.time(places.start)), _at(series.time(places.stop))
    return Text(
        en=f"not steady: from {begin} until {end} it was higher, at {1 / max(left, 0.01):.0%} of the level before and "
        "after; a longer window shows which of the two is the usual one",
        ko=f"안정이 아님: {begin}부터 {end}까지만 전후 수준의 {1 / max(left, 0.01):.0%}로 높았음. 어느 쪽이 평소 "
        "수준인지는 더 긴 구간으로 확인",
    )


def beside(shape: Shape) -> Text:
    """Another shape in the same window."""
    begin, drop = _at(shape.since or 0), f"{shape.drop_percent or 0:g}%"
    if shape.id == "step_down":
        return Text(en=f"besides, a step down by {drop} at {begin}", ko=f"그 밖에 {begin}에 {drop} 내려간 뒤 유지됨")
    if shape.id == "slow_decay":
        return Text(en=f"besides, a slow decay by {drop} from {begin} on", ko=f"그 밖에 {begin}부터 서서히 {drop} 하락")
    count = len(shape.dips)
    if shape.period_s:
        return Text(
            en=f"besides, falls by {drop} every {shape.period_s:g} s from {begin} on",
            ko=f"그 밖에 {begin}부터 {shape.period_s:g}초마다 {drop} 하락",
        )
    return Text(
        en=f"besides, falls that passed, by {drop}: {count}, the first at {begin}",
        ko=f"그 밖에 {drop}씩 떨어졌다가 회복된 경우: {count}번, 처음은 {begin}",
    )


def short_high(series: Series, places: int) -> Text:
    length = _length(series, range(places))
    return Text(
        en=f"the higher level is there for {length.en} only: a longer window shows which of the two is the usual one",
        ko=f"높은 수준은 {length.ko} 동안뿐임. 어느 쪽이 평소 수준인지는 더 긴 구간으로 확인",
    )


def hole(series: Series, holes: Sequence[range], silent: Sequence[Span]) -> Text:
    longest = max(holes, key=len)
    begin, hours, more = _at(series.time(longest.start)), _length(series, longest), len(holes) - 1
    middle = series.time(longest.start + len(longest) // 2)
    blind = any(first < middle < last for first, last in silent)
    en, ko = "how it went then is not known", "그동안의 상태는 알 수 없음"
    if blind:
        en = f"the metrics source had none of anything else either, and {en}"
        ko = f"메트릭 소스에 다른 것의 표본도 없었으며, {ko}"
    return Text(
        en=f"for {hours.en} from {begin} there were no samples, then it recovered: {en}"
        + (f"; shorter ones besides: {more}" if more else ""),
        ko=f"{begin}부터 {hours.ko} 동안 표본이 없었고 그 뒤 회복됨. {ko}"
        + (f". 더 짧은 경우도 {more}번 있음" if more else ""),
    )


def short_falls(series: Series, dips: Sequence[Dip]) -> Text:
    """Those that are too short to be a shape, as a restart is."""
    dip = max(dips, key=lambda one: one.depth * (one.end - one.start))
    begin, length = _at(series.time(dip.start)), _length(series, range(dip.start, dip.end))
    left = f"{max(0.0, 1 - dip.depth):.0%}"
    return Text(
        en=f"short falls that passed: {len(dips)}; the largest to {left} of the level, for {length.en} from {begin}",
        ko=f"짧게 떨어졌다가 회복된 경우: {len(dips)}번. 가장 큰 것은 {begin}부터 {length.ko} 동안 {left} 수준",
    )


def low_now(series: Series, since: int, left: float) -> Text:
    begin, length = _at(series.time(since)), _length(series, range(since, len(series.values)))
    finer = series.step_s > _MINUTE_S
    return Text(
        en=f"for the last {length.en}, since {begin}, it is at {left:.0%} of its level: too short to tell whether that "
        "passes or lasts; ask again later" + (", or with window=1h for finer steps" if finer else ""),
        ko=f"마지막 {length.ko} 동안, {begin}부터 평소의 {left:.0%} 수준임. 지나갈 것인지 이어질 것인지 알기에는 너무 "
        "짧으니 나중에 다시 묻는다" + (". window=1h로 물으면 더 촘촘하게 보임" if finer else ""),
    )


def frozen(series: Series, since: int) -> Text:
    begin = _at(series.time(since))
    return Text(
        en=f"since {begin} every sample is exactly the same, which was not so before: it may no longer be updated, as "
        "when a job hangs; power and tensor activity of its GPUs tell",
        ko=f"{begin}부터 모든 표본이 똑같은데, 그 전에는 그렇지 않았음. 작업이 멈춰 값이 갱신되지 않는 것일 수 있으며, "
        "GPU의 전력과 텐서 활동률로 확인",
    )


def back(count: int) -> Text:
    samples = "sample is" if count == 1 else f"{count} samples are"
    return Text(
        en=f"its last {samples} back at the level before: too few to call it recovered; ask again later",
        ko=f"마지막 표본 {count}개는 이전 수준으로 돌아옴. 회복됐다고 하기에는 너무 적으니 나중에 다시 확인",
    )


def moves(low: float, high: float) -> Text:
    """Levels as shares of the middle one."""
    return Text(
        en=f"not steady: a tenth of the time it is below {low:.0%} of its middle level, a tenth above {high:.0%}, and "
        "no known shape explains that",
        ko=f"안정이 아님: 전체 시간의 10%는 중간 수준의 {low:.0%} 아래, 10%는 {high:.0%} 위에 있고, 알려진 모양으로 "
        "설명되지 않음",
    )


def swings(share: float) -> Text:
    return Text(
        en=f"it moves by {share:.0%} between the day's height and its depth; heat makes 1 to 2%, other users of the "
        "cluster more",
        ko=f"하루 중 가장 높을 때와 낮을 때가 {share:.0%} 차이 남. 더위로 생기는 차이는 1-2%이고, 클러스터를 함께 쓰는 "
        "작업이 있으면 더 커짐",
    )


def _at(time: float) -> str:
    return moment(datetime.fromtimestamp(time, UTC)) or ""


def _length(series: Series, places: range) -> Text:
    seconds = len(places) * series.step_s
    if seconds < _HOUR_S:
        minutes = max(1, round(seconds / _MINUTE_S))
        return Text(en=f"{minutes} minutes", ko=f"{minutes}분")
    return Text(en=f"{seconds / _HOUR_S:.1f} hours", ko=f"{seconds / _HOUR_S:.1f}시간")
