"""How long all metric rules take over 1,000 nodes with 8,000 GPUs, against a real Prometheus on loopback.

Run `python benchmarks/metrics.py [--nodes N] [--step SECONDS]` where kubegap and Debian's package `prometheus` are
installed. It makes two hours of data in a folder of its own (about a minute at 1,000 nodes), asks once so that
Prometheus is warm, and then measures: requests, seconds, processor time of kubegap, bytes of the answer. `--write`
writes docs/benchmarks-metrics.md. Exits 1 where a figure is worse than its bound.
"""

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import anyio

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT)]

from kubegap_checks import catalog  # noqa: E402
from kubegap_mcp.app import Kubegap  # noqa: E402
from kubegap_mcp.metrics.port import Answer, MetricsSource, Query  # noqa: E402
from kubegap_mcp.metrics.reader import Metrics  # noqa: E402
from kubegap_mcp.metrics.settings import MetricsSettings  # noqa: E402
from kubegap_mcp.metrics.source import source_for  # noqa: E402
from kubegap_mcp.settings import Settings  # noqa: E402
from tests.metrics import prometheus_server  # noqa: E402
from tests.whole_clusters.objects import NOW, Object, write  # noqa: E402
from tests.whole_clusters.parts.jobs import volcano  # noqa: E402
from tests.whole_clusters.parts.nodes import H100, HGX, bus, gfd, node  # noqa: E402
from tests.whole_clusters.parts.site import Site  # noqa: E402

PAGE = ROOT / "docs" / "benchmarks-metrics.md"
MOST = {"queries": 40, "seconds": 3.0, "bytes": 12_000}
HOURS = 2
GPUS = 8
RUNS = 5

GPU_LEVELS = {
    "DCGM_FI_DEV_XID_ERRORS": 0,
    "DCGM_FI_DEV_ROW_REMAP_FAILURE": 0,
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": 0,
    "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": 3,
    "DCGM_FI_DEV_CLOCKS_EVENT_REASONS": 4,
    "DCGM_FI_DEV_THERMAL_VIOLATION": 0,
    "DCGM_FI_DEV_SM_CLOCK": 1755,
    "DCGM_FI_DEV_GPU_TEMP": 62,
    "DCGM_FI_DEV_POWER_USAGE": 640,
    "DCGM_FI_DEV_GPU_UTIL": 98,
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": 0.42,
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": 0.97,
}
PORT_LEVELS = {
    "node_infiniband_link_downed_total": 1,
    "node_infiniband_symbol_error_total": 7,
    "node_infiniband_link_error_recovery_total": 0,
    "node_infiniband_local_link_integrity_errors_total": 0,
    "node_infiniband_excessive_buffer_overrun_errors_total": 0,
    "node_infiniband_port_errors_received_total": 0,
    "node_infiniband_port_discards_transmitted_total": 0,
    "node_infiniband_rate_bytes_per_second": 5e10,
    "node_infiniband_state_id": 4,
}
MEMORY = {
    "container_memory_working_set_bytes": 9e11,
    "container_memory_rss": 5.6e11,
    "container_memory_mapped_file": 3e11,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    nodes: int

    @property
    def site(self) -> Site:
        names = tuple(f"gpu-{number:04d}" for number in range(self.nodes))
        asks = {"nvidia.com/gpu": GPUS, "rdma/hca_shared_devices_a": 1}
        return Site(gpus=names, system=(), asks=asks, idle=frozenset(names[-2:]))

    def objects(self) -> Iterator[Object]:
        labels = gfd(H100, GPUS, "PowerEdge-XE9680")
        for name in self.site.gpus:
            yield node(name, labels, {"nvidia.com/gpu": GPUS, "rdma/hca_shared_devices_a": 63}, storage="27000Gi")
            yield bus(name, *HGX)
        yield from volcano(self.site)

    def series(self) -> Iterator[tuple[str, list[tuple[str, float]]]]:
        """Each metric with its series: labels as they are written, and the level that they keep."""
        site = self.site
        for metric, level in GPU_LEVELS.items():
            yield metric, [(self._gpu(place, gpu), level) for place in range(self.nodes) for gpu in range(GPUS)]
        for metric, level in PORT_LEVELS.items():
            yield metric, [(self._port(place, port), level) for place in range(self.nodes) for port in range(GPUS)]
        for metric, level in MEMORY.items():
            yield metric, [(self._pod(place), level) for place in range(len(site.trains_on))]
        at = [self._at(place, 9100) for place in range(self.nodes)]
        yield "node_uname_info", [(f'{one},nodename="{name}"', 1) for one, name in zip(at, site.gpus, strict=True)]
        yield "node_disk_reads_completed_total", [(f'{one},device="nvme0n1"', 1e6) for one in at]
        yield "node_disk_read_time_seconds_total", [(f'{one},device="nvme0n1"', 400) for one in at]

    def _at(self, place: int, port: int) -> str:
        return f'instance="10.{place // 250}.{place % 250}.1:{port}"'

    def _gpu(self, place: int, gpu: int) -> str:
        rank = f'exported_pod="llm-worker-{place}",exported_namespace="train"'
        return f'{self._at(place, 9400)},Hostname="gpu-{place:04d}",gpu="{gpu}",{rank}'

    def _port(self, place: int, port: int) -> str:
        return f'{self._at(place, 9100)},device="mlx5_{port}",port="1"'

    def _pod(self, place: int) -> str:
        return f'node="gpu-{place:04d}",namespace="train",pod="llm-worker-{place}",container="trainer"'


def fill(cluster: Cluster, step_s: int, file: Path) -> int:
    """Writes the samples; how many there are. One GPU in a thousand has had an Xid, as in any cluster of this size."""
    end = int(NOW.timestamp())
    times = [str(end - at) for at in range(HOURS * 3600 - step_s, -1, -step_s)]
    samples = 0
    with file.open("w", encoding="utf-8") as out:
        for metric, series in cluster.series():
            out.write(f"# TYPE {metric} unknown\n")
            for labels, level in series:
                head = f"{metric}{{{labels}}} {level:g} "
                out.write(head + f"\n{head}".join(times) + "\n")
                samples += len(times)
        out.write("# EOF\n")
    return samples


class Counting:
    """The source, and how often it was asked; nothing it says is kept, so that each run asks again."""

    def __init__(self, source: MetricsSource) -> None:
        self._source = source
        self.asked = 0

    @property
    def selector(self) -> str:
        return self._source.selector

    async def names(self, *, deadline_s: float, refresh: bool = False) -> frozenset[str]:
        self.asked += 1
        return await self._source.names(deadline_s=deadline_s, refresh=refresh)

    async def ask(self, query: Query, *, at: datetime, deadline_s: float, refresh: bool = False) -> Answer:
        self.asked += 1
        return await self._source.ask(query, at=at, deadline_s=deadline_s, refresh=refresh)

    def close(self) -> None:
        self._source.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--step", type=int, default=120, metavar="SECONDS")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cluster = Cluster(nodes=arguments.nodes)
        begin = time.perf_counter()
        samples = fill(cluster, arguments.step, folder / "samples.om")
        write(cluster.objects(), folder / "cluster")
        with prometheus_server.started(folder / "samples.om", folder) as url:
            made = time.perf_counter() - begin
            figures = measure(url, folder / "cluster")
    text = page(arguments, samples, figures)
    sys.stdout.write(text + f"(made in {made:.0f} s)\n")
    if arguments.write:
        PAGE.write_text(text, encoding="utf-8")
    return 0 if all(figures[name] <= bound for name, bound in MOST.items()) else 1


def measure(url: str, snapshot: Path) -> Mapping[str, float]:
    checks = tuple(check for check in catalog.load() if check.measures)
    topics = sorted({check.topic for check in checks})
    runs: list[dict[str, float]] = []
    for _ in range(RUNS + 1):
        source = source_for(MetricsSettings(url=url), cache_s=0)
        if source is None:
            raise LookupError("settings that name an address open a source")
        counting = Counting(source)
        kubegap = Kubegap(Settings(snapshot=snapshot))
        kubegap.metrics = Metrics(counting, clock=lambda: NOW)
        anyio.run(lambda app=kubegap: app.list_gpu_nodes())  # the objects are read and kept
        wall, processor = time.perf_counter(), time.process_time()
        answer = anyio.run(lambda app=kubegap: app.audit(topics=topics))
        runs.append(
            {
                "seconds": time.perf_counter() - wall,
                "processor": time.process_time() - processor,
                "queries": counting.asked,
                "bytes": len(answer.model_dump_json(by_alias=True).encode()),
                "checks": len(checks),
            }
        )
        kubegap.close()
    warm = sorted(runs[1:], key=lambda run: run["seconds"])
    return warm[len(warm) // 2]


def page(arguments: argparse.Namespace, samples: int, figures: Mapping[str, float]) -> str:
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    rows = [
        ("requests to Prometheus", f"{figures['queries']:.0f}", f"{MOST['queries']:.0f}"),
        ("seconds", f"{figures['seconds']:.2f}", f"{MOST['seconds']:.0f}"),
        ("seconds of processor time in kubegap", f"{figures['processor']:.2f}", "-"),
        ("bytes of the answer", f"{figures['bytes']:.0f}", f"{MOST['bytes']:.0f}"),
    ]
    return HEAD.format(
        day=day,
        machine=machine,
        nodes=arguments.nodes,
        gpus=arguments.nodes * GPUS,
        step=arguments.step,
        hours=HOURS,
        samples=samples,
        checks=figures["checks"],
        runs=RUNS,
    ) + "".join(f"| {name} | {value} | {bound} |\n" for name, value, bound in rows)


HEAD = """# How long metric rules take

{checks:.0f} checks that need metrics, and all others of their topics, over {nodes:,} nodes with {gpus:,} GPUs.
{hours} hours of samples every {step} seconds ({samples:,} samples) in a real Prometheus on loopback, which is warm.
Median of {runs} audits of these topics that keep nothing of each other; the objects come from a snapshot that was read.
{day}, {machine}; `python benchmarks/metrics.py --write` makes this page.

| | measured | bound |
| --- | --- | --- |
"""


if __name__ == "__main__":
    sys.exit(main())
