"""A node that has local NVMe must offer it: as ephemeral storage, as local volumes, or to a storage system."""

from collections.abc import Iterator

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.facts.storage import StorageClass, Volume
from kubegap_checks.inventory.local_disks import (
    LocalDisks,
    has_local_disks,
    holds_local_disks,
    local_disks,
    looks_unused,
    nodes_with_local_volumes,
    offers_local_disks,
    waits_for_pods,
)
from kubegap_checks.inventory.node_state import READ_STATUS, settling
from kubegap_checks.inventory.sources import examples
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    silent: list[str] = []
    unused: list[LocalDisks] = []
    for disks in local_disks(facts):
        if disks.offered is None and not offers_local_disks(disks.node):
            silent.append(disks.node.name)
        if looks_unused(disks) and not settling(disks.node, facts.read_at):
            unused.append(disks)
    if unused:
        used = nodes_with_local_volumes(facts)
        waits = waits_for_pods(facts)
        idle = (disks for disks in unused if not holds_local_disks(disks.node, used))
        yield from (_finding(disks, waits=waits(disks.node)) for disks in idle)
    if silent:
        nodes = examples(silent)
        yield Unread(
            what=Text(en=f"ephemeral-storage of {nodes.en}", ko=f"{nodes.ko}의 ephemeral-storage"),
            reason="invalid",
            remedy=READ_STATUS,
        )


def _finding(disks: LocalDisks, *, waits: bool | None) -> Finding:
    sure = not disks.raw_block and waits is False and disks.percent < threshold("local_nvme_ratio").value
    return Finding(
        subject=Subject("Node", disks.node.name),
        says=Text(
            en=f"offers {disks.offered_gib:,.0f} GiB of ephemeral storage beside {disks.gigabytes:,} GB of local NVMe",
            ko=f"로컬 NVMe가 {disks.gigabytes:,} GB인데 ephemeral-storage는 {disks.offered_gib:,.0f} GiB만 제공",
        ),
        evidence={disks.path: disks.seen, disks.offered_path: disks.offered},
        severity=Severity.LOW if waits else Severity.MEDIUM,
        confidence=Confidence.LIKELY if sure else Confidence.HINT,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Local NVMe of a GPU node is not used", ko="GPU 노드의 로컬 NVMe를 쓰지 않음"),
    why=Text(
        en="Local NVMe is where nobody else's data can push a dataset out, and several times faster than a shared "
        "filesystem; the kubelet does not use disks that nobody has formatted, and says nothing.",
        ko="로컬 NVMe에서는 다른 팀의 데이터 때문에 데이터셋이 밀려나지 않고, 공유 파일시스템보다 몇 배 빠르다. "
        "포맷하지 않은 디스크는 kubelet이 아무 경고 없이 빼놓는다.",
    ),
    fix=Text(
        en="Have the node image or the node pool format the disks as one volume for the kubelet, or give them to a "
        "local volume provisioner.",
        ko="노드 이미지나 노드 풀 설정에서 디스크를 하나로 묶어 kubelet이 쓰게 하거나 로컬 볼륨 프로비저너에 맡긴다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(Node, Pod, Volume, StorageClass),
    cites=(
        Cite(
            incident="2025-huggingface-smollm3-throughput",
            because=Text(
                en="the way out, on a Slurm cluster, was the NVMe that every node already had: 8 disks as RAID 0, six "
                "times the read throughput of the shared filesystem",
                ko="Slurm 클러스터 사례. 해결책은 노드마다 이미 있던 NVMe 8개였고, RAID 0으로 묶으니 "
                "공유 파일시스템보다 6배 빠르게 읽음",
            ),
        ),
    ),
    verify=(
        "kubectl get node NODE -o jsonpath='{.metadata.labels}{.metadata.annotations}{.status.allocatable}'",
        "kubectl get pv -o custom-columns=NAME:.metadata.name,LOCAL:.spec.local.path,NODE:.spec.nodeAffinity",
    ),
    looks_like=(
        Text(en="local volumes are pinned to the node", ko="노드에 고정된 로컬 볼륨이 있음"),
        Text(
            en="TopoLVM, Weka or another storage system holds the disks, and marks the node",
            ko="TopoLVM, Weka 같은 스토리지가 디스크를 쓰고 있고 노드에 표시를 남김",
        ),
        Text(
            en="pods use a host path under the disks' mount point", ko="파드가 디스크 마운트 지점 아래의 hostPath를 씀"
        ),
        Text(
            en="a driver makes volumes on demand and no pod is on the node: a hint of low severity",
            ko="필요할 때 볼륨을 만드는 드라이버가 있고 노드에 파드가 없음: 심각도를 낮춰 참고로만 보고함",
        ),
        Text(en="a node that has just joined or is being deleted", ko="막 합류했거나 삭제 중인 노드"),
        Text(
            en="the platform offers the disks as ephemeral storage and says so in a label",
            ko="플랫폼이 디스크를 ephemeral-storage로 제공하고 레이블로 알림",
        ),
        Text(
            en="a machine whose disks neither a label nor the table of machine types tells: nothing is said of it",
            ko="레이블이나 머신 유형 표로 디스크를 알 수 없는 장비: 판단하지 않음",
        ),
    ),
    find=find,
    applies=has_local_disks,
)
