"""How fast and how small kubegap's answers are on clusters of 100, 1,000 and 5,000 GPU nodes, beside what is possible.

`python -m benchmarks.scale` from the repository's folder, in an environment where kubegap is installed, on Linux.
`--nodes 100` measures one size, `--runs 3` takes medians of three, `--write` writes docs/benchmarks.md and the tables
in the READMEs. The API server, the lists of the floor and the server under test are processes of their own. Where
npm has it, kubernetes-mcp-server is asked its nearest questions on the same API server.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks import other_server, scale_page
from benchmarks.mcp_process import Asked, McpProcess
from kubegap_mcp.server.topics import TOPICS

SIZES: Final = (100, 1000, 5000)
_EIGHT: Final = 8


@dataclass(frozen=True, slots=True)
class Parts:
    """What `benchmarks.floor` prints: seconds, and bytes."""

    wall: float
    cpu: float
    bytes: int
    decode: float
    reading: float
    rules: float


@dataclass(frozen=True, slots=True)
class Measured:
    """One size of cluster; answers by name and language."""

    nodes: int
    pods: int
    floor: Parts
    first: Asked
    cold: Asked
    cached: Asked
    eight: Asked
    eight_cached: Asked
    peak: int
    answers: dict[str, dict[str, Asked]]
    other: dict[str, Asked]
    other_peak: int


@contextmanager
def api_server(nodes: int, folder: Path) -> Generator[Path]:
    """A kubeconfig for a cluster of so many GPU nodes, whose API server runs while the block does."""
    command = [sys.executable, "-m", "benchmarks.big_apiserver", str(nodes)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdin  # noqa: S101
        assert process.stdout  # noqa: S101
        named = {"context": {"cluster": "big", "user": "reader"}, "name": "big"}
        cluster = {"cluster": {"server": process.stdout.readline().strip()}, "name": "big"}
        config: dict[str, Any] = {"apiVersion": "v1", "kind": "Config", "current-context": "big"}
        config |= {"contexts": [named], "clusters": [cluster], "users": [{"name": "reader", "user": {}}]}
        path = folder / "kubeconfig"
        path.write_text(json.dumps(config), encoding="utf-8")
        try:
            yield path
        finally:
            process.stdin.close()


def floor(kubeconfig: Path) -> Parts:
    command = [sys.executable, "-m", "benchmarks.floor", str(kubeconfig)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 (ours)
    return Parts(**json.loads(done.stdout))


def measure(nodes: int, runs: int, folder: Path) -> Measured:
    with api_server(nodes, folder) as kubeconfig:
        floors, first, cold, cached, eight, eight_cached, peaks = [], [], [], [], [], [], []
        answers: dict[str, dict[str, Asked]] = {}
        for _ in range(runs):
            floors.append(floor(kubeconfig))
            with _kubegap(kubeconfig) as server:
                first.append(server.ask("audit_cluster"))
                cold.append(server.ask("audit_cluster", refresh=True))
                cached += [server.ask("audit_cluster") for _ in range(3)]
                eight_cached.append(server.ask_together([("audit_cluster", {})] * _EIGHT))
                answers = {lang: _every_answer(server, lang) for lang in ("en", "ko")}
                eight.append(server.ask_together([("audit_cluster", {"refresh": True})] * _EIGHT))
                peaks.append(server.peak)
        other, other_peak = other_server.measure(kubeconfig)
        return Measured(
            nodes=nodes,
            pods=12 * nodes,
            floor=Parts(*(statistics.median(values) for values in zip(*map(_numbers, floors), strict=True))),
            first=median(first),
            cold=median(cold),
            cached=median(cached),
            eight=median(eight),
            eight_cached=median(eight_cached),
            peak=max(peaks),
            answers=answers,
            other=other,
            other_peak=other_peak,
        )


def _kubegap(kubeconfig: Path) -> McpProcess:
    command = [sys.executable, "-m", "kubegap_mcp", "serve", "--kubeconfig", str(kubeconfig), "--deadline", "300"]
    return McpProcess(command, {**os.environ, "KUBEGAP_LANG": "en"})


def _every_answer(server: McpProcess, lang: str) -> dict[str, Asked]:
    tools = ["audit_cluster", *(f"check_{topic.name}" for topic in TOPICS), "list_gpu_nodes"]
    return {tool: server.ask(tool, lang=lang) for tool in tools}


def _numbers(parts: Parts) -> tuple[float, ...]:
    return (parts.wall, parts.cpu, parts.bytes, parts.decode, parts.reading, parts.rules)


def median(asked: list[Asked]) -> Asked:
    """Of each number by itself; sizes are the same every time."""
    wall, cpu = (statistics.median(values) for values in zip(*((one.wall, one.cpu) for one in asked), strict=True))
    return Asked(wall, cpu, asked[0].structured, asked[0].text)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    arguments.add_argument("--nodes", type=int, nargs="+", default=SIZES)
    arguments.add_argument("--runs", type=int, default=3)
    arguments.add_argument("--write", action="store_true")
    chosen = arguments.parse_args()
    measured: list[Measured] = []
    load = os.getloadavg()[0]
    for nodes in chosen.nodes:
        with tempfile.TemporaryDirectory() as folder:
            measured.append(measure(nodes, chosen.runs, Path(folder)))
        sys.stdout.write(scale_page.lines(measured[-1]) + "\n")
        sys.stdout.flush()
    if chosen.write:
        scale_page.write(measured, runs=chosen.runs, load=load)


if __name__ == "__main__":
    main()
