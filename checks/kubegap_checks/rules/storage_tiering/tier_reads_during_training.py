"""The storage of a dataset may not go on reading from the object store behind it once a training run is under way."""

from collections.abc import Iterator

from kubegap_checks.facts.metrics import TierReads
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_checks.inventory.backing import Backing
from kubegap_checks.inventory.courses import first, peak
from kubegap_checks.inventory.fetches import Fetches, fetches, untold
from kubegap_checks.inventory.storage_gauges import gauges
from kubegap_checks.inventory.tiering import Storage
from kubegap_checks.inventory.training import TrainingRun, Use, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.signals.quantities import group
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text

_OF_ALL = Text(en=" (for other teams too)", ko="(다른 팀의 읽기 포함)")


def find(facts: Facts) -> Iterator[Finding | Unread]:
    storage = Storage(facts)
    for run in training_runs(facts):
        judged: set[str] = set()
        for use in (*run.datasets(), *run.unplaced()):
            backing, unread = storage.at_risk(use)
            yield from unread
            if backing and backing.name not in judged and not (backing.store and not backing.is_cached):
                judged.add(backing.name)
                yield from _judge(run, use, backing, facts)


def _judge(run: TrainingRun, use: Use, backing: Backing, facts: Facts) -> Iterator[Finding | Unread]:
    asked = gauges(backing, "fetches")
    found = fetches(run, use, backing, facts.seen(TierReads)) if asked else None
    if found is None:
        if asked or backing.leaves:  # whether other storage moves anything out, dataset_can_be_evicted doubts
            yield untold(backing)
    elif found.minutes >= threshold("tier_reads_minutes").value:
        yield _finding(run, use, backing, found)


def _finding(run: TrainingRun, use: Use, backing: Backing, found: Fetches) -> Finding:
    rate, hours = f"{peak(found.points) / 1e6:,.0f}", int(group(TierReads.KIND.plural).window_hours)
    which = _OF_ALL if found.whole else Text.same("")
    return Finding(
        subject=run.subject,
        key=backing.name,
        says=Text(
            en=f"{backing.name} fetched up to {rate} MB/s from its object store, for {found.minutes} minutes of the "
            f"last {hours} hours{which.en}",
            ko=f"{backing.name}에서 최근 {hours}시간 중 {found.minutes}분 동안 오브젝트 스토리지에서 "
            f"최대 {rate} MB/s를 가져옴{which.ko}",
        ),
        evidence={use.sign.path: use.sign.value, f"metrics.{found.row.quantity}": round(peak(found.points))},
        since=first(found.points),
        severity=Severity.MEDIUM if backing.store else None,  # one volume's cache, not everybody's filesystem
        confidence=run.surely(use, Confidence.HINT if found.whole else Confidence.LIKELY),
    )


CHECK = Check(
    module=__name__,
    title=Text(
        en="Storage reads from its object store during a run", ko="학습 중 스토리지가 오브젝트 스토리지에서 읽는 중"
    ),
    why=Text(
        en="What a run reads should lie on the fast tier or in a cache. Where it is still fetched long after the "
        "start, the data was evicted or the cache is too small, and every fetch stalls the run.",
        ko="학습이 읽는 데이터는 빠른 계층이나 캐시에 있어야 한다. 시작하고 한참 뒤에도 다시 가져온다면 데이터가 "
        "밀려났거나 캐시가 작은 것이고, 가져올 때마다 학습이 멈춘다.",
    ),
    fix=Text(
        en="Stage the dataset on node-local NVMe or enlarge the cache until it holds the dataset; free the fast tier.",
        ko="데이터셋을 노드의 로컬 NVMe에 올리거나 데이터셋이 들어갈 만큼 캐시를 키우고, 빠른 계층의 공간을 비운다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(TierReads, Pod, Claim, Volume, StorageClass, WekaCluster),
    cites=(
        Cite(
            incident="2025-huggingface-smollm3-throughput",
            because=Text(
                en="a full Weka filesystem evicted shards of the dataset to S3 in mid-training, and throughput fell "
                "whenever they were fetched back; on a Slurm cluster",
                ko="Slurm 클러스터 사례. 가득 찬 Weka가 학습 도중 데이터셋 샤드를 S3로 내보냈고, 다시 가져올 때마다 "
                "처리량이 떨어졌음",
            ),
        ),
    ),
    verify=("weka status  # on the Weka cluster: object store activity",),
    looks_like=(
        Text(en="the first reads after the start, which fill a cache", ko="시작 직후 캐시를 채우는 첫 읽기"),
        Text(en="uploads of checkpoints, or of what is moved out", ko="체크포인트나 내보내는 데이터의 업로드"),
        Text(en="storage from which no run reads its dataset", ko="학습이 데이터셋을 읽지 않는 스토리지"),
        Text(
            en="a bucket without a cache: object_fuse_without_cache tells of it",
            ko="캐시 없는 버킷: object_fuse_without_cache가 알림",
        ),
        Text(
            en="another team that reads old data of the same storage: a hint where the exporter tells no more",
            ko="같은 스토리지의 오래된 데이터를 읽는 다른 팀: 익스포터가 구분하지 않으면 추정으로만 알림",
        ),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
