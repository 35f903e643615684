"""A source is silent where nothing has samples that had some just before; whatever goes on clears it."""

import pytest

from kubegap_checks.model import Confidence
from kubegap_checks.throughput.series import Series
from kubegap_checks.throughput.shape import shape_of
from kubegap_checks.throughput.silence import ends_early, silences

START = 1_760_000_000.0
LEEWAY_S = 600.0


def series(seen: range, hole: range = range(0), size: int = 300) -> Series:
    return Series(START, 60, tuple(10.0 + at % 3 if at in seen and at not in hole else None for at in range(size)))


ENDED = series(range(200))


@pytest.mark.parametrize(
    ("others", "silent"),
    [
        ([], False),
        ([series(range(200))], True),
        ([series(range(208))], True),  # a rate looks back
        ([series(range(192))], True),
        ([series(range(200)), series(range(300))], False),  # one goes on
        ([series(range(230))], False),
        ([series(range(100))], False),  # had ended long before
        ([series(range(100)), series(range(200))], True),
        ([series(range(200), size=400)], True),
        ([series(range(295, 300))], False),  # began when nothing else did
    ],
)
def test_an_end_is_the_source_s_where_all_others_end_with_it(others: list[Series], silent: bool):  # noqa: FBT001
    assert ends_early(ENDED)
    found = silences(ENDED, others, LEEWAY_S)
    assert found == (((START + 199 * 60, START + 300 * 60),) if silent else ())


def test_a_hole_is_the_source_s_where_all_others_have_it_too():
    hole = range(100, 160)
    course = series(range(300), hole)
    assert not ends_early(course)
    assert silences(course, [series(range(300), range(103, 158))], LEEWAY_S) == ((START + 99 * 60, START + 160 * 60),)
    assert not silences(course, [series(range(300))], LEEWAY_S)
    assert not silences(series(range(300), range(100, 106)), [series(range(300), range(100, 106))], LEEWAY_S)


def test_the_same_end_is_a_stall_or_a_silence_by_what_else_ended():
    assert shape_of(ENDED).id == "stall"
    silent = shape_of(ENDED, silent=silences(ENDED, [series(range(200))], LEEWAY_S))
    assert (silent.id, silent.confidence, silent.since) == ("unclear", Confidence.HINT, START + 199 * 60)


def test_too_little_before_the_silence_names_no_shape():
    short = series(range(8))
    shape = shape_of(short, silent=((START + 7 * 60, short.end),))
    assert "until then it had no clear shape" in shape.doubts[0].en
    assert "only 8 samples" in shape.doubts[1].en
