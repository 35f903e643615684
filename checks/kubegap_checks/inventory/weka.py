"""What Weka's own objects say of its SSD tier: how full it is, and whether the object stores behind it are up."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from msgspec import Struct

from kubegap_checks.facts.read import Unread
from kubegap_checks.facts.storage import Volume, WekaCluster
from kubegap_checks.model import Seen, Subject
from kubegap_checks.signals.storage_drivers import storage_driver
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text

PRODUCT = "WekaFS"  # as the signal tables call it

ASK = Text(
    en="run `weka fs` on the Weka cluster, or read weka_fs{stat='ssd_percent_used'} from its exporter",
    ko="Weka 클러스터에서 `weka fs`를 실행하거나 Weka 익스포터의 weka_fs{stat='ssd_percent_used'}를 확인",
)


class Tier(Struct, frozen=True, kw_only=True):
    """The SSD of all filesystems of a cluster together, as its status reports it; a full one may hide in the sum.

    `percent` is of the smaller of what is provisioned and what is budgeted. `down` counts the object stores that
    are not up, None where the status does not say.
    """

    percent: float
    down: int | None
    evidence: Mapping[str, Seen]
    buckets_evidence: Mapping[str, Seen]


def subject_of(cluster: WekaCluster) -> Subject:
    return Subject(cluster.KIND.name, cluster.name, cluster.namespace)


def is_weka(volume: Volume) -> bool:
    row = storage_driver(volume.driver)
    return row is not None and row.product == PRODUCT


def ssd_tier(cluster: WekaCluster, read_at: datetime) -> Tier | Unread:
    """The figures of the status, unless they are too old or were not collected: absent may mean zero or never read."""
    what = Text(en=f"SSD fill of {subject_of(cluster)}", ko=f"{subject_of(cluster)}의 SSD 사용률")
    budget = min((size for size in (cluster.ssd_provisioned, cluster.ssd_available) if size), default=None)
    if budget is None or cluster.ssd_used is None or cluster.stats_updated is None:
        return Unread(what=what, reason="invalid", remedy=ASK)
    if read_at - cluster.stats_updated > timedelta(minutes=threshold("weka_stats_stale").value):
        return Unread(what=what, reason="stale", remedy=ASK)
    down = 0 if not cluster.buckets else None
    if cluster.buckets and cluster.buckets_up is not None:
        down = max(0, cluster.buckets - cluster.buckets_up)
    sizes: dict[str, Seen] = {
        "hasTieredFilesystems": cluster.has_tiered_filesystems,
        "totalUsedSSDCapacity": cluster.ssd_used,
        "totalProvisionedSSDCapacity": cluster.ssd_provisioned,
    }
    if budget == cluster.ssd_available and budget != cluster.ssd_provisioned:
        # Left out where it proves nothing: it is a budget, and its name reads as free space.
        sizes["totalAvailableSSDCapacity"] = budget
    buckets: dict[str, Seen] = {"obsBucketCount": cluster.buckets, "activeObsBucketCount": cluster.buckets_up}
    return Tier(
        percent=100 * cluster.ssd_used / budget,
        down=down,
        evidence=_fields(sizes),
        buckets_evidence=_fields(buckets),
    )


def tiers_untold(cluster: WekaCluster) -> Unread:
    what = Text(
        en=f"whether {subject_of(cluster)} has tiered filesystems",
        ko=f"{subject_of(cluster)}에 계층화된 파일시스템이 있는지",
    )
    return Unread(what=what, reason="invalid", remedy=ASK)


def stores_untold(cluster: WekaCluster) -> Unread:
    what = Text(
        en=f"how many object stores of {subject_of(cluster)} are up",
        ko=f"{subject_of(cluster)}의 오브젝트 스토리지 중 몇 개가 살아 있는지",
    )
    return Unread(what=what, reason="invalid", remedy=ASK)


def _fields(values: Mapping[str, Seen]) -> Mapping[str, Seen]:
    return {f"status.stats.filesystem.{name}": value for name, value in values.items()}
