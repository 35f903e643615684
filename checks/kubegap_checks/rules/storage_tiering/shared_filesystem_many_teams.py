"""A filesystem that can push data out of its fast tier may not be filled by many teams beside a training run."""

from collections.abc import Iterator

from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_checks.inventory.backing import Backing
from kubegap_checks.inventory.sharing import Neighbours
from kubegap_checks.inventory.tiering import Storage
from kubegap_checks.inventory.training import TrainingRun, Use, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    storage, neighbours = Storage(facts), Neighbours(facts)
    for run in training_runs(facts):
        found: dict[str, Finding] = {}
        for use in run.datasets():
            backing, unread = storage.at_risk(use)
            yield from unread
            if backing is None:
                continue
            namespaces = neighbours.of(use, backing) | {run.run.namespace}
            if len(namespaces) >= threshold("shared_filesystem_namespaces").value:
                found.setdefault(backing.name, _finding(run, use, backing, namespaces))
        yield from found.values()


def _finding(run: TrainingRun, use: Use, backing: Backing, namespaces: frozenset[str]) -> Finding:
    others = sorted(namespaces - {run.run.namespace})
    names = f"{', '.join(others[:3])}{', ...' if len(others) > 3 else ''}"  # noqa: PLR2004
    leaves = backing.leaves is not None
    sure = run.surely(use, backing.confidence.at_most(Confidence.LIKELY))
    return Finding(
        subject=run.subject,
        key=backing.name,
        says=Text(
            en=f"reads its dataset from {backing.name}, where {len(others)} other namespaces have volumes ({names})",
            ko=f"데이터셋을 {backing.name}에서 읽는데, 다른 네임스페이스 {len(others)}개도 볼륨을 두고 있음({names})",
        ),
        evidence={use.sign.path: use.sign.value, **backing.evidence, "PersistentVolume.spec.claimRef.namespace": names},
        severity=Severity.MEDIUM if leaves else Severity.LOW,
        confidence=sure if leaves else Confidence.HINT,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Dataset shares its fast tier with many teams", ko="데이터셋이 여러 팀과 빠른 계층을 나눠 씀"),
    why=Text(
        en="What other teams write fills the same tier: somebody who never heard of the run can slow it down "
        "halfway, and no quota or size of its own prevents that.",
        ko="다른 팀이 쓰는 데이터도 같은 계층을 채운다. 이 학습을 모르는 팀 때문에 학습 도중 느려질 수 있고, "
        "자기 쿼터나 용량으로는 막을 수 없다.",
    ),
    fix=Text(
        en="Give the dataset a filesystem or a tier of its own during the run, or stage it on node-local NVMe.",
        ko="학습 기간에는 데이터셋에 전용 파일시스템이나 계층을 주거나, 노드의 로컬 NVMe에 올려 둔다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(Pod, Claim, Volume, StorageClass, WekaCluster),
    cites=(
        Cite(
            incident="2025-huggingface-smollm3-throughput",
            because=Text(
                en="several teams had already filled the Weka storage; the 24 TB of one run took it to its limit, and "
                "shards were evicted in mid-training, on a Slurm cluster",
                ko="Slurm 클러스터 사례. 여러 팀이 이미 채운 Weka에 24 TB가 더해지자 한계에 닿아 "
                "학습 도중 샤드가 밀려남",
            ),
        ),
        Cite(
            incident="2021-bigscience-13b-checkpoint-bloat",
            because=Text(
                en="checkpoints ten times too large filled a filesystem that others used too, on a Slurm cluster",
                ko="Slurm 클러스터 사례. 열 배 커진 체크포인트가 여럿이 쓰는 파일시스템을 채웠음",
            ),
        ),
    ),
    verify=("kubectl get pv -o custom-columns=TEAM:.spec.claimRef.namespace,HANDLE:.spec.csi.volumeHandle | sort -k2",),
    looks_like=(
        Text(en="two namespaces, which one team may have", ko="네임스페이스 둘: 한 팀의 것일 수 있음"),
        Text(en="many volumes of one namespace", ko="한 네임스페이스의 볼륨 여러 개"),
        Text(en="another filesystem of the same product", ko="같은 제품의 다른 파일시스템"),
        Text(en="storage that moves nothing out, or a copy on the node", ko="내보내기가 없는 스토리지나 노드 사본"),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
