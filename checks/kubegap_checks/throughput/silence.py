"""Whether a source of metrics fell silent: then its series have no samples, and nothing that they measured ended."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from kubegap_checks.throughput.limits import STALL_MIN_S, STALL_MIN_STEPS
from kubegap_checks.throughput.series import Series

Span = tuple[float, float]  # from the last sample before it to the first one after it, in unix seconds


def silences(course: Series, others: Sequence[Series], leeway_s: float) -> tuple[Span, ...]:
    """When the source had samples of nothing: neither of the course nor of any other series, which had some before.

    Rates, and a source that remembers a last sample, go on for `leeway_s` at most; so much earlier others may begin.
    """
    return tuple(span for span in _missing(course) if _silent(others, span, leeway_s, course.end))


def ends_early(course: Series) -> bool:
    """Whether samples are missing at the end for so long that it would pass for a stall."""
    return any(span[1] >= course.end for span in _missing(course))


def _missing(course: Series) -> Iterator[Span]:
    """As long as a stall; the last one goes to behind the window."""
    least = max(STALL_MIN_STEPS, STALL_MIN_S / course.step_s)
    for last, following in pairwise((*course.places, len(course.values))):
        if following - last - 1 >= least:
            yield course.time(last), course.time(following)


def _silent(others: Sequence[Series], span: Span, leeway_s: float, end: float) -> bool:
    begin, until = span[0] + leeway_s, span[1] if span[1] >= end else span[1] - leeway_s
    times = [other.time(place) for other in others for place in other.places]
    had = any(abs(time - span[0]) <= leeway_s for time in times)
    return had and begin < until and not any(begin < time < until for time in times)
