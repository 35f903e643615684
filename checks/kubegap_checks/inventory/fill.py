"""How full what a run writes to is: its claims, and the storage behind them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from kubegap_checks.facts.metrics import VolumeFill
from kubegap_checks.facts.pods import Pod, PodVolume
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.facts.storage import WekaCluster
from kubegap_checks.inventory import weka
from kubegap_checks.inventory.backing import Backing
from kubegap_checks.inventory.training import TrainingRun, uses_of, workers
from kubegap_checks.model import Severity
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text

ClaimName = tuple[str, str]  # namespace, name
Fill = Mapping[str, VolumeFill]  # by quantity

_LEVELS = (Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A claim that a run may write to, as one of its pods mounts it; `saves` where checkpoints go there."""

    pod: Pod
    volume: PodVolume
    saves: bool

    @property
    def claim(self) -> ClaimName:
        return _name(self.pod, self.volume)


def written(run: TrainingRun) -> Iterator[Written]:
    """Each claim that a run may write to once; a cache is left out, which is meant to be full."""
    saves = {_name(use.pod, use.volume) for use in run.uses("checkpoint")}
    done: set[ClaimName] = set()
    for pod in run.pods:
        caches = {use.volume.name for use in uses_of(pod).get("cache", ())}
        for volume in pod.volumes:
            name = _name(pod, volume)
            if volume.claim and name not in done and volume.name not in caches and _is_written(pod, volume):
                done.add(name)
                yield Written(pod=pod, volume=volume, saves=name in saves)


def claims(rows: Iterable[VolumeFill]) -> Mapping[ClaimName, Fill]:
    found: dict[ClaimName, dict[str, VolumeFill]] = {}
    for row in rows:
        if row.claim:
            found.setdefault((row.namespace, row.claim), {})[row.quantity] = row
    return found


def full(fill: Fill) -> tuple[VolumeFill, ...]:
    """What next to nothing is left of: bytes, inodes."""
    asked = [fill[quantity] for quantity in ("claim_bytes", "claim_inodes") if quantity in fill]
    return tuple(row for row in asked if row.value >= threshold(f"volume_fill_{row.quantity}").value)


def filling(fill: Fill) -> tuple[VolumeFill, ...]:
    """The fill and the days left of a claim that is well filled and, at its present pace, soon full."""
    used, days = fill.get("claim_bytes"), fill.get("claim_days_left")
    if used is None or days is None:
        return ()
    soon = used.value >= threshold("volume_filling_from").value and days.value <= threshold("volume_days_left").value
    return (used, days) if soon else ()


def worst(rows: Iterable[VolumeFill]) -> tuple[VolumeFill, Severity] | None:
    """The row of a storage's own exporter that tells of the highest fill; None where there is room everywhere."""
    raised = [(row, level) for row in rows if (level := _level(row))]
    return max(raised, key=lambda each: each[1].rank, default=None)


def limits_itself(backing: Backing) -> bool:
    """Whether the size that the kubelet sees is where writes end: neither any number, nor that of all tiers."""
    size = backing.driver.size if backing.driver else None
    return size is None or (size == "all_tiers" and backing.verdict == "stays")


def told_by_object(backing: Backing, facts: Facts) -> bool:
    """Whether an object of the storage tells its fill, of which fast_tier_near_full speaks."""
    return backing.product == weka.PRODUCT and any(
        isinstance(weka.ssd_tier(cluster, facts.read_at), weka.Tier) for cluster in facts.known(WekaCluster)
    )


def untold(what: str) -> Unread:
    return Unread(
        what=Text(en=f"fill of {what}", ko=f"{what}의 사용률"),
        reason="invalid",
        remedy=Text(
            en="the metrics source does not tell it, and not every driver reports it: run `df` in a pod, or collect "
            "the exporter of the storage",
            ko="메트릭 소스에 값이 없음. 볼륨 통계를 내지 않는 드라이버일 수 있으니 파드에서 `df`를 실행하거나 "
            "스토리지의 익스포터를 수집한다",
        ),
    )


def _level(row: VolumeFill) -> Severity | None:
    if row.quantity.startswith("ceph_"):
        return next((one for one in _LEVELS if row.value >= threshold(f"ceph_percent_{one}").value), None)
    return next((one for one in _LEVELS if row.value >= threshold(f"weka_ssd_percent_{one}").value), None)


def _is_written(pod: Pod, volume: PodVolume) -> bool:
    mounts = [mount for container in workers(pod) for mount in container.mounts if mount.volume == volume.name]
    return not volume.read_only and any(not mount.read_only for mount in mounts)


def _name(pod: Pod, volume: PodVolume) -> ClaimName:
    return pod.namespace, volume.claim
