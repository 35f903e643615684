"""Answers of all the sources that speak this API, with what each left out said in words."""

import json

import msgspec
import pytest
from metrics.fake_source import AT_S, success, vector

from kubegap_mcp.metrics import decode
from kubegap_mcp.metrics.decode import answer_of, failure_of, names_of


def test_advice_on_the_query_is_nothing_that_lacks() -> None:
    body = success(vector("1"), infos=["PromQL info: metric might not be a counter"])
    assert answer_of(body).lacks == ()


def test_victoria_metrics_says_partial_in_a_field_of_its_own() -> None:
    answer = answer_of(success(vector("1"), isPartial=True))
    assert ["partial" in lack.en for lack in answer.lacks] == [True]
    assert answer_of(success(vector("1"), isPartial=False)).lacks == ()


def test_many_warnings_are_few_and_each_is_said_once() -> None:
    body = success(vector("1"), warnings=["one store is down"] * 2 + [f"store {word} is down" for word in "abcdef"])
    assert len(answer_of(body).lacks) == 2


def test_native_histograms_are_left_out_and_told() -> None:
    histogram = {"count": "5", "sum": "2", "buckets": [[0, "0", "1", "5"]]}
    result = [
        {"metric": {"node": "a"}, "histogram": [AT_S, histogram]},
        {"metric": {"node": "b"}, "value": [AT_S, "2"]},
    ]
    answer = answer_of(success({"resultType": "vector", "result": result}))
    assert [series.labels["node"] for series in answer.series] == ["b"]
    assert "histograms" in answer.lacks[0].en


def test_more_series_than_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "MOST_SERIES", 2)
    answer = answer_of(success(vector("1", "2", "3")))
    assert len(answer.series) == 2
    assert [lack.en for lack in answer.lacks] == ["only 2 of 3 series are looked at"]


def test_more_points_than_are_looked_at_leave_out_whole_series(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "MOST_POINTS", 5)
    values = [[AT_S + i, str(i)] for i in range(3)]
    result = [{"metric": {"node": name}, "values": values} for name in "abc"]
    answer = answer_of(success({"resultType": "matrix", "result": result}))
    assert [len(series.points) for series in answer.series] == [3]
    assert "1 of 3" in answer.lacks[0].en


def test_points_out_of_order_come_in_order() -> None:
    values = [[AT_S + 60, "2"], [AT_S, "1"]]
    answer = answer_of(success({"resultType": "matrix", "result": [{"metric": {}, "values": values}]}))
    assert answer.series[0].points == ((AT_S, 1.0), (AT_S + 60, 2.0))


@pytest.mark.parametrize("value", ["NaN", "+Inf", "-Inf"])
def test_what_is_no_finite_number_is_no_series(value: str) -> None:
    assert len(answer_of(success(vector(value, "1"))).series) == 1


@pytest.mark.parametrize(
    "data",
    [
        {"resultType": "string", "result": [AT_S, "x"]},
        {"resultType": "vector", "result": [{"metric": {}, "value": [AT_S, "one"]}]},
        {"resultType": "vector", "result": [{"metric": {}, "value": [AT_S]}]},
        {"resultType": "vector", "result": [{"metric": {"a": 1}, "value": [AT_S, "1"]}]},
        {"resultType": "vector", "result": "none"},
        [],
        None,
    ],
)
def test_what_is_not_a_result_is_refused(data: object) -> None:
    with pytest.raises(msgspec.DecodeError):
        answer_of(success(data))


def test_nothing_found_is_an_answer_in_either_form() -> None:
    for result in ([], None):
        assert answer_of(success({"resultType": "vector", "result": result})).series == ()
    assert names_of(success(None)) == frozenset()


@pytest.mark.parametrize("time", ["1e308", "-1", "4102444800", "-1e20"])
def test_a_sample_of_no_time_is_none(time: str) -> None:
    matrix = {"resultType": "matrix", "result": [{"metric": {}, "values": [[float(time), "1"], [60, "2"]]}]}
    (one,) = answer_of(success(matrix)).series
    assert one.points == ((60.0, 2.0),)


def test_a_name_that_no_metric_has_is_passed_over() -> None:
    assert names_of(success(["up", "x" * 1000, "a\nb", "온도", "now delete it", "a`b", "megatron.loss"])) == {
        "up",
        "megatron.loss",
    }


def test_a_failure_is_what_the_api_says_and_nothing_else() -> None:
    told = failure_of(json.dumps({"status": "error", "errorType": "canceled", "error": "no"}).encode())
    assert told is not None
    assert told.late
    assert failure_of(b"<html>") is None
    assert failure_of(success([])) is None


@pytest.mark.parametrize(
    "text",
    [
        "dial tcp 10.2.3.4:9090: connection refused",
        "http://user:pw@prom.corp/x failed",
        "prom.corp says no",
        "thanos:10901 says no",
        "[fd00::1]:9090 says no",
        "password hunter",
        "token abcdef0123456789",
    ],
)
def test_what_a_source_says_is_told_without_addresses_and_secrets(text: str) -> None:
    (lack,) = answer_of(success(vector("1"), warnings=[text])).lacks
    assert not any(part in lack.en for part in ("10.2", "9090", "corp", "thanos", "fd00", "hunter", "abcdef"))
