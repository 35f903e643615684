"""Odd curves of a real Prometheus, through the tool: none is steady that was not, and each doubt is told."""

import math
from collections.abc import Iterator, Mapping
from datetime import timedelta

import pytest
from metrics.curves import END, FixedReader, cluster
from metrics.odd_curves import DAY, ODD, WEEK, WEEK_DAYS, WORK, Odd, Value
from metrics.prometheus_server import needed, started

from kubegap_mcp.app import Kubegap
from kubegap_mcp.errors import NotReadError
from kubegap_mcp.metrics.reader import Metrics
from kubegap_mcp.metrics.settings import MetricsSettings
from kubegap_mcp.metrics.source import source_for
from kubegap_mcp.report.models import ThroughputAnswer
from kubegap_mcp.report.text import render
from kubegap_mcp.settings import Settings

MOST = 6 * 720  # samples of six hours, every five seconds


def samples() -> str:
    lines = ["# TYPE tokens_per_second unknown"]
    for name, odd in ODD.items():
        lines += _lines(name, odd.value, DAY, 1)
    for name, odd in WEEK.items():
        lines += _lines(f"week_{name}", odd.value, WEEK_DAYS * DAY, 5)
    lines += _lines("nothing_but_nan", lambda _: float("nan"), DAY, 1)
    five = 'tokens_per_second{job_name="every_five_seconds"}'
    lines += [f"{five} {WORK(at):.6g} {_seconds(0) - 5 * (MOST - at)}" for at in range(MOST + 1)]
    for unit, level in (("ratio", 0.43), ("percent", 43.0)):
        lines += _lines(f"mfu_{unit}", lambda at, level=level: level * (WORK(at) or 0) / 100, DAY, 1)  # type: ignore[misc]
    lines.append("# TYPE tokens_seen_total unknown")
    total = 0.0
    for at in range(DAY + 1):
        total = 0.0 if at % 500 == 499 else total + 6000 * (WORK(at) or 0) * (0.5 if 60 <= at < 1200 else 1)
        lines.append(f'tokens_seen_total{{job_name="counter"}} {total:.6g} {_seconds(DAY - at)}')
    return "\n".join((*lines, "# EOF", ""))


def _lines(job: str, value: Value, minutes: int, each: int) -> Iterator[str]:
    for at in range(0, minutes + 1, each):
        if (seen := value(at)) is not None:
            written = f"{seen:.6g}" if math.isfinite(seen) else "NaN" if math.isnan(seen) else "+Inf"
            yield f'tokens_per_second{{job_name="{job}"}} {written} {_seconds(minutes - at)}'


def _seconds(minutes_ago: int) -> int:
    return int((END - timedelta(minutes=minutes_ago)).timestamp())


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    needed()
    with started(samples(), tmp_path_factory.mktemp("odd")) as url:
        yield url


async def told(url: str, job: str, **asked: object) -> ThroughputAnswer:
    app = Kubegap(Settings(), reader=FixedReader(cluster()))
    app.metrics = Metrics(source_for(MetricsSettings(url=url)), clock=lambda: END)
    try:
        return await app.explain_throughput(job=job, **asked)  # type: ignore[arg-type]
    finally:
        app.close()


def holds(answer: ThroughputAnswer, odd: Odd) -> None:
    said = [note.text for note in answer.notes[: answer.doubts]]
    assert answer.shape.id in odd.shapes.split(), said
    assert answer.shape.confidence == (odd.confidence or answer.shape.confidence), said
    assert any(odd.says in text for text in said) or not odd.says, said
    assert bool(answer.incidents) is (answer.shape.id != "unclear")
    for text in said:
        assert f"\n- {text.replace('_', chr(92) + '_')[:20]}" in render(answer, "en") or text[:20] in render(
            answer, "en"
        )


def cases(table: Mapping[str, Odd]) -> list[object]:
    return [pytest.param(name, id=name) for name in table]


@pytest.mark.parametrize("name", cases(ODD))
async def test_an_odd_curve(name: str, source: str) -> None:
    holds(await told(source, name), ODD[name])


@pytest.mark.parametrize("name", cases(WEEK))
async def test_an_odd_week(name: str, source: str) -> None:
    holds(await told(source, f"week_{name}", window="7d"), WEEK[name])


async def test_nothing_but_nan_is_no_curve(source: str) -> None:
    with pytest.raises(NotReadError, match="has no sample in this window"):
        await told(source, "nothing_but_nan")


async def test_samples_every_five_seconds_are_taken_once_a_minute(source: str) -> None:
    answer = await told(source, "every_five_seconds", window="6h")
    assert (answer.shape.id, answer.series.points, answer.series.coverage) == ("steady", 361, 1.0)


@pytest.mark.parametrize(
    ("job", "expected", "shape", "confidence"),
    [
        ("mfu_ratio", 0.45, "steady", "likely"),
        ("mfu_ratio", 0.60, "flat_low", "certain"),
        ("mfu_ratio", 45.0, "flat_low", "hint"),
        ("mfu_percent", 45.0, "steady", "likely"),
        ("mfu_percent", 0.45, "steady", "hint"),
    ],
)
async def test_a_ratio_that_is_compared_with_a_percentage_is_doubted(
    job: str, expected: float, shape: str, confidence: str, source: str
) -> None:
    answer = await told(source, job, expected=expected)
    assert (answer.shape.id, answer.shape.confidence) == (shape, confidence)
    assert any("are both in one unit" in note.text for note in answer.notes) is (confidence == "hint")


async def test_a_counter_s_resets_do_not_hide_the_fall_beside_them(source: str) -> None:
    answer = await told(source, "counter", metric="tokens_seen_total")
    assert (answer.shape.id, answer.shape.drop_percent) == ("passing_fall", pytest.approx(50, abs=2))
    assert "for 19.0 hours from" in answer.notes[0].text
