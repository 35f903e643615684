"""Two days of 48 nodes in a real Prometheus: each story gives its findings, and no other."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
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
from kubegap_mcp.settings import Settings
from tests.metrics import prometheus_server
from tests.metrics.scenarios import stories
from tests.metrics.scenarios.training_cluster import NODES, objects
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


@cache
def snapshot(folder: Path) -> Path:
    return write(objects(), folder)


def judged(url: str, folder: Path, at: datetime) -> dict[str, Verdict]:
    """What each check that needs metrics says, as of that time."""
    source = source_for(MetricsSettings(url=url))
    kubegap = Kubegap(Settings(snapshot=snapshot(folder)))
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


EXPECTED: dict[str, list[tuple[datetime, dict[str, set[str]]]]] = {
    "healthy": [(NOW, {}), (A_DAY_BEFORE, {})],
    "flapping_port": [(NOW, {"link_errors_rising": {f"Node/{NODES[stories.FLAPPING]}"}})],
    "slow_decay": [(NOW, {})],
}


def test_a_story_gives_its_findings_and_no_other(story: tuple[str, str], tmp_path: Path):
    name, url = story
    for at, expected in EXPECTED.get(name, []):
        assert found(judged(url, tmp_path, at)) == expected, at
