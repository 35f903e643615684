"""A source that fell silent is told from a job that stopped: each cluster of one real Prometheus is another case."""

import random
from collections.abc import Iterator
from datetime import timedelta

import pytest
from metrics.curves import END, NODES, FixedReader, cluster
from metrics.prometheus_server import needed, started

from kubegap_mcp.app import Kubegap
from kubegap_mcp.metrics.reader import Metrics
from kubegap_mcp.metrics.settings import MetricsSettings
from kubegap_mcp.metrics.source import source_for
from kubegap_mcp.report.models import ThroughputAnswer
from kubegap_mcp.settings import Settings

STEP_S = 60
STEPS = 26 * 60
CUT = STEPS - 180  # three hours before the end
SILENT = "the metrics source went silent at 2026-11-29T09:0"
# Which series go on behind the cut, for each case.
CASES: dict[str, frozenset[str]] = {
    "source_stopped": frozenset(),
    "source_stopped_without_up": frozenset(),
    "source_stopped_after_a_fall": frozenset(),
    "job_stopped": frozenset({"up", "node"}),
    "job_stopped_without_up": frozenset({"node"}),
    "nodes_died_with_it": frozenset({"up"}),
    "only_the_job_was_scraped": frozenset(),
    "only_gpus": frozenset(),
    "hole": frozenset({"up", "node", "job"}),
}


class Drawn:
    """What one case puts into the source, its own label on each series."""

    def __init__(self, case: str, metrics: dict[str, list[str]]) -> None:
        self.case = case
        self._metrics = metrics
        self._dice = random.Random(case)  # noqa: S311 (noise)

    def put(self, metric: str, labels: str, kind: str, level: float) -> None:
        start = int(END.timestamp()) - STEPS * STEP_S
        lines = self._metrics.setdefault(metric, [])
        for at in range(STEPS + 1):
            if not self._missing(at, kind):
                value = level * self._factor(at, kind)
                lines.append(f'{metric}{{cluster="{self.case}",{labels}}} {value:.6g} {start + at * STEP_S}')

    def _missing(self, at: int, kind: str) -> bool:
        if self.case == "hole" and CUT - 600 <= at < CUT - 300:
            return True
        return at > CUT and kind not in CASES[self.case]

    def _factor(self, at: int, kind: str) -> float:
        if kind == "up":
            return 1.0
        fell = self.case.endswith("fall") and kind == "job" and at > CUT - 400
        return (0.5 if fell else 1.0) * (1 + self._dice.gauss(0, 0.01))


def samples() -> str:
    metrics: dict[str, list[str]] = {}
    for case, on in CASES.items():
        drawn = Drawn(case, metrics)
        if case != "only_gpus":
            drawn.put("tokens_per_second", 'namespace="ml",pod="llm-worker-0"', "job", 13_800)
        drawn.put("container_memory_working_set_bytes", 'namespace="ml",pod="llm-worker-0"', "job", 3e9)
        if "up" in on or case == "source_stopped":
            drawn.put("up", 'job="node",instance="10.0.0.1:9100"', "up", 1)
        if case != "only_the_job_was_scraped":
            for name in NODES[:2]:
                drawn.put("DCGM_FI_DEV_SM_CLOCK", f'Hostname="{name}",gpu="0"', "node", 1755)
                drawn.put("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", f'Hostname="{name}",gpu="0"', "node", 0.4)
    lines = [line for name, some in metrics.items() for line in (f"# TYPE {name} unknown", *some)]
    return "\n".join((*lines, "# EOF", ""))


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    needed()
    with started(samples(), tmp_path_factory.mktemp("silence")) as url:
        yield url


async def told(url: str, case: str, *, later_h: float = 0, **asked: str) -> ThroughputAnswer:
    app = Kubegap(Settings(), reader=FixedReader(cluster()))
    settings = MetricsSettings(url=url, selector=f'cluster="{case}"')
    app.metrics = Metrics(source_for(settings, log=app.log), clock=lambda: END + timedelta(hours=later_h))
    try:
        return await app.explain_throughput(job="llm", **asked)  # type: ignore[arg-type]
    finally:
        app.close()


@pytest.mark.parametrize("case", ["source_stopped", "source_stopped_without_up", "only_gpus"])
@pytest.mark.parametrize("later_h", [0, 9])
async def test_a_source_that_stopped_is_no_stall_of_the_job(source: str, case: str, later_h: float) -> None:
    answer = await told(source, case, later_h=later_h)
    assert (answer.shape.id, answer.shape.confidence) == ("unclear", "hint")
    assert answer.shape.since is not None
    assert answer.shape.since.startswith("2026-11-29T09:0")
    assert SILENT in answer.notes[0].text
    assert "until then it was steady" in answer.notes[0].text
    assert not answer.incidents
    assert not any("the last sample is of" in note.text for note in answer.notes)


async def test_what_was_seen_before_the_source_stopped_is_told(source: str) -> None:
    answer = await told(source, "source_stopped_after_a_fall")
    assert (answer.shape.id, answer.shape.confidence) == ("step_down", "likely")
    assert answer.shape.drop_percent == pytest.approx(50, abs=1)
    assert SILENT in answer.notes[0].text
    assert "the shape is that of the time until then" in answer.notes[0].text


@pytest.mark.parametrize(
    "case", ["job_stopped", "job_stopped_without_up", "nodes_died_with_it", "only_the_job_was_scraped"]
)
async def test_a_job_that_stopped_alone_or_with_its_nodes_is_a_stall_at_hint(source: str, case: str) -> None:
    answer = await told(source, case)
    assert (answer.shape.id, answer.shape.confidence) == ("stall", "hint")
    assert "the end has no samples, rather than zeros" in answer.notes[0].text
    assert not any("went silent" in note.text for note in answer.notes)


async def test_a_hole_in_everything_is_the_source_s(source: str) -> None:
    answer = await told(source, "hole")
    assert (answer.shape.id, answer.shape.confidence) == ("unclear", "hint")
    assert "for 4.9 hours from 2026-11-28T23:05:00Z there were no samples" in answer.notes[0].text
    assert "the metrics source had none of anything else either" in answer.notes[0].text
