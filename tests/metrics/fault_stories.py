"""The incident library's stories of throughput, with their figures, by the shape that they leave.

Losses and depths are shares of the full speed. A figure is the record's; where it has none, the comment says what the
range rests on.
"""

from dataclasses import dataclass

STEADY = (
    "swing over the day, 2024-meta-llama3-405b-interruptions",
    "steady after its fixes, 2023-bytedance-megascale-mfu-decay",
    "steady after the data moved to local disks, 2025-huggingface-smollm3-throughput",
    "healthy, 2022-bigscience-bloom-slow-gpu",
)


@dataclass(frozen=True)
class Loss:
    what: str
    least: float
    most: float
    joins_at_restart: bool = False


FLAT_LOSSES = (
    # 56% of the bandwidth arrived; a job loses that much where it does nothing but communicate.
    Loss("PCIe ACS left on halves the all-reduce bandwidth, 2023-nccl-acs-halves-bandwidth", 0.20, 0.50),
    Loss("NCCL without RDMA, 2.51 s steps take 5.72 s, 2025-experiment-template-nccl-ib-disable", 0.45, 0.60),
    # No figures in this record and in IDEFICS' on loading: as far as without RDMA at all, and less.
    Loss("GPUDirect RDMA lost with a kernel, 2023-aws-kernel-breaks-gpudirect-efa", 0.25, 0.60),
    Loss("H100s of a hot cloud 50% slower, 2025-modal-gpu-health-across-clouds", 0.25, 0.50),
    Loss("uneven stages, a tenth of jobs waste 21% and more, 2024-bytedance-straggler-study", 0.14, 0.40),
    Loss("data loading caps the speed, 2023-huggingface-idefics80b-data-path-limits", 0.15, 0.50),
    Loss("an inherited Slurm flag, ten times slower, 2023-huggingface-idefics80b-data-path-limits", 0.85, 0.91),
)


STEP_LOSSES = (
    # 149 to 140 TFLOPs within a few iterations of 105 s. The one step under 10%, and only in a quiet series.
    Loss("one slow GPU of 384, 2022-bigscience-bloom-slow-gpu", 0.055, 0.07),
    # The record has no figure: clocks a tenth to a third lower, in a job bound by computation.
    Loss("a diagnostic lifts the clock lock, 2025-bytedance-diagnostic-downclock", 0.10, 0.35),
    # Compute on the slow hosts took about 10% longer, and all wait for them; a worse host is possible.
    Loss("a slow host joins, 2023-bytedance-megascale-slow-hosts", 0.10, 0.18, joins_at_restart=True),
    # A PCIe link at lower rate, pause frames, 128 machines slow. No figure for the speed: half the lanes or fewer.
    Loss("a PCIe link falls back, 2024-bytedance-minder-faulty-machine", 0.20, 0.60),
    Loss("a network interface at a lower rate, 2023-nccl-error-12-flapping-ports", 0.15, 0.50),
    # 1.34 times the time, that is a quarter less speed, here by congestion that does not end within the window.
    Loss("congested fabric, 2025-hkust-greyhound-fail-slow", 0.20, 0.30),
    Loss("restarted without RDMA, 2025-experiment-template-nccl-ib-disable", 0.45, 0.60, joins_at_restart=True),
)


@dataclass(frozen=True)
class Collapses:
    what: str
    minutes: tuple[float, float]
    depth: tuple[float, float]
    count: tuple[int, int]
    gradual: bool = False


COLLAPSES = (
    # Training stood still while shards were fetched back from S3: deep, for many minutes, and slowly better.
    Collapses("storage evicts shards, 2025-huggingface-smollm3-throughput", (5, 40), (0.4, 0.9), (4, 9), gradual=True),
    # Behind it, the loader's index in shared memory: steeper and more frequent drops.
    Collapses("index in shared memory, 2025-huggingface-smollm3-throughput", (1, 6), (0.3, 0.9), (7, 18)),
    # 10 minutes for slow computation, 24 for slow communication. Job 1.34 times as long in all.
    Collapses("spells of congestion, 2025-hkust-greyhound-fail-slow", (8, 30), (0.3, 0.5), (4, 8)),
    # Interfaces are down for seconds and the job waits for NCCL's retries. DeepSeek had up to 10 cuts in a day; here
    # they come closer together, so that a short window holds enough.
    Collapses("links flap, 2023-bytedance-megascale-nic-flapping", (1, 5), (0.4, 0.9), (4, 10)),
    Collapses("InfiniBand flash cuts, 2024-deepseek-infiniband-flash-cuts", (1, 8), (0.4, 0.9), (4, 10)),
)


@dataclass(frozen=True)
class Rhythm:
    what: str
    period_s: tuple[float, ...]
    length_s: tuple[float, float]
    depth: tuple[float, float]
    by_the_clock: bool = False
    """Of a clock, at one of the given periods exactly. Otherwise of the training's steps, anywhere between the two."""


RHYTHMS = (
    # About every five minutes; DeepSeek writes in the background, who does not stands for the time of the write.
    Rhythm("checkpoint every 5 min, 2024-deepseek-infiniband-flash-cuts", (240, 420), (15, 60), (0.5, 1.0)),
    # 250 steps of IDEFICS, 100 of BLOOM: 2.3 TB to a shared filesystem.
    Rhythm("checkpoint every 3 h, 2021-bigscience-13b-checkpoint-bloat", (9_000, 12_000), (120, 720), (0.5, 1.0)),
    # 523 checkpoints in 55 days are one in 2.5 h; saving is slow at 60 nodes.
    Rhythm("saves wait for NFS slots, 2026-lablup-b200-nfs-rpc-slots", (5_400, 9_500), (240, 1_200), (0.7, 1.0)),
    Rhythm("evaluation every N steps, 2022-bigscience-bloom-evaluation-deadlock", (1_200, 7_200), (60, 480), (0.6, 1)),
    # OLMo 2 and Imbue let all ranks collect at once at fixed intervals. Of what length is not told: minutes.
    Rhythm("all ranks collect garbage together, 2023-bytedance-megascale-mfu-decay", (240, 1_500), (8, 40), (0.5, 1)),
    # The kubelet's own housekeeping took CPU time from what ran beside it. No period is told: those usual in crontabs.
    Rhythm(
        "an agent of the host every N min, 2025-pinterest-zombie-cgroups",
        (600, 900, 1_800, 3_600),
        (45, 240),
        (0.15, 0.5),
        by_the_clock=True,
    ),
    # No record has it, and every host does it.
    Rhythm(
        "hourly log rotation or snapshot (no record)",
        (3_600,),
        (60, 420),
        (0.2, 0.8),
        by_the_clock=True,
    ),
)


@dataclass(frozen=True)
class Decline:
    what: str
    restart_cures: bool


# MegaScale gives no figure: the least is what a plot still shows, the most stays under the 50% of Modal's hot H100s.
DECLINE_LOSS = (0.08, 0.40)
DECLINES = (
    Decline("ranks drift apart by garbage collection, 2023-bytedance-megascale-mfu-decay", restart_cures=True),
    Decline("operations on the critical path take longer, 2023-bytedance-megascale-mfu-decay", restart_cures=True),
    # Their records do not tell of a decline. Both become worse over hours, and no restart of the job mends them.
    Decline("GPUs become hot, 2025-modal-gpu-health-across-clouds", restart_cures=False),
    Decline("shared disks fill up, 2023-huggingface-idefics80b-data-path-limits", restart_cures=False),
)

GROWING_NOISE = (
    "launches of ranks go to and fro, wider with every step, 2023-bytedance-megascale-mfu-decay",
    "congestion comes and goes, 2025-hkust-greyhound-fail-slow",
)

STALLS = (
    "NCCL freezes without an error, 2026-marin-nccl-silent-hang",
    "evaluation deadlocks for hours, 2022-bigscience-bloom-evaluation-deadlock",
    "defective cores hold up a pipeline, 2025-bytedance-evaluation-hang",
    "an RDMA error that no watchdog ends, 2023-nccl-error-12-flapping-ports",
    "hangs after three to four hours, 2023-huggingface-jeanzay-training-hang",
)
