"""The SSD tier of a tiered filesystem must stay clear of the fill at which data is moved out early.

As the storage's own objects tell it. Where there are none, volume_near_full asks its exporter.
"""

from collections.abc import Iterator

from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.facts.storage import WekaCluster
from kubegap_checks.inventory.weka import Tier, ssd_tier, stores_untold, subject_of, tiers_untold
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text

_LEVELS = (Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM)


def find(facts: Facts) -> Iterator[Finding | Unread]:
    for cluster in facts.seen(WekaCluster):
        if cluster.has_tiered_filesystems is not False:
            tier = ssd_tier(cluster, facts.read_at)
            yield from [tier] if isinstance(tier, Unread) else _judge(cluster, tier)


def _judge(cluster: WekaCluster, tier: Tier) -> Iterator[Finding | Unread]:
    level = next((level for level in _LEVELS if tier.percent >= threshold(f"weka_ssd_percent_{level}").value), None)
    if cluster.has_tiered_filesystems is None:
        if level:
            yield tiers_untold(cluster)
        return
    if tier.down is None:
        yield stores_untold(cluster)
    if level:
        yield _near_full(cluster, tier, level)
    elif tier.down:
        yield Finding(
            subject=subject_of(cluster),
            key="object_store_down",
            says=_down(cluster, tier.down),
            evidence=tier.buckets_evidence,
            severity=Severity.HIGH,
            confidence=Confidence.CERTAIN,
        )


def _near_full(cluster: WekaCluster, tier: Tier, level: Severity) -> Finding:
    percent = int(tier.percent)
    full = Text(
        en=f"{percent} % of its filesystems' SSD budget is used, and some of them are tiered",
        ko=f"계층화된 파일시스템이 있는데 파일시스템 SSD 예산의 {percent}%를 사용 중",
    )
    if not tier.down:
        return Finding(subject=subject_of(cluster), says=full, evidence=tier.evidence, severity=level)
    down = _down(cluster, tier.down)
    return Finding(
        subject=subject_of(cluster),
        says=Text(en=f"{full.en}; {down.en}", ko=f"{full.ko}; {down.ko}"),
        evidence={**tier.evidence, **tier.buckets_evidence},
        severity=max(level, Severity.HIGH, key=lambda severity: severity.rank),
    )


def _down(cluster: WekaCluster, down: int) -> Text:
    return Text(
        en=f"{down} of {cluster.buckets} object stores behind the tiered filesystems are down",
        ko=f"계층 뒤의 오브젝트 스토리지 {cluster.buckets}개 중 {down}개가 끊김",
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Fast tier of a tiered filesystem nearly full", ko="계층형 파일시스템의 빠른 계층이 거의 가득 참"),
    why=Text(
        en="Above about 95% of its SSD, a tiered Weka filesystem releases data earlier than its policy says, also "
        "what a running job reads; `df` does not show it, since it counts the object store too.",
        ko="계층화된 Weka는 SSD 사용률이 약 95%를 넘으면 학습이 읽는 데이터라도 정책보다 일찍 내보낸다. "
        "`df`는 오브젝트 스토리지까지 더한 값이라 이 상태를 보여 주지 않는다.",
    ),
    fix=Text(
        en="Free or add SSD capacity, and keep the datasets of running jobs on node-local NVMe until there is room.",
        ko="SSD 공간을 비우거나 늘리고, 여유가 생길 때까지 학습 중인 데이터셋은 로컬 NVMe에 둔다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(WekaCluster,),
    cites=(
        Cite(
            incident="2025-huggingface-smollm3-throughput",
            because=Text(
                en="24 TB on top of what other teams kept took the shared Weka storage to its limit, and it began to "
                "evict the shards being trained on; reported on a Slurm cluster",
                ko="Slurm 클러스터 사례. 다른 팀이 쓰던 용량에 24 TB가 더해지자 공유 Weka가 한계에 닿아 "
                "학습 중인 샤드를 내보내기 시작함",
            ),
        ),
    ),
    verify=("kubectl get wekaclusters.weka.weka.io -A -o jsonpath='{.items[*].status.stats}'", "weka fs"),
    looks_like=(
        Text(
            en="the filesystem is nearly full and not tiered: writes will fail, but nothing is moved out",
            ko="파일시스템이 거의 찼지만 계층화되지 않음: 쓰기는 실패해도 데이터가 밀려나지는 않음",
        ),
        Text(
            en="`df` or the claim shows a fill that counts the object store",
            ko="`df`나 PVC 사용률이 오브젝트 스토리지까지 더한 값임",
        ),
        Text(en="the figures are old, or were never collected", ko="수치가 오래되었거나 수집된 적이 없음"),
    ),
    find=find,
    applies=lambda facts: any(facts.seen(WekaCluster)),
)
