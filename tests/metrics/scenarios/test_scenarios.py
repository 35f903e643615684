"""Two days of 48 nodes in a real Prometheus: each story gives its findings, and no other."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import anyio
import pytest

from kubegap_checks import catalog
from kubegap_checks.model import Verdict
from kubegap_mcp.app import Kubegap
from kubegap_mcp.cluster import Ask
from kubegap_mcp.metrics.reader import Metrics
from kubegap_mcp.metrics.settings import MetricsSettings
from kubegap_mcp.metrics.source import source_for
from kubegap_mcp.report.models import ThroughputAnswer
from kubegap_mcp.settings import Settings
from tests.metrics import prometheus_server
from tests.metrics.scenarios import stories
from tests.metrics.scenarios.training_cluster import NODES, SITE, objects
from tests.whole_clusters.objects import NOW, write

MEASURING = tuple(check for check in catalog.load() if check.measures)
A_DAY_BEFORE = NOW - timedelta(hours=24)


@pytest.fixture(scope="module", params=stories.STORIES)
def story(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The story's name, and the address of a Prometheus that holds it."""
    prometheus_server.needed()
    folder = tmp_path_factory.mktemp(request.param)
    with prometheus_server.started(stories.STORIES[request.param]().text(), folder) as url:
        yield request.param, url


def judged(url: str, folder: Path, at: datetime) -> dict[str, Verdict]:
    """What each check that needs metrics says as of that time; the dataset is staged to the nodes on the second day."""
    source = source_for(MetricsSettings(url=url))
    kubegap = Kubegap(Settings(snapshot=write(objects(staged=at == NOW), folder)))
    metrics = Metrics(source, clock=lambda: at)

    async def read() -> dict[str, Verdict]:
        reading = await metrics.read(kubegap.reader, Ask(kinds=catalog.reads(MEASURING)))
        return {check.id: check.run(reading.facts) for check in MEASURING}

    try:
        return anyio.run(read)
    finally:
        metrics.close()


def found(verdicts: dict[str, Verdict]) -> dict[str, set[str]]:
    return {
        name.rpartition(".")[2]: {str(finding.subject) for finding in verdict.findings}
        for name, verdict in verdicts.items()
        if verdict.findings
    }


TRAINS = {f"Node/{name}" for name in SITE.trains_on}
RUN = {f"Job.batch.volcano.sh/{SITE.team}/{SITE.run}"}
HOT = f"Node/{NODES[stories.HOT]}"
EXPECTED: dict[str, list[tuple[datetime, dict[str, set[str]]]]] = {
    "healthy": [(NOW, {}), (A_DAY_BEFORE, {})],
    "flapping_port": [(NOW, {"link_errors_rising": {f"Node/{NODES[stories.FLAPPING]}"}})],
    "slow_decay": [(NOW, {})],
    "two_causes": [
        (A_DAY_BEFORE, {"disk_read_latency_spike": TRAINS, "tier_reads_during_training": RUN}),
        (NOW, {"shared_memory_growth": RUN}),
    ],
    "thermal_straggler": [(NOW, {"gpu_throttling": {HOT}, "odd_one_out": {HOT}})],
    "silent_exporter": [(NOW, {"exporter_gap": {f"Node/{NODES[stories.SILENT]}"}})],
}


# What explain_throughput says of the last day: the shape, and what it puts first of that which moved with it.
SHAPES: dict[str, list[tuple[datetime, str, set[str]]]] = {
    "healthy": [(NOW, "steady", set())],
    "flapping_port": [(NOW, "repeated_collapses", {"link_down"})],
    "two_causes": [
        (A_DAY_BEFORE, "repeated_collapses", {"disk_read_latency", "tier_reads"}),
        (NOW, "repeated_collapses", set()),
    ],
    "thermal_straggler": [(NOW, "step_down", {"gpu_clock"})],
    "slow_decay": [(NOW, "slow_decay", set())],
    "silent_exporter": [(NOW, "steady", set())],
}


def explained(url: str, folder: Path, at: datetime) -> ThroughputAnswer:
    kubegap = Kubegap(Settings(snapshot=write(objects(staged=at == NOW), folder)))
    kubegap.metrics = Metrics(source_for(MetricsSettings(url=url)), clock=lambda: at)
    try:
        return anyio.run(lambda: kubegap.explain_throughput(job=SITE.run, window="24h"))
    finally:
        kubegap.close()


STORAGE = {"disk_read_latency", "tier_reads", "filesystem_read_latency"}


def test_a_story_gives_its_findings_and_its_shape_and_no_other(story: tuple[str, str], tmp_path: Path):
    """One test, so that a story's Prometheus is filled once however tests are spread over processes."""
    name, url = story
    for at, expected in EXPECTED[name]:
        assert found(judged(url, tmp_path, at)) == expected, at
    for at, shape, first in SHAPES[name]:
        answer = explained(url, tmp_path, at)
        assert (at, answer.shape.id) == (at, shape)
        if first:
            assert answer.coincident[0].signal in first, at
        if at == NOW:  # the sharper collapses came with clean hardware
            assert not STORAGE & {moved.signal for moved in answer.coincident}
