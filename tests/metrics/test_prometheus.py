"""What a real Prometheus answers, as kubegap reads it."""

from datetime import timedelta

import pytest
from metrics.conftest import AT, Open
from metrics.fake_source import AT_S

from kubegap_checks.facts.read import UnreadError
from kubegap_mcp.metrics.port import Query


async def test_the_names_of_all_metrics(prometheus: str, source: Open) -> None:
    assert await source(prometheus).names(deadline_s=10) == {"reads_total", "temperature", "hostile"}


async def test_a_value_by_labels(prometheus: str, source: Open) -> None:
    answer = await source(prometheus).ask(Query("rate(reads_total[10m])"), at=AT, deadline_s=10)
    assert {series.labels["node"]: series.value for series in answer.series} == {"gpu-0": 1.0, "gpu-1": 2.0}
    assert not answer.lacks


async def test_values_over_time_in_order(prometheus: str, source: Open) -> None:
    query = Query('reads_total{node="gpu-0"}', span_s=600, step_s=300)
    (series,) = (await source(prometheus).ask(query, at=AT, deadline_s=10)).series
    assert series.points == ((AT_S - 600, 6600.0), (AT_S - 300, 6900.0), (AT_S, 7200.0))
    assert series.value == 7200.0


async def test_what_stopped_ten_minutes_ago_is_not_there(prometheus: str, source: Open) -> None:
    nodes = Query("group by (node) (temperature)")
    opened = source(prometheus)
    then = await opened.ask(nodes, at=AT - timedelta(minutes=20), deadline_s=10)
    now = await opened.ask(nodes, at=AT, deadline_s=10)
    assert {series.labels["node"] for series in then.series} - {series.labels["node"] for series in now.series} == {
        "gpu-9"
    }


async def test_what_is_no_number_is_left_out_and_the_rest_kept(prometheus: str, source: Open) -> None:
    opened = source(prometheus)
    over_time = Query('temperature{node="gpu-2"}', span_s=240, step_s=60)
    (series,) = (await opened.ask(over_time, at=AT, deadline_s=10)).series
    assert [value for _, value in series.points] == [50.0, 50.0, 50.0]
    divided = await opened.ask(Query("temperature / (temperature - temperature)"), at=AT, deadline_s=10)
    assert divided.series == ()


async def test_a_scalar_is_a_series_without_labels(prometheus: str, source: Open) -> None:
    (series,) = (await source(prometheus).ask(Query("scalar(vector(3))"), at=AT, deadline_s=10)).series
    assert (dict(series.labels), series.value) == ({}, 3.0)


async def test_label_values_are_made_harmless(prometheus: str, source: Open) -> None:
    (series,) = (await source(prometheus).ask(Query("hostile"), at=AT, deadline_s=10)).series
    assert series.labels["node"].startswith("ab x")
    assert len(series.labels["node"]) == 253


@pytest.mark.parametrize(
    ("promql", "word"),
    [
        pytest.param("up{", "parse error", id="not PromQL: 400"),
        pytest.param("temperature * on () reads_total", "match", id="cannot be computed: 422"),
    ],
)
async def test_a_query_that_it_cannot_run_is_told_in_its_words(
    prometheus: str, source: Open, promql: str, word: str
) -> None:
    with pytest.raises(UnreadError) as error:
        await source(prometheus).ask(Query(promql), at=AT, deadline_s=10)
    (unread,) = error.value.unread
    assert unread.reason == "invalid"
    assert word in unread.remedy.en
    assert word in unread.remedy.ko


async def test_more_points_than_it_gives_are_refused_by_it(prometheus: str, source: Open) -> None:
    with pytest.raises(UnreadError) as error:
        await source(prometheus).ask(Query("temperature", span_s=72_000, step_s=1), at=AT, deadline_s=10)
    assert "11,000 points" in error.value.unread[0].remedy.en
