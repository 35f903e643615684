"""The topics that have a tool `check_<topic>`; one row adds a tool."""

from dataclasses import dataclass
from typing import Literal

TopicName = Literal[
    "storage_tiering",
    "ib_health",
    "gpu_health",
    "driver_drift",
    "spare_capacity",
    "job_recovery",
    "control_plane",
    "observability",
]


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
    Topic(
        name="driver_drift",
        title="Check driver and version drift",
        about="Finds version gaps: drivers, firmware, kernels or kubelets that differ between like nodes, versions "
        "with a known defect, images and upgrades that move unasked.",
        use="jobs fail or are slow on some nodes only, or since an upgrade or a reboot",
        words="driver firmware kernel kubelet image tag version mismatch upgrade 드라이버 버전 불일치",
    ),
    Topic(
        name="spare_capacity",
        title="Check spare capacity",
        about="Finds capacity gaps: no spare node for a large run, or one without its data, free GPUs in pieces too "
        "small, quotas above what exists, replicas in one zone.",
        use="jobs stay pending, a failed node must be replaced, or before a long run",
        words="pending quota queue Kueue fragmentation NUMA zone spare 예비 노드 용량 부족",
    ),
    Topic(
        name="job_recovery",
        title="Check job recovery",
        about="Finds runs that would lose work at the next fault: checkpoints that go with the pod or node, eviction "
        "that nothing holds off, restarts that repeat or cannot regroup, hangs unseen.",
        use="a run died, hung or lost progress, or before a long run",
        words="checkpoint restart resume preemption eviction PriorityClass gang timeout 체크포인트 재시작 복구",
    ),
    Topic(
        name="control_plane",
        title="Check the control plane",
        about="Finds control plane gaps that take training down with them: webhooks without a server, spare or valid "
        "CA, DNS, API load, version skew, too wide rollouts and clean-ups.",
        use="pods cannot be created, stay in Terminating, names do not resolve, or the API is slow",
        words="apiserver webhook CoreDNS DNS certificate skew rollout 컨트롤 플레인 웹훅",
    ),
    Topic(
        name="observability",
        title="Check observability",
        about="Finds blind spots: GPU nodes and links whose faults nothing would notice, since an exporter, health "
        "agent or alert is not there, not collected or out of date.",
        use="faults come as a surprise, metrics are missing, or before a long run",
        words="DCGM exporter Prometheus alert metrics node-problem-detector burn-in 모니터링 메트릭 알림",
    ),
)
