"""A volume that holds a run's dataset or checkpoints may not be deleted together with its claim."""

from collections.abc import Iterator, Mapping

from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_checks.inventory.backing import Backing
from kubegap_checks.inventory.tiering import Storage
from kubegap_checks.inventory.training import TrainingRun, Use, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.workloads import Role
from kubegap_checks.text import Text

# Without it no provisioner deletes what lies behind: kubernetes-sigs/sig-storage-lib-external-provisioner:controller.
_MADE_BY = "pv.kubernetes.io/provisioned-by"
_COPIES = frozenset({"lazy_linked", "cache_of_remote"})  # the original of a dataset lies elsewhere
_HELD: Mapping[Role, Text] = {
    "dataset": Text(en="the dataset", ko="데이터셋"),
    "checkpoint": Text(en="the checkpoints", ko="체크포인트"),
}


def find(facts: Facts) -> Iterator[Finding | Unread]:
    storage = Storage(facts)
    found: dict[str, Finding] = {}
    for run in training_runs(facts):
        for use in (use for role in _HELD for use in run.uses(role) if use.volume.form == "claim"):
            backing, unread = storage.behind(use)
            yield from unread
            if backing is None:
                continue
            volume = backing.volume
            if volume and _goes_with_its_claim(volume) and not _survives(use, backing):
                found.setdefault(volume.name, _finding(run, use, backing, volume))
    yield from found.values()


def _goes_with_its_claim(volume: Volume) -> bool:
    return volume.reclaim_policy == "Delete" and bool(volume.annotations.get(_MADE_BY))


def _survives(use: Use, backing: Backing) -> bool:
    copy = backing.verdict == "node_local" or (use.role == "dataset" and backing.verdict in _COPIES)
    return copy or backing.kept_on_delete


def _finding(run: TrainingRun, use: Use, backing: Backing, volume: Volume) -> Finding:
    held = next(held for role, held in _HELD.items() if role == use.role)
    whole = backing.driver is not None and backing.driver.on_delete == "filesystem"
    deleted = Text(en="the whole filesystem", ko="파일시스템 전체") if whole else Text(en="the data", ko="데이터")
    path = f"PersistentVolume[{volume.name}]"
    return Finding(
        subject=Subject("PersistentVolume", volume.name),
        says=Text(
            en=f"holds {held.en} of {run.subject} on {backing.product}, and deleting its claim deletes {deleted.en}",
            ko=f"{run.subject}의 {held.ko}가 있는 {backing.product} 볼륨인데, PVC를 지우면 {deleted.ko}도 삭제됨",
        ),
        evidence={
            f"{path}.spec.persistentVolumeReclaimPolicy": volume.reclaim_policy,
            f"{path}.metadata.annotations.{_MADE_BY}": volume.annotations[_MADE_BY],
            use.sign.path: use.sign.value,
        },
        severity=Severity.MEDIUM if whole else Severity.LOW,
        confidence=run.surely(use, Confidence.LIKELY),
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Training data is deleted together with its claim", ko="PVC를 지우면 학습 데이터도 함께 삭제됨"),
    why=Text(
        en="With reclaim policy Delete, removing a claim, a chart or a namespace removes the data at once: terabytes "
        "take days to bring back, and checkpoints cannot be.",
        ko="회수 정책이 Delete면 PVC나 차트, 네임스페이스를 지우는 순간 데이터도 사라진다. "
        "수 TB는 다시 받는 데 며칠이 걸리고 체크포인트는 되살릴 수 없다.",
    ),
    fix=Text(
        en="Set the volume's reclaim policy to Retain, and use a class with Retain for datasets and checkpoints.",
        ko="볼륨의 회수 정책을 Retain으로 바꾸고, 데이터셋과 체크포인트에는 Retain인 스토리지 클래스를 쓴다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(Pod, Claim, Volume, StorageClass, WekaCluster),
    cites=(
        Cite(
            incident="2022-tsinghua-glm130b-lustre-dataset-loss",
            because=Text(
                en="the only online copy of a 2.3 TB corpus was gone, and bringing it back took days; a filesystem "
                "fault took it there, not a deletion, and not on Kubernetes",
                ko="2.3 TB 말뭉치의 하나뿐인 온라인 사본을 잃어 복구하는 데 며칠이 걸렸음. 삭제가 아니라 파일시스템 "
                "장애였고 Kubernetes 환경은 아님",
            ),
        ),
        Cite(
            incident="2021-meta-opt175b-cluster-deleted",
            because=Text(
                en="one mistaken deletion reached all training hosts at once; the run went on because checkpoints lay "
                "where the deletion did not reach",
                ko="잘못된 삭제 한 번이 학습 호스트 전체에 미쳤고, 체크포인트가 그 범위 밖에 있어 학습을 이어 갔음",
            ),
        ),
    ),
    verify=(
        "kubectl get pv -o custom-columns=NAME:.metadata.name,POLICY:.spec.persistentVolumeReclaimPolicy",
        "kubectl get storageclass -o custom-columns=NAME:.metadata.name,POLICY:.reclaimPolicy",
    ),
    looks_like=(
        Text(en="a volume made by hand: no provisioner deletes it", ko="직접 만든 볼륨: 프로비저너가 지우지 않음"),
        Text(en="a driver or class that keeps the directory", ko="디렉터리를 남겨 두는 드라이버나 클래스"),
        Text(en="scratch on the node, or a copy of what lies elsewhere", ko="노드 스크래치나 원본이 따로 있는 사본"),
        Text(en="an ephemeral volume, which goes with its pod by design", ko="파드와 함께 없어지도록 만든 임시 볼륨"),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
