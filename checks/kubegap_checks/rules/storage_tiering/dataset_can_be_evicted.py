"""A training run must not read its dataset from storage that can move the data out of its fast tier meanwhile."""

from collections.abc import Iterator

from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_checks.inventory.backing import Backing
from kubegap_checks.inventory.tiering import Storage
from kubegap_checks.inventory.training import TrainingRun, Use, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    storage = Storage(facts)
    for run in training_runs(facts):
        found: dict[str, Finding] = {}
        for use in run.datasets():
            backing, unread = storage.at_risk(use)
            yield from unread
            if backing and backing.leaves:
                found.setdefault(backing.name, _finding(run, use, backing, backing.leaves))
            elif backing and Confidence.HINT not in (run.sign.confidence, use.confidence):
                yield backing.unread  # two guesses make no doubt
        yield from found.values()
        yield from _unplaced(storage, run)


def _finding(run: TrainingRun, use: Use, backing: Backing, which: Text) -> Finding:
    return Finding(
        subject=run.subject,
        key=backing.name,
        says=Text(
            en=f"reads its dataset from {backing.name}, which {which.en}",
            ko=f"데이터셋을 {backing.name}에서 읽는데, {which.ko}",
        ),
        evidence={use.sign.path: use.sign.value, **backing.evidence},
        severity=Severity.LOW if backing.is_cached else None,  # a miss is slow, and is not every read
        confidence=run.surely(use, backing.confidence),
    )


def _unplaced(storage: Storage, run: TrainingRun) -> Iterator[Unread]:
    """Where nothing says which volume holds the dataset: a doubt for each that could, and whose data does leave."""
    for use in run.unplaced():
        backing, unread = storage.at_risk(use)
        yield from unread
        if backing and backing.leaves:
            yield Unread(
                what=Text(
                    en=f"whether {run.subject} reads its dataset from {backing.name}",
                    ko=f"{run.subject}의 데이터셋을 {backing.name}에서 읽는지",
                ),
                reason="invalid",
                remedy=Text(
                    en="name the dataset's path in the pods' DATA_PATH variable or in the --data-path flag",
                    ko="파드의 DATA_PATH 환경 변수나 --data-path 플래그로 데이터셋 경로를 지정",
                ),
            )


CHECK = Check(
    module=__name__,
    title=Text(en="Dataset can leave the fast tier during a run", ko="학습 중 데이터셋이 빠른 계층에서 밀려날 수 있음"),
    why=Text(
        en="A tiered filesystem that fills up moves dataset shards to the object store; fetching them back stalls "
        "every GPU of the run, again and again.",
        ko="계층형 파일시스템이 차오르면 데이터셋 샤드를 오브젝트 스토리지로 내보낸다. "
        "다시 가져오는 동안 학습의 모든 GPU가 멈추고, 처리량 급락이 되풀이된다.",
    ),
    fix=Text(
        en="Stage the dataset on node-local NVMe before the run, and keep one spare node with a copy.",
        ko="학습 전에 데이터셋을 노드의 로컬 NVMe에 올려 두고, 사본을 미리 올린 예비 노드를 하나 둔다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.CERTAIN,
    reads=(Pod, Claim, Volume, StorageClass, WekaCluster),
    cites=(
        Cite(
            incident="2025-huggingface-smollm3-throughput",
            because=Text(
                en="a shared Weka filesystem moved shards of the 24 TB dataset to S3 in mid-training, on a Slurm "
                "cluster with the same storage; copies on local NVMe ended it",
                ko="Slurm 클러스터 사례지만 스토리지 구성은 같음. 공유 Weka가 학습 도중 24 TB 데이터셋의 샤드를 "
                "S3로 내보냈고, 로컬 NVMe 사본으로 해결함",
            ),
        ),
    ),
    verify=(
        "kubectl get pod -n NAMESPACE POD -o jsonpath='{.spec.volumes}{.spec.containers[*].volumeMounts}'",
        "kubectl get pv -o custom-columns=NAME:.metadata.name,CLAIM:.spec.claimRef.name,CSI:.spec.csi",
        "kubectl get storageclass -o custom-columns=NAME:.metadata.name,DRIVER:.provisioner,PARAMETERS:.parameters",
        "kubectl get wekaclusters.weka.weka.io -A -o jsonpath='{.items[*].status.stats.filesystem}'",
    ),
    looks_like=(
        Text(
            en="an init container copies the dataset to node-local scratch first, and the run reads the copy",
            ko="init 컨테이너가 데이터셋을 노드 로컬 스크래치에 먼저 복사하고, 학습은 그 사본을 읽음",
        ),
        Text(
            en="the dataset lies on a node-local volume, and the shared filesystem only holds the original",
            ko="데이터셋은 노드 로컬 볼륨에 있고 공유 파일시스템에는 원본만 있음",
        ),
        Text(en="a cache layer such as Fluid stands in front", ko="Fluid 같은 캐시 계층이 앞에 있음"),
        Text(en="only checkpoints go to the object store", ko="오브젝트 스토리지에는 체크포인트만 저장함"),
        Text(en="its readers serve a model or test with one GPU", ko="서빙이나 GPU 하나짜리 시험 파드가 읽음"),
        Text(
            en="throughput drops while storage is healthy and memory grows with the steps: that is the dataloader",
            ko="스토리지는 정상인데 스텝에 따라 메모리가 늘며 처리량이 급락함: 데이터로더 문제임",
        ),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
