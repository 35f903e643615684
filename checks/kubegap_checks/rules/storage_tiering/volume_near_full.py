"""A training run must not write to a volume, or to storage, that is about to be full."""

from collections.abc import Iterator

from kubegap_checks.facts.metrics import VolumeFill
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_checks.inventory import fill
from kubegap_checks.inventory.backing import Backing
from kubegap_checks.inventory.fill import Written
from kubegap_checks.inventory.measured import counted
from kubegap_checks.inventory.storage_gauges import gauges, told
from kubegap_checks.inventory.tiering import Storage
from kubegap_checks.inventory.training import TrainingRun, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    storage, rows = Storage(facts), tuple(facts.seen(VolumeFill))
    fills = fill.claims(rows)
    judged: set[fill.ClaimName] = set()
    for run in training_runs(facts):
        behind: set[str] = set()
        for use in fill.written(run):
            backing, unread = storage.of(use.pod, use.volume)
            yield from unread
            if backing is None:
                continue
            if use.claim not in judged and fill.limits_itself(backing):
                judged.add(use.claim)
                yield from _of_claim(use, fills.get(use.claim, {}))
            if backing.name not in behind and gauges(backing, "fill") and not fill.told_by_object(backing, facts):
                behind.add(backing.name)
                yield from _of_storage(run, use, backing, rows)


def _of_claim(use: Written, measured: fill.Fill) -> Iterator[Finding | Unread]:
    namespace, name = use.claim
    if "claim_bytes" not in measured:
        yield fill.untold(f"PersistentVolumeClaim/{namespace}/{name}")
    raised = fill.full(measured) or fill.filling(measured)
    if raised:
        en, ko = counted(raised)
        yield Finding(
            subject=Subject("PersistentVolumeClaim", name, namespace),
            says=Text(en=en, ko=ko),
            evidence={f"metrics.{row.quantity}": round(row.value, 2) for row in raised},
            severity=Severity.HIGH if use.saves or fill.full(measured) else Severity.MEDIUM,
        )


def _of_storage(
    run: TrainingRun, use: Written, backing: Backing, rows: tuple[VolumeFill, ...]
) -> Iterator[Finding | Unread]:
    found = told(backing, use.volume, "fill", rows).rows
    if not found and not fill.limits_itself(backing):
        yield fill.untold(backing.name)
    if worst := fill.worst(found):
        row, severity = worst
        en, ko = counted([row])
        yield Finding(
            subject=run.subject,
            key=backing.name,
            says=Text(en=f"writes to {backing.name}: {en}", ko=f"{backing.name}에 씀. {ko}"),
            evidence={f"metrics.{row.quantity}": round(row.value, 2)},
            severity=severity,
            confidence=Confidence.LIKELY.at_most(run.sign.confidence),
        )


CHECK = Check(
    module=__name__,
    title=Text(en="Volume of a training run nearly full", ko="학습이 쓰는 볼륨이 거의 가득 참"),
    why=Text(
        en="A checkpoint that finds no room is lost, and with it the work since the last one. Some parallel "
        "filesystems refuse writes at 80%, and a tiered one moves out what the run reads.",
        ko="공간이 없어 저장하지 못한 체크포인트는 사라지고, 직전 저장 이후의 작업도 함께 사라진다. 80%부터 쓰기를 "
        "거부하는 병렬 파일시스템도 있고, 계층형은 학습이 읽는 데이터를 내보낸다.",
    ),
    fix=Text(
        en="Delete old checkpoints or enlarge the volume, and keep room for several checkpoints; watch inodes as well.",
        ko="오래된 체크포인트를 지우거나 볼륨을 늘려 체크포인트 몇 개가 들어갈 여유를 둔다. inode도 함께 확인한다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(VolumeFill, Pod, Claim, Volume, StorageClass, WekaCluster),
    cites=(
        Cite(
            incident="2021-bigscience-13b-checkpoint-bloat",
            because=Text(
                en="checkpoints filled the shared filesystem far faster than the model explained, and a watchdog "
                "had to look at bytes and inodes; on Slurm",
                ko="Slurm 클러스터 사례. 체크포인트가 모델 크기로 설명되지 않는 속도로 공유 파일시스템을 채워 용량과 "
                "inode를 감시해야 했음",
            ),
        ),
        Cite(
            incident="2023-huggingface-idefics80b-data-path-limits",
            because=Text(
                en="the shared filesystem refused writes at 80%, since some of its disks were full; on Slurm",
                ko="Slurm 클러스터 사례. 디스크 몇 개가 먼저 차서 공유 파일시스템이 80%에서 쓰기를 거부했음",
            ),
        ),
    ),
    verify=("df -h PATH  # in a pod that mounts the volume", "df -i PATH  # the same for inodes", "weka fs"),
    looks_like=(
        Text(en="a size that is no limit: buckets, EFS, JuiceFS", ko="크기가 한도가 아닌 볼륨: 버킷, EFS, JuiceFS"),
        Text(en="a tiered filesystem, whose size counts the object store", ko="오브젝트 스토리지까지 센 계층형의 크기"),
        Text(en="a full dataset that is mounted read-only", ko="읽기 전용으로 마운트한 가득 찬 데이터셋"),
        Text(en="a cache, which is meant to be full", ko="원래 가득 차 있는 캐시"),
        Text(en="a well filled volume that does not grow", ko="많이 찼지만 늘지 않는 볼륨"),
        Text(en="a claim that no training run mounts", ko="학습이 마운트하지 않는 PVC"),
        Text(en="a claim of this name in another cluster", ko="다른 클러스터의 이름이 같은 PVC"),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
