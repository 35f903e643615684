"""Reads of the nodes and filesystems under a training run may not take many times longer than they usually do."""

from collections.abc import Iterator

from kubegap_checks.facts.metrics import DiskLatency, Exported, TierReads
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_checks.inventory.courses import first
from kubegap_checks.inventory.measured import unmeasured
from kubegap_checks.inventory.slow_reads import SlowReads, courses, slow_filesystem, slow_nodes
from kubegap_checks.inventory.storage_gauges import gauges, told
from kubegap_checks.inventory.tiering import Storage
from kubegap_checks.inventory.training import TrainingRun, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.quantities import group
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    storage = Storage(facts)
    measured = courses(facts.seen(DiskLatency))
    trains: dict[str, None] = {}
    for run in training_runs(facts):
        nodes = dict.fromkeys(pod.node for pod in run.pods if pod.node)
        slow = dict(slow_nodes(run, measured, whole=not facts.unread(Pod)))
        together = len(slow) >= max(2, len(nodes) / 2)
        for node, reads in slow.items():
            if node not in trains:  # two runs may share a node
                yield _of_node(run, node, reads, Severity.HIGH if together else Severity.MEDIUM)
        trains |= nodes
        yield from _of_filesystems(run, storage, facts)
    yield from unmeasured(facts, DiskLatency, trains)


def _of_node(run: TrainingRun, node: str, slow: SlowReads, severity: Severity) -> Finding:
    told_of = Confidence.LIKELY if slow.writes_known else Confidence.HINT
    return _finding(slow, Subject("Node", node), "", Text.same(""), severity, run.sign.confidence.at_most(told_of))


def _of_filesystems(run: TrainingRun, storage: Storage, facts: Facts) -> Iterator[Finding | Unread]:
    found: dict[str, Finding] = {}
    for use in run.datasets():
        backing, unread = storage.behind(use)
        yield from unread
        if backing is None or not gauges(backing, "read_latency"):
            continue
        for row in told(backing, use.volume, "read_latency", facts.seen(TierReads)).rows:
            if slow := slow_filesystem(run, row):
                where = Text(en=f" from {backing.name}", ko=f" {backing.name}에서")
                sure = run.surely(use, Confidence.LIKELY)
                found[backing.name] = _finding(slow, run.subject, backing.name, where, Severity.HIGH, sure)
    yield from found.values()


def _finding(
    slow: SlowReads, subject: Subject, key: str, where: Text, severity: Severity, confidence: Confidence
) -> Finding:
    hours = int(group(DiskLatency.KIND.plural).window_hours)
    took, usually = f"{slow.peak * 1e3:,.3g} ms", f"{slow.usual * 1e3:,.3g} ms"
    return Finding(
        subject=subject,
        key=key,
        says=Text(
            en=f"a read{where.en} took up to {took} instead of {usually}, for {slow.minutes} minutes of the last "
            f"{hours} hours",
            ko=f"최근 {hours}시간 중 {slow.minutes}분 동안{where.ko} 읽기 한 번에 평소 {usually} 대신 최대 {took} 걸림",
        ),
        evidence={f"metrics.{slow.row.quantity}": round(slow.peak, 6)},
        since=first(slow.points),
        severity=severity,
        confidence=confidence,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Read latency spikes under a training run", ko="학습 중 읽기 지연이 급증함"),
    why=Text(
        en="A run waits for its slowest read. When latency jumps on all nodes at once, the storage behind them is full "
        "or overloaded, or evicts data; on one node alone, its disk is failing or shared.",
        ko="학습은 가장 느린 읽기를 기다린다. 모든 노드에서 한꺼번에 지연이 뛰면 뒤의 스토리지가 찼거나 데이터를 "
        "내보내거나 과부하인 것이고, 한 노드에서만 뛰면 디스크가 고장 나거나 다른 작업과 나눠 쓰는 것이다.",
    ),
    fix=Text(
        en="Lay the times beside the run's throughput and the fill of its storage; stage the dataset on local NVMe, or "
        "take a node that is slow alone out of training.",
        ko="지연이 뛴 시각을 학습 처리량, 스토리지 사용률과 견주어 본다. 데이터셋을 로컬 NVMe에 올리고, 혼자 느린 "
        "노드는 학습에서 뺀다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(DiskLatency, TierReads, Exported, Pod, Claim, Volume, StorageClass, WekaCluster),
    cites=(
        Cite(
            incident="2025-huggingface-smollm3-throughput",
            because=Text(
                en="throughput fell when disk read latency spiked, and that led to the tiered storage; on Slurm",
                ko="Slurm 클러스터 사례. 디스크 읽기 지연이 뛸 때 처리량이 떨어져 계층형 스토리지를 찾아냈음",
            ),
        ),
    ),
    verify=("grep . /proc/diskstats  # on the node, twice: field 4 is reads, field 7 the milliseconds they took",),
    looks_like=(
        Text(en="a spike while images are pulled or a run starts", ko="이미지를 받거나 학습을 시작할 때의 급증"),
        Text(en="a disk that hardly anybody reads from", ko="거의 읽지 않는 디스크"),
        Text(en="reads that wait while a checkpoint is written", ko="체크포인트를 쓰는 동안 밀리는 읽기"),
        Text(en="a node without training, such as one at its backup", ko="백업 중인 노드처럼 학습하지 않는 노드"),
        Text(en="throughput drops with normal latency: not storage", ko="지연이 정상인 처리량 급락: 스토리지가 아님"),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
