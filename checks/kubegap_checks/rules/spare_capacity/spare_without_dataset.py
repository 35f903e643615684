"""A spare node must be able to read the dataset that lies on the disks of the run's own nodes.

What a folder of a host holds, as where NVMe is mounted there, no object says, of no node: that is no doubt of its own.
"""

from collections.abc import Iterator, Sequence

from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.facts.storage import Volume
from kubegap_checks.inventory.readiness import READS
from kubegap_checks.inventory.sources import examples
from kubegap_checks.inventory.spares import Reserve, reserves
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.text import Text

_HOST = "kubernetes.io/hostname"


def find(facts: Facts) -> Iterator[Finding | Unread]:
    volumes = [volume for volume in facts.known(Volume) if _hosts(volume)]
    for reserve in reserves(facts):
        if not reserve.spares:
            yield from reserve.doubts
            continue
        local = _of_the_dataset(reserve, volumes)
        if local:
            alike = [volume for volume in volumes if volume.storage_class == local[0].storage_class]
            holding = {name for volume in alike for name in _hosts(volume)}
            if not holding & set(reserve.spares):
                yield _finding(reserve, local)


def _hosts(volume: Volume) -> tuple[str, ...]:
    """The nodes on whose disks it is; none of one that is not local."""
    return tuple(name for term in volume.node_affinity for name in term.get(_HOST, ()))


def _of_the_dataset(reserve: Reserve, volumes: Sequence[Volume]) -> Sequence[Volume]:
    """The local volumes that hold the run's dataset."""
    asked = {(use.pod.namespace, use.volume.claim) for use in reserve.run.datasets()}
    return [volume for volume in volumes if (volume.claim_namespace, volume.claim_name) in asked]


def _finding(reserve: Reserve, local: Sequence[Volume]) -> Finding:
    volume, count = local[0], len(local)
    spares = examples(list(reserve.spares))
    sure = Confidence.LIKELY.at_most(reserve.run.sign.confidence)
    return Finding(
        subject=reserve.run.subject,
        says=Text(
            en=f"reads its dataset from {count} local volumes of class {volume.storage_class}, of which "
            f"the spare node has none: {spares.en}",
            ko=f"{volume.storage_class} 클래스의 로컬 볼륨 {count}개에서 데이터셋을 읽는데 예비 {spares.ko}에는 없음",
        ),
        evidence={
            f"PersistentVolume[{volume.name}].spec.nodeAffinity[{_HOST}]": ", ".join(_hosts(volume)),
            f"PersistentVolume[{volume.name}].spec.storageClassName": volume.storage_class,
        },
        confidence=sure,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Spare node without the dataset", ko="예비 노드에 데이터셋이 없음"),
    why=Text(
        en="A node that replaces a dead one comes up empty. Where the dataset is read from local disks, the run waits "
        "until it has been copied, which takes hours for terabytes.",
        ko="죽은 노드를 대신하는 노드는 비어 있다. 로컬 디스크에서 데이터셋을 읽는 학습은 복사가 끝날 때까지 "
        "기다려야 하고, "
        "수 TB라면 몇 시간이 걸린다.",
    ),
    fix=Text(
        en="Copy the dataset to the spare node's disk before it is needed, in a volume of the same class.",
        ko="필요해지기 전에 예비 노드의 디스크에도 같은 클래스의 볼륨으로 데이터셋을 복사해 둔다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(*READS, Volume),
    cites=(
        Cite(
            incident="2025-huggingface-smollm3-throughput",
            because=Text(
                en="after the dataset had moved to the nodes' own disks, a replacement came up empty; a spare that "
                "already held it closed the gap; on a Slurm cluster",
                ko="데이터셋을 노드의 로컬 디스크로 옮기자 교체된 노드는 빈 채로 떴고, 데이터셋을 미리 올려 둔 예비 "
                "노드로 "
                "해결했음. Slurm 클러스터 사례",
            ),
        ),
    ),
    verify=(
        "kubectl get pv -o jsonpath='{.items[*].spec.nodeAffinity}'",
        "ls -la PATH  # on the spare node",
    ),
    looks_like=(
        Text(en="the spare has a local volume of the same class", ko="예비 노드에 같은 클래스의 로컬 볼륨이 있음"),
        Text(
            en="the dataset is on shared storage, or copied when a pod starts",
            ko="데이터셋이 공유 스토리지에 있거나 파드가 뜰 때 복사됨",
        ),
    ),
    find=find,
    applies=lambda facts: any(reserve.spares or reserve.doubts for reserve in reserves(facts)),
)
