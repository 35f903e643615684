"""What kubegap makes of the curves of a real Prometheus: which it takes, what it lines up, how little it asks."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta

import anyio
import pytest
from metrics import curves
from metrics.conftest import Open
from metrics.curves import END, HOSTILE, LOADER, NODES, SLOW, STEP_S, STORAGE, FixedReader, cluster, workers
from metrics.prometheus_server import needed, started

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_mcp.app import Kubegap
from kubegap_mcp.errors import ConfigError, NotReadError, UnknownNameError
from kubegap_mcp.metrics.curve import Window
from kubegap_mcp.metrics.reader import Metrics
from kubegap_mcp.metrics.settings import MetricsSettings
from kubegap_mcp.metrics.source import source_for
from kubegap_mcp.report.models import ThroughputAnswer
from kubegap_mcp.request_log import RequestLog
from kubegap_mcp.settings import Settings

QUERIES_MOST = 12
STORAGE_SIGNALS = {"disk_read_latency", "tier_reads", "filesystem_read_latency"}


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    needed()
    with started(curves.samples(), tmp_path_factory.mktemp("curves")) as url:
        yield url


@asynccontextmanager
async def kubegap(
    url: str, *, hours_ago: float = 0, selector: str = "", reader: FixedReader | None = None
) -> AsyncIterator[Kubegap]:
    """An application that asks this source as of that time."""
    app = Kubegap(Settings(), reader=reader or FixedReader(cluster()))
    source = source_for(MetricsSettings(url=url, selector=selector), log=app.log)
    app.metrics = Metrics(source, clock=lambda: END - timedelta(hours=hours_ago))
    try:
        with anyio.fail_after(60):
            yield app
    finally:
        app.close()


async def told(url: str, *, hours_ago: float = 0, selector: str = "", **asked: object) -> ThroughputAnswer:
    async with kubegap(url, hours_ago=hours_ago, selector=selector) as app:
        answer = await app.explain_throughput(**asked)  # type: ignore[arg-type]
        assert sent(app.log) <= QUERIES_MOST
    return answer


def sent(log: RequestLog) -> int:
    requests = json.loads(log.page())["requests"]
    assert {one["method"] for one in requests} == {"GET"}
    return len(requests)


def moved(answer: ThroughputAnswer) -> list[str]:
    return [one.signal for one in answer.coincident]


def notes(answer: ThroughputAnswer) -> str:
    return "\n".join(note.text for note in answer.notes)


def at(minute: int) -> str:
    moment = END - timedelta(hours=curves.HOURS) + timedelta(seconds=minute * STEP_S)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


async def test_storage_collapses_name_the_disk_that_was_slow_and_not_memory(jobs: str) -> None:
    answer = await told(jobs, hours_ago=24)
    assert (answer.series.metric, answer.series.job) == ("tokens_per_second", "ml/llm")
    assert answer.series.window == "2026-11-27T12:00:00Z/2026-11-28T12:00:00Z"
    assert (answer.series.points, answer.series.coverage) == (289, 1.0)
    assert (answer.shape.id, answer.shape.confidence) == ("repeated_collapses", "certain")
    assert answer.shape.since == at(STORAGE[0][0])
    assert answer.shape.drop_percent == pytest.approx(50, abs=3)
    (latency,) = answer.coincident
    assert (latency.signal, latency.subject) == ("disk_read_latency", f"Node/{NODES[SLOW]}")
    assert latency.score > 0.8
    assert abs(latency.onset_lag_s or 0) <= 300
    assert "2025-huggingface-smollm3-throughput" in [one.id for one in answer.incidents]


async def test_sharper_collapses_with_clean_hardware_name_memory_and_not_storage(jobs: str) -> None:
    answer = await told(jobs)
    assert answer.shape.id in {"repeated_collapses", "periodic_dips"}
    assert answer.shape.since == at(LOADER[0][0] + 2)  # the first step of five minutes in it
    assert answer.shape.drop_percent == pytest.approx(80, abs=3)
    assert moved(answer)[0] == "mapped_memory"
    assert answer.coincident[0].subject.startswith("Pod/ml/llm-worker-")
    assert not STORAGE_SIGNALS & set(moved(answer))
    assert any("went one way all along" in text for text in answer.next)


async def test_a_first_cause_does_not_hide_the_second(jobs: str) -> None:
    answer = await told(jobs, window="2d")
    assert moved(answer)[0] == "disk_read_latency"
    assert answer.coincident[0].score < 0.7
    assert any(
        f"moved with {len(STORAGE)} of {len(STORAGE) + len(LOADER)} dips" in text and "another explanation" in text
        for text in answer.next
    )


async def test_it_says_that_coincidence_is_not_cause_and_what_was_not_compared(jobs: str) -> None:
    said = notes(await told(jobs))
    assert "coincidence is not cause" in said
    assert "compared with disk read latency" in said
    assert "not seen: read latency of shared filesystems" in said
    assert "other training jobs, to ask about with job: ml/mute, ml/llm-eval, ml/young" in said


async def test_a_healthy_time_is_steady_and_low_against_what_was_expected(jobs: str) -> None:
    quiet = await told(jobs, hours_ago=21, window="1h")
    assert (quiet.shape.id, moved(quiet)) == ("steady", [])
    low = await told(jobs, hours_ago=21, window="1h", expected=20_000)
    assert low.shape.id == "flat_low"
    assert low.shape.drop_percent == pytest.approx(31, abs=1)


@pytest.mark.parametrize("name", ["llm-eval", "ml/llm-eval", "PyTorchJob/ml/llm-eval"])
async def test_a_job_whose_name_begins_like_another_s_is_told_by_itself(jobs: str, name: str) -> None:
    answer = await told(jobs, job=name)
    assert (answer.series.job, answer.shape.id) == ("ml/llm-eval", "steady")


async def test_a_job_that_has_ended_is_found_by_the_name_in_its_series(jobs: str) -> None:
    answer = await told(jobs, job="ended")
    assert (answer.shape.id, answer.shape.since) == ("stall", "2026-11-29T09:05:00Z")
    assert "the last sample is of 2026-11-29T09:00:00Z: the job may have ended since" in notes(answer)


async def test_a_series_that_stopped_before_the_window_is_no_curve(jobs: str) -> None:
    with pytest.raises(UnknownNameError, match="no pods and no series are of a job 'ended'"):
        await told(jobs, job="ended", window="1h")


async def test_too_few_points_are_told_as_such(jobs: str) -> None:
    answer = await told(jobs, job="young")
    assert (answer.shape.id, answer.shape.confidence, answer.series.points) == ("unclear", "hint", 2)
    assert "only 2 samples" in notes(answer)
    answer = await told(jobs, job="young", window="1h")
    assert (answer.shape.id, answer.series.points) == ("unclear", 9)


async def test_without_a_trainer_s_series_gpus_of_its_nodes_stand_in(jobs: str) -> None:
    answer = await told(jobs, job="mute")
    assert (answer.series.metric, answer.shape.id) == ("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "steady")
    assert "activity of the tensor cores stands in for it" in notes(answer)


async def test_a_metric_that_names_no_job_is_told_as_a_whole(jobs: str) -> None:
    answer = await told(jobs, metric="steps_per_minute")
    assert (answer.series.metric, answer.series.job, answer.shape.id) == ("steps_per_minute", None, "steady")
    assert "no label of steps_per_minute names a job" in notes(answer)
    assert "ml/llm, " in notes(answer)
    with pytest.raises(NotReadError, match="bears a pod, the name or a node of 'ml/llm'"):
        await told(jobs, metric="steps_per_minute", job="llm")


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"metric": "tokens_per_secnd"}, "has no metric 'tokens_per_secnd': did you mean tokens_per_second"),
        ({"metric": "TOKENS_PER_SECOND"}, "did you mean tokens_per_second"),
        ({"metric": 'up"} or vector(1) #'}, "has no metric"),
        (
            {"metric": "samples"},
            "no metric 'samples': try one of tokens_per_second, DCGM_FI_PROF_PIPE_TENSOR_ACTIVE, or leave metric out",
        ),
        ({"job": "nope"}, "no pods and no series are of a job 'nope': try one of 'ml/llm'"),
        ({"job": 'a"} or vector(1) #'}, "no pods and no series"),
    ],
)
async def test_a_wrong_name_is_answered_with_the_next_step(jobs: str, asked: dict[str, str], says: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        await told(jobs, **asked)
    assert says in caught.value.text.en


async def test_a_hostile_name_of_a_job_stays_a_name(jobs: str) -> None:
    answer = await told(jobs, job=HOSTILE)
    assert (answer.series.job, answer.shape.id) == (HOSTILE, "steady")


async def test_every_series_must_have_what_the_owner_s_selector_asks(jobs: str) -> None:
    assert (await told(jobs, selector='job="trainers"')).series.metric == "tokens_per_second"
    with pytest.raises(NotReadError, match="no series of throughput"):
        await told(jobs, selector='cluster="other"')


@pytest.mark.parametrize("window", ["59m", "8d", "-1h", "24", "1w", "", "1e3h", "99999999h"])
def test_a_window_is_an_hour_to_a_week(window: str) -> None:
    with pytest.raises(ConfigError):
        Window.of(window)


@pytest.mark.parametrize(
    ("window", "step_s"), [("60m", 60), ("6h", 60), ("24h", 300), ("48h", 300), ("2d", 300), ("7d", 1800)]
)
def test_a_window_has_600_points_at_most(window: str, step_s: int) -> None:
    made = Window.of(window)
    assert made.step_s == step_s
    assert made.span_s / made.step_s <= 600


async def test_namespaces_tell_jobs_of_one_name_apart(jobs: str) -> None:
    reader = FixedReader(cluster(*workers("llm", NODES[6:], 1, namespace="other")))
    async with kubegap(jobs, reader=reader) as app:
        with pytest.raises(UnknownNameError, match="several jobs are named 'llm': ask for one of ml/llm, other/llm"):
            await app.explain_throughput(job="llm")
        assert (await app.explain_throughput(job="llm", namespace="ml")).series.job == "ml/llm"
        with pytest.raises(UnknownNameError, match="no pods and no series are of a job 'elsewhere/llm'"):
            await app.explain_throughput(job="llm", namespace="elsewhere")


async def test_pods_that_may_not_be_read_are_told_with_their_grant(jobs: str) -> None:
    async with kubegap(jobs, reader=FixedReader(cluster(unread=(Pod,)))) as app:
        with pytest.raises(NotReadError, match="not all pods could be read: grant list on pods, or name a metric"):
            await app.explain_throughput()
        assert (await app.explain_throughput(metric="steps_per_minute")).shape.id == "steady"


async def test_nodes_that_may_not_be_read_leave_those_of_the_job(jobs: str) -> None:
    async with kubegap(jobs, hours_ago=24, reader=FixedReader(cluster(unread=(Node,)))) as app:
        answer = await app.explain_throughput()
    assert moved(answer) == ["disk_read_latency"]


async def test_without_a_source_the_remedy_is_told() -> None:
    app = Kubegap(Settings(), reader=FixedReader(cluster()))
    with pytest.raises(NotReadError, match="--prometheus URL"):
        await app.explain_throughput()
    app.close()


async def test_another_context_than_the_one_in_use_has_no_curve_here(jobs: str) -> None:
    async with kubegap(jobs) as app:
        assert (await app.explain_throughput(context="lab")).series.job == "ml/llm"
        with pytest.raises(NotReadError, match="throughput could not be read"):
            await app.explain_throughput(context="other")


async def test_a_source_that_is_gone_is_told(source: Open) -> None:
    app = Kubegap(Settings(), reader=FixedReader(cluster()))
    app.metrics = Metrics(source("http://127.0.0.1:9"))
    with pytest.raises(NotReadError, match="throughput could not be read"):
        await app.explain_throughput()


async def test_the_same_question_gives_the_same_answer_and_picture(jobs: str) -> None:
    first, second = await told(jobs), await told(jobs)
    assert first == second


async def test_the_picture_of_an_answer_is_kept(jobs: str) -> None:
    async with kubegap(jobs) as app:
        answer = await app.explain_throughput()
        assert app.pictures.svg(answer.picture).startswith("<svg")
        assert app.pictures.png(answer.picture).startswith(b"\x89PNG")
    assert f"kubegap://throughput/{answer.picture}" in notes(answer)
