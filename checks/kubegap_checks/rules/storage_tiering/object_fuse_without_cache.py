"""A training run that reads its dataset from a mounted object store must have a cache of it on the node."""

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
            if backing is None:
                continue
            store = backing.store
            if store is None or backing.node_cache:
                continue
            if store.unset_cache == "none":
                found.setdefault(backing.name, _finding(run, use, backing))
            elif store.unset_cache is None:
                yield _untold(backing)
        yield from found.values()


def _finding(run: TrainingRun, use: Use, backing: Backing) -> Finding:
    return Finding(
        subject=run.subject,
        key=backing.name,
        says=Text(
            en=f"reads its dataset from {backing.name} with no cache on the node: every epoch fetches it again",
            ko=f"노드 캐시 없이 {backing.name}에서 데이터셋을 읽어 에폭마다 다시 내려받음",
        ),
        evidence={use.sign.path: use.sign.value, **backing.evidence},
        confidence=run.surely(use, Confidence.LIKELY),
    )


def _untold(backing: Backing) -> Unread:
    return Unread(
        what=Text(en=f"whether {backing.name} is cached on the node", ko=f"{backing.name}에 노드 캐시가 있는지"),
        reason="invalid",
        remedy=Text(
            en="look at the mount's own options for a data cache: the table does not know the ones of this driver",
            ko="마운트 옵션에 데이터 캐시가 켜져 있는지 확인: 이 드라이버의 캐시 옵션은 카탈로그에 없음",
        ),
    )


CHECK = Check(
    module=__name__,
    title=Text(
        en="Dataset on a mounted object store without a cache", ko="오브젝트 스토리지 데이터셋에 노드 캐시가 없음"
    ),
    why=Text(
        en="Without a cache each read of a mounted bucket goes over the network, in every epoch and for every worker: "
        "GPUs wait for the store, and a throttled or slow bucket stops the run.",
        ko="캐시가 없으면 버킷 마운트의 모든 읽기가 에폭마다, 워커마다 네트워크를 거친다. GPU는 스토리지를 기다리고, "
        "버킷이 느려지거나 요청 한도에 걸리면 학습이 멈춘다.",
    ),
    fix=Text(
        en="Turn on the driver's file cache on local NVMe with a size that holds the dataset, or stage a copy there.",
        ko="드라이버의 파일 캐시를 로컬 NVMe에 데이터셋이 들어갈 크기로 켜거나 사본을 미리 올려 둔다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(Pod, Claim, Volume, StorageClass, WekaCluster),
    cites=(
        Cite(
            incident="2023-huggingface-idefics80b-data-path-limits",
            because=Text(
                en="batches were streamed from cloud storage since local disks were too small, and data loading "
                "capped the throughput; by its own loader on Slurm, not by a mount",
                ko="로컬 디스크가 작아 배치를 클라우드 스토리지에서 스트리밍했고, 데이터 로딩이 처리량의 한계가 "
                "됐음. 마운트가 아니라 자체 로더였고 Slurm 클러스터 사례",
            ),
        ),
        Cite(
            incident="2025-huggingface-smollm3-throughput",
            because=Text(
                en="streaming straight from S3 was too slow for the run; copies on local NVMe were the way out, on a "
                "Slurm cluster",
                ko="Slurm 클러스터 사례. S3에서 바로 스트리밍하는 방식은 느려서 포기하고 로컬 NVMe 사본으로 해결했음",
            ),
        ),
    ),
    verify=(
        "kubectl get pv PV -o jsonpath='{.spec.csi.volumeAttributes}{.spec.mountOptions}'",
        "kubectl get pod -n NAMESPACE POD -o jsonpath='{.metadata.annotations}{.spec.volumes}'",
    ),
    looks_like=(
        Text(en="a file cache is set, or comes with the class", ko="파일 캐시가 설정되어 있거나 클래스에 딸려 옴"),
        Text(en="the driver caches unless it is told not to", ko="따로 끄지 않으면 캐시하는 드라이버임"),
        Text(en="an init container stages a copy on the node", ko="init 컨테이너가 노드에 사본을 올림"),
        Text(
            en="each sample is read once, or the bucket has a cache of its own: no object shows it",
            ko="샘플을 한 번씩만 읽거나 버킷 쪽에 캐시가 있음: 객체에는 나타나지 않음",
        ),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
