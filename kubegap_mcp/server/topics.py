"""The topics that have a tool `check_<topic>`; one row adds a tool."""

from dataclasses import dataclass
from typing import Literal

TopicName = Literal["storage_tiering", "ib_health", "gpu_health"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """`about` says what the checks look for; `use` names the symptoms that lead here; `words` help a tool search."""

    name: TopicName
    title: str
    about: str
    use: str
    words: str

    @property
    def tool(self) -> str:
        return f"check_{self.name}"

    @property
    def description(self) -> str:
        return (
            f"{self.about} Use when {self.use}. Each check has a verdict, evidence, fix and past incidents. "
            "For the whole cluster use audit_cluster, for all findings of one check explain_gap."
        )


TOPICS: tuple[Topic, ...] = (
    Topic(
        name="storage_tiering",
        title="Check storage and data tiers",
        about="Finds storage gaps that starve training: data that can be evicted to a slow tier, a fast tier near its "
        "limit, unused local NVMe, missing /dev/shm.",
        use="data loading, epochs or checkpoints are slow, or GPUs wait for data",
        words="slow dataloader checkpoint Weka Lustre NVMe PVC shm 스토리지 티어링 느림",
    ),
    Topic(
        name="ib_health",
        title="Check InfiniBand and RDMA",
        about="Finds fabric gaps that stall collectives: InfiniBand or RoCE link faults, missing NICs, RDMA "
        "resources that pods do not get.",
        use="NCCL is slow, hangs or times out, or multi-node jobs are slower than one node",
        words="NCCL RDMA RoCE NIC link flapping allreduce 인피니밴드 네트워크",
    ),
    Topic(
        name="gpu_health",
        title="Check GPU and node health",
        about="Finds broken or missing GPUs: fewer devices than expected, unhealthy devices, Xid and other reported "
        "faults, GPU nodes that are not ready.",
        use="a job crashes, hangs or cannot be placed, or a node looks bad",
        words="Xid ECC NVLink DCGM device plugin NotReady GPU 장애 노드",
    ),
)
