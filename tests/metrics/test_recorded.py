"""What was asked of a source can be asked again of its recording, and nothing else."""

import json
from datetime import timedelta
from typing import Any

import pytest
from fake_apiserver import Fault
from metrics.conftest import AT, Open
from metrics.fake_source import NAMES, QUERY, FakeSource, success, vector

from kubegap_checks.facts.read import UnreadError
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.metrics import recorded
from kubegap_mcp.metrics.port import Answer, MetricsSource, Query
from kubegap_mcp.metrics.recorded import Recording, read

OVER_TIME = Query('temperature{node="gpu-0"}', span_s=600, step_s=60)
NOW = Query("rate(reads_total[10m])")


async def reason(source: MetricsSource, query: Query) -> str:
    with pytest.raises(UnreadError) as raised:
        await source.ask(query, at=AT, deadline_s=5)
    return raised.value.unread[0].reason


async def test_a_recording_gives_the_same_again(prometheus: str, source: Open) -> None:
    recording = Recording(source(prometheus))
    names = await recording.names(deadline_s=10)
    asked = {query: await recording.ask(query, at=AT, deadline_s=10) for query in (NOW, OVER_TIME)}

    again = read(recording.rendered())

    assert await again.names(deadline_s=1) == names
    for query, answer in asked.items():
        assert await again.ask(query, at=AT + timedelta(days=3), deadline_s=1) == answer
    assert again.at == AT


async def test_what_was_not_asked_is_not_there(source: Open) -> None:
    with FakeSource() as api:
        recording = Recording(source(api.url))
        await recording.ask(NOW, at=AT, deadline_s=5)
    again = read(recording.rendered())
    assert await reason(again, OVER_TIME) == "not_in_snapshot"
    with pytest.raises(UnreadError):
        await again.names(deadline_s=1)


async def test_what_a_source_lacked_and_refused_is_recorded_too(source: Open) -> None:
    with FakeSource({QUERY: success(vector("1"), warnings=["a store is down"])}) as api:
        recording = Recording(source(api.url, cache_s=0))
        answer = await recording.ask(NOW, at=AT, deadline_s=5)
        api.faults["/api/v1/query_range"] = [Fault(status=403, body=b"")]
        api.faults[NAMES] = [Fault(status=500, body=b"")]
        assert await reason(recording, OVER_TIME) == "forbidden"
        with pytest.raises(UnreadError):
            await recording.names(deadline_s=5)
    again = read(recording.rendered())
    assert await again.ask(NOW, at=AT, deadline_s=1) == answer
    assert await reason(again, OVER_TIME) == "forbidden"
    with pytest.raises(UnreadError) as raised:
        await again.names(deadline_s=1)
    assert raised.value.unread[0].reason == "unreachable"


async def test_a_source_that_was_not_asked_leaves_a_file_that_says_so(source: Open) -> None:
    again = read(Recording(source("http://127.0.0.1:1")).rendered())
    assert again.at is None
    assert await reason(again, NOW) == "not_in_snapshot"


async def test_a_file_has_a_size_and_what_does_not_fit_is_left_out(
    source: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeSource({QUERY: success(vector(*"12345"))}) as api:
        recording = Recording(source(api.url))
        for number in range(20):
            await recording.ask(Query(f"up > {number:02}"), at=AT, deadline_s=5)
    monkeypatch.setattr(recorded, "MOST_BYTES", 3000)
    content = recording.rendered()
    assert 2000 < len(content) <= 3000
    again = read(content)
    assert isinstance(await again.ask(Query("up > 00"), at=AT, deadline_s=1), Answer)
    assert await reason(again, Query("up > 19")) == "not_in_snapshot"


def file(**changed: Any) -> bytes:
    asked = [{"promql": "up", "series": [{"labels": {"node": "a\u202eb\n"}, "points": [[2, 1], [1, 3]]}]}]
    return json.dumps({"schema": 1, "at": 5, "names": ["up"], "names_unread": [], "asked": asked} | changed).encode()


async def test_text_of_a_file_is_made_harmless() -> None:
    (series,) = (await read(file()).ask(Query("up"), at=AT, deadline_s=1)).series
    assert (series.labels["node"], series.points) == ("ab ", ((1.0, 3.0), (2.0, 1.0)))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        file(schema=2),
        file(at=1e30),
        file(names=[1]),
        file(asked=[{"promql": "up", "series": [{"labels": {}, "points": [["now", 1]]}]}]),
        file(asked=[{"promql": "up", "unread": [{"what": {"en": "a", "ko": "b"}, "reason": "x", "remedy": {}}]}]),
    ],
    ids=["empty", "a list", "not UTF-8", "too deep", "another schema", "no time", "no names", "no points", "no reason"],
)
def test_what_kubegap_did_not_write_is_refused(content: bytes) -> None:
    with pytest.raises(ConfigError, match=r"kubegap-metrics\.json") as error:
        read(content)
    assert "다시 만들거나" in error.value.of("ko")


def test_a_file_that_is_far_too_large_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded, "MOST_BYTES", 100)
    with pytest.raises(ConfigError):
        read(file())
