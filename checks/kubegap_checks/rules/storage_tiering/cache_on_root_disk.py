"""A training run must not keep its data cache on a node's root disk while the node has NVMe for it."""

from collections.abc import Iterator

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.facts.storage import Claim, Volume
from kubegap_checks.inventory.bound import BoundVolumes
from kubegap_checks.inventory.local_disks import LocalDisks, local_disks, looks_unused
from kubegap_checks.inventory.node_state import settling
from kubegap_checks.inventory.root_disk import Kept, kept_on_root_disk
from kubegap_checks.inventory.training import TrainingRun, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    volumes = BoundVolumes(facts)
    # Where the NVMe is no part of the node's ephemeral storage, that is on the root disk.
    nodes = {
        disks.node.name: disks
        for disks in local_disks(facts)
        if looks_unused(disks) and not settling(disks.node, facts.read_at)
    }
    for run in training_runs(facts):
        found: dict[str, Finding] = {}
        for pod in run.pods:
            disks = nodes.get(pod.node)
            if disks is None:
                continue
            for kept in kept_on_root_disk(pod, volumes):
                if isinstance(kept, Kept):
                    found.setdefault(kept.where.en, _finding(run, kept, disks))
                else:
                    yield kept
        yield from found.values()


def _finding(run: TrainingRun, kept: Kept, disks: LocalDisks) -> Finding:
    tiny = disks.percent < threshold("local_nvme_ratio").value
    sure = Confidence.LIKELY.at_most(run.sign.confidence, kept.sign.confidence)
    return Finding(
        subject=run.subject,
        key=kept.where.en,
        says=Text(
            en=f"keeps {kept.sign.value} in {kept.where.en} on the root disk of node {disks.node.name} "
            f"({disks.offered_gib:,.0f} GiB beside {disks.gigabytes:,} GB of NVMe)",
            ko=f"노드 {disks.node.name}의 루트 디스크({kept.where.ko}, {disks.offered_gib} GiB)에 {kept.sign.value} "
            f"캐시를 둠: 로컬 NVMe {disks.gigabytes} GB가 따로 있음",
        ),
        evidence={kept.sign.path: kept.sign.value, disks.path: disks.seen, disks.offered_path: disks.offered},
        severity=Severity.MEDIUM if tiny else Severity.LOW,
        confidence=sure if tiny else Confidence.HINT,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Data cache of a run on the root disk", ko="학습 데이터 캐시가 루트 디스크에 있음"),
    why=Text(
        en="The root disk is small and slow, and image layers and logs live there too: a cache that fills it gets "
        "pods evicted from the node, while terabytes of fast NVMe are not used for it.",
        ko="루트 디스크는 작고 느리며 이미지 레이어와 로그도 함께 쓴다. 캐시가 디스크를 채우면 노드의 파드가 "
        "축출되는데, 정작 수 TB의 빠른 NVMe는 쓰이지 않는다.",
    ),
    fix=Text(
        en="Put the cache on a volume of the node's NVMe, or give the NVMe to the kubelet as ephemeral storage.",
        ko="캐시를 노드 NVMe의 볼륨으로 옮기거나, NVMe를 kubelet의 ephemeral-storage로 준다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(Pod, Node, Claim, Volume),
    cites=(
        Cite(
            incident="2024-gke-gcsfuse-sidecar-out-of-memory",
            because=Text(
                en="a training pod was evicted because what it wrote passed through a helper's few GiB of ephemeral "
                "storage; there the helper's limit was full, not the disk",
                ko="쓰기가 보조 컨테이너의 몇 GiB짜리 임시 스토리지를 거치는 바람에 학습 파드가 축출됐음. 디스크가 "
                "아니라 보조 컨테이너의 한도가 찼음",
            ),
        ),
        Cite(
            incident="2018-openai-scaling-to-2500-nodes",
            because=Text(
                en="to pull large images faster, Docker's root was put on the nodes' local SSD; images there, not "
                "datasets",
                ko="큰 이미지를 빨리 받으려고 Docker 데이터를 노드의 로컬 SSD에 두었음. 데이터셋이 아니라 이미지였음",
            ),
        ),
    ),
    verify=(
        "kubectl get node NODE -o jsonpath='{.metadata.labels}{.status.allocatable}'",
        "kubectl get pod -n NAMESPACE POD -o jsonpath='{.spec.volumes}{.spec.containers[*].env}'",
        "df -h / /var/lib/kubelet  # on the node",
    ),
    looks_like=(
        Text(en="the node's ephemeral storage is its NVMe", ko="노드의 ephemeral-storage가 NVMe임"),
        Text(en="the cache is in memory, or on a volume of its own", ko="캐시가 메모리나 별도 볼륨에 있음"),
        Text(en="compiler caches and scratch files, which stay small", ko="크기가 작은 컴파일 캐시와 임시 파일"),
        Text(en="the node has no NVMe", ko="노드에 NVMe가 없음"),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
