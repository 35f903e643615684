"""A snapshot taken with a metrics source explains the throughput of its largest runs as the live cluster does."""

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import anyio
import pytest
from fake_apiserver import FakeApiServer
from metrics import prometheus_server

from kubegap_mcp.app import Kubegap
from kubegap_mcp.cli import main
from kubegap_mcp.errors import NotReadError
from kubegap_mcp.metrics.no_curve import KEPT
from kubegap_mcp.metrics.reader import Metrics
from kubegap_mcp.metrics.settings import MetricsSettings
from kubegap_mcp.metrics.source import source_for
from kubegap_mcp.report.models import ThroughputAnswer
from kubegap_mcp.settings import Settings
from tests.whole_clusters.objects import Object
from tests.whole_clusters.parts.jobs import pytorchjob
from tests.whole_clusters.parts.nodes import H100, gfd, node
from tests.whole_clusters.parts.site import Site

STEP_S = 60
STEPS = 25 * 60
GPUS = tuple(f"gpu-{at:02}" for at in range(24))
# Each run has fewer nodes than the one before it, so that the last is beyond what a snapshot keeps.
RUNS = {"storage": 6, "ended": 5, "step": 4, "mute": 3, "small": 2, "least": 1}
FELL = frozenset(at for begin in (200, 460, 810, 1180, 1300) for at in range(begin, begin + 25))


def sites() -> Iterator[Site]:
    free = iter(GPUS)
    for run, count in RUNS.items():
        own = tuple(next(free) for _ in range(count))
        yield Site(gpus=own, system=(), asks={"nvidia.com/gpu": 8}, run=run, team="ml", idle=frozenset())


def objects() -> Iterator[Object]:
    for name in GPUS:
        yield node(name, gfd(H100, 8), {"nvidia.com/gpu": 8}, storage="900Gi")
    for site in sites():
        yield from (one for one in pytorchjob(site) if one["kind"] in {"Pod", "PyTorchJob"})


def samples() -> str:
    """A day until now: one run collapses with its disk, one ended hours ago, one lost a fifth, one has no metrics."""
    dice = random.Random(3)  # noqa: S311 (noise)
    end = int(datetime.now(UTC).timestamp())
    metrics: dict[str, list[str]] = {}

    def put(metric: str, labels: str, at: int, value: float) -> None:
        metrics.setdefault(metric, []).append(f"{metric}{{{labels}}} {value:.6g} {end - (STEPS - at) * STEP_S}")

    left = {
        "storage": lambda at: 0.5 if at in FELL else 1.0,
        "step": lambda at: 0.8 if at > 900 else 1.0,
        "ended": lambda at: 1.0 if at < STEPS - 200 else None,
    }
    for run in RUNS:
        share = left.get(run, lambda _: 1.0)
        for at in range(STEPS + 1):
            if run != "mute" and (worked := share(at)) is not None:
                put("tokens_per_second", f'namespace="ml",pod="{run}-worker-0"', at, 9e3 * worked * dice.gauss(1, 0.01))
    for name in GPUS:
        reads, spent = 0.0, 0.0
        for at in range(STEPS + 1):
            reads += 9000
            spent += 9000 * (0.004 if at in FELL and name == "gpu-02" else 0.0004) * dice.uniform(0.8, 1.2)
            put("node_disk_reads_completed_total", f'node="{name}",device="nvme0n1"', at, reads)
            put("node_disk_read_time_seconds_total", f'node="{name}",device="nvme0n1"', at, spent)
    lines = [line for name, some in metrics.items() for line in (f"# TYPE {name} unknown", *some)]
    return "\n".join((*lines, "# EOF", ""))


class Taken(NamedTuple):
    folder: Path
    live: dict[str | None, ThroughputAnswer]
    asked: int  # what the snapshot asked of the source


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Taken]:
    """The snapshot, and what the live cluster said as of the same time."""
    prometheus_server.needed()
    folder = tmp_path_factory.mktemp("curves")
    with prometheus_server.started(samples(), folder / "prometheus") as url, FakeApiServer(objects()) as api:
        kubeconfig = api.kubeconfig(folder)
        words = ["snapshot", "-o", str(folder / "taken"), "--kubeconfig", str(kubeconfig), "--prometheus", url]
        assert main(words) == 0
        kept = json.loads((folder / "taken" / "kubegap-metrics.json").read_text())
        live = Kubegap(Settings(kubeconfig=kubeconfig))
        at = datetime.fromtimestamp(kept["at"], UTC)
        live.metrics = Metrics(source_for(MetricsSettings(url=url)), clock=lambda: at)
        try:
            said = {job: explained(live, job) for job in (None, "ended", "step", "small")}
        finally:
            live.close()
        yield Taken(folder / "taken", said, len(kept["asked"]))


def explained(kubegap: Kubegap, job: str | None, **asked: str | None) -> ThroughputAnswer:
    return anyio.run(lambda: kubegap.explain_throughput(job=job, **asked))  # type: ignore[arg-type]


@pytest.fixture
def recorded(taken: Taken) -> Iterator[Kubegap]:
    kubegap = Kubegap(Settings(snapshot=taken.folder))
    yield kubegap
    kubegap.close()


@pytest.mark.parametrize("job", [None, "ended", "step", "small"])
def test_the_snapshot_says_what_the_live_cluster_said(job: str | None, taken: Taken, recorded: Kubegap) -> None:
    said = explained(recorded, job)
    assert said.model_dump(exclude={"cluster"}) == taken.live[job].model_dump(exclude={"cluster"})
    assert said.cluster.source == "snapshot"


def test_the_shapes_are_those_that_were_drawn(taken: Taken) -> None:
    assert {job: said.shape.id for job, said in taken.live.items()} == {
        None: "repeated_collapses",
        "ended": "stall",
        "step": "step_down",
        "small": "steady",
    }
    worst = taken.live[None].coincident[0]
    assert (worst.signal, worst.subject) == ("disk_read_latency", "Node/gpu-02")


def test_why_a_run_has_no_curve_is_kept_too(recorded: Kubegap) -> None:
    with pytest.raises(NotReadError, match="no series of throughput bears a pod, the name or a node of 'ml/mute'"):
        explained(recorded, "mute")


@pytest.mark.parametrize(
    "asked",
    [{"job": "least"}, {"job": None, "window": "6h"}, {"job": None, "metric": "node_disk_reads_completed_total"}],
)
def test_what_a_snapshot_does_not_hold_is_told_with_the_smallest_remedy(
    asked: dict[str, str | None], recorded: Kubegap
) -> None:
    with pytest.raises(NotReadError) as raised:
        explained(recorded, **asked)  # type: ignore[arg-type]
    said = raised.value.text
    assert f"keeps those of the {KEPT} largest training runs over 24h" in said.en
    assert "leave out metric and window" in said.en
    assert f"가장 큰 학습 작업 {KEPT}개의 24h 곡선" in said.ko


def test_curves_take_little_room_and_few_questions(taken: Taken) -> None:
    """Some 12 questions and 100 kB a run."""
    assert taken.asked <= 60 + 12 * KEPT
    assert (taken.folder / "kubegap-metrics.json").stat().st_size < 200_000 * KEPT
