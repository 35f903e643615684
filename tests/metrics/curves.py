"""Two days of a small training cluster in a real Prometheus, with jobs of every kind to ask about."""

import random
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from checks.build import container, facts, node, pod

from kubegap_checks.facts.pods import Pod, Run
from kubegap_checks.facts.read import Facts, Record
from kubegap_mcp.cluster import Ask, ClusterInfo, Contexts, Reading

STEP_S: Final = 60
HOURS: Final = 48
STEPS: Final = HOURS * 3600 // STEP_S
END: Final = datetime(2026, 11, 29, 12, tzinfo=UTC)
NODES: Final = tuple(f"gpu-{at}" for at in range(8))
SLOW: Final = 3  # the node whose disk is the slowest

# 2025-huggingface-smollm3-throughput: first the shared filesystem fetches what it had evicted, then, with the data on
# local disks, the loader's index fills memory. (first minute, minutes)
STORAGE: Final = ((120, 20), (331, 35), (470, 15), (702, 28), (955, 18), (1105, 24))
LOADER: Final = ((1803, 10), (1990, 14), (2101, 8), (2260, 17), (2333, 9), (2450, 15), (2575, 13), (2700, 16))
HOSTILE: Final = '"} or vector(1) #\\'

Value = Callable[[int], float | None]


class FixedReader:
    """A cluster that says the same each time."""

    def __init__(self, told: Facts) -> None:
        self.told = told
        self.asked: list[Ask] = []

    async def read(self, ask: Ask) -> Reading:
        self.asked.append(ask)
        cluster = ClusterInfo(context="lab", server_version="v1.36.1", source="live", read_at=END, age_s=0)
        return Reading(facts=self.told, cluster=cluster)

    async def contexts(self) -> Contexts:
        return Contexts(names=("lab",), current="lab", in_use="lab", source="kubeconfig")

    def close(self) -> None:
        """Nothing is open."""


def workers(run: str, nodes: tuple[str, ...], gpus: int = 8, namespace: str = "ml") -> list[Pod]:
    owner = Run(kind="PyTorchJob", namespace=namespace, name=run)
    asked = {"nvidia.com/gpu": gpus}
    return [
        pod(
            f"{run}-worker-{rank}",
            namespace,
            run=owner,
            node=name,
            resources=asked,
            containers=(container(limits=asked),),
            created=END - timedelta(days=9),
        )
        for rank, name in enumerate(nodes)
    ]


def cluster(*more: Record, **rest: object) -> Facts:
    """Eight nodes, a run on six of them, one that stopped, a young one, and one that publishes nothing."""
    return facts(
        *(node(name, devices={"nvidia.com/gpu": 8}) for name in NODES),
        *workers("llm", NODES[:6]),
        *workers("llm-eval", NODES[6:7], 4),
        *workers("young", NODES[6:7], 2),
        *workers("mute", NODES[7:], 8),
        *more,
        **rest,  # type: ignore[arg-type]
    )


def samples() -> str:
    dice = random.Random(5)  # noqa: S311 (noise)
    noise = [dice.gauss(0, 0.01) for _ in range(STEPS + 1)]
    storage, loader = _minutes(STORAGE), _minutes(LOADER)
    share = [0.5 if at in storage else 0.2 if at in loader else 1.0 for at in range(STEPS + 1)]
    text = Written()
    trainer = {"namespace": "ml", "pod": "llm-worker-0", "job": "trainers", "instance": "10.1.0.1:8000"}
    text.put("tokens_per_second", trainer, lambda at: 13_800 * share[at] * (1 + noise[at]))
    text.put("tokens_per_second", trainer | {"pod": "llm-eval-worker-0"}, _flat(10))
    text.put("tokens_per_second", trainer | {"pod": "young-worker-0"}, lambda at: 90 if at > STEPS - 9 else None)
    ended = {"job_name": "ended", "namespace": "ml", "pod": "pushgateway-0"}
    text.put("tokens_per_second", ended, lambda at: 500 * (1 + noise[at]) if at < STEPS - 180 else None)
    text.put("tokens_per_second", {"job_name": HOSTILE}, _flat(7))
    text.put("steps_per_minute", {"team": "a"}, lambda at: 6 * (1 + noise[at]))
    for place, name in enumerate(NODES):
        at_node = {"instance": f"10.0.0.{place}:9100"}
        text.put("node_uname_info", at_node | {"nodename": name}, _flat(1))
        slow = 0.004 if place != SLOW else 0.02
        waits = [noise[at] ** 2 + (slow if at in storage else 0.0004) * 12_000 for at in range(STEPS + 1)]
        text.put("node_disk_reads_completed_total", at_node | {"device": "nvme0n1"}, lambda at: 12_000 * at)
        text.put("node_disk_read_time_seconds_total", at_node | {"device": "nvme0n1"}, _summed(waits))
        text.put("node_infiniband_link_downed_total", at_node | {"device": "mlx5_0", "port": "1"}, _flat(2))
        gpu = {"Hostname": name, "gpu": "0", "namespace": "gpu-operator", "pod": f"dcgm-{place}"}
        text.put("DCGM_FI_DEV_SM_CLOCK", gpu, lambda at: 1755 + 100 * noise[(at * 7) % STEPS])
        text.put("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", gpu, lambda at: 0.4 * (1 + noise[at]))
    for rank in range(6):
        labels = {"namespace": "ml", "pod": f"llm-worker-{rank}", "container": "trainer"}
        filling = _grown(since=HOURS * 30, start=300e9 + rank, each=2e7)
        text.put("container_memory_working_set_bytes", labels, filling)
        text.put("container_memory_mapped_file", labels, filling)
    return text.done()


class Written:
    def __init__(self) -> None:
        self._metrics: dict[str, list[str]] = {}

    def put(self, metric: str, labels: Mapping[str, str], value: Value) -> None:
        start = int(END.timestamp()) - STEPS * STEP_S
        named = ",".join(f'{name}="{_escaped(text)}"' for name, text in labels.items())
        self._metrics.setdefault(metric, []).extend(
            f"{metric}{{{named}}} {seen:.9g} {start + at * STEP_S}"
            for at in range(STEPS + 1)
            if (seen := value(at)) is not None
        )

    def done(self) -> str:
        lines = [line for name, some in self._metrics.items() for line in (f"# TYPE {name} unknown", *some)]
        return "\n".join((*lines, "# EOF", ""))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _minutes(spells: tuple[tuple[int, int], ...]) -> frozenset[int]:
    return frozenset(at for first, length in spells for at in range(first, first + length))


def _flat(value: float) -> Value:
    return lambda _: value


def _grown(*, since: int, start: float, each: float) -> Value:
    return lambda at: start + each * max(0, at - since)


def _summed(parts: list[float]) -> Value:
    total, sums = 0.0, []
    for part in parts:
        total += part
        sums.append(total)
    return lambda at: sums[at]
