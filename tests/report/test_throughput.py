"""What an answer makes of a curve: its shape, what moved beside it, where to look further, and what was not seen."""

from datetime import UTC, datetime
from typing import Any

import pytest
from checks.throughput.drawn import SHAPES, draw
from report.build import HOSTILE, LANGS, LONG, SMOLLM3, fits, telling, told, unread

from kubegap_checks.signals.shapes import shapes
from kubegap_checks.signals.throughput import moving, names, proxies
from kubegap_checks.text import Lang, Text
from kubegap_checks.throughput.coincidence import Coincident
from kubegap_checks.throughput.series import Series
from kubegap_checks.throughput.shape import shape_of
from kubegap_mcp.errors import UnknownNameError
from kubegap_mcp.metrics.curve import Curve, Job, Metric, Window
from kubegap_mcp.report.models import ThroughputAnswer
from kubegap_mcp.report.picture.shelf import Shelf
from kubegap_mcp.report.text import render
from kubegap_mcp.report.throughput import throughput_answer

LATENCY = Coincident(
    signal="disk_read_latency",
    subject="Node/gpu-7",
    score=0.9,
    onset_lag_s=-60.0,
    held=4,
    dips=4,
    last_held=1_760_040_000.0,
)
HALF = Coincident(
    signal="disk_read_latency",
    subject="Node/gpu-7",
    score=0.5,
    onset_lag_s=0.0,
    held=4,
    dips=9,
    last_held=1_760_040_000.0,
)
MEMORY = Coincident(signal="working_set", subject="Pod/ml/llm-0", score=0.3, onset_lag_s=None)
CLOCK = Coincident(signal="gpu_clock", subject="Node/gpu-7", score=0.3, onset_lag_s=0.0, held=1, dips=9)
JOINED = Coincident(signal="node_joined", subject="Node/gpu-8", score=0.8, onset_lag_s=-5.0)


def curve(
    label: str = "repeated_collapses", *coincident: Coincident, course: Series | None = None, **more: Any
) -> Curve:
    course = course or draw(label, 2).series
    quiet: dict[str, Any] = {
        "metric": Metric(name="tokens_per_second"),
        "job": Job(name="llm", namespace="ml"),
        "window": Window.of("24h"),
        "at": datetime.fromtimestamp(course.started + 86_400, UTC),
        "shape": shape_of(course),
        "watched": moving()[:2],
        "unwatched": moving()[2:],
    }
    return Curve(course=course, coincident=coincident, **(quiet | more))


def answer(
    *coincident: Coincident, lang: Lang = "en", label: str = "repeated_collapses", **more: Any
) -> ThroughputAnswer:
    return throughput_answer(curve(label, *coincident, **more), telling(lang), picture="0123456789ab")


def said(given: ThroughputAnswer) -> str:
    return "\n".join(note.text for note in given.notes)


def test_the_fields_are_those_of_the_contract():
    seen = told(answer(LATENCY))
    assert list(seen) == ["schema", "cluster", "series", "shape", "coincident", "incidents", "next", "unread", "notes"]
    assert list(seen["series"]) == ["metric", "job", "window", "points", "coverage"]
    assert list(seen["shape"]) == ["id", "confidence", "since", "drop_percent", "period_s"]
    assert seen["coincident"] == [
        {"signal": "disk_read_latency", "subject": "Node/gpu-7", "onset_lag_s": -60.0, "score": 0.9}
    ]
    assert (seen["series"]["job"], seen["shape"]["id"]) == ("ml/llm", "repeated_collapses")
    assert seen["series"]["window"] == "2025-10-09T08:53:20Z/2025-10-10T08:53:20Z"


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("label", SHAPES)
def test_each_shape_has_its_usual_cause_first_and_its_incidents(label: str, lang: Lang):
    given = answer(lang=lang, label=label)
    row = shapes()[given.shape.id]
    assert row.usual.of(lang) in given.next[0]
    assert given.next[-1] == row.next[-1].of(lang)
    assert [one.id for one in given.incidents] == [one.id for one in row.incidents]
    assert row.name.of(lang) in render(given, lang)


def test_the_text_says_what_the_structured_answer_says():
    text = render(answer(LATENCY, MEMORY, unread=(unread("link errors"),)), "en")
    assert "Throughput: repeated collapses (repeated_collapses), since 2025-10-0" in text
    assert "| disk read latency | disk_read_latency | Node/gpu-7 | -60 s | 0.90 |" in text
    assert "| memory of the job's pods | working_set | Pod/ml/llm-0 | - | 0.30 |" in text
    assert SMOLLM3 in text
    assert "forbidden: link errors" in text
    assert "Nothing that was compared moved with it." not in text
    assert "Nothing that was compared moved with it." in render(answer(), "en")
    assert "함께 움직인 것은 없음" in render(answer(lang="ko"), "ko")


def test_coincidence_is_said_not_to_be_cause():
    assert "coincidence is not cause" in said(answer(LATENCY))
    assert "함께 움직였다고 원인은 아님" in said(answer(LATENCY, lang="ko"))


def test_what_coincides_is_followed_to_the_topic_that_looks_further():
    given = answer(LATENCY, JOINED)
    assert "disk read latency (Node/gpu-7): check_storage_tiering looks at what may be behind it" in given.next
    assert not any("node joined" in text for text in given.next)
    assert {one.topic for one in moving()} <= {"storage_tiering", "ib_health", "gpu_health", "job_recovery"}


def test_what_explains_some_dips_leaves_the_others_open():
    given = answer(HALF)
    assert any("moved with 4 of 9 dips" in text and "another explanation" in text for text in given.next)
    assert not any("another explanation" in text for text in answer(LATENCY).next)


def test_what_unrelated_signals_reach_too_is_listed_and_not_followed():
    given = answer(CLOCK)
    assert [one.signal for one in given.coincident] == ["gpu_clock"]
    assert not any("GPU clock" in text for text in given.next)


def test_what_only_drifts_is_called_so():
    assert any("went one way all along" in text for text in answer(MEMORY).next)


def test_what_was_compared_and_what_was_not_is_named():
    given = said(answer())
    assert "compared with disk read latency, read latency of shared filesystems; not published" in given
    assert "nodes that are not ready" in given
    assert "compared with nothing" in said(answer(watched=(), unwatched=moving()))


def test_a_stand_in_and_a_metric_without_a_job_are_told():
    assert "activity of the tensor cores stands in for it" in said(answer(metric=Metric(name="x", proxy=proxies()[0])))
    given = answer(job=None)
    assert given.series.job is None
    assert "no label of tokens_per_second names a job" in said(given)


def test_a_curve_that_ends_early_says_when():
    values = (*[10.0 + at % 3 for at in range(100)], *[None] * 3)
    stopped = answer(course=Series(1_760_000_000.0, 300, values))
    assert "the last sample is of 2025-10-09T17:08:20Z" in said(stopped)
    assert "last sample" not in said(answer(course=Series(1_760_000_000.0, 300, values[:-1])))


@pytest.mark.parametrize(("lang", "doubt"), [("en", "no samples, rather than zeros"), ("ko", "표본 자체가 없음")])
def test_an_end_without_samples_is_a_hint_and_its_doubt_comes_first(lang: Lang, doubt: str):
    stopped = answer(lang=lang, course=Series(1_760_000_000.0, 300, (*[10.0] * 200, *[None] * 60)))
    assert (stopped.shape.id, stopped.shape.confidence) == ("stall", "hint")
    assert doubt in stopped.notes[0].text


@pytest.mark.parametrize(("lang", "doubt"), [("en", "for 5.0 hours from"), ("ko", "5.0시간 동안 표본이 없었고")])
def test_a_hole_that_passed_does_not_read_as_steady(lang: Lang, doubt: str):
    given = answer(lang=lang, course=Series(1_760_000_000.0, 300, (*[10.0] * 100, *[None] * 60, *[10.0] * 100)))
    assert (given.shape.id, given.shape.confidence, given.shape.since) == ("unclear", "hint", None)
    assert doubt in given.notes[0].text
    assert "(steady)" not in render(given, lang)
    assert not given.incidents


@pytest.mark.parametrize(
    ("lang", "first", "doubt"),
    [
        (
            "en",
            "a fall that passed (passing_fall), from 2025-10-09T17:13:20Z, down by 50%; certain.",
            "then it recovered",
        ),
        ("ko", "떨어졌다가 회복(passing_fall), 2025-10-09T17:13:20Z부터, 50% 하락. 확실.", "그 뒤 회복됨"),
    ],
)
def test_a_fall_that_passed_is_told_with_its_times(lang: Lang, first: str, doubt: str):
    course = Series(
        1_760_000_000.0, 300, tuple(10.0 + at % 2 / 50 if not 100 <= at < 160 else 5.0 for at in range(260))
    )
    lines = render(answer(lang=lang, course=course), lang).splitlines()
    assert lines[0].endswith(first)
    assert doubt in lines[2]


@pytest.mark.parametrize(
    ("left", "cited"),
    [
        (0.5, ["2025-hkust-greyhound-fail-slow", "2024-bytedance-minder-faulty-machine"]),
        (0.0, ["2022-bigscience-bloom-evaluation-deadlock"]),
    ],
)
def test_a_fall_cites_slow_work_or_a_standstill_by_what_was_left(left: float, cited: list[str]):
    values = tuple((10.0 + at % 2 / 50) * (left if 100 <= at < 160 else 1) for at in range(260))
    given = answer(course=Series(1_760_000_000.0, 300, values))
    assert given.shape.id == "passing_fall"
    assert [one.id for one in given.incidents] == cited


def test_the_text_begins_with_the_answer_goes_on_with_what_moved_and_ends_with_what_it_rests_on():
    values = (*[10.0 + at % 3 for at in range(200)], *[None] * 60)
    lines = render(answer(LATENCY, course=Series(1_760_000_000.0, 300, values)), "en").splitlines()
    order = [
        "Throughput: ",
        "- the end has no samples",
        "Metric ",
        "| disk read latency",
        "Next:",
        "Incidents",
        "Cluster ",
    ]
    found = [next(at for at, line in enumerate(lines) if line.startswith(begin)) for begin in order]
    assert found == sorted(found)
    assert sum("the end has no samples" in line for line in lines) == 1


def test_what_a_source_that_fell_silent_has_last_is_no_word_on_the_job():
    values = (*[10.0 + at % 3 for at in range(200)], *[None] * 60)
    course = Series(1_760_000_000.0, 300, values)
    shape = shape_of(course, silent=((course.time(199), course.end),))
    given = answer(course=course, shape=shape, silent=True)
    assert (given.shape.id, given.shape.confidence) == ("unclear", "hint")
    assert "the metrics source went silent at 2025-10-10T01:28:20Z" in given.notes[0].text
    assert "until then it was steady" in given.notes[0].text
    assert "the last sample is of" not in said(given)
    assert not given.incidents


def test_a_doubt_and_what_the_source_left_out_are_told():
    few = Series(0.0, 60, (5.0,) * 5)
    assert "only 5 samples" in said(answer(course=few))
    assert "half of it" in said(answer(lacks=(Text.same("half of it"),)))


def test_other_jobs_are_named_up_to_five():
    given = said(answer(others=tuple(f"ml/job-{at}" for at in range(7))))
    assert "ml/job-4, +2" in given
    assert "ml/job-5" not in given


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("text", [HOSTILE, LONG, HOSTILE * 9])
def test_whatever_a_cluster_names_things_the_answer_fits_and_stays_on_its_lines(text: str, lang: Lang):
    many = [
        Coincident(signal=row.id, subject=f"Node/{text}", score=0.9, onset_lag_s=1.0, held=1, dips=4)
        for row in moving()
    ]
    given = answer(
        *many,
        lang=lang,
        metric=Metric(name=text),
        job=Job(name=text, namespace=text),
        others=(text,) * 9,
        unread=tuple(unread(f"{text} {at}") for at in range(20)),
        lacks=(Text.same(text),),
    )
    assert fits(given, lang)
    assert len(given.coincident) == 8
    assert "3 more that coincide less" in said(given) or "3개를 뺌" in said(given)
    lines = render(given, lang).splitlines()
    assert not [line for line in lines if line.startswith(("## ", "```", "- x"))]
    assert sum(line.startswith("|") for line in lines) == 8 + 2


def test_every_signal_and_moment_has_a_name():
    assert set(names()) >= {row.id for row in moving()} | {"pod_created", "node_tainted"}


def test_pictures_are_kept_until_32_newer_ones_came():
    shelf = Shelf()
    first = shelf.put(curve())
    assert shelf.put(curve()) == first
    assert shelf.svg(first).startswith("<svg")
    assert shelf.png(first).startswith(b"\x89PNG")
    for number in range(31):
        shelf.put(curve(metric=Metric(name=f"metric_{number}")))
    assert shelf.svg(first)
    shelf.put(curve(metric=Metric(name="one_more")))
    with pytest.raises(UnknownNameError, match="there is no picture"):
        shelf.svg(first)
    with pytest.raises(UnknownNameError):
        shelf.png("nope")


def test_the_address_of_the_picture_is_in_the_notes_and_its_id_in_no_field():
    given = answer()
    assert "kubegap://throughput/0123456789ab" in said(given)
    assert "picture" not in told(given)
