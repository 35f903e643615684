"""What went wrong on the training cluster, a story each: it changes the quiet days in what its record tells."""

from collections.abc import Callable

from tests.metrics.scenarios.samples import STEPS, Samples, rising, step_at
from tests.metrics.scenarios.training_cluster import (
    NODES,
    SHOWN,
    SITE,
    WORKERS,
    gpu_labels,
    memory_labels,
    port_labels,
    quiet,
    scraped,
    throughput,
)

FLAPPING = 17
HOT = 9
SILENT = 21
SILENT_SINCE = step_at(0.75)
MOVED = step_at(24)  # when the dataset was copied to the nodes' own disks


def healthy() -> Samples:
    return quiet()


def two_causes() -> Samples:
    """2025-huggingface-smollm3-throughput: a day on the tiered filesystem, then a day with the data on local disks.

    First throughput falls whenever the shared filesystem fetches what it had evicted, and reads take long at the same
    time. Then it falls more sharply, with nothing wrong in any hardware, while the data loader's index fills memory.
    """
    samples = quiet()
    evicted = _collapses(samples, range(step_at(46), MOVED), every=16)
    for place, _ in enumerate(SITE.trains_on):
        disk = {"instance": scraped(place, 9100), "device": "nvme0n1"}
        slow = _summed([0.0004 * (40 if step in evicted else 1) * 200 * 300 for step in range(STEPS)])
        samples.put("node_disk_reads_completed_total", disk, rising(200 * 3600))
        samples.put("node_disk_read_time_seconds_total", disk, slow)
    fetched = {"cluster": "weka"}
    samples.put(
        "weka_overview_activity_object_download_bytespersec", fetched, lambda step: 9e9 if step in evicted else 0
    )
    sharp = _collapses(samples, range(MOVED + 12, STEPS - 2), every=20)
    for name, pod in WORKERS:
        labels = memory_labels(name, pod)
        grown = rising(20e9, MOVED, 900e9)
        samples.put("container_memory_working_set_bytes", labels, grown)
        samples.put("container_memory_mapped_file", labels, rising(20e9, MOVED, 300e9))
    level = samples.noisy(13_800, 0.008)
    throughput(samples, lambda step: level(step) * (0.55 if step in evicted else 0.25 if step in sharp else 1))
    return samples


def flapping_port() -> Samples:
    """2024-imbue-70b-cluster-bring-up: one port of one node loses its link again and again."""
    samples = quiet()
    labels = port_labels(FLAPPING, 1)
    samples.put("node_infiniband_link_downed_total", labels, rising(3, step_at(5)))
    samples.put("node_infiniband_link_error_recovery_total", labels, rising(400, step_at(5)))
    level = samples.noisy(13_800, 0.008)
    dips = _collapses(samples, range(step_at(5), STEPS), every=6)
    throughput(samples, lambda step: level(step) * (0.7 if step in dips else 1))
    return samples


def thermal_straggler() -> Samples:
    """2023-bytedance-megascale-slow-hosts, 2022-bigscience-bloom-slow-gpu: one hot node holds up all the others."""
    samples = quiet()
    since = step_at(4)
    for gpu in range(SHOWN):
        labels = gpu_labels(HOT, gpu)
        samples.put("DCGM_FI_DEV_SM_CLOCK", labels, lambda step: 1755 if step < since else 1230)
        samples.put("DCGM_FI_DEV_GPU_TEMP", labels, lambda step: 63 if step < since else 86)
        samples.put("DCGM_FI_DEV_POWER_USAGE", labels, lambda step: 640 if step < since else 455)
        samples.put("DCGM_FI_DEV_THERMAL_VIOLATION", labels, rising(0.4 * 3600e9, since))
    level = samples.noisy(13_800, 0.008)
    throughput(samples, lambda step: level(step) * (1 if step < since else 0.78))
    return samples


def slow_decay() -> Samples:
    """2023-bytedance-megascale-mfu-decay: garbage collection out of step costs a little more every hour."""
    samples = quiet()
    level = samples.noisy(13_800, 0.006)
    since = step_at(30)
    throughput(samples, lambda step: level(step) * (1 - 0.2 * max(0, step - since) / (STEPS - since)))
    return samples


def silent_exporter() -> Samples:
    """2023-nvidia-dcgm-exporter-blind-spots: the GPU metrics of one node stop, and nothing else changes."""
    samples = quiet()
    for metric in samples.metrics:
        if metric.startswith("DCGM_"):
            samples.drop(metric, SILENT_SINCE, Hostname=NODES[SILENT])
    return samples


STORIES: dict[str, Callable[[], Samples]] = {
    story.__name__: story
    for story in (healthy, two_causes, flapping_port, thermal_straggler, slow_decay, silent_exporter)
}


def _collapses(samples: Samples, within: range, every: int) -> frozenset[int]:
    """Steps of sharp falls, each two or three steps long, at no regular distance."""
    steps: set[int] = set()
    at = within.start + every // 2
    while at < within.stop - 3:
        steps |= set(range(at, at + samples.random.choice((2, 3))))
        at += round(every * samples.random.choice((0.5, 0.7, 1.2, 2.4)))
    return frozenset(steps)


def _summed(increments: list[float]) -> Callable[[int], float]:
    total, sums = 0.0, []
    for increment in increments:
        total += increment
        sums.append(total)
    return lambda step: sums[step]
