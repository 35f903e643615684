"""Whatever goes wrong at a metrics source becomes one reason, in time, and nothing of its address is told."""

import threading
import time
from dataclasses import replace

import anyio
import pytest
from fake_apiserver import Fault, drip, half, not_json, redirect, reset, slow, throttled
from metrics.conftest import AT, Open
from metrics.fake_source import NAMES, QUERY, FakeSource, error, success, vector

from kubegap_checks.facts.read import Unread, UnreadError
from kubegap_mcp.metrics.port import MetricsSource, Query

UP = Query("up")


async def refused(opened: MetricsSource, deadline_s: float = 5.0) -> Unread:
    with pytest.raises(UnreadError) as raised:
        await opened.ask(UP, at=AT, deadline_s=deadline_s)
    (unread,) = raised.value.unread
    return unread


@pytest.mark.parametrize(
    ("fault", "reason", "word"),
    [
        pytest.param(Fault(status=401, body=b"no"), "forbidden", "who asks", id="401"),
        pytest.param(Fault(status=403, body=b"no"), "forbidden", "who asks", id="403"),
        pytest.param(Fault(status=401, body=b"no org id"), "forbidden", "tenant", id="no tenant"),
        pytest.param(Fault(status=404, body=b"404 page not found"), "invalid", "base", id="404"),
        pytest.param(Fault(status=405, body=b""), "invalid", "base", id="405"),
        pytest.param(not_json(), "invalid", "login page", id="a login page"),
        pytest.param(Fault(status=200, body=b'{"status":"success","da'), "invalid", "base", id="JSON that ends early"),
        pytest.param(Fault(status=200, body=b"{}"), "invalid", "base", id="other JSON"),
        pytest.param(Fault(status=200, body=b"\xff\xfe"), "invalid", "base", id="not UTF-8"),
        pytest.param(Fault(status=200, body=b"[" * 100_000), "invalid", "base", id="too deep"),
        pytest.param(redirect("https://elsewhere.test/"), "unreachable", "redirect", id="a redirect"),
        pytest.param(error(422, "execution", "too many samples"), "invalid", "too many samples", id="422"),
        pytest.param(error(400, "bad_data", "parse error"), "invalid", "parse error", id="400"),
        pytest.param(error(422, "timeout", "query timed out"), "timed_out", "in time", id="its own time-out"),
        pytest.param(error(503, "timeout", "query timed out"), "timed_out", "in time", id="its own time-out as 503"),
        pytest.param(error(500, "internal", "no"), "unreachable", "trouble", id="500"),
        pytest.param(Fault(status=502, body=b"<html>"), "unreachable", "trouble", id="502"),
        pytest.param(half(), "unreachable", "broke off", id="an answer cut in half"),
        pytest.param(reset(), "unreachable", "closed the connection", id="a connection that is reset"),
    ],
)
async def test_each_fault_has_its_reason(source: Open, fault: Fault, reason: str, word: str) -> None:
    with FakeSource(faults={"*": fault}) as api:
        unread = await refused(source(api.url))
        assert unread.reason == reason
        assert word in unread.remedy.en
        assert api.address not in str(unread)


@pytest.mark.parametrize("fault", [slow(), drip(), Fault(drip_head_s=0.05)], ids=["slow", "endless", "endless head"])
async def test_what_does_not_end_ends_with_the_deadline(source: Open, fault: Fault) -> None:
    with FakeSource(faults={"*": fault}) as api:
        started = time.monotonic()
        assert (await refused(source(api.url), deadline_s=0.4)).reason == "timed_out"
        assert time.monotonic() - started < 2


async def test_what_is_far_too_large_is_not_kept(source: Open) -> None:
    with FakeSource({QUERY: b" " * (65 * 1024 * 1024)}, gzipped=True) as api:
        unread = await refused(source(api.url))
    assert unread.reason == "invalid"
    assert "64 MB" in unread.remedy.en


async def test_nobody_listens(source: Open) -> None:
    with FakeSource() as api:
        url = api.url
    unread = await refused(source(url))
    assert (unread.reason, "nothing answers" in unread.remedy.en) == ("unreachable", True)


@pytest.mark.parametrize(
    "fault",
    [
        throttled("0"),
        replace(throttled("0"), status=503),
        reset(times=1),
        Fault(status=502, body=b"", times=1),
        Fault(cut=0.5, times=1),
    ],
    ids=["429", "503", "a reset", "502", "half an answer"],
)
async def test_a_passing_fault_is_waited_out(source: Open, fault: Fault) -> None:
    with FakeSource(faults={"*": fault}) as api:
        answer = await source(api.url).ask(UP, at=AT, deadline_s=5)
        assert [series.value for series in answer.series] == [1.0]
        assert len(api.requests) == 2


async def test_a_query_that_took_too_long_is_not_asked_again(source: Open) -> None:
    with FakeSource(faults={"*": error(503, "timeout", "query timed out in expression evaluation")}) as api:
        await refused(source(api.url))
        assert len(api.requests) == 1


async def test_partial_results_are_told(source: Open) -> None:
    body = success(vector("1"), warnings=["receive failed: thanos-store-3.monitoring:10901 is down at 10.2.3.4:10901"])
    with FakeSource({QUERY: body}) as api:
        answer = await source(api.url).ask(UP, at=AT, deadline_s=5)
    (lack,) = answer.lacks
    assert "receive failed" in lack.en
    assert "receive failed" in lack.ko
    assert not any(part in lack.en for part in ("10901", "thanos", "monitoring", "10.2"))


async def test_questions_at_once_are_few_and_equal_ones_are_one(source: Open) -> None:
    with FakeSource(faults={QUERY: Fault(delay_s=0.05)}) as api:
        opened = source(api.url)
        async with anyio.create_task_group() as group:
            for i in range(30):
                group.start_soon(lambda i=i: opened.ask(Query(f"up > {i % 15}"), at=AT, deadline_s=10))
        assert len(api.requests) == 15
        assert 1 < api.most_at_once <= 4


async def test_answers_are_kept_for_a_while_and_refresh_asks_again(source: Open) -> None:
    with FakeSource() as api:
        opened = source(api.url)
        for refresh in (False, False, True):
            await opened.ask(UP, at=AT, deadline_s=5, refresh=refresh)
            await opened.names(deadline_s=5, refresh=refresh)
        assert sorted(api.paths()) == sorted([QUERY, NAMES] * 2)


async def test_nothing_is_kept_without_a_cache(source: Open) -> None:
    with FakeSource() as api:
        opened = source(api.url, cache_s=0)
        for _ in range(2):
            await opened.ask(UP, at=AT, deadline_s=5)
        assert len(api.requests) == 2


async def test_closing_ends_what_is_under_way_and_what_comes_later(source: Open) -> None:
    with FakeSource(faults={"*": slow()}) as api:
        opened = source(api.url)
        closing = threading.Timer(0.2, opened.close)
        closing.start()
        started = time.monotonic()
        assert (await refused(opened, deadline_s=20)).reason == "timed_out"
        assert (await refused(opened, deadline_s=20)).reason == "timed_out"
        assert time.monotonic() - started < 5
        closing.join()


async def test_a_source_closed_before_its_first_question_asks_nothing(source: Open) -> None:
    with FakeSource() as api:
        opened = source(api.url)
        opened.close()
        assert (await refused(opened)).reason == "timed_out"
        assert not api.requests
