"""What moved in another cluster of the same source moved with no job of this one."""

from collections.abc import Iterator

import anyio
import pytest
from metrics.curves import END, STEPS, FixedReader, Value, Written, workers
from metrics.prometheus_server import needed, started

from kubegap_mcp.app import Kubegap
from kubegap_mcp.errors import NotReadError
from kubegap_mcp.metrics.reader import Metrics
from kubegap_mcp.metrics.settings import MetricsSettings
from kubegap_mcp.metrics.source import source_for
from kubegap_mcp.report.models import ThroughputAnswer
from kubegap_mcp.settings import Settings
from tests.checks.build import facts, node

OURS, THEIRS = ("gpu-0", "gpu-1"), ("b-0", "b-1")
FALLS = frozenset(at for first in (1500, 1777, 2100, 2301, 2650) for at in range(first, first + 25))


def samples() -> str:
    text = Written()
    trainer = {"namespace": "ml", "pod": "llm-worker-0", "job": "trainers"}
    for world, clusters in {
        "ours moved": (("a", OURS, True), ("b", THEIRS, False)),
        "theirs moved": (("a", OURS, False), ("b", THEIRS, True)),
        "namesakes": (("a", OURS, False), ("b", OURS, True)),
    }.items():
        text.put("tokens_per_second", {**trainer, "world": world}, lambda at: 6_000 if at in FALLS else 13_800)
        for name, nodes, falls in clusters:
            told = {"world": world, "cluster": name}
            text.put("weka_fs_read_requests_total", {**told, "fs_name": "llm"}, lambda at: 6_000 * at)
            text.put("weka_fs_read_seconds_total", {**told, "fs_name": "llm"}, waited(falls=falls))
            for one in nodes:
                text.put("DCGM_FI_DEV_SM_CLOCK", {**told, "Hostname": one, "gpu": "0"}, lambda _: 1755)
    for world, theirs in {"one name": THEIRS, "one name, and of nodes": OURS}.items():
        for name, nodes in {"a": OURS, "b": theirs}.items():
            told = {"world": world, "cluster": name}
            text.put("tokens_per_second", {**trainer, **told}, fallen if name == "b" else lambda _: 13_800)
            for one in nodes:
                text.put("DCGM_FI_DEV_SM_CLOCK", {**told, "Hostname": one, "gpu": "0"}, lambda _: 1755)
    return text.done()


def fallen(at: int) -> float:
    return 0.0 if at > STEPS - 120 else 13_800


def waited(*, falls: bool) -> Value:
    """Seconds that reads took in all; while throughput falls, a hundred times as long."""
    sums = [0.0]
    for at in range(STEPS):
        sums.append(sums[-1] + 6_000 * (0.1 if falls and at in FALLS else 0.001))
    return lambda at: sums[at]


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    needed()
    with started(samples(), tmp_path_factory.mktemp("two")) as url:
        yield url


def told(url: str, selector: str) -> ThroughputAnswer:
    here = facts(*(node(name, devices={"nvidia.com/gpu": 8}) for name in OURS), *workers("llm", OURS))
    app = Kubegap(Settings(), reader=FixedReader(here))
    app.metrics = Metrics(source_for(MetricsSettings(url=url, selector=selector)), clock=lambda: END)
    try:
        return anyio.run(lambda: app.explain_throughput(job="llm"))
    finally:
        app.close()


def moved(answer: ThroughputAnswer) -> list[str]:
    return [one.signal for one in answer.coincident]


def test_what_moved_here_is_lined_up(two: str):
    answer = told(two, 'world="ours moved"')
    assert moved(answer) == ["filesystem_read_latency"]
    assert not answer.unread


def test_what_moved_there_is_not(two: str):
    answer = told(two, 'world="theirs moved"')
    assert moved(answer) == []
    assert not answer.unread


def test_where_it_cannot_be_told_whose_it_is_it_is_not_watched_and_says_so(two: str):
    answer = told(two, 'world="namesakes"')

    assert moved(answer) == []
    assert ["set selector under [prometheus]" in one.remedy for one in answer.unread] == [True]
    assert moved(told(two, 'world="namesakes", cluster=~"b|"')) == ["filesystem_read_latency"]


def test_a_job_of_the_same_name_in_another_cluster_is_not_this_one(two: str):
    assert told(two, 'world="one name"').shape.id == "steady"
    assert told(two, 'world="one name", cluster="b"').shape.id == "stall"


def test_where_nothing_tells_whose_a_job_is_its_curve_is_unread(two: str):
    with pytest.raises(NotReadError, match="set selector under"):
        told(two, 'world="one name, and of nodes"')
    assert told(two, 'world="one name, and of nodes", cluster="a"').shape.id == "steady"
